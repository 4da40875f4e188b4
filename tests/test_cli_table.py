#!/usr/bin/python3
"""Logs in any table: columns by name, delimiters, booleans, missing values, ranges, pipes, dsjson.

usage: test_cli_table.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import bz2
import copy
import json
import lzma
import random
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import unittest
import zipfile

from program import Folder, answer, candidates, run

READERS = (("replay", "--dry-run"), ("replay", "-q", "--runs", 1, "--steps", 4, "--policy", "ts,ts-prior"), ("estimate", "--types", 2),
           ("simulate", "--runs", 2, "--steps", 5, "--policy", "ts", "--log"))
NAMES = ("--task", "user id", "--arm", "variant", "--reward", "click")


def make_rows():
    """60 tasks of two types with three arms: task, arm, reward, time, probability."""
    source = random.Random(5)
    rows = []
    for task in range(60):
        means = ((0.9, 0.2, 0.5), (0.1, 0.7, 0.5))[task % 2]
        for arm in list(range(3)) * 6:
            rows.append((f"u{task}", f"a{arm}", int(source.random() < means[arm]), len(rows), 0.25))
    return rows


def make_csv(rows, header=("task", "arm", "reward", "time", "probability"), delimiter=","):
    return "".join(delimiter.join(map(str, row)) + "\n" for row in (header, *rows))


class Tables(Folder):
    plain_outputs = None

    def setUp(self):
        super().setUp()
        self.rows = make_rows()
        self.plain = self.file(make_csv(self.rows), "log.csv")

    def outputs(self, path, *options, readers=READERS):
        """What each command prints, in JSON, without the name of the file."""
        found = []
        for command in readers:
            data = json.loads(answer(*command, path, *options, "--format", "json"))
            data.get("log", {}).pop("path", None)
            data.pop("next", None)
            data.pop("plan", None)
            found.append(data)
        return found

    def expected(self):
        """The outputs of the plain log, which is the same in every test."""
        if not Tables.plain_outputs:
            Tables.plain_outputs = self.outputs(self.plain)
        return copy.deepcopy(Tables.plain_outputs)

    def same(self, text, *options, name="other.csv"):
        self.assertEqual(self.outputs(self.file(text, name), *options), self.expected())

    def test_columns_by_name(self):
        header = ("user id", "variant", "click", "t", "p")
        options = (*NAMES, "--time", "t", "--probability", "p")
        self.same(make_csv(self.rows, header), *options)
        self.same("".join(json.dumps(dict(zip(header, row, strict=True))) + "\n" for row in self.rows), *options)

    def test_other_columns_have_the_usual_names(self):
        """A named column is used even if another one has the usual name."""
        rows = [(task, arm, reward, time, p, "x", 7) for task, arm, reward, time, p in self.rows]
        self.same(make_csv(rows, ("user id", "variant", "click", "time", "probability", "task", "reward")), *NAMES)

    def test_every_delimiter_is_guessed_or_named(self):
        """Guessed by all commands; named, by one."""
        for delimiter, name in ((",", "comma"), ("\t", "tab"), (";", "semicolon"), ("|", "pipe")):
            text = make_csv(self.rows, delimiter=delimiter)
            self.same(text)
            for said in (name, delimiter, *([r"\t"] if name == "tab" else [])):
                self.assertEqual(self.outputs(self.file(text), "--delimiter", said, readers=READERS[:1]), self.expected()[:1])

    def test_a_delimiter_is_guessed_by_the_columns(self):
        """Other marks in other names do not matter, nor do quotes around the names."""
        rows = [(*row, "") for row in self.rows]
        names = ("task", "arm", "reward", "time", "probability", "a;b;c;d;e;f;g")
        self.same(make_csv(rows, names))
        self.same(make_csv(rows, [f'"{name}"' for name in names]))
        self.same(make_csv(rows, (*names[:-1], "a,b,c,d,e,f,g"), ";"))

    def test_names_with_the_delimiter_in_quotes(self):
        rows = [(f'"{task};{task}"', *row) for task, *row in self.rows]
        log = self.file(make_csv(rows, delimiter=";"), "quoted.csv")
        data = json.loads(answer("estimate", "--method", "types", log, "--format", "json"))
        self.assertEqual(data["tasks"], 60)
        self.assertIn("u7;u7", json.dumps(data))

    def test_booleans(self):
        for false, true in (("false", "true"), ("FALSE", "True"), ("no", "yes"), ("f", "t"), ("n", "Y")):
            rows = [(task, arm, true if reward else false, *rest) for task, arm, reward, *rest in self.rows]
            self.same(make_csv(rows))
        keys = ("task", "arm", "reward", "time", "probability")
        self.same("".join(json.dumps(dict(zip(keys, (row[0], row[1], bool(row[2]), *row[3:]), strict=True))) + "\n"
                          for row in self.rows))

    def test_a_boolean_may_name_an_arm_in_json(self):
        lines = "".join(json.dumps({"task": f"u{i // 4}", "arm": i % 2 == 0, "reward": 1}) + "\n" for i in range(40))
        data = json.loads(answer("estimate", "--types", 1, self.file(lines, "log.jsonl"), "--method", "em", "--format", "json"))
        self.assertEqual(data["arms"], ["true", "false"])

    def missing(self, text, count, says, name):
        path = self.file(text, name)
        for command, expected in zip(READERS, self.expected(), strict=True):
            done = run(*command, path, "--missing", "skip", "--format", "json")
            self.assertEqual((done.returncode, done.stderr), (0, f"segue: {path}: {count} rows skipped: {says}\n"))
            data = json.loads(done.stdout)
            counted = data.get("log", data).pop("rows_skipped", None)
            self.assertEqual(counted, None if command[0] == "simulate" else count, command)
            expected.get("log", expected).pop("rows_skipped", None)
            data.get("log", {}).pop("path", None)
            data.pop("next", None)
            data.pop("plan", None)
            self.assertEqual(data, expected)

    def test_missing_values_are_skipped_and_counted(self):
        texts = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", r"\N")
        rows = list(self.rows)
        for i, word in enumerate(texts):
            rows.insert(11 * i, ("u1", "a1", word, 1, 0.5))
            rows.insert(17 * i, (word, "a1", 1, 1, 0.5))
        rows += [("u1", "", 1, 1, 0.5)] * 2
        self.missing(make_csv(rows), 18, "8 without a task, 2 without an arm, 8 without a reward", "log.csv.na")
        keys = ("task", "arm", "reward", "time", "probability")
        lines = [json.dumps({key: value for key, value in zip(keys, row, strict=True) if value != "N/A"}) for row in rows]
        self.missing("\n".join(lines), 18, "8 without a task, 2 without an arm, 8 without a reward", "log.jsonl")

    def test_missing_values_are_errors_by_default(self):
        for word in ("NA", "N/A", "NaN", "null", "NULL", r"\N"):
            self.refused(2, f":2: field 'reward': is {word}; give --missing skip to skip such rows", "replay", "--dry-run",
                         self.file(make_csv([("u", "a", word, 1, 1)]), "bad.csv"))

    def test_names_such_as_na_are_names_by_default(self):
        log = self.file("task,arm,reward\nNA,null,1\nNA,NaN,0\n", "na.csv")
        self.assertEqual(json.loads(answer("replay", "--dry-run", log, "--format", "json"))["arms"], 2)

    def test_ranges(self):
        rows = [(task, arm, 5 * reward - 2, *rest) for task, arm, reward, *rest in self.rows]
        found = json.loads(answer("estimate", "--types", 2, "--method", "em", "--range", "-2,3", "--format", "json",
                                  self.file(make_csv(rows), "wide.csv")))
        plain = json.loads(answer("estimate", "--types", 2, "--method", "em", "--format", "json", self.plain))
        for wide, narrow in zip(found["models"], plain["models"], strict=True):
            for x, y in zip(wide["means"], narrow["means"], strict=True):
                self.assertAlmostEqual(x, 5 * y - 2, 9)

    def test_advice_repeats_the_options(self):
        header = ("user id", "variant", "click", "t", "p")
        log = self.file(make_csv(self.rows, header, ";"), "my log.csv")
        data = json.loads(answer("replay", "--dry-run", *NAMES, "--delimiter", "semicolon", log, "--format", "json"))
        texts = shlex.split(data["next"])
        self.assertEqual(texts[0], "segue")
        self.assertIn("user id", texts)
        answer(*texts[1:], "-q", "--runs", 1)

    def test_the_options_that_an_error_suggests_work(self):
        header = ("User ID", "Variant", "clicked", "timestamp", "propensity")
        log = self.file(make_csv(self.rows, header, "\t"), "log.tsv")
        done = run("replay", "--dry-run", log)
        self.assertEqual(done.returncode, 2)
        self.assertIn("it has 'User ID', 'Variant', 'clicked', 'timestamp' and 'propensity'", done.stderr)
        options = shlex.split(done.stderr[done.stderr.index("--task"):])
        self.assertEqual(self.outputs(log, *options), self.expected())

    def test_a_wrong_name_is_not_suggested_again(self):
        """Columns that exist stay; each that does not is replaced by a likely one that has no other role."""
        named = self.file(make_csv(self.rows, ("uid", "variant", "click", "ts", "p")), "named.csv")
        short = self.file(make_csv([row[:3] for row in self.rows], ("task", "arm", "reward")), "short.csv")
        lines = self.file('{"user": {"id": 1}, "shown": ["a"], "ok": 1}\n', "log.jsonl")
        for log, suggests, *options in (
                (self.plain, "--task task", "--task", "b"), (self.plain, "--time time", "--time", "b"),
                (self.plain, "--task task --arm arm", "--task", "b", "--arm", "c"), (short, "--time COLUMN", "--time", "b"),
                (named, "--task uid --arm variant --reward click --time ts --probability p", "--task", "b"),
                (named, "--task variant --arm COLUMN --reward click --time ts --probability p", "--task", "variant"),
                (lines, "--task user.id --arm shown.0 --reward ok", "--task", "b", "--arm", "shown.0", "--reward", "ok")):
            self.refused(2, f"such as with {suggests}\n", "replay", "--dry-run", log, *options)

    def test_a_wrong_delimiter_is_named(self):
        for delimiter, shown, name in ((";", ";", "semicolon"), ("\t", r"\t", "tab"), ("|", "|", "pipe")):
            log = self.file(make_csv(self.rows, delimiter=delimiter), "log.txt")
            self.refused(2, f"log.txt:1: the header has no comma; its columns look separated by '{shown}': give --delimiter {name}, "
                         "or leave it out", "replay", "--dry-run", "--delimiter", "comma", log)

    def test_blanks_around_fields_are_dropped_unless_quoted(self):
        wide = [[f"  {value} " for value in row] for row in self.rows]
        self.same(make_csv(wide, ("task ", " arm", " reward", "time", " probability  ")))
        self.same(make_csv(wide, ("task ", " arm", " reward", "time", " probability  ")).replace("\n", "\r\n"))
        log = self.file('task,arm,reward\nt, a,1\nt," a",0\nt,a ,0\n"t ","a",0\n', "quoted.csv")
        found = json.loads(answer("replay", "--dry-run", log, "--format", "json"))
        self.assertEqual((found["arms"], found["tasks"]), (2, 2))
        blank = self.file(make_csv([("t", "  ", 1, 0, 1), ("t", "a", 1, 0, 1), ("t", "b", 1, 0, 1)]), "blank.csv")
        self.assertIn("1 row skipped: 1 without an arm", run("replay", "--dry-run", "--missing", "skip", blank).stderr)

    def test_one_arm_after_skipped_rows_is_counted(self):
        log = self.file("task,arm,reward\nt,a,0\nt,b,NA\nu,a,1\nu,b,\n", "one.csv")
        self.refused(2, "one.csv: there is only one arm, 'a', in the rows that were not skipped (2 without a reward); need at least 2",
                     "replay", "--dry-run", "--missing", "skip", log)

    def test_a_range_that_rewards_hardly_use_is_noted(self):
        rows = [(task, arm, 20 * reward, *rest) for task, arm, reward, *rest in self.rows]
        log = self.file(make_csv(rows), "wide.csv")
        commands = (("replay", "--dry-run"), ("estimate", "--types", 2), ("learn", "--out", self.folder / "saved"))
        for command in commands:
            done = run(*command, "--range", "0,500", log)
            self.assertEqual((done.returncode, done.stderr), (
                0, f"segue: {log}: the rewards are from 0 to 20, and the range is 0 to 500; give --range 0,20 if none can be "
                "lower or higher\n"))
            self.assertEqual(run(*command, "--range", "0,200", log).stderr, "")  # a tenth
        small = self.file(make_csv([(task, arm, 0.1 + 0.2 * reward / 3, *rest) for task, arm, reward, *rest in self.rows]), "small.csv")
        suggested = shlex.split(run("replay", "--dry-run", small).stderr.partition("give ")[2])[:2]
        self.assertEqual(run("replay", "--dry-run", *suggested, small).stderr, "")
        equal = self.file(make_csv([(task, arm, 0, *rest) for task, arm, _, *rest in self.rows]), "equal.csv")
        self.assertEqual(run("replay", "--dry-run", equal).stderr, "")


class Pipes(Folder):
    """Logs from databases and other formats, through a pipe."""

    def setUp(self):
        super().setUp()
        self.rows = make_rows()
        self.plain = answer("replay", "--dry-run", self.file(make_csv(self.rows), "log.csv"), "--format", "json")

    def same(self, command, *options):
        """What `command` writes is the same log: the summary is the same but for the next commands."""
        made = subprocess.run(command, shell=True, capture_output=True, check=True, cwd=self.folder)
        path = self.file(made.stdout, "piped")
        with open(path, "rb") as file:
            done = run("replay", "--dry-run", "-", *options, "--format", "json", stdin=file)
        self.assertEqual(done.returncode, 0, done.stderr)
        one, other = json.loads(done.stdout), json.loads(self.plain)
        for name in ("next", "plan"):
            one.pop(name), other.pop(name)
        self.assertEqual(one, other)

    def test_sqlite(self):
        database = sqlite3.connect(self.folder / "db")
        database.execute("CREATE TABLE t (user, variant, click, time, probability)")
        database.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", self.rows)
        database.commit()
        database.close()
        self.refused(2, "the file is an SQLite database; need text", "replay", "--dry-run", self.folder / "db")
        if not shutil.which("sqlite3"):
            self.skipTest("there is no sqlite3")
        names = ("--task", "user", "--arm", "variant", "--reward", "click")
        self.same("sqlite3 -header -csv db 'SELECT * FROM t'", *names)
        self.same("sqlite3 -header -separator '|' db 'SELECT * FROM t'", *names)
        self.same("sqlite3 -json db 'SELECT * FROM t' | tr -d '[]\n' | sed 's/},{/}\\n{/g'", *names)

    def test_pandas(self):
        """Also Parquet, if pyarrow is there."""
        try:
            import pandas
        except ImportError:
            self.skipTest("there is no pandas")
        frame = pandas.DataFrame(self.rows, columns=("task", "arm", "reward", "time", "probability"))
        frame.to_pickle(self.folder / "log.pickle")
        python = shlex.quote(sys.executable)
        self.same(f"{python} -c \"import pandas, sys; pandas.read_pickle('log.pickle').to_csv(sys.stdout, index=False)\"")
        self.same(f"{python} -c \"import pandas, sys; "
                  "pandas.read_pickle('log.pickle').to_json(sys.stdout, orient='records', lines=True)\"")

    def test_parquet(self):
        if not shutil.which("duckdb"):
            self.skipTest("there is no duckdb")
        subprocess.run(["duckdb", "-c", "COPY (SELECT * FROM 'log.csv') TO 'log.parquet'"], check=True, cwd=self.folder,
                       capture_output=True)
        self.refused(2, "the file is a Parquet file; need text", "replay", "--dry-run", self.folder / "log.parquet")
        self.same("duckdb -csv -c \"SELECT * FROM 'log.parquet'\"")

    def test_archives(self):
        for tool, command in (("xz", "xz -dc log.xz"), ("bzip2", "bzip2 -dc log.bz2")):
            module = {"xz": lzma, "bzip2": bz2}[tool]
            path = self.file(module.compress(make_csv(self.rows).encode()), command.split()[-1])
            self.refused(2, f"the file is compressed by {tool}; need text", "replay", "--dry-run", path)
            if shutil.which(tool):
                self.same(command)
        with zipfile.ZipFile(self.folder / "log.zip", "w") as archive:
            archive.writestr("log.csv", make_csv(self.rows))
        self.refused(2, "the file is a zip archive", "replay", "--dry-run", self.folder / "log.zip")
        with tarfile.open(self.folder / "log.tar", "w") as archive:
            archive.add(self.folder / "log.csv", "log.csv")
        self.refused(2, "the file is a tar archive", "replay", "--dry-run", self.folder / "log.tar")
        self.same("tar -xOf log.tar")


def make_dsjson(rows, tags):
    """Decisions as Personalizer logs them; a reward without a decision and one with _skipLearn among them."""
    lines = [{"RewardValue": 1.0, "EnqueuedTimeUtc": "2024-05-31T09:00:00Z", "EventId": "lost"}]
    for task, arm, reward, time, probability in rows:
        number = int(arm[1:]) + 1
        lines.append({"_label_cost": -reward, "_label_probability": probability, "_label_Action": number,
                      "_labelIndex": number - 1, "o": [{"v": reward, "EventId": str(time)}],
                      "Timestamp": f"2024-05-31T{time // 3600:02}:{time // 60 % 60:02}:{time % 60:02}.0000000Z",
                      "Version": "1", "EventId": str(time), "a": [number], "p": [probability],
                      "c": {"GUser": {"id": task, "hobby": "go"},
                            "_multi": [{"TAction": {"topic": i}, **({"_tag": f"a{i}"} if tags else {})} for i in range(3)]},
                      "VWState": {"m": "N/A"}})
    lines.insert(7, {**lines[6], "_skipLearn": True})
    return "".join(json.dumps(line) + "\n" for line in lines)


class Dsjson(Folder):
    """The task is a key of the context; the rest is the same as in a plain log."""

    def played(self, path, *options):
        data = json.loads(answer("replay", "-q", "--runs", 1, "--steps", 4, "--policy", "ts,ts-prior", "--order", "time",
                                 path, *options, "--format", "json"))
        log = data["log"]
        log.pop("path")
        return data, log.pop("rows_skipped"), log.pop("arms")

    def test_decisions_are_rows(self):
        rows = make_rows()
        plain, skipped, arms = self.played(self.file(make_csv(rows), "log.csv"))
        self.assertEqual((skipped, arms), (0, ["a0", "a1", "a2"]))
        found, skipped, arms = self.played(self.file(make_dsjson(rows, True), "log.json"), "--task", "c.GUser.id")
        self.assertEqual((skipped, arms), (2, ["a0", "a1", "a2"]))
        self.assertEqual(found["best_arms"], plain["best_arms"])
        self.assertEqual(found["log"], plain["log"])
        found, skipped, arms = self.played(self.file(make_dsjson(rows, False), "log.json"), "--task", "c.GUser.id")
        self.assertEqual((skipped, arms), (2, ["1", "2", "3"]))
        self.assertEqual(found["best_arms"], plain["best_arms"])

    def test_the_error_names_the_key_of_the_task(self):
        lines = make_dsjson(make_rows(), True).splitlines(True)[1:]
        log = self.file("".join(lines), "log.json")
        self.refused(2, "log.json:1: this is dsjson, which has no tasks; name a key of its context, such as with "
                     "--task c.GUser.id", "replay", "--dry-run", log)
        self.refused(2, "log.json:1: there is no 'c.nope', or it is null; name a key of the context, such as with --task c.GUser.id; "
                     "this line has 'c.", "replay", "--dry-run", log, "--task", "c.nope")
        self.refused(2, "log.json:1: there is no 'nope', or it is null; leave out --reward, which dsjson does not need, or name another "
                     "key; this line has '", "replay", "--dry-run", log, "--task", "c.GUser.id", "--reward", "nope")
        done = run("replay", "--dry-run", log, "--task", "c.GUser.id")
        self.assertEqual((done.returncode, done.stderr), (0, f"segue: {log}: 1 row skipped: 1 with _skipLearn\n"))


class Experiments(Folder):
    """The fields of an experiment name the columns of its log."""

    def setUp(self):
        super().setUp()
        self.file(make_csv(make_rows()), "plain.csv")
        self.file(make_csv(make_rows(), ("user", "variant", "click", "t", "p"), ";"), "named.csv")

    def spec(self, **environment):
        return self.file(json.dumps({"name": "x", "environment": environment, "policies": ["ts"], "steps": 5, "runs": 2}),
                         "x.json")

    def results(self, **environment):
        out = self.folder / environment["log"].removesuffix(".csv")
        return json.loads(answer("run", self.spec(**environment), "-q", "--out", out, "--format", "json"))["results"]

    def test_named_columns_give_the_same_results(self):
        named = self.results(log="named.csv", task="user", arm="variant", reward="click")
        self.assertEqual(named, self.results(log="plain.csv"))

    def test_wrong_names_are_refused(self):
        for says, fields in (("field 'environment.task': is a whole number; need the name of a column", {"task": 3}),
                             ("field 'environment.arm': is empty; need the name of a column of the log", {"arm": ""}),
                             ("the header has no column 'click'; it has 'task', 'arm', 'reward'", {"reward": "click"})):
            self.refused(2, says, "run", self.spec(log="plain.csv", **fields), "--out", self.folder)
        self.refused(2, "field 'environment.task': goes with the field 'log'", "run", self.spec(uniform=3, task="u"), "--out",
                     self.folder)


WRONG_OPTIONS = (
    ("--range: '5' is one number; need LOW,HIGH", "--range", "5"),
    ("--range: '' is no number", "--range", ",1"),
    ("--range: 'x' is no number from -1e15 to 1e15; need LOW,HIGH, such as 0,5", "--range", "0,x"),
    ("--range: '1,2' is no number", "--range", "0,1,2"),
    ("--range: 5,0 is empty; need LOW,HIGH with HIGH above LOW", "--range", "5,0"),
    ("--range: '1e300' is no number from -1e15 to 1e15", "--range", "0,1e300"),
    ("--delimiter: 'space' is no delimiter; need comma, tab, semicolon or pipe", "--delimiter", "space"),
    ("--delimiter: '' is no delimiter", "--delimiter", ""),
    ("--missing: there is no 'drop'; need error or skip", "--missing", "drop"),
    ("--task: the name is empty; need the name of a column of the log", "--task", ""),
    ("--task and --arm both name the column 'x'; need two columns", "--task", "x", "--arm", "x"),
    ("the header has no column 'x'; it has 'task', 'arm' and 'reward'", "--arm", "x"),
    ("the header has no column 'when'", "--time", "when"),
    ("the header has no tab; its columns look separated by ',': give --delimiter comma, or leave it out", "--delimiter", "tab"),
)


class Wrong(Folder):
    def test_all_commands_that_read_logs_have_all_options(self):
        options = {"--task", "--arm", "--reward", "--time", "--probability", "--delimiter", "--missing", "--range"}
        readers = 0
        for command in candidates(""):
            found = options & set(candidates(command, "--"))
            self.assertIn(found & {"--delimiter", "--missing"}, (set(), {"--delimiter", "--missing"}), command)
            if "--delimiter" in found:
                self.assertEqual(found, options, command)
                readers += 1
        self.assertGreaterEqual(readers, 6)

    def test_wrong_options_are_refused_by_every_reader(self):
        log = self.file("task,arm,reward\nu,a,1\nu,b,0\n", "log.csv")
        for command in READERS:
            for says, *options in WRONG_OPTIONS:
                self.refused(2, says, *command, log, *options)

    def test_json_has_no_delimiter(self):
        log = self.file('{"task": "u", "arm": "a", "reward": 1}\n{"task": "u", "arm": "b", "reward": 0}\n', "log.jsonl")
        for command in READERS:
            self.refused(2, "log.jsonl:1: this is JSON Lines, which has no delimiter, and semicolon is given; remove it",
                         *command, log, "--delimiter", ";")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
