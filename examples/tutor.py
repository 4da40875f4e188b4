"""An adaptive tutor: which form of exercise suits this student?

    make build && PYTHONPATH=build/release/python /usr/bin/python3 examples/tutor.py [FILE]

A student is a task, a form of exercise an arm, and the reward is 1 if the exercise was solved.  Students
differ: some learn from videos, others from quizzes.  The tutor does not know who does.  It saves the
learner to FILE after each class and goes on from it, as a program that is started every morning would.

Here students are simulated; replace `solves` by what your students do.
SPDX-License-Identifier: Apache-2.0"""
import os
import random
import sys
import tempfile

import segue

EXERCISES = 30
FORMS = ["video", "diagram", "quiz", "drill", "text"]
# Of each kind of student: its share, and how often each form is solved.  The tutor does not know this table.
KINDS = [(0.40, [0.90, 0.65, 0.15, 0.20, 0.30]),
         (0.35, [0.20, 0.25, 0.85, 0.60, 0.20]),
         (0.25, [0.20, 0.15, 0.25, 0.20, 0.85])]


def solves(student, kind, form):
    """Whether a student solves the next exercise of this form."""
    return student.random() < KINDS[kind][1][FORMS.index(form)]


def teach(learner, seed):
    """Teach one student.  Returns how many of the exercises were solved."""
    student = random.Random(seed)
    kind = student.choices(range(len(KINDS)), [share for share, _ in KINDS])[0]
    solved = 0
    with learner.task() as task:  # at its end the learner learns from the student
        for _ in range(EXERCISES):
            form = task.ask()
            done = solves(student, kind, form)
            task.tell(form, done)
            solved += done
    return solved


def morning(file, method):
    """The learner of yesterday, or a new one."""
    return segue.load(file) if os.path.exists(file) else segue.Learner(FORMS, EXERCISES, method)


def teach_class(file, method, number, size=25):
    """Teach a class and save what was learned.  Returns the share of exercises that were solved."""
    learner = morning(file, method)
    solved = sum(teach(learner, number * size + i) for i in range(size))
    learner.save(file)
    return solved / (size * EXERCISES)


def main():
    with tempfile.TemporaryDirectory() as folder:
        files = {"tla": sys.argv[1] if len(sys.argv) > 1 else f"{folder}/tla.segue", "ts": f"{folder}/ts.segue"}
        print("solved, by class   with transfer (tla)   without (ts)")
        totals = dict.fromkeys(files, 0.0)
        for number in range(8):
            solved = {method: teach_class(file, method, number) for method, file in files.items()}
            print(f"class {number + 1:>2}           {solved['tla']:14.0%} {solved['ts']:17.0%}")
            for method in files:
                totals[method] += solved[method] / 8
        print("\nkinds of students that the tutor has found:")
        for kind in segue.load(files["tla"]).types:
            if kind.weight >= 0.05:
                best = max(kind.means, key=kind.means.get)
                print(f"  {kind.weight:4.0%} of them solve most with {best} ({kind.means[best]:.0%})")
        assert totals["tla"] > totals["ts"]


if __name__ == "__main__":
    main()
