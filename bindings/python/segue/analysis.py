"""Simulate, replay, estimate and complexity: the commands of the same names, on objects of Python.
SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

import datetime
import operator
import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from segue import _segue
from segue._spelling import spelled
from segue.policy import Policy, player
from segue.results import Complexity, Estimate, Replay, Simulation
from segue.rewards import number

POLICIES = ("ts", "ts-prior", "la", "tts", "tla")
FIELDS = ("task", "arm", "reward", "time", "probability")


def default_threads() -> int:
    """One per CPU that this process may use.

    >>> default_threads() >= 1
    True
    """
    return len(os.sched_getaffinity(0))


def whole(name: str, value: Any, least: int = 1, most: int = 2**63 - 1) -> int:
    """A whole number between two limits.

    >>> whole("runs", 3)
    3
    >>> whole("runs", -1)
    Traceback (most recent call last):
    ValueError: runs is -1; need a whole number from 1 to 9223372036854775807
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; need a whole number") from None
    if not least <= number <= most:
        raise ValueError(f"{name} is {number}; need a whole number from {least} to {most}")
    return number


def truth(name: str, value: Any) -> bool:
    """True or False, also of numpy; a text such as "no" would be true.

    >>> truth("ignore_costs", False)
    False
    """
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return bool(value)
    raise TypeError(f"{name} is {value!r}; need True or False")


def optional_whole(name: str, value: Any) -> int:
    """A whole number of at least 1, or 0 for None: then the library chooses.

    >>> optional_whole("runs", None), optional_whole("runs", 3)
    (0, 3)
    """
    return 0 if value is None else whole(name, value)


def optional_text(name: str, value: Any) -> str | None:
    """A text, or None.

    >>> optional_text("holdout", 5)
    Traceback (most recent call last):
    TypeError: holdout is 5; need a text
    """
    if not isinstance(value, (str, type(None))):
        raise TypeError(f"{name} is {value!r}; need a text")
    return value


def amount(name: str, value: Any) -> float:
    """A number of at least 0.

    >>> amount("value", -1)
    Traceback (most recent call last):
    ValueError: value is -1; need 0 or more
    """
    found = number(name, value)
    if not 0.0 <= found < float("inf"):
        raise ValueError(f"{name} is {value}; need 0 or more")
    return found


def numbers_of(cells: int) -> bytearray:
    """Memory for so many numbers of eight bytes.

    >>> len(numbers_of(3))
    24
    """
    try:
        return bytearray(8 * cells)
    except (MemoryError, OverflowError):
        raise MemoryError(f"out of memory for {cells} numbers; lower runs or tasks") from None


