/* bench_math.c - the functions of core/math against MPFR, and beside the C library's.
 *
 *     bench_math [MILLIONS [SEED]]     accuracy on MILLIONS of arguments (default 100), and speed
 *     bench_math 0                     speed only
 *
 * Arguments come from the ranges that the project uses and from all bits.  Per function and range: the largest
 * error against MPFR's 76 bits in units of the last place of the exact result, and the argument.  Exits with 1 if one
 * is above its limit.  Speed: throughput (independent calls) and latency (each call waits for the one before), as
 * ratios to the C library's, the least of 15 rounds in which both take turns.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <inttypes.h>
#include <math.h>
#include <mpfr.h>

#include "core/math/bits.h"
#include "core/math/erf.h"
#include "core/math/exp.h"
#include "core/math/ln.h"
#include "core/math/log_gamma.h"

#define PRECISION 76
#define N_TIMED   4096
#define ROUNDS    15
#define REPEATS   40

typedef int exact_form(mpfr_t, mpfr_srcptr, mpfr_rnd_t);

/* Where arguments come from. */
typedef struct range {
    const char *name;
    double low, high;
    enum { EVENLY, BY_EXPONENT, ANY_BITS } how;
    double y_low, y_high; /* of pow's second argument */
} range;

/* A function of core/math, the same in MPFR and in the C library; `power` replaces `ours` for pow. */
typedef struct function {
    const char *name;
    double (*ours)(double), (*theirs)(double);
    exact_form *exact;
    double limit; /* units of the last place */
    double share; /* of the arguments, relative: MPFR takes long for some functions */
    const range *ranges;
    size_t n_ranges;
} function;

static double power(double x)
{
    return segue_pow(x, 0.37);
}

static double their_power(double x)
{
    return pow(x, 0.37);
}

static int log_gamma(mpfr_t to, mpfr_srcptr x, mpfr_rnd_t round)
{
    return mpfr_lngamma(to, x, round);
}

static const range for_log[] = {{"0..1", 0.0, 1.0, EVENLY, 0, 0},
                                {"near 1", 0.97, 1.03, EVENLY, 0, 0},
                                {"1..1e6", 1.0, 1e6, BY_EXPONENT, 0, 0},
                                {"all", 5e-324, 1.7e308, ANY_BITS, 0, 0}};
static const range for_log1p[] = {{"-1..0", -1.0, 0.0, EVENLY, 0, 0},
                                  {"near 0", -0.03, 0.03, EVENLY, 0, 0},
                                  {"tiny", 1e-20, 0.1, BY_EXPONENT, 0, 0},
                                  {"0..1e3", 0.0, 1e3, EVENLY, 0, 0},
                                  {"all", 5e-324, 1.7e308, ANY_BITS, 0, 0}};
static const range for_exp[] = {{"-40..0", -40.0, 0.0, EVENLY, 0, 0},
                                {"near 0", -0.1, 0.1, EVENLY, 0, 0},
                                {"-708..709", -708.0, 709.7, EVENLY, 0, 0},
                                {"subnormal", -745.0, -708.0, EVENLY, 0, 0},
                                {"tiny", 1e-30, 1.0, BY_EXPONENT, 0, 0}};
static const range for_expm1[] = {{"-1..1", -1.0, 1.0, EVENLY, 0, 0},
                                  {"-40..709", -40.0, 709.7, EVENLY, 0, 0},
                                  {"near 0", -0.02, 0.02, EVENLY, 0, 0},
                                  {"tiny", 1e-30, 1.0, BY_EXPONENT, 0, 0}};
static const range for_pow[] = {{"0..1, 0..1", 0.0, 1.0, EVENLY, 0.0, 1.0},
                                {"near 1, large", 0.999, 1.001, EVENLY, -7e5, 7e5},
                                {"1e-300..1e300, -1..1", 1e-300, 1e300, BY_EXPONENT, -1.0, 1.0},
                                {"0.1..10, -300..300", 0.1, 10.0, BY_EXPONENT, -300.0, 300.0},
                                {"all, -1..1", 5e-324, 1.7e308, ANY_BITS, -1.0, 1.0}};
static const range for_log_gamma[] = {{"0..16", 0.0, 16.0, EVENLY, 0, 0},
                                      {"near 1", 0.85, 1.15, EVENLY, 0, 0},
                                      {"near 2", 1.85, 2.3, EVENLY, 0, 0},
                                      {"at 1", 1.0 - 1e-9, 1.0 + 1e-9, EVENLY, 0, 0},
                                      {"at 2", 2.0 - 1e-9, 2.0 + 1e-9, EVENLY, 0, 0},
                                      {"16..1e8", 16.0, 1e8, BY_EXPONENT, 0, 0},
                                      {"1e-300..1e305", 1e-300, 1e305, BY_EXPONENT, 0, 0}};
static const range for_erf[] = {{"-6..6", -6.0, 6.0, EVENLY, 0, 0},
                                {"tiny", 1e-300, 1.0, BY_EXPONENT, 0, 0}};
static const range for_erfc[] = {{"-6..6", -6.0, 6.0, EVENLY, 0, 0},
                                 {"6..26.5", 6.0, 26.5, EVENLY, 0, 0}};

