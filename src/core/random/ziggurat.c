/* ziggurat.c - the normal distribution in layers (Marsaglia and Tsang 2000b, in the form of Doornik 2005),
 * and gammas from it (Marsaglia and Tsang 2000a).
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/random/ziggurat.h"

#include <math.h>

#include "core/math/exp.h"
#include "core/math/ln.h"

#define TAIL 3.442619855899      /* where the tail starts, for 128 layers */
#define AREA 9.91256303526217e-3 /* of each layer */

void segue_ziggurat_init(ziggurat *z)
{
    double height = segue_exp(-0.5 * TAIL * TAIL);
    z->edge[0] = AREA / height;
    z->edge[1] = TAIL;
    z->edge[ZIGGURAT_LAYERS] = 0.0;
    for (int i = 2; i < ZIGGURAT_LAYERS; i++) {
        z->edge[i] = sqrt(-2.0 * segue_ln(AREA / z->edge[i - 1] + height));
        height = segue_exp(-0.5 * z->edge[i] * z->edge[i]);
    }
    for (int i = 0; i < ZIGGURAT_LAYERS; i++)
        z->inner[i] = z->edge[i + 1] / z->edge[i];
    for (int i = 0; i <= ZIGGURAT_LAYERS; i++)
        z->density[i] = segue_exp(-0.5 * z->edge[i] * z->edge[i]);
}

/* Beyond TAIL (Marsaglia 1964), on the side of `sign`. */
static double from_tail(segue_rng *rng, double sign)
{
    double x, y;
    do {
        x = segue_ln(1.0 - segue_rng_uniform(rng)) / TAIL;
        y = segue_ln(1.0 - segue_rng_uniform(rng));
    } while (-2.0 * y < x * x);
    return copysign(TAIL - x, sign);
}

double segue_ziggurat_normal(const ziggurat *z, segue_rng *rng)
{
    for (;;) {
        const uint64_t bits = segue_rng_next(rng);
        const unsigned layer = (unsigned)(bits & (ZIGGURAT_LAYERS - 1));
        const double u = (double)((int64_t)bits >> 11) * 0x1p-52; /* other bits, in [-1, 1) */
        const double x = u * z->edge[layer];
        if (fabs(u) < z->inner[layer])
            return x;
        if (layer == 0)
            return from_tail(rng, u);
        const double low = z->density[layer], high = z->density[layer + 1];
        if (low + segue_rng_uniform(rng) * (high - low) < segue_exp(-0.5 * x * x))
            return x;
    }
}

/* Gamma(shape, 1) for shape >= 1: d (1 + y)^3 with y = c x for a normal x, accepted with a
 * probability whose logarithm is at least -0.75 d y^4 / (1 - |y|), by the series of log(1 + y). */
static double gamma_from_one(const ziggurat *z, segue_rng *rng, double shape)
{
    const double d = shape - 1.0 / 3.0;
    const double c = 1.0 / sqrt(9.0 * d);
    for (;;) {
        const double x = segue_ziggurat_normal(z, rng), y = c * x;
        if (y <= -1.0)
            continue;
        const double cube = (1.0 + y) * (1.0 + y) * (1.0 + y);
        const double rest = segue_rng_uniform(rng); /* 1 - u */
        if (rest * (1.0 - fabs(y)) > 0.75 * d * y * y * y * y)
            return d * cube;
        if (segue_log1p(-rest) < 0.5 * x * x + d * (1.0 - cube + segue_ln(cube)))
            return d * cube;
    }
}

double segue_ziggurat_beta(const ziggurat *z, segue_rng *rng, double a, double b)
{
    const double x = gamma_from_one(z, rng, a);
    return x / (x + gamma_from_one(z, rng, b));
}
