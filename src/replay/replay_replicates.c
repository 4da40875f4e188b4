/* replay_replicates.c - intervals of the urn, by replicates of the log.
 *
 * A replicate plays tasks of the log, drawn with replacement, under a population that these tasks
 * allow.  So the spread of the replicates shows what the log does not tell: which tasks it could
 * have had, with which rewards, and how the means of tasks are distributed.  It contains the noise
 * of a few short runs too, which is known from the runs and subtracted; the noise of the log's own
 * runs is added:
 *
 *     variance = max(V / 4, V - noise of their runs) + noise of the runs,  V over replicates
 *
 * Noise of runs is a jackknife over runs; the one of long runs also follows from the one of short
 * ones by their numbers of scored tasks, and the larger counts.  The half width is Student's
 * quantile times the root, and at least a small floor (replay_metrics.c).
 *
 * If the log has a rare type (replay_rare_type.c), further replicates draw its tasks as often as
 * their number allows, and each interval is extended to the interval of their mean.
 *
 * A replicate is one item of work: candidates x 2 to 4 runs x at most 300 tasks.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "replay/replay_internal.h"
#include "replay/replay_metrics.h"
#include "segue/internal.h"

#define MAX_RUNS     4 /* of a replicate; a quarter of the runs of the log, if that is less, ... */
#define MIN_RUNS     2 /* ... but two show their noise */
#define MIN_SHARE    0.25 /* of the variance over replicates: their noise is an estimate too */
#define SCORED_TASKS 260  /* of a run, at most */
#define MIN_RAISED   4    /* replicates of a rare type; half of the others, if that is more */

/* The shape of a replicate. */
typedef struct shape {
    size_t log_learned, log_tasks; /* tasks of its log: learned from; all */
    size_t learned, tasks;         /* tasks of a run */
    size_t first_scored;           /* position, from 0 */
    size_t runs;
} shape;

/* Memory of one worker thread. */
typedef struct replicate {
    size_t *from;  /* log_tasks: the tasks of the log that the replicate's tasks come from */
    size_t *order; /* log_tasks: the tasks of the replicate; a run plays some of them */
    replay_run run;
} replicate;

typedef struct replicates {
    replay_study *st;
    shape shape;
    uint64_t count;     /* that draw all tasks alike */
    uint64_t raised;    /* further ones that raise a rare type */
    double *cumulative; /* n_played + 1: how often these draw each task */
    replicate *worker;  /* one per thread */
    double *reward;     /* (count + raised) x shape.runs x n_candidates: per step */
    double *regret;
} replicates;

/* ---- one replicate ----------------------------------------------------------------------- */

/* Return the number of random streams for run `run` of a replicate; run 0 .. of the log come
 * before. */
static uint64_t stream_of(uint64_t item, uint64_t run)
{
    return ((item + 1) << 32) + run;
}

/* Return a position first .. end - 1 for a uniform number: all alike, or by cumulated weights. */
static size_t draw_position(const double *cumulative, size_t first, size_t end, double u)
{
    if (!cumulative)
        return first + (size_t)(u * (double)(end - first));
    const double target = cumulative[first] + u * (cumulative[end] - cumulative[first]);
    while (end - first > 1) {
        const size_t middle = first + (end - first) / 2;
        if (cumulative[middle] <= target)
            first = middle;
        else
            end = middle;
    }
    return first;
}

/* Draw the tasks of the log that a replicate is made of: learned tasks from learned ones, held-out
 * tasks from held-out ones. */
static void draw_tasks(const replicates *r, uint64_t item, size_t *from)
{
    const replay_study *st = r->st;
    const size_t learned = st->result->n_learned, played = st->result->n_played;
    segue_rng rng;
    segue_rng_init(&rng, st->config->seed, stream_of(item, 0), 0, SEGUE_STREAM_MODEL);
    for (size_t i = 0; i < r->shape.log_tasks; i++) {
        const double u = segue_rng_uniform(&rng);
        const bool learns = i < r->shape.log_learned;
        from[i] = st->order[draw_position(item < r->count ? NULL : r->cumulative,
                                          learns ? 0 : learned, learns ? learned : played, u)];
    }
}

/* Choose the tasks of a run.  In shuffled orders runs meet different tasks: a run takes the next
 * tasks of the replicate, from the first on again after the last.  In the order of the file, all
 * runs of a log meet the same tasks at the beginning, and so do those of a replicate. */
static void choose_tasks(const shape *s, bool shuffled, uint64_t number, replicate *w)
{
    const uint64_t run = shuffled ? number : 0;
    const size_t others = s->tasks - s->learned, log_others = s->log_tasks - s->log_learned;
    for (size_t i = 0; i < s->learned; i++)
        w->order[i] = w->from[((size_t)run * s->learned + i) % s->log_learned];
    for (size_t i = 0; i < others; i++)
        w->order[s->learned + i] =
            w->from[s->log_learned + ((size_t)run * others + i) % log_others];
}

