/* rng_sample.c - normal, gamma and beta numbers, and indices by weight, in plain forms.
 *
 * Normal: the polar method.  Gamma: Marsaglia and Tsang (2000); a shape below 1 is raised by one
 * and multiplied by U^(1/shape), in logarithms, so that tiny shapes do not underflow.
 * SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <math.h>

#include "core/math/exp.h"
#include "core/math/ln.h"
#include "core/random/rng_sample.h"
#include "segue/rng.h"

#define SQUEEZE 0.0331 /* Marsaglia and Tsang, section 6 */

double segue_rng_normal(segue_rng *rng)
{
    double x, square;
    do {
        x = 2.0 * segue_rng_uniform(rng) - 1.0;
        const double y = 2.0 * segue_rng_uniform(rng) - 1.0;
        square = x * x + y * y;
    } while (square >= 1.0 || square == 0.0);
    return x * sqrt(-2.0 * segue_ln(square) / square);
}

/* Uniform in (0, 1]: its logarithm is finite. */
static double positive_uniform(segue_rng *rng)
{
    return 1.0 - segue_rng_uniform(rng);
}

/* Gamma(shape, 1) for shape >= 1. */
static double gamma_from_one(segue_rng *rng, double shape)
{
    const double d = shape - 1.0 / 3.0;
    const double c = 1.0 / sqrt(9.0 * d);
    for (;;) {
        const double x = segue_rng_normal(rng);
        const double root = 1.0 + c * x;
        if (root <= 0.0)
            continue;
        const double cube = root * root * root;
        const double u = positive_uniform(rng), square = x * x;
        if (u < 1.0 - SQUEEZE * square * square)
            return d * cube; /* accepted without logarithms: the test below would accept too */
        if (segue_ln(u) < 0.5 * square + d * (1.0 - cube + segue_ln(cube)))
            return d * cube;
    }
}

double segue_rng_log_gamma(segue_rng *rng, double shape)
{
    assert(shape > 0.0);
    if (shape >= 1.0)
        return segue_ln(gamma_from_one(rng, shape));
    const double raised = segue_ln(gamma_from_one(rng, shape + 1.0));
    return raised + segue_ln(positive_uniform(rng)) / shape;
}

double segue_rng_beta(segue_rng *rng, double a, double b)
{
    if (a >= 1.0 && b >= 1.0) {
        const double x = gamma_from_one(rng, a);
        return x / (x + gamma_from_one(rng, b));
    }
    const double log_x = segue_rng_log_gamma(rng, a);
    const double log_y = segue_rng_log_gamma(rng, b);
    return 1.0 / (1.0 + segue_exp(log_y - log_x));
}

size_t segue_rng_index(segue_rng *rng, const double *weight, size_t count)
{
    double total = 0.0;
    for (size_t i = 0; i < count; i++)
        total += weight[i];
    double rest = segue_rng_uniform(rng) * total;
    size_t last = 0;
    for (size_t i = 0; i < count; i++) {
        if (weight[i] == 0.0)
            continue;
        last = i;
        if (rest < weight[i])
            return i;
        rest -= weight[i];
    }
    return last; /* a rounding error remained */
}
