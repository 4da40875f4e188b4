#!/usr/bin/python3
"""Segue against a second implementation: numpy, written from the formulas of the paper alone.

Pulls must be equal, one by one.  Both break ties by the lowest index, and take sums in the order of the
pulls, so that arms which tie in one tie in the other.  Numbers have tolerances, each with its reason.

usage: test_second_implementation.py SEGUE SOURCE DRIVER [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import itertools
import json
import math
import sys
import unittest

import numpy as np

from program import PAPER, Folder, answer
from second_implementation import bandits, estimation, driver, theory

DRIVER = sys.argv[3]
PAPER_MODELS = np.loadtxt(PAPER, delimiter=",", skiprows=1)[:, 1:]

# JSON has 15 digits; a gap is a difference of numbers below 1, known to 2^-53, and at least 1e-5 in these
# sets, so that 1 / gap^2 is known to 2^-53 / 1e-5 = 1e-11.
FORMULA = 1e-10
# Sums of up to 2,000 products in another order: 2,000 * 2^-53 = 2e-13; eigenvalues move by no more than M2.
SUM = 1e-12
# A component has had 2 N = 80 steps: where each shrinks the distance to the limit by FAST or better,
# 0.7^80 = 4e-13 of it remains.  The library ends earlier, when a step is small, which leaves up to 1e-9
# (measured on 1,500 fits); means are lambda times that.  Where the steps shrink it less, or not at all,
# Fig. 4 does not determine the estimate to these digits.
FAST, RTP = 0.7, 1e-8

# Model sets that are easy to estimate: far apart, so that the power method has no second best maximum.
EASY = {"two": np.array([[0.9, 0.1, 0.5], [0.2, 0.8, 0.4]]),
        "three": np.array([[0.9, 0.2, 0.4, 0.3], [0.2, 0.8, 0.3, 0.6], [0.1, 0.4, 0.9, 0.2]])}


def random_models(rng, kind):
    """A model set: the paper's, one on a coarse grid (with ties), or a random one."""
    if kind == "paper":
        return PAPER_MODELS
    shape = rng.integers(2, 7), rng.integers(2, 8)
    return rng.integers(0, 9, shape) / 8 if kind == "grid" else rng.random(shape)


def draw_table(rng, means, n, law):
    """n rewards per arm: Bernoulli; eighths (graded: sums are exact, so ties are); or any number."""
    uniform = rng.random((n, len(means)))
    if law == "bernoulli":
        return (uniform < means).T.astype(float)
    spread = np.clip(means + (uniform - 0.5) * 0.5, 0, 1).T
    return np.round(spread * 8) / 8 if law == "eighths" else spread