#define RANGES(of) .ranges = (of), .n_ranges = sizeof(of) / sizeof *(of)
static const function functions[] = {
    {"log", segue_ln, log, mpfr_log, 1.0, 1.0, RANGES(for_log)},
    {"log1p", segue_log1p, log1p, mpfr_log1p, 1.0, 1.0, RANGES(for_log1p)},
    {"exp", segue_exp, exp, mpfr_exp, 1.0, 1.0, RANGES(for_exp)},
    {"expm1", segue_expm1, expm1, mpfr_expm1, 1.0, 1.0, RANGES(for_expm1)},
    {"pow", power, their_power, NULL, 1.0, 0.3, RANGES(for_pow)},
    {"log_gamma", segue_log_gamma, lgamma, log_gamma, 1.0, 0.05, RANGES(for_log_gamma)},
    {"erf", segue_erf, erf, mpfr_erf, 2.0, 0.1, RANGES(for_erf)},
    {"erfc", segue_erfc, erfc, mpfr_erfc, 2.0, 0.1, RANGES(for_erfc)},
};
enum { N_FUNCTIONS = sizeof functions / sizeof *functions };

static double draw(const range *r, segue_rng *rng)
{
    const double u = segue_rng_uniform(rng);
    if (r->how == EVENLY)
        return r->low + u * (r->high - r->low);
    if (r->how == BY_EXPONENT)
        return exp(log(r->low) + u * (log(r->high) - log(r->low)));
    return number_of(1 + segue_rng_next(rng) % (BITS_INFINITY - 1));
}

/* The unit of the last place of a number, of subnormal ones 2^-1074. */
static long unit_of(mpfr_srcptr exact)
{
    const long exponent = (long)mpfr_get_exp(exact) - 53;
    return exponent < -1074 ? -1074 : exponent;
}

/* |value - exact| in units of the last place; 0 where both overflow. */
static double error_of(double value, mpfr_t exact, mpfr_t scratch)
{
    if (mpfr_nan_p(exact) || !isfinite(value) || mpfr_zero_p(exact))
        return mpfr_get_d(exact, MPFR_RNDN) == value || (isnan(value) && mpfr_nan_p(exact))
                   ? 0.0
                   : INFINITY;
    mpfr_sub_d(scratch, exact, value, MPFR_RNDN);
    mpfr_mul_2si(scratch, scratch, -unit_of(exact), MPFR_RNDN);
    return fabs(mpfr_get_d(scratch, MPFR_RNDN));
}

/* Print the largest error of a range; returns whether it is within the limit. */
static bool measure_error(const function *f, const range *r, uint64_t count, segue_rng *rng)
{
    mpfr_t exact, argument, second, scratch;
    mpfr_inits2(PRECISION, exact, argument, second, scratch, (mpfr_ptr)0);
    double worst = 0.0, at = 0.0, at_y = 0.0;
    for (uint64_t i = 0; i < count; i++) {
        const double x = draw(r, rng);
        const double y =
            f->exact ? 0.0 : r->y_low + segue_rng_uniform(rng) * (r->y_high - r->y_low);
        mpfr_set_d(argument, x, MPFR_RNDN);
        mpfr_set_d(second, y, MPFR_RNDN);
        if (f->exact)
            f->exact(exact, argument, MPFR_RNDN);
        else
            mpfr_pow(exact, argument, second, MPFR_RNDN);
        const double error = error_of(f->exact ? f->ours(x) : segue_pow(x, y), exact, scratch);
        if (error > worst) {
            worst = error;
            at = x;
            at_y = y;
        }
    }
    printf("%s,%s,%" PRIu64 ",%.4f,%.17g,%.17g\n", f->name, r->name, count, worst, at, at_y);
    fflush(stdout);
    mpfr_clears(exact, argument, second, scratch, (mpfr_ptr)0);
    return worst < f->limit;
}

static double nanoseconds(double (*call)(double), const double *x, bool waits)
{
    double sum = 0.0;
    const double start = cpu_seconds();
    for (int k = 0; k < REPEATS; k++)
        for (size_t i = 0; i < N_TIMED; i++) {
            const double value = call(waits ? x[i] + 0.0 * sum : x[i]);
            sum = waits ? value : sum + value;
        }
    const double elapsed = cpu_seconds() - start;
    if (sum == 0.12345) /* no compiler may leave out the calls */
        printf("#\n");
    return elapsed * 1e9 / ((double)REPEATS * N_TIMED);
}

static void measure_speed(const function *f, const range *r, segue_rng *rng)
{
    static double x[N_TIMED];
    for (size_t i = 0; i < N_TIMED; i++)
        x[i] = draw(r, rng);
    for (int waits = 0; waits < 2; waits++) {
        double ours = INFINITY, theirs = INFINITY;
        for (int i = 0; i < ROUNDS; i++) {
            ours = fmin(ours, nanoseconds(f->ours, x, waits));
            theirs = fmin(theirs, nanoseconds(f->theirs, x, waits));
        }
        printf("%s,%s,%s,%.2f,%.2f,%.2f\n", f->name, r->name, waits ? "latency" : "throughput",
               ours, theirs, ours / theirs);
    }
}

int main(int argc, char **argv)
{
    const uint64_t millions = argc > 1 ? strtoull(argv[1], NULL, 10) : 100;
    double shares = 0.0;
    bool is_good = true;
    segue_rng rng;
    segue_rng_init(&rng, argc > 2 ? strtoull(argv[2], NULL, 10) : 1, 0, 0, 0);
    for (size_t f = 0; f < N_FUNCTIONS; f++)
        shares += functions[f].share * (double)functions[f].n_ranges;
    if (millions)
        printf("function,range,arguments,max_error_ulp,at,at_y\n");
    for (size_t f = 0; f < N_FUNCTIONS && millions; f++)
        for (size_t r = 0; r < functions[f].n_ranges; r++)
            is_good &= measure_error(
                &functions[f], &functions[f].ranges[r],
                (uint64_t)((double)millions * 1e6 * functions[f].share / shares) + 1, &rng);
    printf("function,range,kind,ours_ns,libc_ns,ratio\n");
    for (size_t f = 0; f < N_FUNCTIONS; f++)
        measure_speed(&functions[f], &functions[f].ranges[0], &rng);
    return is_good ? 0 : 1;
}
