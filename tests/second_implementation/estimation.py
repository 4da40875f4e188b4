"""Views, moments, whitening, RTP and eps_j, from Sec. 4 of the paper and its reference for Fig. 4
(Anandkumar, Ge, Hsu, Kakade and Telgarsky, Algorithm 1).
SPDX-License-Identifier: Apache-2.0"""
import itertools
import math

import numpy as np

SMALLEST_SHARE = 1e-9  # the m-th eigenvalue of M2 must exceed this share of the first


def consecutive(rewards):
    """The averages of three batches (text at Eq. 4): the first third, the second, the rest."""
    third = len(rewards) // 3
    return [np.mean(part) for part in (rewards[:third], rewards[third:2 * third], rewards[2 * third:])]


def interleaved(rewards):
    """The averages of three batches that take the rewards in turn."""
    return [np.mean(rewards[start::3]) for start in range(3)]


def views(rewards_of_arm, split=consecutive):
    """mu_1l, mu_2l, mu_3l of a task: 3 x K."""
    return np.array([split(rewards) for rewards in rewards_of_arm]).T


def moments(tasks, symmetric=False):
    """Eq. 4, from the views of j tasks (j x 3 x K).  The paper takes views 1 and 2 for M2, and 1, 2, 3 for
    M3; `symmetric` averages over all ordered pairs and triples."""
    one, two, three = np.moveaxis(np.asarray(tasks), 1, 0)
    M3 = np.einsum("li,lj,lk->ijk", one, two, three) / len(tasks)
    pairs = itertools.permutations((one, two, three), 2) if symmetric else [(one, two)]
    M2 = np.mean([np.einsum("li,lj->ij", a, b) / len(tasks) for a, b in pairs], axis=0)
    return M2, M3


def symmetrise(A):
    """The average over all orders of the indices: the paper's moments are symmetric, samples' are not."""
    return np.mean([A.transpose(order) for order in itertools.permutations(range(A.ndim))], axis=0)


def eigenvalues(M2):
    """Of M2, the largest first."""
    return np.linalg.eigvalsh(symmetrise(M2))[::-1]


def whiten(M2, M3, m):
    """Fig. 4, lines 2 and 3: W = U D^(-1/2), T = M3(W, W, W)."""
    D, U = np.linalg.eigh(symmetrise(M2))
    D, U = D[::-1][:m], U[:, ::-1][:, :m]
    W = U / np.sqrt(D)
    return W, symmetrise(np.einsum("ijk,ia,jb,kc->abc", M3, W, W, W))


def has_estimate(M2, m, j):
    """Assumption 1, as samples show it: m independent means need j >= m, K >= m and m positive eigenvalues."""
    sigma = eigenvalues(M2)
    return j >= m <= len(sigma) and sigma[m - 1] > SMALLEST_SHARE * sigma[0]


def contract(T, v):
    """T(I, v, v) of each row of v."""
    return np.einsum("abc,lb,lc->la", T, v, v)


def power_method(T, rng, starts=100, steps=60):
    """Algorithm 1 of the reference: from random starts iterate v <- T(I,v,v) / |T(I,v,v)|, keep the one
    with the largest T(v,v,v), iterate again.  Returns lambda and v."""
    def iterate(v):
        for _ in range(steps):
            v = contract(T, v)
            v /= np.linalg.norm(v, axis=1, keepdims=True)
        return v, np.sum(contract(T, v) * v, axis=1)

    v, value = iterate(rng.normal(size=(starts, len(T))))
    v, value = iterate(v[[np.argmax(value)]])
    return value[0], v[0]


def deflate(T, value, v):
    return T - value * np.einsum("a,b,c->abc", v, v, v)


def contraction(T, value, v):
    """How a step of the power method shrinks a small distance to its limit v: the largest eigenvalue of
    its derivative 2 T(I, I, v) / lambda across v.  0 in exact moments; at 1 or more v attracts nothing, and
    the iteration does not converge."""
    across = np.eye(len(v)) - np.outer(v, v)
    return np.max(np.abs(np.linalg.eigvalsh(across @ (2 * T @ v / value) @ across)))


def rtp(M2, M3, m, rng):
    """Fig. 4: m x K means lambda (W^T)^+ v and the m lambdas, in the order of the components; and the
    slowest contraction of a component."""
    W, T = whiten(M2, M3, m)
    B, means, values, slowest = np.linalg.pinv(W.T), [], [], 0
    for _ in range(m):
        value, v = power_method(T, rng)
        slowest = max(slowest, contraction(T, value, v))
        T = deflate(T, value, v)
        values.append(value)
        means.append(value * B @ v)
    return np.array(means), np.array(values), slowest


def judge_components(M2, M3, means, values):
    """How far an estimate is from solving Fig. 4: v = W^T mu / lambda must have T(I,v,v) = lambda v in the
    tensor without the components before it, in some order.  Returns the residual, as a share of the largest
    lambda, and the slowest contraction in the best order.  All local maxima solve this: it depends on no
    start."""
    W, T = whiten(M2, M3, len(means))
    vectors = means @ W / values[:, None]

    def judge(order):
        rest, worst, slowest = T, 0, 0
        for k in order:
            worst = max(worst, np.max(np.abs(contract(rest, vectors[[k]])[0] - values[k] * vectors[k])))
            slowest = max(slowest, contraction(rest, values[k], vectors[k]))
            rest = deflate(rest, values[k], vectors[k])
        return worst / np.max(np.abs(values)), slowest
    return min(map(judge, itertools.permutations(range(len(means)))))


def match(means, others):
    """The permutation pi of Theorem 2: others[pi[k]] stands for means[k], with the least sum of squares."""
    cost = np.sum((means[:, None] - others[None]) ** 2, axis=2)
    return list(min(itertools.permutations(range(len(means))),
                    key=lambda order: cost[range(len(means)), order].sum()))


def eps(form, C, m, K, J, delta, j):
    """eps^j = C sqrt(log / j), with the logarithm of Lemma 9, of Theorem 2, or of the corollary, which puts
    delta' = delta / 2K into Theorem 2."""
    inside = {"lemma": 2 * m * K * J / delta, "theorem": K / delta, "corollary": K / (delta / (2 * K))}
    return C * math.sqrt(math.log(inside[form]) / j)
