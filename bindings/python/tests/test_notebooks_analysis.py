"""The notebooks about the paper and about logs run; what they claim is asserted in them, of one seed.
SPDX-License-Identifier: Apache-2.0"""
import os
import pathlib

import pytest
import segue
from commands import ROOT

nbformat = pytest.importorskip("nbformat", reason="python3-nbformat is missing")
nbclient = pytest.importorskip("nbclient", reason="python3-nbclient is missing")
for module in ("ipykernel", "pandas", "matplotlib"):
    pytest.importorskip(module, reason=f"python3-{module} is missing")
FOLDER = ROOT / "examples/notebooks"


@pytest.mark.parametrize("name", ["1-the-paper.ipynb", "2-my-log.ipynb"])
def test_a_notebook_runs(name, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(pathlib.Path(segue.__file__).parents[1]))
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    notebook = nbformat.read(FOLDER / name, 4)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3",
                            resources={"metadata": {"path": os.fspath(FOLDER)}}).execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert cells and all(cell.execution_count for cell in cells)
    shown = [output for cell in cells for output in cell.outputs if "data" in output]
    assert sum("image/png" in output.data for output in shown) >= 2
    assert sum("<table" in output.data.get("text/html", "") for output in shown) >= 3
