"""Options of the command line in the library's sentences, as arguments of Python.
SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

import contextlib
import re
import shlex
from collections.abc import Iterator

NUMBERS = ("from", "replicates", "runs", "seed", "steps", "tasks-per-day", "threads", "value")
TEXTS = ("arm", "delimiter", "holdout", "method", "missing", "order", "play", "probability", "reward", "task", "time")
DELIMITERS = {"comma": ",", "tab": "\t", "semicolon": ";", "pipe": "|"}
WORD = r"""(?:'[^']*'|\\.|[^\s'\\,;:.]|[,;:.](?=\S))+"""
OPTION = re.compile(rf"""(?<![^\s'"(])--(?:
    (?P<number>{'|'.join(NUMBERS)})(?:[ ](?P<amount>-?[0-9](?:[-+.\w]*\w)?))? |
    (?P<range>range)(?:[ ](?P<low>[-+.\w]+),(?P<high>[-+.\w]*\w))? |
    (?P<text>{'|'.join(TEXTS)})(?:[ =](?!with\ the\ |or\ )(?P<word>{WORD}))?
    )(?![-\w])(?P<more>[ ](?=--))?""", re.VERBOSE)


def unquote(word: str) -> str:
    """A word of the shell without its quotes; one whose end was cut, as it is.

    >>> unquote("'my user'"), unquote("user"), unquote("'my us")
    ('my user', 'user', "'my us")
    """
    try:
        return "".join(shlex.split(word))
    except ValueError:
        return word


def argument(option: re.Match[str]) -> str:
    """An option that was found, as an argument."""
    name = option["number"] or option["range"] or option["text"]
    name = {"from": "first"}.get(name, name).replace("-", "_")
    if option["amount"]:
        name += f"={option['amount']}"
    elif option["low"]:
        name += f"=({option['low']}, {option['high']})"
    elif option["word"]:
        word = unquote(option["word"])
        name += f"={(DELIMITERS.get(word, word) if name == 'delimiter' else word)!r}"
    return name + (", " if option["more"] else "")


def spell(sentence: str) -> str:
    """A sentence with arguments of Python in the place of options.

    >>> spell("About 300 tasks, and --runs 21, would tell.")
    'About 300 tasks, and runs=21, would tell.'
    >>> spell("give --missing skip to skip such rows; give --range 0,5 if that is the scale")
    "give missing='skip' to skip such rows; give range=(0, 5) if that is the scale"
    >>> spell("such as with --task user --arm 'the banner'")
    "such as with task='user', arm='the banner'"
    >>> spell("--from 90 is after the last of 60 tasks")
    'first=90 is after the last of 60 tasks'
    """
    return OPTION.sub(argument, sentence)


@contextlib.contextmanager
def spelled() -> Iterator[None]:
    """Spell the sentences of exceptions of the block for Python.

    >>> with spelled():
    ...     raise ValueError("lower --steps")
    Traceback (most recent call last):
    ValueError: lower steps
    """
    try:
        yield
    except Exception as error:
        if len(error.args) == 1 and isinstance(error.args[0], str):
            error.args = (spell(error.args[0]),)
        raise
