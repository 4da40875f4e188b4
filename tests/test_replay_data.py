#!/usr/bin/python3
"""`segue replay` on logs of real tasks, in the folder that SEGUE_DATA names; without it, skipped.

Margins are far from what is found (Seattle: tts 10 % above ts; UN votes: 11 %; MovieTweetings: tla a
quarter below the regret of ts-prior, tts 3 % above it), so that luck does not decide.  Seattle has 43
rewards of every arm in a task; the others have nine of their rarest arm, too few to judge types.
SPDX-License-Identifier: Apache-2.0"""
import json
import os
import pathlib
import sys
import unittest

from program import answer

FOLDER = os.environ.get("SEGUE_DATA")
LOGS = {"seattle": "netlatency/seattle_slo.csv", "votes": "unvotes/un_us.csv",
        "films": "movietweetings/mt_bin5.csv"}


def play(name, *args):
    """What is found on a log, and its results by policy."""
    path = pathlib.Path(FOLDER) / LOGS[name]
    found = json.loads(answer("replay", "--order", "shuffle", "--steps", 100, "--runs", 1, "--format", "json",
                              "--quiet", *args, path))
    return found, {result["policy"]: result for result in found["results"]}


class Data(unittest.TestCase):
    def test_seattle_has_types_that_pay(self):
        found, result = play("seattle")
        self.assertGreater(result["tts"]["over_ts"]["low"], 0.05)
        self.assertGreater(result["tla"]["over_ts"]["low"], result["tts"]["over_ts"]["high"])
        self.assertEqual((found["verdict"]["conclusion"], found["verdict"]["use"]), ("types", "tla"))
        self.assertEqual((found["log"]["played"], found["log"]["skipped"]), (1456, 0))

    def test_types_of_some_sources_hold_for_others(self):
        """Blocks of one source are near-copies: tasks of every second source are held out."""
        found, result = play("seattle", "--holdout", "^n[0-9][02468]-", "--policy", "tts")
        self.assertGreater(result["tts"]["over_ts"]["low"], 0.03)
        self.assertGreater(result["tts"]["over_prior"]["low"], 0.03)
        self.assertEqual(found["play"]["scored"], 736)

    def test_votes_pay_too(self):
        _, result = play("votes", "--policy", "tts")
        self.assertGreater(result["tts"]["over_ts"]["low"], 0.05)

    def test_films_have_too_few_rewards_to_judge_types(self):
        found, result = play("films", "--runs", 8)
        self.assertGreaterEqual(result["tla"]["over_prior"]["high"], 0.0)
        self.assertLess(result["tla"]["regret"]["mean"], result["ts-prior"]["regret"]["mean"])
        self.assertLess(result["tts"]["regret"]["mean"], 1.05 * result["ts-prior"]["regret"]["mean"])
        self.assertEqual(found["verdict"]["conclusion"], "unclear")
        self.assertIn("Types cannot be judged from this log: arm 'Action' has 8.7 rewards", found["verdict"]["text"])

    def test_a_dry_run_finds_types(self):
        for name, log in LOGS.items():
            found = json.loads(answer("replay", "--dry-run", "--format", "json", pathlib.Path(FOLDER) / log))
            self.assertGreater(found["types"], 1, name)


if __name__ == "__main__":
    if not FOLDER or not all((pathlib.Path(FOLDER) / log).is_file() for log in LOGS.values()):
        print("skipped: SEGUE_DATA does not name the folder of the logs of real tasks, which are not part of Segue")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
