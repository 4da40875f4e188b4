"""simulate, replay, estimate and complexity give the numbers of the program.
SPDX-License-Identifier: Apache-2.0"""
import csv
import doctest
import io

import pytest
import segue
from commands import PAPER, ROOT, TUTOR, near, number, run, run_json
from segue._spelling import spell


@pytest.mark.parametrize("policies,steps,tasks,runs,seed", [
    (["tucb", "tla", "ts"], 200, 60, 4, 1), (["ucb:delta=0.01", "told-ucb", "auto"], 100, 30, 3, 7)])
def test_simulate_gives_the_bytes_of_the_program(tmp_path, policies, steps, tasks, runs, seed):
    curve = tmp_path / "curve.csv"
    table = run("simulate", "-m", PAPER, "-p", ",".join(policies), "-n", steps, "-j", tasks, "-r", runs, "-s", seed,
                "-t", 1, "--curve", curve, "-f", "csv", "-q")
    result = segue.simulate(PAPER, policies, steps, tasks, runs, seed, threads=2)
    lines = ["policy,model,steps,tasks,runs,mean,se"]
    for one in result.results:
        rows = [("", one.regret, one.se)] + [(k + 1, *pair) for k, pair in enumerate(one.by_model)]
        lines += [f"{one.name},{model},{steps},{tasks},{runs},{number(mean)},{number(se)}" for model, mean, se in rows]
    assert table == "\n".join(lines) + "\n"
    lines = ["policy,task,mean,se"] + [
        f"{name},{task + 1},{number(result.curve[i, task])},{number(result.curve_se[i, task])}"
        for i, name in enumerate(policies) for task in range(tasks)]
    assert curve.read_text() == "\n".join(lines) + "\n"


@pytest.mark.parametrize("text", ["tla:cap=5,window=50,ts", "ucb:delta=0.01,ts,auto"])
def test_a_text_of_policies_is_divided_as_by_the_program(text):
    rows = run_json("simulate", "-m", PAPER, "-p", text, "-n", 50, "-j", 5, "-r", 2, "-q")["results"]
    result = segue.simulate(PAPER, text, 50, 5, 2)
    assert result.policies == [row["policy"] for row in rows]
    assert all(near(one.regret, row["regret"]["mean"]) for one, row in zip(result.results, rows, strict=True))


def test_simulate_without_tasks_plays_each_model():
    rows = run_json("simulate", "-m", PAPER, "-p", "ucb,mucb", "-n", 300, "-r", 6, "-q")["results"]
    result = segue.simulate(PAPER, ["ucb", "mucb"], 300, runs=6)
    assert result.regret.shape == (2, 30, 1) and result.curve is None
    for i, row in enumerate(rows):
        assert near(result.results[i].regret, row["regret"]["mean"])
        for k, model in enumerate(row["by_model"]):
            regrets = [result.regret[i, k * 6 + r, 0] for r in range(6)]
            assert near(sum(regrets) / 6, model["mean"])
            assert {result.model[i, k * 6 + r, 0] for r in range(6)} == {k}


def test_simulate_passes_the_options_of_the_environment():
    costs = [0.1, 0, 0.3, 0, 0.2, 0, 0.05]
    rows = run_json("simulate", "-m", PAPER, "-p", "ts", "-n", 100, "-j", 10, "-r", 2, "--rewards", "beta:5", "--spread",
                    20, "--costs", ",".join(map(str, costs)), "--switch-cost", 0.02, "-q")["results"]
    result = segue.simulate(PAPER, ["ts"], 100, 10, 2, rewards="beta:5", spread=20, costs=costs, switch_cost=0.02)
    assert near(result["ts"].regret, rows[0]["regret"]["mean"])


def test_rows_of_means_are_a_model_set():
    with open(PAPER, newline="") as file:
        rows = [row for row in csv.reader(line for line in file if not line.startswith("#"))]
    weights = [float(row[0]) for row in rows[1:]] if rows[0][0] == "weight" else None
    means = [[float(cell) for cell in row[1 if weights else 0:]] for row in rows[1:]]
    a = segue.simulate(PAPER, ["ts"], 100, 10, 2)
    b = segue.simulate(means, ["ts"], 100, 10, 2, weights=weights)
    assert a.regret.tobytes() == b.regret.tobytes()


def test_arrays_average_to_the_result():
    result = segue.simulate(PAPER, ["ts", "tla"], 100, 12, 5)
    for i, one in enumerate(result.results):
        cells = [result.regret[i, run_, task] for run_ in range(5) for task in range(12)]
        assert near(sum(cells) / len(cells), one.regret)