/* Store the average reward and regret per step over the scored tasks. */
static void store_run(const replicates *r, const replicate *w, size_t at)
{
    const size_t first = r->shape.first_scored, n = r->shape.tasks;
    const double steps = (double)r->st->result->steps, scored = (double)(n - first);
    double reward = 0.0, best = 0.0;
    for (size_t position = first; position < n; position++) {
        reward += w->run.reward[position] / steps;
        best += w->run.best[position];
    }
    r->reward[at] = reward / scored;
    r->regret[at] = (best - reward) / scored;
}

/* Play one run of all candidates. */
static segue_status play_run(const replicates *r, replicate *w, const segue_urn *urn, uint64_t item,
                             uint64_t run, size_t fixed_arm, segue_error *err)
{
    const segue_replay_result *result = r->st->result;
    const uint64_t number = stream_of(item, run);
    replay_setting setting = r->st->setting;
    setting.urn = urn;
    setting.order = w->order;
    setting.n_tasks = r->shape.tasks;
    setting.n_learned = r->shape.learned;
    choose_tasks(&r->shape, setting.shuffled, run, w);
    for (size_t c = 0; c < result->n_candidates; c++) {
        replay_candidate candidate = r->st->candidate[c];
        if (c == result->fixed_arm)
            candidate.arm = fixed_arm;
        SEGUE_TRY(segue_replay_run_play(&setting, &candidate, number, &w->run, err));
        store_run(r, w, (item * r->shape.runs + run) * result->n_candidates + c);
    }
    return SEGUE_OK;
}

static segue_status play_item(void *context, size_t worker, uint64_t item, segue_error *err)
{
    const replicates *r = context;
    const shape *s = &r->shape;
    replicate *w = &r->worker[worker];
    const uint64_t seed = r->st->config->seed;
    const size_t first = s->log_learned < s->log_tasks ? s->log_learned : 0;
    segue_urn urn;
    size_t arm = 0;
    draw_tasks(r, item, w->from);
    SEGUE_TRY(segue_urn_init_replicate(&urn, &r->st->urn, w->from, s->log_tasks, seed,
                                       stream_of(item, 0), err));
    segue_status status = segue_urn_best_arm(&urn, w->from, first, s->log_tasks, seed,
                                             stream_of(item, s->runs), &arm, err);
    for (uint64_t run = 0; run < s->runs && status == SEGUE_OK; run++)
        status = play_run(r, w, &urn, item, run, arm, err);
    segue_urn_fini(&urn);
    return status;
}

static void commit_item(void *context, size_t worker, uint64_t item)
{
    const replicates *r = context;
    (void)worker;
    (void)item;
    segue_replay_progress(r->st,
                          (double)(r->shape.runs * r->shape.tasks * r->st->result->n_candidates));
}

/* ---- intervals --------------------------------------------------------------------------- */

/* Metrics over runs: of all runs, and the squared standard error of each by a jackknife. */
typedef struct summary {
    double *value, *noise; /* one per metric */
} summary;

/* Scratch of a jackknife. */
typedef struct jackknife {
    double *average; /* 2 n_candidates */
    double *left;    /* metrics without one run */
    segue_stats *over;
} jackknife;

/* Average the runs except one (`without` = n_runs: of all). */
static void average_runs(const double *runs, size_t n_runs, size_t n, size_t without, double *out)
{
    const double count = (double)(without < n_runs ? n_runs - 1 : n_runs);
    memset(out, 0, n * sizeof *out);
    for (size_t i = 0; i < n_runs * n; i++)
        out[i % n] += i / n == without ? 0.0 : runs[i] / count;
}

static void compute_without(const segue_replay_result *result, const double *reward,
                            const double *regret, size_t n_runs, size_t without, double *average,
                            double *out)
{
    const size_t n = result->n_candidates;
    average_runs(reward, n_runs, n, without, average);
    average_runs(regret, n_runs, n, without, average + n);
    segue_replay_metrics_compute(result, average, average + n, out);
}

/* Add the squared standard errors of all metrics over these runs to `noise`, divided by `parts`. */
static void add_noise(const segue_replay_result *result, const double *reward, const double *regret,
                      size_t n_runs, double parts, jackknife *scratch, double *noise)
{
    const size_t width = segue_replay_metrics_count(result);
    memset(scratch->over, 0, width * sizeof *scratch->over);
    for (size_t run = 0; run < n_runs && n_runs > 1; run++) {
        compute_without(result, reward, regret, n_runs, run, scratch->average, scratch->left);
        for (size_t k = 0; k < width; k++)
            segue_stats_add(&scratch->over[k], scratch->left[k]);
    }
    const double factor = (double)(n_runs - 1) / (double)n_runs / parts;
    for (size_t k = 0; k < width; k++)
        noise[k] += factor * scratch->over[k].squares;
}

