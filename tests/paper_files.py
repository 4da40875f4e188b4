"""Experiments and the paper's report in a temporary folder, for tests.

SPDX-License-Identifier: Apache-2.0"""
import csv
import json
import re
import shutil

from program import PAPER, SOURCE, Folder, answer

STUDIES = ["lengths", "baselines", "tucb-lengths", "tucb-tasks", "tucb-choices", "related", "ours", "probes",
           "probes-tasks", "identify", "three-pulls", "fresh-rewards", "weights",
           "sensitivity", "laws", "testing",
           "estimators", "sweep"]

FIRST, CONTROL = "tucb:identify=4,freeze=4,C=0.2,eps=theorem", "tucb:freeze=4,C=0.2,eps=theorem"

GOOD = {"name": "try", "environment": {"models": PAPER}, "policies": ["ucb", "mucb"],
        "steps": [50, 100], "runs": 3, "seed": 7}


def rows_of(path):
    """The rows of a CSV file."""
    return list(csv.DictReader(path.read_text().splitlines()))


def tiny_experiments(folder):
    """The paper's experiments, with few and short runs."""
    shutil.copytree(SOURCE / "models", folder / "models")
    (folder / "experiments").mkdir()
    for name in STUDIES:
        experiment = json.loads((SOURCE / "experiments" / f"{name}.json").read_text())
        usual = {"runs": 3, "steps": [60, 120]}
        if "tasks" in experiment:
            usual["tasks"] = [12, 24] if isinstance(experiment["tasks"], list) else 24
        if "every" in experiment:
            usual.update(steps=120, every=2)
        if name == "ours":
            usual.update(steps=[60, 120])
        if name == "tucb-lengths":
            usual.update(steps=[60])
        if name == "identify":
            usual.update(policies=[FIRST, CONTROL])
        if name == "three-pulls":
            usual.update(policies=["tucb:identify=200", "tucb:identify=200,views=symmetric"], tasks=200, every=20)
        if name == "sweep":
            usual.update(policies=["tucb:identify=24,every=2"])
        experiment.update(usual)
        (folder / "experiments" / f"{name}.json").write_text(json.dumps(experiment))
    return str(folder / "experiments")


def without_times(data):
    """A page without the line that has times."""
    return re.sub(rb'<p id="times">.*?</p>', b"", data)


def files_of(folder):
    """All that must be the same bytes."""
    return {str(p.relative_to(folder)): without_times(p.read_bytes()) for p in folder.rglob("*")
            if p.is_file() and p.suffix != ".pdf" and p.name != "timing.json"}


class PaperFolder(Folder):
    """A folder with short forms of the paper's experiments."""

    def setUp(self):
        super().setUp()
        self.experiments = tiny_experiments(self.folder)

    def paper(self, name, *args):
        out = self.folder / name
        printed = answer("paper", "--experiments", self.experiments, "--out", out, *args)
        return out, printed

    def change(self, out, study, change):
        path = out / "data" / f"{study}.json"
        results = json.loads(path.read_text())
        for cell in results["results"]:
            change(cell)
        path.write_text(json.dumps(results))

    def verdicts(self, out):
        answer("paper", "--redraw", "--out", out)
        page = (out / "report.html").read_text()
        return dict(re.findall(r'<div class="claim (\w+)" id="claim-([a-z-]+)">', page)[i][::-1]
                    for i in range(page.count('<div class="claim ')))

    def set_regret(self, cell, mean, se=0.01):
        cell["regret"] = {"mean": mean, "se": se}
        if cell["tasks"]:
            cell["each_run"] = [mean] * cell["runs"]
