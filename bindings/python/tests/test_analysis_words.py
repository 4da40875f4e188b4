"""Sentences that Python shows have its arguments, no options of the command line.
SPDX-License-Identifier: Apache-2.0"""
import json
import pathlib
import re

import pytest
import segue
from commands import ROOT, TUTOR, two_types

LOG = "task,arm,reward\n" + "".join(f"{task},{arm},{task % 2}\n" for task in range(40) for arm in "ab")
RARE = {"task": [t for t in range(50) for _ in range(6)], "arm": ["a", "a", "b", "a", "a", "b"] * 50,
        "reward": [0, 1, 1] * 100}

# What is wrong, the text of a log or its columns, and the arguments.
CALLS = {
    "first": (LOG, {"first": 90}, "first=90 is after the last of 40 tasks"),
    "steps": (LOG, {"steps": 90, "play": "rows"}, "steps=90: no task has more than 2 rows"),
    "order": (LOG, {"order": "time"}, "order='time': ..."),
    "holdout": (LOG, {"holdout": "x"}, "holdout: 'x' matches none of the 40 tasks"),
    "pattern": (LOG, {"holdout": "("}, "holdout: '(' is no extended regular expression"),
    "range": (LOG + "1,a,4\n", {}, "give range=(0, 5) if that is the scale"),
    "missing": (LOG + "1,a,\n", {}, "give missing='skip' to skip such rows"),
    "name": (LOG + "1,,1\n", {}, "give missing='skip' to skip such rows"),
    "columns": (LOG.replace("task,arm", "user,the banner"), {}, "such as with task='user', arm='the banner'"),
    "delimiter": (LOG.replace(",", ";"), {"delimiter": ","}, "give delimiter=';', or leave it out"),
    "tab": (LOG.replace(",", "\t"), {"delimiter": ","}, r"give delimiter='\t', or leave it out"),
    "lines": ('{"task":1,"arm":"a","reward":1}\n{"task":1,"arm":"b"}\n', {}, "give missing='skip'"),
    "key": ('{"user":1,"arm":"a","reward":1}\n', {}, "task='user'"),
    "frame": ({**two_types(), "reward": [7.0] * 720}, {}, "need 0 to 1, or another range"),
    "none": ({**two_types(), "reward": [float("nan")] * 720}, {}, "skip such rows, or give the value"),
}


def has_option(text):
    return re.search(r"--[a-z]", text)


@pytest.mark.parametrize("name", CALLS)
def test_errors_name_arguments(name, tmp_path):
    log, arguments, expected = CALLS[name]
    if isinstance(log, str):
        path = tmp_path / ("log.jsonl" if log.startswith("{") else "log.csv")
        path.write_text(log)
        log = path
    with pytest.raises(ValueError) as raised:
        segue.replay(log, ["ts"], **arguments)
    assert re.search(re.escape(expected).replace(r"\.\.\.", ".*"), str(raised.value)), str(raised.value)
    assert not has_option(str(raised.value))
    if not arguments:
        with pytest.raises(ValueError) as raised:
            segue.estimate(log)
        assert not has_option(str(raised.value))


def test_verdicts_and_warnings_name_arguments():
    results = [segue.replay(TUTOR, ["ts", "tla"], runs=1, replicates=2, steps=5),
               segue.replay(RARE, ["ts", "tla"], runs=2, replicates=2, play="rows", steps=3),
               segue.replay(two_types(30, 6), ["ts", "tla"], runs=1, replicates=2, play="rows", steps=4)]
    texts = [text for result in results for text in (result.verdict, *result.warnings)]
    assert not any(map(has_option, texts)), texts
    assert any(re.search(r"runs=\d|play='urn'|lower steps", text) for text in texts), texts
    assert not has_option(json.dumps([result.record for result in results]))
    assert not any(has_option(result._repr_html_()) for result in results)


def find_options():
    """Options in the sentences of what replay and estimate use."""
    folders = [ROOT / "src/replay", ROOT / "src/io/log", ROOT / "src/estimate", ROOT / "src/core"]
    for path in (path for folder in folders for path in sorted(pathlib.Path(folder).rglob("*.c"))):
        text = re.sub(r'"\s*\n\s*"', "", re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL))
        for sentence in re.findall(r'"((?:[^"\\]|\\.)*)"', text):
            for option in re.findall(r"--([a-z][-a-z]*)", sentence):
                yield path.name, option


def test_every_option_in_the_sentences_of_the_library_is_known():
    from segue._spelling import NUMBERS, TEXTS
    found = set(find_options())
    assert len(found) > 8
    assert {option for _, option in found} <= {*NUMBERS, *TEXTS, "range"}, found
