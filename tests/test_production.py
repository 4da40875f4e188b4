#!/usr/bin/python3
"""From a log to a served learner and back: `segue learn`, `segue learners --from`, `segue store export --log`.

usage: test_production.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import csv
import io
import json
import os
import random
import re
import socket
import subprocess
import sys
import time
import unittest

from program import PAPER, SEGUE, SOURCE, Folder, answer, run
from service import Service, last_version
from stores import store_name

TYPES = [[0.8, 0.2, 0.2, 0.4], [0.2, 0.8, 0.2, 0.4], [0.2, 0.2, 0.8, 0.4]]
ARMS = ["quiz, short", "video", "Gr\u00f6\u00dfe", "text"]


def log_of(tasks, steps, header="task,arm,reward", scale=1, seed=5):
    rng = random.Random(seed)
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(header.split(","))
    for task in range(tasks):
        means = TYPES[task % 3]
        for _ in range(steps):
            arm = rng.randrange(len(ARMS))
            rows.writerow([f"user {task}", ARMS[arm], scale * (rng.random() < means[arm])])
    return out.getvalue()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Learn(Folder):
    def test_types_of_a_log_are_found(self):
        out = self.folder / "a.segue"
        said = answer("learn", self.file(log_of(240, 30)), "--out", out)
        self.assertIn("240 tasks, 7200 rewards, 4 arms", said)
        self.assertIn("learner  tla, 30 steps per task", said)
        self.assertIn("types    3,", said)
        self.assertIn(f"segue learners a --from {out}", said)
        self.assertEqual(out.read_bytes()[:8], b"SEGUELRN")

    def test_the_same_log_gives_the_same_bytes(self):
        one, two, other = (self.folder / name for name in ("one", "two", "other"))
        plain = self.file(log_of(60, 20), "plain.csv")
        named = self.file(log_of(60, 20, "user,variant,click", 5), "named.csv")
        said = answer("learn", plain, "--out", one, "--steps", 20, "--method", "tts")
        answer("learn", plain, "--out", two, "--method", "tts", "--steps", 20)
        self.assertEqual(one.read_bytes(), two.read_bytes())
        again = answer("learn", named, "--task", "user", "--arm", "variant", "--reward", "click", "--range", "0,5", "--out", other,
                       "--method", "tts")
        self.assertEqual(again.split("saved")[0], said.split("saved")[0])  # rewards of 0 and 5 in a range of 0 to 5

    def test_every_method_of_a_verdict_learns(self):
        log = self.file(log_of(40, 20))
        for method in "la", "ts", "ts-prior", "tla", "tla:cap=1", "tts", "auto", "tucb:models=3", "ucb", "kl-ucb":
            said = answer("learn", log, "--out", self.folder / "x.segue", "--method", method)
            self.assertIn("40 tasks", said)

    def test_no_verdict_names_a_policy_of_one_stream(self):
        """It has no learner, because a service has several open tasks."""
        log = self.file(log_of(60, 12))
        found = json.loads(answer("replay", "-q", log, "--policy", "sw-ucb,d-ucb,carried-ucb", "--runs", 1, "--steps", 6,
                                  "--format", "json"))
        carries = {line["policy"]: line["carries"] for line in found["results"]}
        self.assertEqual([carries[name] for name in ("sw-ucb", "d-ucb", "carried-ucb", "ts")], ["stream"] * 3 + ["nothing"])
        self.assertNotIn(found["verdict"]["use"], ("sw-ucb", "d-ucb", "carried-ucb"))

    def test_tasks_can_come_by_time(self):
        rows = [f"t{i},{arm},{int(arm == 'a')},{100 - i}" for i in range(30) for arm in "ab"]
        log = self.file("\n".join(["task,arm,reward,time", *rows]))
        back = self.file("\n".join(["task,arm,reward,time", *[row for i in reversed(range(30)) for row in rows[2 * i:2 * i + 2]]]),
                         "back.csv")
        one, two, other = (self.folder / name for name in ("one", "two", "other"))
        answer("learn", log, "--order", "time", "--out", one, "--method", "tts")
        answer("learn", back, "--order", "file", "--out", two, "--method", "tts")
        self.assertEqual(one.read_bytes(), two.read_bytes())
        answer("learn", log, "--out", other, "--method", "tts")

    def test_wrong_usage(self):
        log, out = self.file(log_of(5, 9)), str(self.folder / "x.segue")
        for says, *args in (
                ("give a log", "--out", out),
                ("name the file of the learner", log),
                ("standard output; need a file", log, "--out", "-"),
                ("there is no learner 'magic'", log, "--out", out, "--method", "magic"),
                ("there is no learner 'mucb'", log, "--out", out, "--method", "mucb"),
                ("tucb needs the number of models", log, "--out", out, "--method", "tucb"),
                ("--order is 'up'; need file or time", log, "--out", out, "--order", "up"),
                ("has no column 'time'", log, "--out", out, "--order", "time"),
                ("would overwrite the log", log, "--out", log),
                ("no column 'user'", log, "--out", out, "--task", "user"),
                ("cannot be opened", str(self.folder / "none.csv"), "--out", out),
                ("field 'reward'", self.file("task,arm,reward\nt,a,2\nt,b,1\n", "big.csv"), "--out", out),
                ("need 1 to 256", self.file("task,arm,reward\nt,%s,1\nt,b,1\n" % ("a" * 300), "long.csv"), "--out", out)):
            self.refused(2, says, "learn", *args)
        self.assertFalse((self.folder / "x.segue").exists())


class Production(Folder):
    def serve(self, store="a.db"):
        service = Service(SEGUE, str(self.folder / store))
        self.addCleanup(lambda: service.process.poll() is None and service.stop())
        return service

    def learn(self, *options):
        answer("learn", self.file(log_of(120, 20)), "--out", self.folder / "tutor.segue", *options)
        return str(self.folder / "tutor.segue")

    def create(self, service, *options):
        return json.loads(answer("learners", "tutor", "-u", f"http://127.0.0.1:{service.port}", *options))

    def play(self, client, key, type_, steps, rng, **ask):
        for _ in range(steps):
            status, said = client.ask("tutor", key, **ask)
            self.assertEqual(status, 200, said)
            reward = float(rng.random() < TYPES[type_][ARMS.index(said["arm"])])
            self.assertEqual(client.tell(said["decision"], reward)[0], 200)

    def test_a_served_learner_starts_from_a_log_and_survives(self):
        """Its types are there before the first task, after a kill, after an export and an import."""
        saved, service = self.learn(), self.serve()
        made = self.create(service, "--from", saved)
        self.assertEqual([arm["name"] for arm in made["arms"]], list(dict.fromkeys(
            row["arm"] for row in csv.DictReader(io.StringIO(log_of(120, 20))))))
        self.assertEqual((made["method"], made["steps"], made["tasks"]["closed"]), ("tla", 20, 0))
        weights = [type_["weight"] for type_ in made["types"]]
        self.assertEqual((sum(w > 0.2 for w in weights), len(weights) <= 6), (3, True), weights)  # a few may be small
        self.assertEqual(self.create(service, "--from", saved), made)  # again: the same learner
        rng = random.Random(2)
        client = service.client()
        for i in range(8):
            self.play(client, f"s{i}", i % 3, 20, rng)
        before = last_version(lambda: client.get("/v1/learners/tutor")[1])
        client.close()
        self.assertEqual(before["tasks"]["closed"], 8)
        service.kill()
        service.start()
        self.assertEqual(service.client().get("/v1/learners/tutor")[1], before)
        self.assertEqual(service.stop(), 0)
        store, export = store_name(f"{self.folder}/a.db"), self.folder / "e.jsonl"
        self.assertIn("sound; 1 learner", answer("store", "check", "--store", store))
        answer("store", "export", "--store", store, "--file", export)
        answer("store", "import", "--store", store_name(f"{self.folder}/b.db"), "--file", export)
        again = self.serve("b.db")
        self.assertEqual(again.client().get("/v1/learners/tutor")[1], before)
        self.assertEqual(again.stop(), 0)

    def test_the_first_task_profits(self):
        """`segue simulate` on these types: ts, which knows nothing, earns 0.567 per step, tla over its first 200 tasks 0.695 (se 0.003).
        The mean of 60 tasks of 20 steps has a standard error of 0.013: 0.64 is 4.2 of them below tla (it fails once in 70,000
        runs) and 5.6 above ts."""
        rng, total = random.Random(4), 0
        service = self.serve()
        client = service.client()
        self.create(service, "--from", self.learn(), "--create", self.file('{"control": 0, "close_after": 0}', "more.json"))
        for i in range(60):  # all open: what it knows is from the log alone
            for _ in range(20):
                said = client.ask("tutor", f"s{i}")[1]
                reward = float(rng.random() < TYPES[i % 3][ARMS.index(said["arm"])])
                total += reward
                client.tell(said["decision"], reward)
        self.assertGreater(total / 1200, 0.64)
        self.assertEqual(service.stop(), 0)

    def test_a_file_without_names_needs_them(self):
        service, saved = self.serve(), self.folder / "sim.segue"
        answer("simulate", "--models", PAPER, "--policy", "tla", "--steps", 20, "--tasks", 30, "--runs", 1, "--save", saved)
        url = ("-u", f"http://127.0.0.1:{service.port}")
        self.refused(2, "the saved learner has no names of arms; need 7 names", "learners", "x", "--from", saved, *url)
        self.refused(2, "has 2 names; the saved learner has 7 arms", "learners", "x", "--from", saved, "--arms", "a,b", *url)
        self.refused(2, "is not a learner file", "learners", "x", "--from", PAPER, *url)
        self.refused(2, "cannot be opened", "learners", "x", "--from", self.folder / "none", *url)
        self.refused(2, "--arms belongs to --from", "learners", "x", "--arms", "a,b", *url)
        made = json.loads(answer("learners", "x", "--from", saved, "--arms", "a,b,c,d,e,f,g", *url))
        self.assertEqual([arm["name"] for arm in made["arms"]], list("abcdefg"))
        self.assertEqual(service.stop(), 0)

    def test_large_learners_need_a_token(self):
        tokens = self.file("a-token-of-some-length\n", "tokens")
        os.chmod(tokens, 0o600)
        service = Service(SEGUE, str(self.folder / "a.db"), "--token-file", tokens)
        self.addCleanup(lambda: service.process.poll() is None and service.stop())
        wide = io.StringIO("".join(["task,arm,reward\n", *(f"t{t},arm{a},{(t + a) % 2}\n" for t in range(300) for a in range(40))]))
        answer("learn", self.file(wide.getvalue(), "wide.csv"), "--out", self.folder / "w.segue", "--method", "tts")
        self.assertGreater((self.folder / "w.segue").stat().st_size, 65536)
        url = ("-u", f"http://127.0.0.1:{service.port}")
        self.refused(2, "(413)", "learners", "w", "--from", self.folder / "w.segue", *url)
        made = json.loads(answer("learners", "w", "--from", self.folder / "w.segue", "-t", tokens, *url))
        self.assertEqual(len(made["arms"]), 40)
        self.assertEqual(service.stop(), 0)

    def rows(self, *options):
        done = run("store", "export", "--store", store_name(f"{self.folder}/a.db"), *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return list(csv.DictReader(io.StringIO(done.stdout))), done.stderr

    def test_decisions_become_a_log(self):
        """Every reward is a row, in its order, with the arm and probability that the client got."""
        rng, made_all, service = random.Random(8), [], self.serve()
        client = service.client()
        client.post("/v1/learners", {"name": "tutor", "arms": ARMS, "method": "tla", "steps": 12, "control": 0.3})
        for i in range(30):
            for step in range(12):
                status, made = client.ask("tutor", f"user, {i}", probability=True,
                                          **({"event": f"e{step}"} if i % 2 else {}))
                self.assertEqual(status, 200, made)
                reward = float(rng.random() < TYPES[i % 3][ARMS.index(made["arm"])])
                made_all.append((f"user, {i}", made["arm"], reward, made["probability"], made["control"]))
                self.assertEqual(client.tell(made["decision"], reward)[0], 200)
        client.ask("tutor", "late", event="never", probability=True)
        rows, said = self.rows("--log", "tutor", "--file", "-")
        self.assertEqual([(r["task"], r["arm"], float(r["reward"]), float(r["probability"]), r["control"] == "1") for r in rows], made_all)
        self.assertEqual(len({r["task"] for r in rows if r["control"] == "1"}), len({t for t, *_, c in made_all if c}))
        times = [float(r["time"]) for r in rows]
        self.assertEqual(times, sorted(times))
        self.assertIn("360 rewards of 31 tasks", said)
        self.assertIn("1 stored decisions have no reward", said)
        service.kill()
        service.start()
        out = self.folder / "served.csv"
        self.assertEqual(self.rows("--log", "tutor", "--file", out)[0], [])
        with out.open(encoding="utf-8", newline="") as file:
            self.assertEqual(list(csv.DictReader(file)), rows)
        self.assertEqual(out.stat().st_mode & 0o777, 0o600)
        self.assertIn("verdict", json.loads(answer("replay", "-q", "--format", "json", out)))
        self.assertIn("30 tasks, 360 rewards, 4 arms", answer("learn", out, "--out", self.folder / "n.segue"))
        self.assertEqual(service.stop(), 0)

    def test_without_probabilities_there_is_no_column(self):
        service = self.serve()
        client = service.client()
        client.post("/v1/learners", {"name": "tutor", "arms": ["a", "b"], "range": [-1, 5]})
        self.refused(2, "has no rewards yet", "store", "export", "--store", store_name(f"{self.folder}/a.db"), "--log", "tutor",
                     "--file", "-")
        for i in range(3):
            client.tell(client.ask("tutor", "t", probability=i > 0)[1]["decision"], 4.5)
        rows, said = self.rows("--log", "tutor", "--file", "-")
        self.assertEqual([list(r) for r in rows], [["task", "arm", "reward", "time", "control"]] * 3)
        self.assertEqual({r["reward"] for r in rows}, {"4.5"})
        self.assertIn("2 of the rewards have a probability", said)
        self.assertIn("read it with --range -1,5", said)
        for says, *args in (("the store has no learner 'none'", "export", "--log", "none", "--file", "-"),
                            ("name the file with --file", "export", "--log", "tutor"),
                            ("--log belongs to 'segue store export'", "check", "--log", "tutor")):
            self.refused(2, says, "store", *args, "--store", store_name(f"{self.folder}/a.db"))
        self.assertEqual(service.stop(), 0)

    def test_default_rewards_have_their_probability_too(self):
        service = self.serve()
        client = service.client()
        client.post("/v1/learners", {"name": "tutor", "arms": ["a", "b"], "reward_deadline": 1, "default_reward": 0})
        made = client.ask("tutor", "t", probability=True)[1]
        until = time.monotonic() + 30
        while client.get("/v1/learners/tutor")[1]["rewards"] == 0:
            self.assertLess(time.monotonic(), until)
            time.sleep(0.1)
        rows, _ = self.rows("--log", "tutor", "--file", "-")
        self.assertEqual([(r["arm"], r["reward"], float(r["probability"])) for r in rows], [(made["arm"], "0", made["probability"])])
        self.assertEqual(service.stop(), 0)


class Docs(Folder):
    def test_the_commands_of_the_page_run(self):
        text = (SOURCE / "docs/service.md").read_text()
        block = re.search(r"## From your log to production\n\n```sh\n(.*?)```", text, re.S).group(1)
        (self.folder / "build/release").mkdir(parents=True)
        (self.folder / "build/release/segue").symlink_to(SEGUE)
        (self.folder / "logs").symlink_to(SOURCE / "logs")
        port = free_port()
        script = block.replace("segue serve", f"segue serve --listen 127.0.0.1:{port}") + "kill %1; wait %1\n"
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=self.folder, capture_output=True, text=True, timeout=120,
                              env={**os.environ, "SEGUE_URL": f"http://127.0.0.1:{port}"})
        self.assertEqual(done.returncode, 0, done.stderr)
        with (self.folder / "served.csv").open() as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 30)
        self.assertIn("probability", rows[0])
        self.assertTrue((self.folder / "next.segue").exists())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
