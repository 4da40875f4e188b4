/* dp_ts.c - Thompson sampling over a Dirichlet-process mixture of tasks.
 *
 * The textbook form: clusters of tasks with the same means, a partition sampled by collapsed Gibbs
 * (partition.c). When a task closes it gets a cluster, and `sweeps` passes over the last `window`
 * tasks redraw all clusters. The prior of the next task is the predictive mixture of this one
 * partition: Beta(1 + won, 1 + lost) of each cluster and arm with weight n_c, and a flat component
 * with weight alpha. A task is played as by tts (belief_policy.c).
 * Concentration alpha = 1 and one sweep are our choices; the model is that of Escobar and West
 * (1995) and Neal (2000).
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "bandit/belief_policy.h"
#include "core/fail.h"
#include "transfer/rivals/partition.h"
#include "transfer/rivals/rivals.h"

enum { ALPHA, SWEEPS, WINDOW, N_OPTIONS };

static const segue_option options[N_OPTIONS] = {
    [ALPHA] = {.key = "alpha",
               .help = "concentration of the Dirichlet process (default 1)",
               .min = 1e-6,
               .max = 1e6,
               .default_value = 1.0},
    [SWEEPS] = {.key = "sweeps",
                .help = "Gibbs passes over the closed tasks after each (default 1)",
                .min = 0.0,
                .max = 1000.0,
                .whole = true,
                .default_value = 1.0},
    [WINDOW] = {.key = "window",
                .help = "closed tasks that it keeps (default 512)",
                .min = 2.0,
                .max = 65536.0,
                .whole = true,
                .default_value = 512.0},
};

/* ---- a task ------------------------------------------------------------------------------ */

static size_t state_size(const segue_setting *setting, const double *option)
{
    (void)option;
    return segue_belief_policy_state_size(SEGUE_MAX_CLUSTERS + 1, setting->n_arms, false);
}

static segue_prior prior_of(const segue_task_view *view)
{
    return view->prior ? *view->prior : segue_belief_flat_prior(view->n_arms, view->precomputed);
}

static void begin(const segue_task_view *view)
{
    segue_belief_policy_begin(view, prior_of(view));
}

static void rebind(const segue_task_view *view)
{
    segue_belief_policy_rebind(view, prior_of(view));
}

static const segue_policy policy = {
    .name = "dp-ts",
    .summary = "Thompson sampling by the clusters of a learner",
    .precomputed_size = segue_belief_policy_ones_size,
    .precompute = segue_belief_policy_ones,
    .state_size = state_size,
    .begin = begin,
    .choose = segue_belief_policy_thompson,
    .update = segue_belief_policy_update,
    .rebind = rebind,
};

/* ---- the learner ------------------------------------------------------------------------- */

typedef struct dp_state {
    segue_partition *partition;
    double *counts; /* 2 x n_arms, scratch: sums of a task, and pulls */
} dp_state;

static segue_status create(segue_learner *learner, segue_error *err)
{
    const segue_learner_config *config = &learner->config;
    dp_state *d = learner->state = calloc(1, sizeof *d);
    if (!d)
        return segue_fail_no_memory(err, "a learner");
    SEGUE_TRY(segue_partition_create(&d->partition, config->n_arms, (size_t)config->option[WINDOW],
                                     config->option[ALPHA], err));
    d->counts = calloc(2 * config->n_arms, sizeof *d->counts);
    return d->counts ? SEGUE_OK : segue_fail_no_memory(err, "a learner");
}

static void destroy(segue_learner *learner)
{
    dp_state *d = learner->state;
    if (!d)
        return;
    segue_partition_destroy(d->partition);
    free(d->counts);
    free(d);
}

/* Write component q of a mixture: a cluster, or the base measure. */
static void write_component(shared_prior *next, size_t q, const segue_partition *p, size_t cluster)
{
    const size_t n_arms = p->tasks.n_arms;
    const bool is_new = cluster == SEGUE_MAX_CLUSTERS;
    const double total = p->alpha + (double)p->tasks.count;
    segue_shared_prior_weight(next)[q] = (is_new ? p->alpha : p->size[cluster]) / total;
    for (size_t i = 0; i < n_arms; i++) {
        segue_shared_prior_a(next)[q * n_arms + i] = is_new ? 1.0 : p->a[cluster * n_arms + i];
        segue_shared_prior_b(next)[q * n_arms + i] = is_new ? 1.0 : p->b[cluster * n_arms + i];
    }
}