/* Numbers per metric. */
typedef struct noises {
    double *own, *rest;   /* noise of the runs: of the log, of a replicate */
    segue_stats *between; /* over replicates that draw all tasks alike */
    segue_stats *raised;  /* over those that raise a rare type */
    jackknife scratch;
} noises;

static void find_noises(const replicates *r, noises *n)
{
    const replay_study *st = r->st;
    const segue_replay_result *result = st->result;
    const size_t width = segue_replay_metrics_count(result), runs = r->shape.runs,
                 step = runs * result->n_candidates;
    add_noise(result, st->run_reward, st->run_regret, (size_t)result->runs, 1.0, &n->scratch,
              n->own);
    for (size_t b = 0; b < r->count + r->raised; b++) {
        const double *reward = r->reward + b * step, *regret = r->regret + b * step;
        if (b < r->count)
            add_noise(result, reward, regret, runs, (double)r->count, &n->scratch, n->rest);
        compute_without(result, reward, regret, runs, runs, n->scratch.average, n->scratch.left);
        for (size_t k = 0; k < width; k++)
            segue_stats_add(b < r->count ? &n->between[k] : &n->raised[k], n->scratch.left[k]);
    }
}

/* A mean reward is in the range of the rewards, so its interval ends there. */
static segue_interval clip_to_range(const segue_replay_result *result, segue_interval interval)
{
    interval.low = fmax(interval.low, result->lowest);
    interval.high = fmin(interval.high, result->highest);
    return interval;
}

/* Extend an interval to that of the mean of the replicates that raise a rare type. */
static segue_interval extend(const replicates *r, const segue_stats *raised,
                             segue_interval interval)
{
    if (!r->raised)
        return interval;
    const double half = segue_stats_student_95(r->raised) * segue_stats_standard_error(raised);
    interval.low = fmin(interval.low, raised->mean - half);
    interval.high = fmax(interval.high, raised->mean + half);
    return interval;
}

/* Make the interval of metric `at`; *play_share is the share of its variance that runs cause. */
static segue_interval make_interval(const replicates *r, const noises *n, size_t at, double value,
                                    double *play_share)
{
    const segue_replay_result *result = r->st->result;
    const double scored = (double)(result->n_played + 1 - result->first_scored);
    const double scored_short = (double)(r->shape.tasks - r->shape.first_scored);
    const double between = segue_stats_variance(&n->between[at]);
    const double of_log = fmax(MIN_SHARE * between, between - n->rest[at]);
    const double scaled =
        n->rest[at] * (double)r->shape.runs * scored_short / ((double)result->runs * scored);
    const double of_play = fmax(n->own[at], scaled), variance = of_log + of_play;
    *play_share = variance > 0.0 ? of_play / variance : 0.0;
    if (!isfinite(variance))
        return (segue_interval){.value = value, .low = NAN, .high = NAN};
    if (variance == 0.0 && segue_replay_metrics_is_fixed(result, at)) /* for every log */
        return (segue_interval){.value = value, .low = value, .high = value};
    const double half = segue_replay_metrics_half_width(
        result, at % SEGUE_N_METRICS, value, segue_stats_student_95(r->count) * sqrt(variance));
    const segue_interval interval =
        extend(r, &n->raised[at], (segue_interval){value, value - half, value + half});
    return at % SEGUE_N_METRICS == SEGUE_METRIC_REWARD ? clip_to_range(result, interval) : interval;
}

static void store_intervals(const replicates *r, const noises *n, const double *values)
{
    segue_replay_result *result = r->st->result;
    for (size_t p = 0; p < result->n_candidates; p++)
        for (size_t k = 0; k < SEGUE_N_METRICS; k++) {
            const size_t at = p * SEGUE_N_METRICS + k;
            segue_replay_candidate *c = &result->candidate[p];
            c->metric[k] = make_interval(r, n, at, values[at], &c->play_share[k]);
        }
    const size_t last = result->n_candidates * SEGUE_N_METRICS;
    double play_share = 0.0;
    result->best_arms = make_interval(r, n, last, values[last], &play_share);
}

