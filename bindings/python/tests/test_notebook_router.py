"""The notebook about an LLM router runs, with a service of its own, and what it claims is true of the run.

Its one statistical claim: over 160 conversations the control group loses more per message than the others. In two such runs the difference
was 0.22 and 0.20, with standard deviations per conversation of at most 0.21 (transfer) and 0.12 (control). With 18 control tasks or more, of
160 with a share of 0.2 (fewer: probability 0.0011), it is below 0 with a probability under 1e-8.
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
