"""The sets, complexities and bounds of the paper, each for a true model theta_bar = models[true].

Arms and models are numbered from 0 here.  Arms with Delta_i = 0 count nothing: they cost no regret.
SPDX-License-Identifier: Apache-2.0"""
import math

import numpy as np


def arm_gaps(models, true):
    """Delta_i (Sec. 2)."""
    return models[true].max() - models[true]


def inverse_sum(gaps, arms):
    """The sum of 1 / Delta_i over arms."""
    return sum(1 / gaps[i] for i in arms if gaps[i] > 0)


def inverse_square(gap):
    """1 / gap^2; infinite unless gap > 0."""
    return 1 / gap ** 2 if gap > 0 else math.inf


def best_arms(models):
    """A_*(Theta) (Sec. 3)."""
    return sorted(set(np.argmax(models, axis=1)))


def optimistic_models(models, true):
    """Theta_+ (Sec. 3)."""
    return [k for k in range(len(models)) if models[k].max() >= models[true].max()]


def optimistic_arms(models, true):
    """A_+ (Sec. 3)."""
    return best_arms(models[optimistic_models(models, true)])


def optimistic_by_arm(models, true, arm):
    """Theta_{+,i} (Theorem 1)."""
    return [k for k in optimistic_models(models, true) if np.argmax(models[k]) == arm]


def model_gap(models, true, arm):
    """min Gamma_i over Theta_{+,i} (Theorem 1)."""
    return min(abs(models[k, arm] - models[true, arm]) for k in optimistic_by_arm(models, true, arm))


def faster_arms(models, true):
    """Arms of A_+ that break the condition of the remark on the proof of Theorem 1: they discard another
    optimistic model before those that propose them."""
    gaps, models_plus = arm_gaps(models, true), optimistic_models(models, true)

    def is_faster(i):
        others = set(models_plus) - set(optimistic_by_arm(models, true, i))
        return model_gap(models, true, i) < max((abs(models[k, i] - models[true, i]) for k in others), default=0)
    return [i for i in optimistic_arms(models, true) if gaps[i] > 0 and is_faster(i)]


def gamma_min(models, true):
    """Gamma_min (remark on UCB with hypothesis testing): the least gap to another model."""
    return min((np.min(np.abs(models[k] - models[true])) for k in range(len(models)) if k != true), default=None)


def complexity_ucb(models, true):
    """Footnote of Sec. 5: the sum of 1 / Delta_i."""
    return inverse_sum(arm_gaps(models, true), range(models.shape[1]))


def complexity_ucb_plus(models, true):
    """UCB's over A_*(Theta)."""
    return inverse_sum(arm_gaps(models, true), best_arms(models))


def complexity_mucb(models, true):
    """Theorem 1 without its factor: the sum over A_+ of Delta_i / min Gamma_i^2."""
    gaps = arm_gaps(models, true)
    return sum(gaps[i] / model_gap(models, true, i) ** 2
               for i in optimistic_arms(models, true) if gaps[i] > 0)


def theorem_1(models, true, n, delta):
    """Eq. 3 with log(m n^2 / delta), which is log(m n^3) at delta = 1/n."""
    m, K = models.shape
    return K + 2 * math.log(m * n ** 2 / delta) * complexity_mucb(models, true)


def theorem_1_second(models, true, n, delta):
    """The second bound of Eq. 3; Theta_{+,i_*} contains theta_bar, whose gap is 0: i_* counts nothing."""
    (m, K), gaps = models.shape, arm_gaps(models, true)
    total = sum(1 / model_gap(models, true, i) for i in optimistic_arms(models, true) if gaps[i] > 0)
    return K + 2 * math.log(m * n ** 2 / delta) * total


def hypothesis_test(K, gap, delta):
    """Pulls of an arm before UCB with hypothesis testing tests, and its tau (the paper omits the division in
    the first)."""
    pulls = 2 * math.log(2 / delta) / gap ** 2
    return pulls, K * pulls


def pulls_mucb(models, true, n, delta):
    """Proof of Theorem 1: T_i <= 2 log(m n^2 / delta) / min Gamma_i^2 + 1 on A_+; Lemma 3: 0 elsewhere."""
    L, arms = math.log(len(models) * n ** 2 / delta), optimistic_arms(models, true)
    return [2 * L * inverse_square(model_gap(models, true, i)) + 1 if i in arms else 0
            for i in range(models.shape[1])]