/* Publish the predictive mixture of a partition; component 0 is a new cluster. */
static segue_status publish(segue_learner *learner, const segue_partition *p, segue_error *err)
{
    shared_prior *next = NULL;
    if (p->tasks.count == 0)
        return SEGUE_OK; /* as before the first task */
    SEGUE_TRY(segue_shared_prior_create(&next, segue_partition_count(p) + 1, p->tasks.n_arms, err));
    size_t q = 0;
    write_component(next, q++, p, SEGUE_MAX_CLUSTERS);
    for (size_t c = 0; c < SEGUE_MAX_CLUSTERS; c++)
        if (p->size[c] > 0.0)
            write_component(next, q++, p, c);
    segue_shared_prior_publish(learner, next);
    return SEGUE_OK;
}

/* The stream of the draws after a number of closed tasks. */
static segue_rng stream_of(const segue_learner *learner)
{
    segue_rng rng;
    segue_rng_init(&rng, learner->config.seed, learner->config.run, learner->closed,
                   SEGUE_STREAM_ESTIMATOR);
    return rng;
}

static void sweep(const segue_learner *learner, segue_partition *p, segue_rng *rng)
{
    const size_t sweeps = (size_t)learner->config.option[SWEEPS];
    for (size_t i = 0; i < sweeps; i++)
        segue_partition_sweep(p, rng);
}

static segue_status learn(segue_learner *learner, const open_task *entry, segue_error *err)
{
    const dp_state *d = learner->state;
    const size_t n_arms = learner->config.n_arms;
    segue_rng rng = stream_of(learner);
    copy_counts(entry, n_arms, d->counts);
    SEGUE_TRY(segue_partition_add(d->partition, learner->closed, d->counts, d->counts + n_arms,
                                  &rng, err));
    sweep(learner, d->partition, &rng);
    return publish(learner, d->partition, err);
}

/* Publish a new partition and replace the old one by it; on failure free it. */
static segue_status replace(segue_learner *learner, segue_partition *made, segue_error *err)
{
    dp_state *d = learner->state;
    const segue_status status = publish(learner, made, err);
    segue_partition_destroy(status == SEGUE_OK ? d->partition : made);
    d->partition = status == SEGUE_OK ? made : d->partition;
    return status;
}

static segue_status add_arm(segue_learner *learner, segue_error *err)
{
    dp_state *d = learner->state;
    const size_t n_arms = learner->config.n_arms + 1;
    segue_partition *made = NULL;
    double *counts = realloc(d->counts, 2 * n_arms * sizeof *counts);
    if (!counts)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu arms", n_arms);
    d->counts = counts;
    SEGUE_TRY(segue_partition_copy(&made, d->partition, n_arms, err));
    return replace(learner, made, err);
}

/* Add the tasks of another partition, numbered after those that it has. */
static segue_status add_all(segue_partition *into, const segue_partition *from, uint64_t number,
                            segue_rng *rng, segue_error *err)
{
    for (size_t k = 0; k < from->tasks.count; k++)
        SEGUE_TRY(segue_partition_add(into, number + k, segue_task_window_sum(&from->tasks, k),
                                      segue_task_window_pulls(&from->tasks, k), rng, err));
    return SEGUE_OK;
}

static segue_status merge(segue_learner *into, const segue_learner *from, segue_error *err)
{
    const dp_state *mine = into->state, *theirs = from->state;
    segue_partition *made = NULL;
    segue_rng rng = stream_of(into);
    SEGUE_TRY(segue_partition_copy(&made, mine->partition, into->config.n_arms, err));
    const segue_status status = add_all(made, theirs->partition, into->closed + 1, &rng, err);
    if (status != SEGUE_OK) {
        segue_partition_destroy(made);
        return status;
    }
    sweep(into, made, &rng);
    return replace(into, made, err);
}

static size_t bytes_of(const segue_learner *learner)
{
    const dp_state *d = learner->state;
    return sizeof *d + segue_partition_bytes(d->partition) +
           2 * learner->config.n_arms * sizeof *d->counts;
}

static void serialize(const segue_learner *learner, segue_bytes *b)
{
    segue_partition_serialize(((const dp_state *)learner->state)->partition, b);
}

static segue_status deserialize(segue_learner *learner, segue_bytes_reader *r, segue_error *err)
{
    const dp_state *d = learner->state;
    SEGUE_TRY(segue_partition_deserialize(d->partition, r, err));
    return publish(learner, d->partition, err);
}

const learner_method segue_learner_dp_ts = {
    .info = {.name = "dp-ts",
             .summary = "Thompson sampling over a Dirichlet-process mixture of tasks",
             .options = options,
             .n_options = N_OPTIONS,
             .groups_tasks = true},
    .create = create,
    .destroy = destroy,
    .policy = &policy,
    .set_prior = segue_shared_prior_apply,
    .learn = learn,
    .add_arm = add_arm,
    .merge = merge,
    .bytes = bytes_of,
    .serialize = serialize,
    .deserialize = deserialize,
};
