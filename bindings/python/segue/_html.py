"""Tables for notebooks.
SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from segue import Learner


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """An HTML table of texts.

    >>> table("Arms", ["arm"], [["a & b"]])
    '<table><caption>Arms</caption><tr><th>arm</th></tr><tr><td>a &amp; b</td></tr></table>'
    """
    def row(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(row(cells, "td") for cells in rows)
    return f"<table><caption>{html.escape(caption)}</caption>{row(head, 'th')}{body}</table>"


def learner_table(learner: Learner) -> str:
    """The types of a learner, one per row: its share of tasks and its mean rewards.

    >>> import segue
    >>> "a &amp; b" in learner_table(segue.Learner(["a & b", "c"]))
    True
    """
    arms = learner.arms
    rows = [[f"type {found.number}", f"{found.weight:.3f}", *(f"{found.means.get(arm, float('nan')):.3f}" for arm in arms)]
            for found in learner.types]
    return table(repr(learner).strip("<>"), ["", "share", *arms], rows)