class Estimated:
    """The sets of Sec. 4.3 for a true model and estimates known to within eps; estimate k stands for true
    model stands_for[k]."""

    def __init__(self, models, true, estimates, stands_for, eps):
        self.gaps, self.eps = arm_gaps(models, true), eps
        self.model_gaps = np.abs(models[stands_for] - models[true])  # Gamma_i(theta, theta_bar)
        best, each = models[true].max(), range(len(estimates))
        self.non_dominated = [np.flatnonzero(row + eps >= np.max(row - eps)) for row in estimates]
        self.arms = [[i for i in self.non_dominated[k] if estimates[k, i] + eps >= best] for k in each]
        self.models = [k for k in each if self.arms[k]]
        self.permanent = [k for k in self.models
                          if all(abs(estimates[k, i] - models[true, i]) <= eps for i in self.arms[k])]
        self.a2 = sorted({i for k in self.permanent for i in self.arms[k]})
        self.a1 = sorted({i for k in self.models for i in self.arms[k]} - set(self.a2))

    def by_arm(self, arm):
        """Theta_{i,+} (corollary)."""
        return [k for k in self.models if arm in self.arms[k]]

    def discarding(self, arm):
        """1 / (4 min Gamma^_i^2) over Theta_{i,+}, Gamma^ = Gamma/2 - eps (corollary); infinite if some
        Gamma^ <= 0: then the arm cannot discard that model."""
        gap = min(self.model_gaps[k, arm] / 2 - self.eps for k in self.by_arm(arm))
        return inverse_square(gap) / 4

    def complexity(self):
        """Theorem 3 without its factor 2 log(2 m K n^3)."""
        first = sum(self.gaps[i] * min(1 / self.gaps[i] ** 2, self.discarding(i))
                    for i in self.a1 if self.gaps[i] > 0)
        return first + inverse_sum(self.gaps, self.a2)

    def theorem_3(self, m, n, delta):
        """Theorem 3, and the regret of the three pulls of each arm, which its proof does not count."""
        K = len(self.gaps)
        return K + 2 * math.log(2 * m * K * n ** 2 / delta) * self.complexity() + 3 * self.gaps.sum()

    def pulls(self, m, n, delta):
        """The corollary; an arm outside its sets has only the three first pulls."""
        K, either = len(self.gaps), self.a1 + self.a2
        L = math.log(2 * m * K * n ** 2 / delta)

        def bound(i):
            share = self.discarding(i) if i in self.a1 else math.inf
            return 2 * L * min(inverse_square(self.gaps[i]), share) + 1
        return [bound(i) if i in either else 3 for i in range(K)]


def spectrum(models, weights):
    """sigma_min, sigma_max and Gamma_sigma of the m largest eigenvalues of M2 = sum rho mu mu^T (Sec. 4.2);
    the paper prints min for max in sigma_max."""
    M2 = np.einsum("k,ki,kj->ij", weights, models, models)
    sigma = np.linalg.eigvalsh(M2)[::-1][:len(models)]
    return sigma[-1], sigma[0], np.min(sigma[:-1] - sigma[1:])


def theorem_2(models, weights, j, delta):
    """C(Theta), the bound on the error, and the least j (Theorem 2, Eq. 5), with C_3 = C_4 = 1; lambda(theta) is
    1 / sqrt(rho(theta))."""
    (m, K), (low, high, gap), values = models.shape, spectrum(models, weights), 1 / np.sqrt(weights)
    C = values.max() * math.sqrt(high / low ** 3) * (high / gap + 1 / low + 1 / high)
    error = C * K ** 2.5 * m ** 2 * math.sqrt(math.log(K / delta) / j)
    tasks = m ** 5 * K ** 6 * math.log(K / delta) / (min(low, gap) ** 2 * low ** 3 * values.min() ** 2)
    return C, error, tasks


def min_tasks(models, weights, delta, C1=1):
    """The two conditions on j in the proof of Theorem 2, as printed: of Lemma 6, and of Theorem 5."""
    (m, K), (low, _, gap), values = models.shape, spectrum(models, weights), 1 / np.sqrt(weights)
    moments = 16 * K ** 2 * math.log(2 * K / delta) / min(gap, low) ** 2
    tensor = (43 ** 2 * m ** 5 * K ** 6 * math.log(4 * K / delta) / (C1 * low ** 3 * values.min() ** 2)
              * (1 / gap + 1 / low) ** 2)
    return moments, tensor


def lemma_7(K, j, delta):
    """eps_2 and eps_3: bounds on the errors of M2 and M3."""
    share = math.log(2 * K / delta) / j
    return 2 * K * math.sqrt(share), K ** 1.5 * math.sqrt(6 * share)
