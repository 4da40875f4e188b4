"""A log of the paper's models, for the tests of commands that read one.
SPDX-License-Identifier: Apache-2.0"""
import pathlib
import random

from program import PAPER, Folder


class PaperLog(Folder):
    def log(self, tasks=300, pulls=40):
        """A log of the paper's models, by round robin, with a task that has too few rewards."""
        rng = random.Random(7)
        models = [[float(x) for x in row.split(",")[1:]]
                  for row in pathlib.Path(PAPER).read_text().splitlines()[1:]]
        rows = ["task,arm,reward"]
        for task in range(tasks):
            model = rng.choice(models)
            rows += [f"t{task},{arm + 1},{int(rng.random() < mean)}"
                     for _ in range(pulls) for arm, mean in enumerate(model)]
        rows += ["short,1,1", "short,2,0"]
        return self.file("\n".join(rows) + "\n", "log.csv")