class Pulls(unittest.TestCase):
    """UCB, UCB+, mUCB (Fig. 1) and umUCB (Fig. 3), pull by pull."""

    def compare(self, cases):
        """Each case: a policy's text, its second implementation, models, a table."""
        seen = driver.play_tasks(DRIVER, [driver.task_job(text, models, table, kind)
                                          for text, _, models, table, kind in cases])
        self.assertEqual(len(seen), len(cases))
        steps_empty = 0
        for (text, choose, models, table, _), result in zip(cases, seen):
            expected = bandits.play(choose, table)
            self.assertEqual(result, expected, (text, models))
            steps_empty += expected[1]
        return steps_empty

    def settings(self, seed, count):
        """Model sets, tables and n; the truth is a model of the set or, each third time, another."""
        rng = np.random.default_rng(seed)
        for k in range(count):
            models = random_models(rng, ("paper", "grid", "random")[k % 3])
            outside = (k // 3) % 3 == 2
            truth = rng.random(models.shape[1]) if outside else models[rng.integers(len(models))]
            n = int(rng.integers(40, 260))
            yield models, draw_table(rng, truth, n, ("bernoulli", "eighths", "any")[k // 9 % 3]), n

    def test_policies_of_known_models(self):
        cases = []
        for models, table, n in self.settings(1, 54):
            m, K = models.shape
            for option, terms, delta in (("", m, 1 / n), ("delta=0.9", m, 0.9), ("log=min", min(m, K), 1 / n)):
                L = bandits.log_known(terms, n, delta)
                for name, choose in (("ucb", bandits.ucb(L)), ("ucb+", bandits.ucb_plus(L, models)),
                                     ("mucb", bandits.mucb(L, models))):
                    text = f"{name}:{option}".rstrip(":")
                    cases.append((text, choose, models, table, "known"))
        self.assertGreater(self.compare(cases), 100)

    def test_ucb_without_models(self):
        cases = []
        for _, table, n in self.settings(2, 18):
            L = bandits.log_known(len(table), n, 1 / n)
            cases.append(("ucb", bandits.ucb(L), None, table, "known"))
        self.compare(cases)

    def test_ucb_with_a_test(self):
        """Sets with gaps of at least 1/4 on every arm, so that an arm's pulls can reach the threshold."""
        rng, cases = np.random.default_rng(4), []
        for k in range(40):
            K, m = int(rng.integers(2, 5)), int(rng.integers(1, 4))
            models = np.array([rng.permutation(m) for _ in range(K)]).T / 3 + rng.uniform(0, 0.08, (m, K))
            table = draw_table(rng, models[rng.integers(m)], 400, ("bernoulli", "eighths", "any")[k % 3])
            L, delta = bandits.log_known(m, 400, 0.1), 0.1
            cases.append((f"ucb-test:delta={delta}", bandits.UcbTest(L, models, delta), models, table, "known"))
        self.compare(cases)
        self.assertGreater(sum(choose.arm is not None for _, choose, *_ in cases), 10)

    def test_umucb(self):
        cases = []
        for models, table, n in self.settings(3, 54):
            m, K = models.shape
            for eps, delta in ((0, None), (0.07, None), (0.07, 0.9)):
                L = bandits.log_estimated(m, K, n, delta or 1 / n)
                text = f"umucb:eps={eps}" + (f",delta={delta}" if delta else "")
                cases.append((text, bandits.umucb(L, models, eps), models, table, "known"))
                off = models + np.random.default_rng(m * K).uniform(-0.2, 0.2, models.shape)
                cases.append((text, bandits.umucb(L, off, eps), off, table, "estimated"))
        self.assertGreater(self.compare(cases), 100)


class Estimates(Folder):
    """Moments, whitening and RTP (Fig. 4) on logs, through `segue estimate`."""

    def log(self, rng, models, tasks, pulls):
        """The rewards of tasks (tasks x K x pulls), and a file of them."""
        rewards = np.array([draw_table(rng, models[rng.integers(len(models))], pulls, "bernoulli")
                            for _ in range(tasks)])
        rows = [f"{task},{arm},{int(rewards[task, arm, k])}" for k in range(pulls)
                for task in range(tasks) for arm in range(models.shape[1])]
        return rewards, self.file("\n".join(["task,arm,reward"] + rows) + "\n", "log.csv")

    def test_rtp_of_a_log(self):
        rng = np.random.default_rng(11)
        for name, models, size in (*((*item, (300, 30)) for item in EASY.items()),
                                   ("paper", PAPER_MODELS, (600, 60))):
            rewards, log = self.log(rng, models, *size)
            for how, batches in itertools.product(("paper", "symmetric"), ("interleaved", "consecutive")):
                tasks = [estimation.views(task, getattr(estimation, batches)) for task in rewards]
                M2, M3 = estimation.moments(tasks, how == "symmetric")
                means, lambdas, slowest = estimation.rtp(M2, M3, len(models), rng)
                data = json.loads(answer("estimate", "--types", len(models), "--views", how, "--batches", batches,
                                         "--weights", "lambda", "--format", "json", log))
                seen = np.array([model["uncut"] for model in data["models"]])
                order = estimation.match(seen, means)
                with self.subTest(set=name, views=how, batches=batches):
                    self.assertLess(slowest, FAST)
                    np.testing.assert_allclose(data["diagnostics"]["eigenvalues"],
                                               estimation.eigenvalues(M2), rtol=0, atol=SUM)
                    np.testing.assert_allclose(seen, means[order], rtol=0, atol=RTP)
                    np.testing.assert_allclose(data["diagnostics"]["lambdas"], lambdas[order], rtol=RTP)
                    weights = lambdas[order] ** -2 / np.sum(lambdas ** -2)
                    np.testing.assert_allclose([model["weight"] for model in data["models"]], weights,
                                               rtol=RTP)


class Transfer(unittest.TestCase):
    """tUCB whole (Fig. 2): umUCB's pulls, views, M2, M3, whitening, RTP, eps_j, task after task."""

    def tables(self, seed, models, n, tasks):
        rng = np.random.default_rng(seed)
        laws = ("bernoulli", "bernoulli", "eighths")
        return [draw_table(rng, models[rng.integers(len(models))], n, laws[j % 3]) for j in range(tasks)]

    def compare(self, models, options, n, tasks, seed, split=estimation.consecutive, symmetric=False,
                form="lemma"):
        """Play both, and return the share of estimates that were compared."""
        (m, K), delta, J, C = models.shape, 1 / n, 3 * tasks, 0.1
        tables, seen, fits, compared, by_models = self.tables(seed, models, n, tasks), [], 0, 0, 0
        rng, estimate, eps = np.random.default_rng(seed), None, None
        L = bandits.log_estimated(m, K, n, delta)
        job = driver.learner_job(f"tucb:C={C}{options}", m, J, tables)
        for j, (arms, reported) in enumerate(driver.play_learner(DRIVER, job, K), 1):
            expected, _ = bandits.play(bandits.umucb(L, estimate, eps), tables[j - 1])
            self.assertEqual(arms, expected, f"task {j}")
            by_models += arms != bandits.play(bandits.ucb(L), tables[j - 1])[0]
            seen.append(estimation.views([tables[j - 1][i, :arms.count(i)] for i in range(K)], split))
            M2, M3 = estimation.moments(seen, symmetric)
            self.assertEqual(reported.found, estimation.has_estimate(M2, m, j), f"task {j}")
            estimate = None
            if reported.found:
                np.testing.assert_allclose(reported.eigenvalues, estimation.eigenvalues(M2), rtol=0, atol=SUM)
                eps = estimation.eps(form, C, m, K, J, delta, j)
                self.assertAlmostEqual(reported.eps, eps, delta=SUM)
                estimate, is_compared = self.compare_estimates(M2, M3, reported, "cold" in options, rng)
                fits, compared = fits + 1, compared + is_compared
        self.assertEqual(j, tasks)
        self.assertGreater(by_models, tasks / 2)
        return compared / fits

    def compare_estimates(self, M2, M3, reported, is_cold, rng):
        """Compare an estimate with RTP's, and return the one to go on with: the second implementation's, in
        the order of the library's, since the numbers of models are arbitrary (Theorem 2).  A warm start may
        find the components in another order: its estimate must solve Fig. 4.  The library's where the power
        method does not determine it (FAST)."""
        if is_cold:
            means, lambdas, slowest = estimation.rtp(M2, M3, len(reported.means), rng)
            if slowest >= FAST:
                return reported.means, False
            order = estimation.match(reported.means, means)
            np.testing.assert_allclose(reported.means, means[order], rtol=0, atol=RTP * np.max(lambdas))
            np.testing.assert_allclose(reported.lambdas, lambdas[order], rtol=RTP)
            return means[order], True
        residual, slowest = estimation.judge_components(M2, M3, reported.means, reported.lambdas)
        if slowest < FAST:
            self.assertLess(residual, RTP)
        return reported.means, slowest < FAST

    def test_easy_sets(self):
        for name, models in EASY.items():
            for k, (options, settings) in enumerate((
                    (",start=cold", {}), ("", {}), (",start=cold,views=symmetric", {"symmetric": True}),
                    (",start=cold,batches=interleaved", {"split": estimation.interleaved}),
                    (",start=cold,eps=theorem", {"form": "theorem"}),
                    (",start=cold,eps=corollary", {"form": "corollary"}))):
                with self.subTest(set=name, options=options):
                    share = self.compare(models, options, 90, 60, 20 + k, **settings)
                    self.assertGreater(share, 0.5)

    def test_the_set_of_the_paper(self):
        """60 tasks rarely determine its estimate (test_rtp_of_a_log has more); pulls are compared."""
        for k, options in enumerate((",start=cold", "")):
            with self.subTest(options=options):
                self.compare(PAPER_MODELS, options, 200, 60, 30 + k)


class Theory(Folder):
    """Sets, complexities and bounds, through `segue complexity`."""

    def csv(self, models, name, weights=None):
        """A file of a model set, with all digits."""
        table = models if weights is None else np.column_stack([weights, models])
        names = ["weight"] * (weights is not None) + [f"arm {i}" for i in range(models.shape[1])]
        rows = [",".join(names)] + [driver.numbers(row).replace(" ", ",") for row in table]
        return self.file("\n".join(rows) + "\n", name)

    def complexity(self, models, *args, weights=None):
        path = self.csv(models, "models.csv", weights)
        return json.loads(answer("complexity", "--models", path, "--format", "json", *args))

    def equal(self, seen, expected, what):
        np.testing.assert_allclose(seen, expected, rtol=FORMULA, atol=FORMULA, err_msg=str(what))

    def equal_pulls(self, seen, expected, best):
        """Bounds on pulls, null for infinity; not of the best arm, which no bound of the paper is about."""
        pairs = [(math.inf if x is None else x, y) for i, (x, y) in enumerate(zip(seen, expected)) if i != best]
        self.equal([x for x, _ in pairs], [y for _, y in pairs], "pulls")

    def from_zero(self, seen):
        """Arms or models from 0."""
        return [x - 1 for x in seen]

    def sets(self, seed, count):
        """The paper's set, random ones, and ones with ties."""
        rng = np.random.default_rng(seed)
        for k in range(count):
            yield rng, random_models(rng, "paper" if k == 0 else ("random", "grid")[k % 4 == 3])

    def test_table_2(self):
        """Table 2 cuts after two digits; it has 8.76 where its formula gives 8.746."""
        table = {theory.complexity_ucb: (22.31, 23.32, 33.91, 17.91, 35.41),
                 theory.complexity_ucb_plus: (14.87, 15.58, 25.21, 11.17, 8.74),
                 theory.complexity_mucb: (2.33, 8.48, 2.08, 3.48, 0)}
        for formula, values in table.items():
            seen = [int(formula(PAPER_MODELS, k) * 100) / 100 for k in range(5)]
            self.assertEqual(tuple(seen), values)

    def compare_test(self, seen, models, delta):
        """UCB with hypothesis testing; its least gap is over all pairs of models, as the true one is unknown."""
        gap = min(theory.gamma_min(models, k) for k in range(len(models)))
        self.equal(seen["model_gap"], gap, "gap")
        if gap > 0:
            expected = theory.hypothesis_test(models.shape[1], gap, delta)
            np.testing.assert_allclose((seen["threshold"], seen["tau"]), expected, rtol=FORMULA)
        else:
            self.assertEqual((seen["threshold"], seen["tau"]), (None, None))

    def test_known_models(self):
        for rng, models in self.sets(41, 40):
            n, delta = int(rng.integers(50, 9000)), rng.uniform(0.001, 0.5)
            data = self.complexity(models, "--steps", n, "--delta", repr(delta))
            self.assertEqual(self.from_zero(data["best_arms"]), theory.best_arms(models))
            self.compare_test(data["hypothesis_test"], models, delta)
            for k, model in enumerate(data["models"]):
                self.equal(model["gaps"], theory.arm_gaps(models, k), "gaps")
                self.assertEqual(self.from_zero(model["optimistic_models"]), theory.optimistic_models(models, k))
                self.assertEqual(self.from_zero(model["optimistic_arms"]), theory.optimistic_arms(models, k))
                self.equal(model["ucb"], theory.complexity_ucb(models, k), "ucb")
                self.equal(model["ucb+"], theory.complexity_ucb_plus(models, k), "ucb+")
                self.equal(model["mucb"], theory.complexity_mucb(models, k), "mucb")
                self.equal_pulls(model["pull_bounds"], theory.pulls_mucb(models, k, n, delta), np.argmax(models[k]))
                self.equal(model["bounds"]["mucb"], theory.theorem_1(models, k, n, delta), "Theorem 1")
                self.equal(model["bounds"]["mucb_second"], theory.theorem_1_second(models, k, n, delta), "second")
                self.assertEqual([self.from_zero(found) for found in model["optimistic_by_arm"]],
                                 [theory.optimistic_by_arm(models, k, i) for i in range(models.shape[1])])
                self.assertEqual(self.from_zero(model["faster_arms"]), theory.faster_arms(models, k))
                self.equal(model["gamma_min"], theory.gamma_min(models, k), "Gamma_min")
                for arm in theory.optimistic_arms(models, k):
                    self.equal(model["model_gaps"][arm], theory.model_gap(models, k, arm), "Gamma")

    def test_spectrum_and_theorem_2(self):
        """An eigenvalue is known to 2^-53 of the largest, times m K; Theorem 2 has sigma_min to the power 5."""
        compared = 0
        for rng, models in self.sets(42, 30):
            (m, K), weights, j = models.shape, rng.uniform(0.5, 1, len(models)), int(rng.integers(9, 10 ** 6))
            weights /= weights.sum()
            if m > K:
                continue
            data = self.complexity(models, "--tasks", j, weights=weights)
            low, high, gap = theory.spectrum(models, weights)
            found = data["perturbation"]
            np.testing.assert_allclose((data["sigma_min"], found["sigma_max"], data["gamma_sigma"]),
                                       (low, high, gap), rtol=0, atol=SUM)
            np.testing.assert_allclose((found["second_moment"], found["third_moment"]),
                                       theory.lemma_7(K, j, 1 / 5000), rtol=FORMULA)
            if min(low, gap) > 1e-4:
                compared += 1
                names = "constant", "error", "min_tasks", "min_tasks_moments", "min_tasks_tensor"
                expected = theory.theorem_2(models, weights, j, 1 / 5000) + theory.min_tasks(models, weights, 1 / 5000)
                np.testing.assert_allclose([found[name] for name in names], expected, rtol=5 * SUM / 1e-4)
        self.assertGreater(compared, 5)

    def matching(self, off, models, stands_for):
        """The reported matching, which must have the least sum of squares; several may, if models are equal."""
        seen, expected = self.from_zero(stands_for), estimation.match(off, models)
        self.assertEqual(sorted(seen), list(range(len(models))))
        self.equal(np.sum((off - models[seen]) ** 2), np.sum((off - models[expected]) ** 2), "matching")
        return seen

    def test_estimated_models(self):
        for count, (rng, models) in enumerate(self.sets(43, 60)):
            m, K = models.shape
            n, eps = int(rng.integers(50, 9000)), (0, 0.013, 0.061, 0.17, 0.4, 3)[count % 6]
            off = models + rng.uniform(-2, 2, models.shape) * min(eps, 0.2) * (rng.random() < 0.7)
            off = np.clip(off[rng.permutation(m)], 0, 1)
            path = self.csv(off, "off.csv")
            weights = rng.dirichlet(np.ones(m))
            data = self.complexity(models, "--estimated", path, "--eps", eps, "--steps", n, weights=weights)
            stands_for = self.matching(off, models, data["models"][0]["estimated"]["stands_for"])
            bounds, complexities = [], []
            for k, model in enumerate(data["models"]):
                with self.subTest(set=count, model=k):
                    sets, seen = theory.Estimated(models, k, off, stands_for, eps), model["estimated"]
                    for name, expected in (("non_dominated_arms", sets.non_dominated),
                                           ("optimistic_arms", sets.arms)):
                        self.assertEqual([self.from_zero(arms) for arms in seen[name]], list(map(list, expected)))
                    self.assertEqual([self.from_zero(found) for found in seen["optimistic_by_arm"]],
                                     [sets.by_arm(i) for i in range(K)])
                    for name, expected in (("optimistic_models", sets.models), ("a1", sets.a1), ("a2", sets.a2),
                                           ("permanent_models", sets.permanent)):
                        self.assertEqual(self.from_zero(seen[name]), expected, name)
                    complexities.append(sets.complexity())
                    self.equal(seen["tucb"], complexities[-1], "tucb")
                    self.equal_pulls(model["pull_bounds"], sets.pulls(m, n, 1 / n), np.argmax(models[k]))
                    bounds.append(sets.theorem_3(m, n, 1 / n))
                    self.equal(seen["bound_umucb"], bounds[-1], "Theorem 3")
            self.equal(data["run_bound"], 5000 * weights @ bounds, "Theorem 4, expected over rho")
            self.equal(data["average"]["tucb"], weights @ complexities, "average")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
