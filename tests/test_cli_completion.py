#!/usr/bin/python3
"""Completion: the candidates of `segue help --complete`, and what bash, zsh and fish offer.

usage: test_cli_completion.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
import unittest

from program import SEGUE, PAPER, SOURCE, Folder, answer, candidates, run

# A line and what every shell offers for it.
CASES = (("sim", ["simulate"]), ("simulate --st", ["--steps"]), ("simulate --policy ucb,kl", ["ucb,kl-ucb"]),
         ("simulate --curve a", ["a-log"]), ("simulate --explain a", ["a-log"]), ("simulate --runs ", []),
         ("replay --order t", ["time"]), ("replay -q a", ["a-log"]), ("ask x --explain --ta", ["--task"]),
         ("store export -f a", ["a-log"]), ("store ex", ["export"]), ("bench --long --sa", ["--save"]),
         ("bench -L --sa", ["--save"]), ("help poli", ["policies"]), ("replay --missing ", ["error", "skip"]),
         ("none-such --a", []))


def screen(shown):
    """What a terminal shows: without its commands, and with characters that were written over."""
    cells, at = [], 0
    for character in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", shown):
        if character == "\x08":
            at = max(at - 1, 0)
        else:
            cells[at:at + 1] = [character]
            at += 1
    return "".join(cells)


class Candidates(Folder):
    def test_candidates_have_descriptions_from_the_tables(self):
        self.assertIn("simulate\tplay policies against a model set and print their regret\n", answer("help", "--complete", ""))
        self.assertEqual(answer("help", "--complete", "simulate", "--step"), "--steps\tsteps per task (default 5000)\n")
        self.assertIn("tla\t", answer("help", "--complete", "learn", "--method", "tl"))

    def test_an_equals_sign_separates_an_option_from_its_value(self):
        self.assertEqual(candidates("simulate", "--format=j"), ["--format=json"])
        self.assertEqual(candidates("simulate", "--policy=ucb,kl"), ["--policy=ucb,kl-ucb"])
        self.assertEqual(candidates("simulate", "--format", "=", "j"), ["json"])  # as bash splits it
        self.assertEqual(candidates("simulate", "--format", "="), ["table", "csv", "json"])

    def test_every_option_with_a_file_completes_files(self):
        for command in candidates(""):
            for found in re.finditer(r"^ .*--([a-z-]+) (FILE|FOLDER) ", answer("help", command), re.M):
                self.assertEqual(candidates(command, f"--{found[1]}", ""), ["FILE"], (command, found[1]))

    def test_candidates_are_never_an_error(self):
        for typed in ((), ("",), ("none-such", ""), ("simulate", "--none", ""), ("simulate", "="), ("=", "=", "="), ("help", "=x", "=")):
            answer("help", "--complete", *typed)

    def test_all_values_of_a_closed_set_are_offered_and_each_is_accepted(self):
        """Of an option that is refused with a list of what it needs, the completion offers that list."""
        log = self.file("task,arm,reward,time\n" + "".join(
            f"t{task},{arm},{(task + arm + i) % 2},{i}\n" for task in range(9) for arm in range(2) for i in range(3)), "log.csv")
        play = ("--steps", 2, "--runs", 2, "--policy", "ts")
        cases = [("replay", option, "--dry-run", log) for option in ("--play", "--order", "--missing", "--format")]
        cases += [("tally", "--delimiter", self.folder / "marks.csv", "--out", self.folder / "tally")]
        cases += [("simulate", option, "--models", PAPER, *play) for option in ("--format", "--kernel")]
        cases += [("simulate", "--order", "--log", log, "--tasks", 3, *play)]
        cases += [("learn", option, "--models", 1, log, "--out", self.folder / "saved") for option in ("--order", "--method")]
        cases += [("estimate", option, "--types", 1, log) for option in ("--method", "--views", "--batches", "--weights")]
        cases += [("plot", option, "none.csv") for option in ("--kind", "--track", "--format", "--log")]
        for command, option, *more in cases:
            offered = candidates(command, option, "")
            refusal = run(command, option, "none-such", *more).stderr
            needed = set(re.split(r"[ ,\n]+", refusal.rpartition("need ")[2])) - {"one", "a", "list", "of", "or", ""}
            self.assertEqual(needed, set(offered), refusal)
            for value in offered:
                mark = {"tab": "\t", "semicolon": ";", "pipe": "|"}.get(value, ",")
                self.file(mark.join(("task", "arm", "reward")) + "\n" + mark.join("aa1") + "\n", "marks.csv")
                done = run(command, option, value, *more)
                if command == "plot":  # options are checked before the file is opened
                    self.assertIn("none.csv: cannot be opened", done.stderr)
                else:
                    self.assertEqual(done.returncode, 0, (command, option, value, done.stderr))


class Shells(Folder):
    """Every shell offers what the program says, and the names of files."""

    def setUp(self):
        super().setUp()
        self.file("", "a-log")
        self.environment = {**os.environ, "PATH": f"{os.path.dirname(SEGUE)}:{os.environ['PATH']}", "HOME": str(self.folder),
                            "TERM": "dumb", "LC_ALL": "C.UTF-8"}

    def output_of(self, *command):
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=self.folder, env=self.environment).stdout

    def test_bash(self):
        cases = (*CASES, ("simulate --format = j", ["json"]), ("simulate --curve = a", ["a-log"]))
        script = f"source {SOURCE}/completions/segue.bash\n"
        for line, _ in cases:
            last = '""' if line.endswith(" ") else ""
            script += f"COMP_WORDS=(segue {line}{last}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMPREPLY=(); _segue\n"
            script += 'echo "${COMPREPLY[@]}"\n'
        lines = self.output_of("bash", "-c", script).split("\n")[:-1]
        for (line, expected), offered in zip(cases, lines, strict=True):
            self.assertEqual(offered.split(), expected, line)

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish(self):
        for line, expected in (*CASES, ("simulate --format=j", ["--format=json"]), ("simulate --curve=a", ["--curve=a-log"])):
            offered = self.output_of("fish", "--no-config", "-c", f"source {SOURCE}/completions/segue.fish; complete -C 'segue {line}'")
            self.assertEqual([entry.split("\t")[0] for entry in offered.splitlines()], expected, line)

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh(self):
        setup = f"fpath=({SOURCE}/completions $fpath); autoload -Uz compinit; compinit -u -D; PS1=; unsetopt zle_bracketed_paste"
        self.on_terminal(["zsh", "-f"], setup)

    def test_bash_on_a_terminal(self):
        setup = f"source {SOURCE}/completions/segue.bash; PS1=; bind 'set enable-bracketed-paste off'"
        self.on_terminal(["bash", "--norc", "--noprofile", "-i"], setup)

    def on_terminal(self, shell, setup):
        """A shell on a terminal, to which a line, TAB and X are typed: one candidate is completed, several are listed.  Folders
        have the names of a command, a topic and a value, which stay words; only a file's name is completed as one."""
        for name in ("bench", "policies", "json", "f-folder"):
            (self.folder / name).mkdir()
        self.file("", "b log")
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execvpe(shell[0], shell, self.environment)
        try:
            self.say(terminal, f"{setup}; echo rea''dy\n", "ready")
            for line, expected in (("sim", "simulate X"), ("simulate --st", "simulate --steps X"), ("ben", "bench X"),
                                   ("simulate --policy ucb,kl", "simulate --policy ucb,kl-ucb X"),
                                   ("simulate --curve a", "simulate --curve a-log X"),
                                   ("simulate --curve=a", "simulate --curve=a-log X"),
                                   ("simulate --curve b\\ ", "simulate --curve b\\ log X"),
                                   ("simulate --curve f", "simulate --curve f-folder/X"),
                                   ("simulate --format=j", "simulate --format=json X"),
                                   ("simulate --format j", "simulate --format json X"),
                                   ("store ex", "store export X"), ("help poli", "help policies X")):
                self.say(terminal, f"\x15segue {line}\tX", f"segue {expected}")
            self.say(terminal, "\x15segue replay --missing \t\t", "skip")
        finally:
            os.close(terminal)
            os.waitpid(pid, 0)

    def say(self, terminal, text, expected):
        """Type a text, and wait until the terminal has shown what is expected."""
        os.write(terminal, text.encode())
        shown, limit = "", time.monotonic() + 30
        while expected not in screen(shown):
            self.assertLess(time.monotonic(), limit, f"{text!r} shows {shown!r}; need {expected!r}")
            if select.select([terminal], [], [], 0.2)[0]:
                shown += os.read(terminal, 65536).decode(errors="replace")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
