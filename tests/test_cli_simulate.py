#!/usr/bin/python3
"""`segue simulate` gives the same bytes; `segue bench` measures.

usage: test_cli_simulate.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import json
import os
import subprocess
import sys
import unittest

from program import PAPER, SOURCE, Folder, answer, run

SIMULATE = ("simulate", "--models", PAPER, "--steps", 50, "--runs", 2)
GOLDEN = [34.86025, 21.83575, 19.0284]
GOLDEN_PLAIN = [34.86025, 21.83575, 19.1482]  # ts draws other numbers of the same law
GOLDEN_TASKS = [17.587558, 3.851898]


class SameBytes(Folder):
    ENVIRONMENTS = [
        (200, "--models", PAPER),
        (150, "--models", PAPER, "--tasks", 6),
        (200, "--models", PAPER, "--tasks", 4, "--spread", 20, "--rewards", "beta:20"),
        (800, "--models", PAPER, "--mixed", 0.5, "--rewards", "normal:0.2"),
        (150, "--models", PAPER, "--tasks", 6, "--switch-at", 3, "--switch-to", PAPER),
        (200, "--models", PAPER, "--rewards", "twopoint:0.95"),
        (800, "--uniform", 5),
    ]

    def test_threads_do_not_change_a_byte(self):
        """Work is handed out in batches of about 5,000 steps; every case has more than seven."""
        for runs, *environment in self.ENVIRONMENTS:
            policies = "ucb,ts,kl-ucb,sw-ucb,d-ucb,carried-ucb,ucb1"
            if environment[0] == "--models":
                policies += ",ucb+,mucb,umucb:eps=0.05,mts,ucb-test"
            if environment[0] == "--models" and "--mixed" not in environment:
                policies += ",told-ucb"
            args = ("simulate", *environment, "--policy", policies, "--steps", 60, "--runs", runs)
            one = answer(*args, "--format", "json", "--threads", 1)
            for threads in (2, 7):
                self.assertEqual(answer(*args, "--format", "json", "--threads", threads), one)

    def test_another_seed_gives_other_numbers(self):
        seeds = {answer(*SIMULATE, "--format", "csv", "--seed", seed) for seed in (1, 2, 3)}
        self.assertEqual(len(seeds), 3)

    def test_a_run_gives_the_numbers_of_earlier_versions(self):
        """These numbers change only with the streams or a policy; CHANGELOG then says so."""
        for kernel, expected in (("fast", GOLDEN), ("plain", GOLDEN_PLAIN)):
            data = json.loads(answer("simulate", "--models", PAPER, "--policy", "ucb,mucb,ts", "--steps", 200,
                                     "--runs", 20, "--format", "json", "--kernel", kernel))
            seen = [round(result["regret"]["mean"], 6) for result in data["results"]]
            self.assertEqual(seen, expected)
        data = json.loads(answer("simulate", "--models", PAPER, "--policy", "told-ucb,mts", "--steps",
                                 100, "--runs", 10, "--tasks", 5, "--spread", 20, "--rewards",
                                 "beta:10", "--format", "json"))
        seen = [round(result["regret"]["mean"], 6) for result in data["results"]]
        self.assertEqual(seen, GOLDEN_TASKS)



class Costs(Folder):
    ARGS = ("simulate", "--models", PAPER, "--steps", 40, "--runs", 3, "--tasks", 4, "--format", "json")

    def regret(self, *args):
        return json.loads(answer(*self.ARGS, *args))["results"][0]["regret"]["mean"]

    def test_costs_of_zero_change_nothing(self):
        for policy in ("tla", "tts", "ts", "kl-ucb"):
            plain = self.regret("--policy", policy, "--kernel", "plain")
            zero = self.regret("--policy", policy, "--costs", "0,0,0,0,0,0,0", "--ignore-costs")
            self.assertAlmostEqual(zero, plain, places=9)

    def test_threads_do_not_change_a_byte(self):
        args = (*self.ARGS, "--policy", "tla,ts,ucb", "--costs", "0.1,0,0.3,0,0.2,0,0.05", "--switch-cost", 0.1)
        self.assertEqual(answer(*args, "--threads", 1), answer(*args, "--threads", 3))

    def test_a_switch_at_every_step_costs_every_step_but_the_first(self):
        free = self.regret("--policy", "round-robin", "--kernel", "plain")
        dear = self.regret("--policy", "round-robin", "--switch-cost", 0.5, "--ignore-costs")
        self.assertAlmostEqual(dear - free, 39 * 0.5, places=9)

    def test_equal_costs_of_all_arms_change_no_regret(self):
        free = self.regret("--policy", "round-robin", "--kernel", "plain")
        dear = self.regret("--policy", "round-robin", "--costs", ",".join(7 * ["0.25"]), "--ignore-costs")
        self.assertAlmostEqual(dear, free, places=9)


class Bench(Folder):
    @unittest.skipIf(os.environ.get("SEGUE_TEST_SHORT"), "under a sanitizer times mean nothing, and are long")
    def test_bench_prints_ratios_and_compare_finds_what_got_slower(self):
        path = self.folder / "new.json"
        answer("bench", "--rounds", 1, "--save", path, "--label", "abc", "--quiet")
        data = json.loads(path.read_text())
        self.assertEqual((data["label"], data["rounds"]), ("abc", 1))
        by_name = {b["name"]: b for b in data["benchmarks"]}
        self.assertEqual(by_name["limit: a Bernoulli draw"]["of_limit"], 1.0)
        for name, benchmark in by_name.items():
            self.assertGreater(benchmark["ns"], 0, name)
        self.assertIsNone(by_name["kl-ucb, n = 5000"]["ratio"])
        compare = SOURCE / "bench" / "compare"
        same = subprocess.run([compare, path, path], stdout=subprocess.PIPE, text=True, check=True)
        self.assertIn("the same", same.stdout)
        by_name["mucb, n = 5000"]["ratio"] *= 0.5
        slow = self.file(json.dumps(data), "slow.json")
        done = subprocess.run([compare, path, slow], stdout=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"mucb, n = 5000 .*slower")
        self.assertEqual(done.stdout.count(": slower"), 1)
        done = subprocess.run([compare, path, self.file("{}", "bad.json")], stderr=subprocess.PIPE, text=True,
                              check=False)
        self.assertIn("is no result of 'segue bench", done.stderr)

    def test_bench_refuses_what_it_cannot_do(self):
        self.refused(2, "--rounds", "bench", "--rounds", 100)
        self.refused(2, "cannot be opened", "bench", "--models", self.folder / "nowhere.csv")
        self.refused(2, "there is no 'xml'", "bench", "--format", "xml")
        self.refused(2, "--kernel: there is no 'slow'; need fast or plain", *SIMULATE, "--kernel", "slow")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
