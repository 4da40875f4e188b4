"""The text format 0.0.4 of Prometheus, read strictly; names in its expressions.
SPDX-License-Identifier: Apache-2.0"""
import math
import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
SAMPLE = re.compile(rf"({NAME})(?:\{{(.*)\}})? (\S+)")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)')
SUFFIXES = {"counter": [""], "gauge": [""], "summary": ["_sum", "_count"], "histogram": ["_bucket", "_sum", "_count"]}
KEYWORDS = {"and", "or", "unless", "by", "without", "on", "ignoring", "group_left", "group_right", "bool", "offset", "inf", "nan"}


class Metric:
    def __init__(self, name, kind):
        self.name, self.kind = name, kind
        self.samples = {}  # (name, labels as a sorted tuple): value

    def value(self, suffix="", **labels):
        return self.samples[self.name + suffix, tuple(sorted(labels.items()))]


def labels_of(text):
    labels, at = {}, 0
    while at < len(text):
        found = LABEL.match(text, at)
        assert found, f"labels {text!r} from {text[at:]!r}"
        assert found[1] not in labels, f"label {found[1]} twice in {text!r}"
        labels[found[1]] = re.sub(r"\\(.)", lambda m: {"n": "\n"}.get(m[1], m[1]), found[2])
        at = found.end()
    return labels


def check(metric):
    total = metric.name.endswith("_total")
    assert total == (metric.kind == "counter"), f"{metric.name} is a {metric.kind}"
    series = {}
    for (name, labels), value in metric.samples.items():
        assert metric.kind == "gauge" or value >= 0 or name.endswith("_sum"), (name, value)
        if metric.kind == "histogram":
            rest = tuple(pair for pair in labels if pair[0] != "le")
            series.setdefault(rest, {}).setdefault(name, []).append((dict(labels).get("le"), value))
    for parts in series.values():
        buckets = [(math.inf if edge == "+Inf" else float(edge), count) for edge, count in parts[metric.name + "_bucket"]]
        assert buckets == sorted(buckets) and buckets[-1][0] == math.inf, buckets
        assert [count for _, count in buckets] == sorted(count for _, count in buckets), buckets
        assert parts[metric.name + "_count"] == [(None, buckets[-1][1])] and len(parts[metric.name + "_sum"]) == 1


def parse(text):
    """{name: Metric}; fails where the text is not what the format wants."""
    assert text.endswith("\n")
    metrics, current, helped = {}, None, None
    for line in text[:-1].split("\n"):
        if line.startswith("# HELP "):
            helped, text_of_help = line.split(" ", 3)[2:]
            assert text_of_help and re.fullmatch(NAME, helped) and helped not in metrics, line
        elif line.startswith("# TYPE "):
            name, kind = line.split(" ")[2:]
            assert name == helped and kind in SUFFIXES and name not in metrics, line
            current = metrics[name] = Metric(name, kind)
        else:
            found = SAMPLE.fullmatch(line)
            assert found and current, line
            assert found[1] in [current.name + suffix for suffix in SUFFIXES[current.kind]], line
            key = found[1], tuple(sorted(labels_of(found[2] or "").items()))
            assert key not in current.samples, line
            current.samples[key] = float(found[3])
            assert math.isfinite(current.samples[key]), line
    for metric in metrics.values():
        check(metric)
    return metrics


def names_in(expression):
    """Names of metrics in an expression."""
    rest = re.sub(r'"(?:[^"\\]|\\.)*"', "", expression)
    rest = re.sub(r"\{[^}]*\}|\[[^\]]*\]", " ", rest)
    rest = re.sub(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)", " ", rest)
    rest = re.sub(r"\blabel_values\(([^,)]*),[^)]*\)", r"\1", rest)
    return {name for name, call in re.findall(rf"(?<![\w.$])({NAME})(\s*\()?", rest) if not call and name not in KEYWORDS}
