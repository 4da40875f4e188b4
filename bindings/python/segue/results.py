"""The results of simulate, replay, estimate and complexity: numbers, tables, frames and plots.
SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from segue._html import table as html_table
from segue._spelling import spell


def need(module: str, purpose: str) -> Any:
    """Import a module that is optional, or say what it is needed for.

    >>> need("no_such_module", "frames")
    Traceback (most recent call last):
    ImportError: frames need no_such_module, which is not installed
    """
    import importlib
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ImportError(f"{purpose} need {module.split('.')[0]}, which is not installed") from None


def cell(value: Any) -> str:
    """A number or text as a table shows it.

    >>> cell(0.12345), cell("ts"), cell(3), cell(float("nan"))
    ('0.1235', 'ts', '3', '-')
    """
    if isinstance(value, float):
        return "-" if value != value else f"{value:.4g}"
    return str(value)


class Table:
    """A result: a list of rows, each a dictionary, with the same keys.

    >>> found = segue.complexity([[0.9, 0.1], [0.2, 0.8]])
    >>> found.table[0]["best_arm"]
    'arm 1'
    """

    caption: str
    table: list[dict[str, Any]]

    def _columns(self) -> list[str]:
        """The headings of the table that is shown."""
        return list(self.table[0]) if self.table else []

    def _texts(self) -> Iterable[list[str]]:
        """The rows of the table that is shown."""
        return ([cell(value) for value in row.values()] for row in self.table)

    def to_pandas(self) -> Any:
        """The table as a pandas frame.

        >>> frame = segue.complexity([[0.9, 0.1], [0.2, 0.8]]).to_pandas()   # doctest: +SKIP
        """
        return need("pandas", "frames").DataFrame(self.table)

    def _repr_html_(self) -> str:
        return html_table(self.caption, self._columns(), self._texts())

    def __repr__(self) -> str:
        rows = [self._columns(), *self._texts()]
        width = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        lines = ["  ".join(text.rjust(size) for text, size in zip(row, width)) for row in rows]
        return "\n".join([self.caption, *lines])


class PolicyResult:
    """The regret of one policy of a simulation.

    >>> result = segue.simulate([[0.9, 0.1], [0.2, 0.8]], ["ts"], steps=20, tasks=5, runs=2)
    >>> result["ts"].name
    'ts'
    """

    def __init__(self, name: str, record: dict[str, Any]) -> None:
        self.name = name
        self.regret: float = record["regret"]
        self.se: float = record["se"]
        self.by_model: list[tuple[float, float]] = record["by_model"]
        self.no_model_left: float = record["no_model_left"]
        self.types: float | None = record.get("types")
        self.no_type: float | None = record.get("no_type")
        self.violations: float | None = record.get("violations")
        self.skipped: float | None = record.get("skipped")


class Simulation(Table):
    """The result of segue.simulate.

    regret, reward and model are arrays with one number per policy, run and task (memoryviews, which numpy.asarray
    takes without a copy); model counts from 0.  curve and curve_se have the mean regret of each task over runs.
    Without `tasks` a run is one task: run k * runs + r is run r of model k.

    >>> result = segue.simulate([[0.9, 0.1], [0.2, 0.8]], ["ts", "tla"], steps=20, tasks=5, runs=2)
    >>> result.policies, result.regret.shape, result.curve.shape
    (['ts', 'tla'], (2, 2, 5), (2, 5))
    >>> round(sum(result.regret[0, run, 0] for run in range(2)) / 2 - result.curve[0, 0], 9)
    0.0
    """

    def __init__(self, policies: list[str], records: list[dict[str, Any]], arms: list[str], steps: int,
                 tasks: int | None, runs: int, seed: int, arrays: Sequence[memoryview],
                 curves: Sequence[memoryview | None]) -> None:
        self.policies, self.arms = policies, arms
        self.steps, self.tasks, self.runs, self.seed = steps, tasks, runs, seed
        self.regret, self.reward, self.model = arrays
        self.curve: Any
        self.curve_se: Any
        self.curve, self.curve_se = curves
        self.results = [PolicyResult(name, record) for name, record in zip(policies, records)]
        self.table = [{"policy": one.name, "regret": one.regret, "se": one.se,
                       **{f"model {k + 1}": mean for k, (mean, _) in enumerate(one.by_model)}} for one in self.results]
        self.caption = f"Regret per task of {steps} steps, {len(arms)} arms, {runs} runs" + (
            f" of {tasks} tasks" if tasks else " of each model") + f", seed {seed}"

    def __getstate__(self) -> dict[str, Any]:
        """For pickle and copy, which do not know memoryviews."""
        return {name: (value.tobytes(), value.format, value.shape) if isinstance(value, memoryview) else value
                for name, value in self.__dict__.items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name in ("regret", "reward", "model", "curve", "curve_se"):
            if state[name] is not None:
                block, kind, shape = state[name]
                state = {**state, name: memoryview(bytearray(block)).cast(kind, shape)}
        self.__dict__.update(state)

    def __getitem__(self, policy: str) -> PolicyResult:
        for one in self.results:
            if one.name == policy:
                return one
        from segue._segue import UnknownName
        raise UnknownName(f"there is no policy '{policy}'; need one of {', '.join(self.policies)}")

    def to_pandas(self) -> Any:
        """One row per policy, run and task.

        >>> result = segue.simulate([[0.9, 0.1], [0.2, 0.8]], ["ts"], steps=20, tasks=5, runs=2)
        >>> len(result.to_pandas())   # doctest: +SKIP
        10
        """
        pandas = need("pandas", "frames")
        policies, runs, tasks = self.regret.shape  # type: ignore[misc]
        index = pandas.MultiIndex.from_product([range(policies), range(runs), range(tasks)])
        frame = pandas.DataFrame({name: self.__dict__[name].cast("B").cast(self.__dict__[name].format)
                                  for name in ("regret", "reward", "model")})
        frame.insert(0, "policy", [self.policies[i] for i in index.get_level_values(0)])
        frame.insert(1, "run", index.get_level_values(1) + 1)
        frame.insert(2, "task", index.get_level_values(2) + 1)
        return frame

    def plot(self, ax: Any = None, smooth: int = 1) -> Any:
        """Plot the mean regret of each task, averaged over `smooth` tasks; without tasks, of each model.

        >>> result = segue.simulate([[0.9, 0.1], [0.2, 0.8]], ["ts"], steps=20, tasks=5, runs=2)
        >>> result.plot()   # doctest: +SKIP
        """
        if smooth < 1:
            raise ValueError(f"smooth is {smooth}; need a whole number from 1")
        ax = ax or need("matplotlib.pyplot", "plots").subplots()[1]
        for i, one in enumerate(self.results):
            if self.curve is None:
                ax.plot([mean for mean, _ in one.by_model], "o-", label=one.name)
                continue
            means = self.curve.tolist()[i]
            ax.plot(range(1, len(means) + 1), [sum(means[max(0, t - smooth + 1):t + 1]) / min(smooth, t + 1)
                                               for t in range(len(means))], label=one.name)
        ax.set_xlabel("task" if self.curve is not None else "model")
        ax.set_ylabel(f"regret per task of {self.steps} steps")
        ax.legend()
        return ax


METRICS = ("reward", "regret", "over_ts", "over_prior", "over_fixed", "gap_closed", "saved", "saved_over_prior")


class Replay(Table):
    """The result of segue.replay: the verdict, a table of policies, and the types of the log.

    >>> frame = {"task": [t for t in range(60) for _ in range(8)], "arm": ["a", "b"] * 240,
    ...          "reward": [float((arm == "a") == (t % 2 == 0)) for t in range(60) for arm in "abababab"]}
    >>> result = segue.replay(frame, ["ts", "tla"], steps=4, runs=2, replicates=2)
    >>> result.conclusion in ("types", "prior", "arm", "none", "unclear")
    True
    """

    def __init__(self, record: dict[str, Any]) -> None:
        record["verdict"]["text"] = spell(record["verdict"]["text"])
        record["warnings"] = [spell(warning) for warning in record["warnings"]]
        self.record = record
        self.verdict: str = record["verdict"]["text"]
        self.conclusion: str = record["verdict"]["conclusion"]
        self.use: str = record["verdict"]["use"]
        self.warnings: list[str] = record["warnings"]
        self.types: list[dict[str, Any]] = record["types"]
        self.arms: list[str] = record["log"]["arms"]
        self.tasks: int = record["log"]["tasks"]
        self.steps: int = record["play"]["steps"]
        self.best_arms: dict[str, float] = record["best_arms"]
        self.table = [{"policy": one["policy"], "carries": one["carries"],
                       **{key: value for metric in METRICS for key, value in (
                           (metric, one[metric]["mean"]), (f"{metric}_low", one[metric]["low"]),
                           (f"{metric}_high", one[metric]["high"]))},
                       "logged": one["logged"]} for one in record["results"]]
        self.caption = f"{self.verdict}"

    def _columns(self) -> list[str]:
        return ["policy", "carries", "reward", "95 %", "regret", "over ts", "over prior"]

    def _texts(self) -> Iterable[list[str]]:
        for row in self.table:
            yield [row["policy"], row["carries"], cell(row["reward"]),
                   f"{cell(row['reward_low'])} .. {cell(row['reward_high'])}", cell(row["regret"]),
                   f"{100 * row['over_ts']:+.1f} %", f"{100 * row['over_prior']:+.1f} %"]

    def curves(self) -> dict[str, list[float]]:
        """The reward per step of the task at each position, by policy.

        >>> frame = {"task": [t for t in range(60) for _ in range(8)], "arm": ["a", "b"] * 240,
        ...          "reward": [float((arm == "a") == (t % 2 == 0)) for t in range(60) for arm in "abababab"]}
        >>> result = segue.replay(frame, ["ts"], steps=4, runs=2, replicates=2)
        >>> len(result.curves()["ts"])
        60
        """
        return {one["policy"]: one["task_reward"] for one in self.record["results"]}

    def plot(self, ax: Any = None) -> Any:
        """Plot the reward per step of each policy, with its 95 % interval.

        >>> segue.replay("log.csv").plot()   # doctest: +SKIP
        """
        ax = ax or need("matplotlib.pyplot", "plots").subplots()[1]
        for place, row in enumerate(reversed(self.table)):
            ax.plot([row["reward_low"], row["reward_high"]], [place, place], color="0.6")
            ax.plot([row["reward"]], [place], "o", color="C1" if row["policy"] == self.use else "C0")
        ax.set_yticks(range(len(self.table)), [row["policy"] for row in reversed(self.table)])
        ax.axvline(self.best_arms["mean"], linestyle=":", color="0.4", label="best arm of each task")
        ax.set_xlabel("reward per step, 95 %")
        ax.legend()
        return ax


class Estimate(Table):
    """The result of segue.estimate: types or models, one per row; segue.simulate takes it as models.

    >>> frame = {"task": [t for t in range(40) for _ in range(6)], "arm": ["a", "b"] * 120,
    ...          "reward": [float((arm == "a") == (t % 2 == 0)) for t in range(40) for arm in "ababab"]}
    >>> found = segue.estimate(frame)
    >>> found.verdict.split(":")[0], found.assignments()["0"] != found.assignments()["1"]
    ('good', True)
    """

    def __init__(self, record: dict[str, Any]) -> None:
        self.record = record
        self.verdict: str = record["verdict"]
        self.arms: list[str] = record["arms"]
        self.tasks: int = record["tasks"]
        found = record.get("types")
        rows = [(one["weight"], [arm["mean"] for arm in one["arms"]]) for one in found] if found is not None else [
            (one["weight"], one["means"]) for one in sorted(record["models"], key=lambda one: -float(one["weight"]))]
        self.weights: list[float] = [weight for weight, _ in rows]
        self.means: list[list[float]] = [means for _, means in rows]
        self.table = [{"type": i + 1, "weight": weight, **dict(zip(self.arms, means))}
                      for i, (weight, means) in enumerate(rows)]
        self.caption = self.verdict

    def assignments(self) -> dict[str, int]:
        """The likeliest type of each task; 0: no type.  Only of method "types".

        >>> frame = {"task": [t for t in range(60) for _ in range(8)], "arm": ["a", "b"] * 240,
        ...          "reward": [float((arm == "a") == (t % 2 == 0)) for t in range(60) for arm in "abababab"]}
        >>> found = segue.estimate(frame).assignments()
        >>> found["0"] == found["2"] != found["1"]
        True
        """
        posteriors = self.record.get("posteriors", [])
        return {task: max(range(len(shares)), key=shares.__getitem__) for task, shares in posteriors}

    def plot(self, ax: Any = None) -> Any:
        """Plot the mean reward of each arm, one line per type.

        >>> segue.estimate("log.csv").plot()   # doctest: +SKIP
        """
        ax = ax or need("matplotlib.pyplot", "plots").subplots()[1]
        for i, (weight, means) in enumerate(zip(self.weights, self.means)):
            ax.plot(self.arms, means, "o-", label=f"type {i + 1}: {weight:.0%}")
        ax.set_ylabel("mean reward")
        if self.means:
            ax.legend()
        return ax


class Complexity(Table):
    """The result of segue.complexity, one row per model.

    >>> segue.complexity([[0.9, 0.1], [0.2, 0.8]]).average["ucb"] > 1
    True
    """

    def __init__(self, record: dict[str, Any]) -> None:
        self.record = record
        arms = record["arms"] or [f"arm {i + 1}" for i in range(len(record["models"][0]["gaps"]))]
        self.arms: list[str] = arms
        self.models: list[dict[str, Any]] = record["models"]
        self.learning: dict[str, float] = record["learning"]
        self.table = [{"model": k + 1, "weight": one["weight"], "best_arm": arms[one["best_arm"]],
                       "best_value": one["best_value"], "ucb": one["ucb"], "ucb+": one["ucb+"], "mucb": one["mucb"],
                       **{f"bound_{name}": bound for name, bound in one["bounds"].items()}}
                      for k, one in enumerate(record["models"])]
        self.average = {name: sum(row["weight"] * row[name] for row in self.table)
                        for name in ("ucb", "ucb+", "mucb", "bound_ucb", "bound_ucb+", "bound_mucb", "bound_ucb_test")}
        self.caption = f"Complexity of {len(self.table)} models of {len(arms)} arms; bounds for {record['steps']} steps"

    def plot(self, ax: Any = None) -> Any:
        """Plot the complexity of each model under UCB, UCB+ and mUCB.

        >>> segue.complexity([[0.9, 0.1], [0.2, 0.8]]).plot()   # doctest: +SKIP
        """
        ax = ax or need("matplotlib.pyplot", "plots").subplots()[1]
        for i, name in enumerate(("ucb", "ucb+", "mucb")):
            ax.bar([row["model"] + (i - 1) * 0.25 for row in self.table], [row[name] for row in self.table], 0.25,
                   label=name)
        ax.set_xlabel("model")
        ax.set_ylabel("complexity")
        ax.legend()
        return ax
