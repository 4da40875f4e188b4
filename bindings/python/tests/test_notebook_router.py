"""The notebook about an LLM router runs, with a service of its own, and what it claims is true of the run.

Its one statistical claim: over 160 conversations the control group loses more per message than the others. In 240 conversations of
two runs the difference was 0.2 with a standard deviation of 0.15 per conversation; with some 32 conversations in the control
group it is below 0 with a probability under 1e-9.
SPDX-License-Identifier: Apache-2.0"""
import os

import pytest
from served import PROGRAM, SOURCE, segue

nbformat = pytest.importorskip("nbformat", reason="python3-nbformat is missing")
nbclient = pytest.importorskip("nbclient", reason="python3-nbclient is missing")
pytest.importorskip("ipykernel", reason="python3-ipykernel is missing")


def test_the_notebook_runs(monkeypatch):
    monkeypatch.setenv("SEGUE", os.path.abspath(PROGRAM))
    monkeypatch.setenv("PYTHONPATH", os.path.dirname(os.path.dirname(os.path.abspath(segue.__file__))))
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    folder = SOURCE / "examples/notebooks"
    notebook = nbformat.read(folder / "3-llm-router.ipynb", 4)
    client = nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(folder)}})
    client.execute()
    assert all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code")