SMALL = ["-r", 2, "--replicates", 2, "-t", 2, "-q"]


@pytest.mark.parametrize("more,options", [
    ([], {}), (["--play", "rows", "-n", 5], {"play": "rows", "steps": 5}),
    (["--order", "file", "--from", 101, "-s", 5], {"order": "file", "first": 101, "seed": 5})])
def test_replay_gives_the_numbers_of_the_program(more, options):
    small = ["-r", 2, "-t", 2, "-q"] if "rows" in more else SMALL
    expected = run_json("replay", "-p", "ts,tla", *small, *more, TUTOR)
    given = dict(options) if "rows" in more else {"replicates": 2, **options}
    result = segue.replay(TUTOR, ["ts", "tla"], runs=2, threads=1, **given)
    assert result.verdict == spell(expected["verdict"]["text"]) and result.use == expected["verdict"]["use"]
    assert result.conclusion == expected["verdict"]["conclusion"]
    assert result.warnings == [spell(warning) for warning in expected["warnings"]]
    assert [row["policy"] for row in result.table] == [row["policy"] for row in expected["results"]]
    for found, row in zip(result.record["results"], expected["results"]):
        for metric in ("reward", "regret", "over_ts", "over_prior", "over_fixed", "gap_closed", "saved"):
            for bound in ("mean", "low", "high"):
                assert near(found[metric][bound], row[metric][bound]), (row["policy"], metric, bound)
    assert len(result.types) == len(expected["types"]["list"])
    for found, row in zip(result.types, expected["types"]["list"]):
        assert near(found["weight"], row["weight"]) and found["typical"] == row["typical"]


def test_a_frame_gives_the_replay_of_its_file():
    with open(TUTOR, newline="") as file:
        rows = list(csv.DictReader(file))
    frame = {"who": [row["task"] for row in rows], "arm": [row["arm"] for row in rows],
             "reward": [float(row["reward"]) for row in rows], "time": [row["time"] for row in rows]}
    a = segue.replay(TUTOR, ["ts"], runs=2, replicates=2)
    b = segue.replay(frame, ["ts"], task="who", runs=2, replicates=2)
    assert a.verdict == b.verdict and a.table == b.table


def test_estimate_gives_the_numbers_of_the_program():
    expected = run_json("estimate", "-M", "types", TUTOR)
    found = segue.estimate(TUTOR)
    assert found.verdict == expected["diagnostics"]["verdict"] and found.arms == expected["arms"]
    for mine, row in zip(found.record["types"], expected["types"], strict=True):
        assert near(mine["weight"], row["weight"]) and near(mine["tasks"], row["tasks"])
        for a, b in zip(mine["arms"], row["arms"], strict=True):
            assert all(near(a[key], b[key]) for key in ("mean", "low", "high", "spread", "kappa", "pulls"))
    assigned = list(csv.DictReader(io.StringIO(run("estimate", "--assign", TUTOR, "-f", "csv"))))
    assert found.assignments() == {row["task"]: int(row["type"]) for row in assigned}


@pytest.mark.parametrize("method", ["rtp", "em", "eca"])
def test_estimators_give_the_models_of_the_program(method):
    expected = run_json("estimate", "-M", method, "-k", 3, TUTOR)
    found = segue.estimate(TUTOR, 3, method=method)
    assert found.verdict == expected["diagnostics"]["verdict"]
    for weight, means, row in zip(found.weights, found.means, expected["models"], strict=True):
        assert near(weight, row["weight"]) and all(near(a, b) for a, b in zip(means, row["means"], strict=True))


def test_complexity_gives_the_numbers_of_the_program():
    expected = run_json("complexity", "-m", PAPER, "-n", 1000)
    found = segue.complexity(PAPER, 1000)
    for row, model, one in zip(found.table, expected["models"], found.models, strict=True):
        assert all(near(row[key], model[key]) for key in ("ucb", "ucb+", "mucb", "best_value"))
        assert all(near(row[f"bound_{key}"], model["bounds"][key]) for key in ("ucb", "ucb+", "mucb", "ucb_test"))
        assert all(near(a, b) for a, b in zip(one["gaps"], model["gaps"], strict=True))
        assert row["best_arm"] == model["best_arm_name"]
    assert near(found.average["mucb"], expected["average"]["mucb"])
    assert near(found.learning["sigma_min"], expected["sigma_min"])
    assert near(found.learning["constant"], expected["perturbation"]["constant"])


def test_the_guide_holds():
    result = doctest.testfile(str(ROOT / "docs/python-analysis.md"), module_relative=False, optionflags=doctest.ELLIPSIS,
                              encoding="utf-8")
    assert result.attempted > 8 and result.failed == 0