static segue_status find_intervals(const replicates *r, const double *values, segue_error *err)
{
    const size_t width = segue_replay_metrics_count(r->st->result);
    noises n = {.own = calloc(width, sizeof *n.own),
                .rest = calloc(width, sizeof *n.rest),
                .between = calloc(width, sizeof *n.between),
                .raised = calloc(width, sizeof *n.raised),
                .scratch = {.average = calloc(2 * r->st->result->n_candidates, sizeof(double)),
                            .left = calloc(width, sizeof(double)),
                            .over = calloc(width, sizeof *n.scratch.over)}};
    segue_status status = SEGUE_OK;
    if (n.own && n.rest && n.between && n.raised && n.scratch.average && n.scratch.left &&
        n.scratch.over) {
        find_noises(r, &n);
        store_intervals(r, &n, values);
    } else {
        status = segue_fail_no_memory(err, "the intervals");
    }
    free(n.own);
    free(n.rest);
    free(n.between);
    free(n.raised);
    free(n.scratch.average);
    free(n.scratch.left);
    free(n.scratch.over);
    return status;
}

/* ---- all replicates ---------------------------------------------------------------------- */

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* A fit reads at most SEGUE_MAX_POPULATION_TASKS tasks, so that a replicate needs no more. */
static shape choose_shape(const segue_replay_result *result)
{
    const size_t played = result->n_played, learned = result->n_learned;
    const size_t before = result->first_scored - 1;
    shape s = {.log_tasks = smaller(played, SEGUE_MAX_POPULATION_TASKS), .first_scored = before};
    s.runs = smaller(MAX_RUNS, (size_t)(result->runs / 4));
    s.runs = s.runs < MIN_RUNS ? MIN_RUNS : s.runs;
    s.log_learned = s.log_tasks;
    s.tasks = s.learned = smaller(s.log_tasks, before + SCORED_TASKS);
    if (learned == played)
        return s;
    s.log_learned = (size_t)((double)s.log_tasks * (double)learned / (double)played);
    s.log_learned = s.log_learned ? s.log_learned : 1;
    s.learned = s.first_scored = smaller(s.log_learned, SCORED_TASKS);
    s.tasks = s.learned + smaller(s.log_tasks - s.log_learned, SCORED_TASKS);
    return s;
}

static uint64_t count_raised(const segue_replay_result *result)
{
    const uint64_t half = result->replicates / 2;
    return result->rare_tasks > 0.0 ? half > MIN_RAISED ? half : MIN_RAISED : 0;
}

double segue_replay_replicates_work(const replay_study *st)
{
    const segue_replay_result *result = st->result;
    if (!result->urn || st->config->values_only)
        return 0.0;
    const shape s = choose_shape(result);
    return (double)((result->replicates + count_raised(result)) * s.runs * s.tasks *
                    result->n_candidates);
}

static segue_status replicate_init(replicate *w, const replicates *r, segue_error *err)
{
    replay_setting setting = r->st->setting;
    setting.n_tasks = r->shape.tasks;
    w->from = calloc(r->shape.log_tasks, sizeof *w->from);
    w->order = calloc(r->shape.log_tasks, sizeof *w->order);
    if (!w->from || !w->order)
        return segue_fail_no_memory(err, "a replicate of the log");
    return segue_replay_run_init(&w->run, &setting, err);
}

static void replicate_fini(replicate *w)
{
    free(w->from);
    free(w->order);
    segue_replay_run_fini(&w->run);
}

static segue_status play_all(replicates *r, size_t n_threads, segue_error *err)
{
    segue_status status = SEGUE_OK;
    r->worker = calloc(n_threads, sizeof *r->worker);
    if (!r->worker)
        return segue_fail_no_memory(err, "worker threads");
    for (size_t i = 0; i < n_threads && status == SEGUE_OK; i++)
        status = replicate_init(&r->worker[i], r, err);
    if (status == SEGUE_OK)
        status =
            segue_parallel_run(n_threads, r->count + r->raised, play_item, commit_item, r, err);
    for (size_t i = 0; i < n_threads; i++)
        replicate_fini(&r->worker[i]);
    free(r->worker);
    return status;
}

segue_status segue_replay_replicates(replay_study *st, const double *values, segue_error *err)
{
    const segue_replay_result *result = st->result;
    replicates r = {.st = st,
                    .shape = choose_shape(result),
                    .count = result->replicates,
                    .raised = count_raised(result)};
    const size_t count = (size_t)(r.count + r.raised);
    const size_t cells = count * r.shape.runs * result->n_candidates;
    r.reward = calloc(cells, sizeof *r.reward);
    r.regret = calloc(cells, sizeof *r.regret);
    r.cumulative = calloc(result->n_played + 1, sizeof *r.cumulative);
    segue_status status = SEGUE_ENOMEM;
    if (r.reward && r.regret && r.cumulative) {
        segue_replay_rare_type_cumulate(st, r.cumulative);
        status = play_all(&r, smaller(st->config->threads, count), err);
    } else {
        (void)segue_fail_no_memory(err, "the replicates");
    }
    if (status == SEGUE_OK)
        status = find_intervals(&r, values, err);
    free(r.reward);
    free(r.regret);
    free(r.cumulative);
    return status;
}