def array_of(block: bytearray, kind: Literal["d", "q"], shape: tuple[int, ...]) -> memoryview:
    """Memory as an array of numbers.

    >>> array_of(numbers_of(6), "d", (2, 3)).tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    view: Any = memoryview(block)
    array: memoryview = view.cast(kind, shape)
    return array


def is_missing(value: Any) -> bool:
    """True for None, NaN and the missing values of pandas.

    >>> is_missing(None), is_missing(float("nan")), is_missing(0)
    (True, True, False)
    """
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas.NA is neither true nor false
        return True


def is_path(given: Any) -> bool:
    """True for what open() takes as a name.

    >>> is_path("log.csv"), is_path([1, 2])
    (True, False)
    """
    return isinstance(given, (str, bytes, os.PathLike))


def as_list(column: Any, name: str = "a column") -> list[Any]:
    """A column as a list: of numpy, pandas, array, memoryview, or any sequence.

    >>> import array
    >>> as_list(array.array("d", [1, 2]))
    [1.0, 2.0]
    """
    if isinstance(column, (str, dict, set, frozenset)):  # no order, or only keys
        raise TypeError(f"{name} is {column!r:.60}; need a list or an array")
    return list(column.tolist()) if hasattr(column, "tolist") else list(column)


def convert_models(models: Any, weights: Any = None) -> Any:
    """A model set for the extension: a path, or all means, their number of rows, and the weights.

    >>> convert_models([[0.9, 0.1], [0.2, 0.8]])
    ([0.9, 0.1, 0.2, 0.8], 2, None)
    """
    if is_path(models):
        if weights is not None:
            raise ValueError("weights are in the file of the models; give no others")
        return models
    if isinstance(models, Estimate):
        models, weights = models.means, models.weights if weights is None else weights
    if hasattr(models, "to_numpy"):
        if "weight" in models:
            weights, models = (models["weight"] if weights is None else weights), models.drop(columns="weight")
        models = models.to_numpy()
    try:
        rows = [as_list(row) for row in models]
    except TypeError:
        raise TypeError(f"models is {models!r:.60}; need a path, a frame, or one row of means per model") from None
    if any(len(row) != len(rows[0]) for row in rows):
        raise ValueError("the models have different numbers of arms; need one mean per arm in each")
    return [mean for row in rows for mean in row], len(rows), None if weights is None else as_list(weights, "weights")


def arm_names(models: Any) -> list[str] | None:
    """The names of the arms of an Estimate, or of the columns of a frame; None: it has none, or is a file.

    >>> arm_names([[0.9, 0.1], [0.2, 0.8]]) is None
    True
    """
    if isinstance(models, Estimate):
        return models.arms
    names = [name for name in getattr(models, "columns", []) if name != "weight"]
    return names if names and all(isinstance(name, str) for name in names) else None


def convert_times(column: Any) -> tuple[Any, bool]:
    """Times as numbers, and true if they are dates: then seconds since 1970.

    >>> import datetime
    >>> convert_times([datetime.datetime(1970, 1, 2, tzinfo=datetime.timezone.utc)])
    ([86400.0], True)
    """
    is_array = str(getattr(column, "dtype", "")).startswith("datetime64[") and not hasattr(column, "to_numpy")
    values = as_list(column.astype("datetime64[us]") if is_array else column)  # numpy lists nanoseconds as integers
    if not any(isinstance(value, (str, datetime.date)) or hasattr(value, "timestamp") for value in values):
        return column, False
    found = []
    for row, value in enumerate(values, 1):
        try:
            found.append(seconds(value))
        except (OverflowError, TypeError, ValueError) as error:
            raise ValueError(f"the frame, row {row}: field 'time': {error}") from None
    kinds = {is_date for _, is_date in found if is_date is not None}
    if len(kinds) > 1:
        raise ValueError("field 'time' has dates and numbers; need one kind")
    return [number for number, _ in found], kinds == {True}


def seconds(value: Any) -> tuple[float, bool | None]:
    """A time as a number, and true if it is a date: then seconds since 1970, in UTC if it has no time zone.  A missing
    one is NaN and None.

    >>> import datetime
    >>> seconds(datetime.datetime(1970, 1, 1, 1)), seconds("1970-01-01T01:00"), seconds("17")
    ((3600.0, True), (3600.0, True), (17.0, False))
    """
    if is_missing(value):
        return float("nan"), None
    if isinstance(value, str):
        return _segue._timestamp(value)
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        value = datetime.datetime.combine(value, datetime.time())
    moment: Any = value
    if not hasattr(moment, "timestamp"):
        return float(moment), False
    return float((moment if moment.tzinfo else moment.replace(tzinfo=datetime.timezone.utc)).timestamp()), True


def convert_log(log: Any, names: Mapping[str, str | None], optional: Sequence[str] = ()) -> Any:
    """A log for the extension: a path, or its columns; of the optional ones those that are used.

    >>> convert_log({"task": ["a"], "arm": ["x"], "reward": [1]}, {})
    (['a'], ['x'], [1], None, None, False)
    """
    if is_path(log):
        return log
    if getattr(getattr(log, "dtype", None), "names", None):  # a structured array of numpy
        log = {name: log[name] for name in log.dtype.names}
    if not hasattr(log, "__getitem__") or not hasattr(log, "keys"):
        raise TypeError(f"log is {log!r:.60}; need a path, a frame or a dictionary of columns")
    columns = []
    for field in FIELDS:
        name = names.get(field) or field
        is_required = field in FIELDS[:3]
        if name in log and (is_required or field in optional):
            columns.append(log[name])
        elif name not in log and (is_required or names.get(field)):
            raise ValueError(f"the frame has no column '{name}'; give the name of its column: {field}=...")
        else:
            columns.append(None)
    task, arm, reward, time, probability = columns
    times, dates = (None, False) if time is None else convert_times(time)
    return as_list(task, "task"), as_list(arm, "arm"), reward, times, probability, dates


def log_options(range: tuple[float, float], missing: str, delimiter: str | None,
                names: Mapping[str, str | None]) -> tuple[Any, ...]:
    """The options with which the extension reads a log.

    >>> log_options((0, 5), "skip", None, {})
    (0.0, 5.0, True, None, None, None, None, None, None)
    """
    if missing not in ("error", "skip"):
        raise ValueError(f"missing is {missing!r}; need 'error' or 'skip'")
    try:
        low, high = range
    except (TypeError, ValueError):
        raise ValueError(f"range is {range!r}; need the lowest and the highest reward, such as (0, 1)") from None
    ends = number("range", low), number("range", high)
    if not all(-1e15 <= end <= 1e15 for end in ends):
        raise ValueError(f"range is {range!r}; need numbers from -1e15 to 1e15")
    return (*ends, missing == "skip", optional_text("delimiter", delimiter),
            *(names.get(field) for field in FIELDS))


def choice(name: str, value: str, choices: Sequence[str]) -> int:
    """The index of a value among the names it may have.

    >>> choice("order", "file", ["file", "shuffle"])
    0
    """
    if value not in choices:
        raise _segue.UnknownName(f"{name}: there is no '{value}'; need {', '.join(choices)}")
    return list(choices).index(value)


def split_policies(text: str) -> list[str]:
    """The policies in one text, each with its options, as the commands divide it.

    >>> split_policies("tla:cap=5,window=50,ts")
    ['tla:cap=5,window=50', 'ts']
    """
    found: list[str] = []
    for part in text.split(","):
        if found and "=" in part and ":" not in part:
            found[-1] += f",{part}"
        else:
            found.append(part)
    return found


def choose_policies(policies: Any, own: bool = True) -> list[str | Policy]:
    """The policies of a call: one, several in one text, or a sequence; also your own ones.

    >>> choose_policies("ts,tla")
    ['ts', 'tla']
    """
    if isinstance(policies, Policy):
        policies = [policies]
    if not hasattr(policies, "__iter__"):
        raise TypeError(f"policies is {policies!r}; need a list of policies")
    chosen: list[str | Policy] = [*split_policies(policies)] if isinstance(policies, str) else list(policies)
    if not chosen:
        raise ValueError("policies is empty; need at least one")
    for i, one in enumerate(chosen):
        if not isinstance(one, (str, Policy) if own else str):
            raise TypeError(f"policies[{i}] is {one!r}; need a text{' or an object of a segue.Policy' if own else ''}")
        if isinstance(one, str) and "\0" in one:
            raise _segue.UnknownName(f"there is no policy {one!r}")
    return chosen


def simulate(models: Any, policies: Sequence[str | Policy] = ("tucb", "tla", "ts"), steps: int = 5000,
             tasks: int | None = None, runs: int = 200, seed: int = 1, threads: int | None = None, *,
             weights: Any = None, rewards: str | None = None, spread: float = 0.0, mixed: float = 0.0,
             costs: Any = None, switch_cost: float = 0.0, ignore_costs: bool = False) -> Simulation:
    """Play policies against a model set, as the command `segue simulate` does: the same seed gives the same numbers.

    models is the path of a CSV file, or rows of mean rewards, one per model: lists, an array, a frame, or an
    Estimate.  Policies are texts as on the command line ("tla", "ucb:delta=0.01"), or objects of a segue.Policy.
    Each run has `tasks` tasks; with tasks=None there are single tasks, `runs` of each model.

    The result has an array with one number per policy, run and task.  Other threads of Python run meanwhile; Ctrl-C
    ends it after the tasks that are being played.

    >>> result = segue.simulate([[0.9, 0.1], [0.2, 0.8]], ["ts", "tla"], steps=50, tasks=30, runs=4)
    >>> result.regret.shape
    (2, 4, 30)
    >>> result["tla"].regret < result["ts"].regret
    True
    """
    chosen, law = choose_policies(policies), optional_text("rewards", rewards)
    steps, runs, seed = whole("steps", steps), whole("runs", runs, 1, 10**9), whole("seed", seed, 0, 2**64 - 1)
    tasks = None if tasks is None else whole("tasks", tasks, 1, 10**9)
    workers = default_threads() if threads is None else whole("threads", threads)
    given = convert_models(models, weights)
    names, n_arms, n_models = _segue._models(given)
    n_runs, n_tasks = (runs, tasks) if tasks else (runs * (n_models if not mixed else 1), 1)
    shape = (len(chosen), n_runs, n_tasks)
    cells = len(chosen) * n_runs * n_tasks
    regret, reward, model = numbers_of(cells), numbers_of(cells), numbers_of(cells)
    mean, error = numbers_of(len(chosen) * (tasks or 0)), numbers_of(len(chosen) * (tasks or 0))
    native = [player(one, steps, n_tasks) if isinstance(one, Policy) else one for one in chosen]
    records = _segue._simulate(given, native, steps, tasks or 0, runs, seed, workers, law, number("spread", spread),
                               number("mixed", mixed), costs, number("switch_cost", switch_cost), truth("ignore_costs", ignore_costs),
                               regret, reward, model,
                               mean, error)
    arrays = array_of(regret, "d", shape), array_of(reward, "d", shape), array_of(model, "q", shape)
    curves = [array_of(block, "d", (len(chosen), tasks)) if tasks else None for block in (mean, error)]
    texts = [one.name if isinstance(one, Policy) else one for one in chosen]
    arms = names or arm_names(models) or [f"arm {i + 1}" for i in range(n_arms)]
    return Simulation(texts, records, arms, steps, tasks, runs, seed, arrays, curves)


def replay(log: Any, policies: Sequence[str] = POLICIES, *, task: str | None = None, arm: str | None = None,
           reward: str | None = None, time: str | None = None, probability: str | None = None,
           range: tuple[float, float] = (0, 1), missing: str = "error", delimiter: str | None = None,
           steps: int | None = None, play: str = "urn", order: str = "shuffle", holdout: str | None = None,
           first: int | None = None, runs: int | None = None, replicates: int | None = None, seed: int = 1,
           threads: int | None = None, value: float = 0.0, tasks_per_day: float = 0.0) -> Replay:
    """Would transfer have paid on a log?  As the command `segue replay`: the same seed gives the same numbers.

    log is the path of a file (CSV or JSON Lines, also compressed), or a frame: a pandas frame, or a dictionary of
    columns, with the columns task, arm and reward; task="user" names another column.  range is that of the rewards.
    policies, steps, play, order, holdout, runs and replicates are the options of the command; first is its --from.

    >>> frame = {"task": [t for t in range(60) for _ in range(8)], "arm": ["a", "b"] * 240,
    ...          "reward": [float((arm == "a") == (t % 2 == 0)) for t in range(60) for arm in "abababab"]}
    >>> result = segue.replay(frame, ["ts", "tla"], steps=4, runs=2, replicates=2)
    >>> result.tasks, [row["policy"] for row in result.table][:2]
    (60, ['ts', 'tla'])
    >>> result.conclusion, result.use
    ('unclear', 'tla')
    """
    names = {"task": task, "arm": arm, "reward": reward, "time": time, "probability": probability}
    if holdout and first:
        raise ValueError("first and holdout both select the scored tasks; give one")
    worth, daily = amount("value", value), amount("tasks_per_day", tasks_per_day)
    if (worth > 0) != (daily > 0):
        raise ValueError("value and tasks_per_day together give the gain per year; give both")
    options = log_options(range, missing, delimiter, names)
    text = ",".join(map(str, choose_policies(policies, own=False)))
    optional = [*(["time"] if play == "urn" or order == "time" else []), *(["probability"] if play == "rows" else [])]
    plays, orders = choice("play", play, ["urn", "rows"]), choice("order", order, ["file", "shuffle", "time"])
    workers = default_threads() if threads is None else whole("threads", threads)
    counts = optional_whole("steps", steps), optional_whole("first", first), optional_whole("runs", runs)
    given = convert_log(log, names, optional)
    with spelled():
        return Replay(_segue._replay(given, options, text, plays, orders, optional_text("holdout", holdout), *counts,
                                     optional_whole("replicates", replicates), whole("seed", seed, 0, 2**64 - 1),
                                     workers, worth, daily))


def estimate(log: Any, types: int | None = None, *, method: str = "types", task: str | None = None,
             arm: str | None = None, reward: str | None = None, range: tuple[float, float] = (0, 1),
             missing: str = "error", delimiter: str | None = None, seed: int = 1) -> Estimate:
    """How many types of tasks a log has, and their mean rewards, as the command `segue estimate`.

    log is as in segue.replay.  Method "types" finds the number of types; `types` is a hint.  Methods rtp, em and the
    others of the command estimate that many models.

    >>> frame = {"task": [t for t in range(40) for _ in range(6)], "arm": ["a", "b"] * 120,
    ...          "reward": [float((arm == "a") == (t % 2 == 0)) for t in range(40) for arm in "ababab"]}
    >>> found = segue.estimate(frame)
    >>> len(found.means), found.arms
    (2, ['a', 'b'])
    """
    if not isinstance(method, str):
        raise TypeError(f"method is {method!r}; need a text such as 'types'")
    names = {"task": task, "arm": arm, "reward": reward}
    given, options = convert_log(log, names), log_options(range, missing, delimiter, names)
    with spelled():
        return Estimate(_segue._estimate(given, options, method, optional_whole("types", types),
                                         whole("seed", seed, 0, 2**64 - 1)))


def complexity(models: Any, steps: int = 5000, *, tasks: int = 5000, delta: float | None = None,
               weights: Any = None) -> Complexity:
    """Gaps, complexities and regret bounds of a model set, as the command `segue complexity`.

    models is as in segue.simulate.

    >>> found = segue.complexity([[0.9, 0.1], [0.2, 0.8]])
    >>> [round(row["ucb"], 3) for row in found.table]
    [1.25, 1.667]
    """
    steps, tasks = whole("steps", steps), whole("tasks", tasks)
    chosen = 1.0 / steps if delta is None else number("delta", delta)
    if not 0.0 < chosen <= 1.0:
        raise ValueError(f"delta is {chosen}; need more than 0, at most 1")
    record = _segue._complexity(convert_models(models, weights), steps, tasks, chosen)
    record["arms"] = record["arms"] or arm_names(models)
    return Complexity(record)
