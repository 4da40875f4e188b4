/* club.c - CLUB, clustering of bandits (Gentile, Li and Zappella 2014), for tasks in sequence.
 *
 * In CLUB users return; a graph joins users that the data do not separate, and UCB plays on the
 * pooled rewards of a user's cluster. Here a node is a task, a context is an arm, and closed tasks
 * do not return: only the open task learns. It starts with edges to all closed tasks in the window.
 * An edge is deleted once the averages of some arm differ by more than the sum of the radii
 * alpha2 sqrt((1 + log(1 + T)) / (1 + T)), T being the pulls of the arm in the task; arms that one
 * of the two did not pull do not count. The cluster is the open task and its neighbours; with
 * cluster=component, as in the paper, all that is connected to these. With N pulls and rewards W
 * of an arm in the cluster, its index is W / (1 + N) + alpha sqrt(log(1 + t) / (1 + N)), t being
 * all pulls of the cluster. An arm without pulls comes first.
 * Cost O(window + n_arms) per step, O(window n_arms) where an edge is deleted and per closed task.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bandit/choose.h"
#include "core/fail.h"
#include "core/math/ln.h"
#include "estimate/types/task_window.h"
#include "transfer/rivals/rivals.h"

enum { ALPHA, ALPHA2, CLUSTER, WINDOW, N_OPTIONS };
enum { NEIGHBOURS, COMPONENT };

static const segue_option options[N_OPTIONS] = {
    [ALPHA] = {.key = "alpha",
               .help = "width of the bound of an arm (default 0.5)",
               .min = 0.0,
               .max = 100.0,
               .default_value = 0.5},
    [ALPHA2] = {.key = "alpha2",
                .help = "width of the radius that keeps an edge (default 0.5)",
                .min = 0.0,
                .max = 100.0,
                .default_value = 0.5},
    [CLUSTER] = {.key = "cluster",
                 .help = "neighbours, or component as in the paper (default neighbours)",
                 .choices = "neighbours|component"},
    [WINDOW] = {.key = "window",
                .help = "closed tasks that it keeps (default 512)",
                .min = 2.0,
                .max = 65536.0,
                .whole = true,
                .default_value = 512.0},
};

/* Return true if averages of an arm separate two tasks. */
static bool separates(double alpha2, double sum, double pulls, double other_sum, double other_pulls)
{
    if (pulls < 1.0 || other_pulls < 1.0)
        return false;
    const double radii = sqrt((1.0 + segue_log1p(pulls)) / (1.0 + pulls)) +
                         sqrt((1.0 + segue_log1p(other_pulls)) / (1.0 + other_pulls));
    return fabs(sum / pulls - other_sum / other_pulls) > alpha2 * radii;
}

/* ---- closed tasks, as an open one sees them ---------------------------------------------- */

/* The shared prior has one row per closed task: in `a` its sums, then its component, a whole number
 * below the number of tasks; in `b` its pulls. */
typedef struct closed_tasks {
    size_t count, n_arms;
    const double *sum, *pulls;
} closed_tasks;

static size_t row_size(size_t n_arms)
{
    return n_arms + 1;
}

static closed_tasks closed_of(const segue_task_view *view)
{
    if (!view->prior)
        return (closed_tasks){.count = 0, .n_arms = view->n_arms};
    return (closed_tasks){.count = view->prior->n_arms / row_size(view->n_arms),
                          .n_arms = view->n_arms,
                          .sum = view->prior->a,
                          .pulls = view->prior->b};
}

static size_t component_of(const closed_tasks *closed, size_t k)
{
    return (size_t)closed->sum[k * row_size(closed->n_arms) + closed->n_arms];
}

/* The state of a task, in one block: sums and pulls of its closed neighbours, then a byte per
 * closed task that says whether the edge is there, and one per component for scratch. */
typedef struct club_task {
    double *sum, *pulls;
    unsigned char *joined, *reached;
} club_task;

static club_task state_of(const segue_task_view *view)
{
    double *sum = view->state;
    unsigned char *joined = (unsigned char *)(sum + 2 * view->n_arms);
    return (club_task){.sum = sum,
                       .pulls = sum + view->n_arms,
                       .joined = joined,
                       .reached = joined + (size_t)view->option[WINDOW]};
}

static size_t state_size(const segue_setting *setting, const double *option)
{
    return 2 * setting->n_arms * sizeof(double) + 2 * (size_t)option[WINDOW];
}

/* Return true if closed task k is in the cluster. */
static bool is_member(const segue_task_view *view, const closed_tasks *closed, size_t k)
{
    const club_task task = state_of(view);
    return view->option[CLUSTER] < COMPONENT ? task.joined[k]
                                             : task.reached[component_of(closed, k)];
}

/* Sum the rewards of the cluster's closed tasks. */
static void pool(const segue_task_view *view)
{
    const closed_tasks closed = closed_of(view);
    const club_task task = state_of(view);
    memset(task.reached, 0, closed.count);
    for (size_t k = 0; k < closed.count; k++)
        task.reached[component_of(&closed, k)] |= task.joined[k];
    memset(task.sum, 0, 2 * view->n_arms * sizeof *task.sum);
    for (size_t k = 0; k < closed.count; k++)
        for (size_t i = 0; i < view->n_arms && is_member(view, &closed, k); i++) {
            task.sum[i] += closed.sum[k * row_size(view->n_arms) + i];
            task.pulls[i] += closed.pulls[k * row_size(view->n_arms) + i];
        }
}

static void begin(const segue_task_view *view)
{
    memset(state_of(view).joined, 1, closed_of(view).count);
    pool(view);
}

/* Delete the edges that a reward of an arm contradicts. */
static void update(const segue_task_view *view, size_t arm, double reward)
{
    (void)reward;
    const closed_tasks closed = closed_of(view);
    const club_task task = state_of(view);
    bool changed = false;
    for (size_t k = 0; k < closed.count; k++) {
        const size_t at = k * row_size(view->n_arms) + arm;
        if (!task.joined[k] ||
            !separates(view->option[ALPHA2], view->sum[arm], (double)view->pulls[arm],
                       closed.sum[at], closed.pulls[at]))
            continue;
        task.joined[k] = 0;
        changed = true;
    }
    if (changed)
        pool(view);
}

static double pulls_of_cluster(const segue_task_view *view, size_t arm)
{
    return state_of(view).pulls[arm] + (double)view->pulls[arm];
}

static segue_choice choose(const segue_task_view *view, segue_rng *rng)
{
    (void)rng;
    const club_task task = state_of(view);
    size_t best = view->n_arms;
    double value = -INFINITY, steps = 0.0;
    for (size_t arm = 0; arm < view->n_arms; arm++)
        steps += pulls_of_cluster(view, arm);
    for (size_t arm = 0; arm < view->n_arms; arm++) {
        if (!is_allowed(view, arm))
            continue;
        const double pulls = pulls_of_cluster(view, arm);
        if (pulls < 1.0 && !is_outstanding(view, arm))
            return by_rule(arm);
        const double own = (task.sum[arm] + view->sum[arm]) / (1.0 + pulls) +
                           view->option[ALPHA] * sqrt(segue_log1p(steps) / (1.0 + pulls));
        if (own > value) {
            value = own;
            best = arm;
        }
    }
    return by_rule(best);
}

static const segue_policy policy = {
    .name = "club",
    .summary = "UCB on the closed tasks that agree with this one",
    .options = options,
    .n_options = N_OPTIONS,
    .state_size = state_size,
    .begin = begin,
    .choose = choose,
    .update = update,
};

/* ---- the learner: the window of closed tasks and their components ------------------------- */

typedef struct club_state {
    task_window tasks;
    uint64_t *component; /* window: of each task, by index; the number of its newest task */
    double *counts;      /* 2 x n_arms, scratch: sums of a task, and pulls */
} club_state;

static void state_destroy(club_state *s)
{
    if (!s)
        return;
    segue_task_window_fini(&s->tasks);
    free(s->component);
    free(s->counts);
    free(s);
}

static segue_status state_create(club_state **out, size_t n_arms, size_t window, segue_error *err)
{
    club_state *s = *out = calloc(1, sizeof *s);
    if (!s)
        return segue_fail_no_memory(err, "a learner");
    segue_task_window_init(&s->tasks, n_arms, window);
    s->component = calloc(window, sizeof *s->component);
    s->counts = calloc(2 * n_arms, sizeof *s->counts);
    if (s->component && s->counts)
        return SEGUE_OK;
    state_destroy(s);
    *out = NULL;
    return segue_fail_no_memory(err, "a learner");
}

static segue_status state_copy(club_state **out, const club_state *from, size_t n_arms,
                               segue_error *err)
{
    SEGUE_TRY(state_create(out, n_arms, from->tasks.window, err));
    const segue_status status = segue_task_window_copy(&(*out)->tasks, &from->tasks, err);
    if (status != SEGUE_OK) {
        state_destroy(*out);
        return status;
    }
    memcpy((*out)->component, from->component, from->tasks.count * sizeof *from->component);
    return SEGUE_OK;
}

static segue_status create(segue_learner *learner, segue_error *err)
{
    club_state *s = NULL;
    const segue_status status =
        state_create(&s, learner->config.n_arms, (size_t)learner->config.option[WINDOW], err);
    learner->state = s;
    return status;
}

static void destroy(segue_learner *learner)
{
    state_destroy(learner->state);
}

/* Return the first task of the component of task k: its number for people and for the policy. */
static size_t first_of_component(const club_state *s, size_t k)
{
    size_t first = 0;
    while (s->component[first] != s->component[k])
        first++;
    return first;
}

static segue_status publish(segue_learner *learner, const club_state *s, segue_error *err)
{
    const size_t n_arms = s->tasks.n_arms, size = row_size(n_arms);
    shared_prior *next = NULL;
    if (s->tasks.count == 0)
        return SEGUE_OK;
    SEGUE_TRY(segue_shared_prior_create(&next, 1, s->tasks.count * size, err));
    *segue_shared_prior_weight(next) = 1.0;
    for (size_t k = 0; k < s->tasks.count; k++) {
        double *sum = segue_shared_prior_a(next) + k * size;
        memcpy(sum, segue_task_window_sum(&s->tasks, k), n_arms * sizeof *sum);
        memcpy(segue_shared_prior_b(next) + k * size, segue_task_window_pulls(&s->tasks, k),
               n_arms * sizeof *sum);
        sum[n_arms] = (double)first_of_component(s, k);
    }
    segue_shared_prior_publish(learner, next);
    return SEGUE_OK;
}

/* Return true if no arm separates two closed tasks. */
static bool has_edge(const club_state *s, double alpha2, size_t k, size_t l)
{
    const double *sum = segue_task_window_sum(&s->tasks, k);
    const double *pulls = segue_task_window_pulls(&s->tasks, k);
    const double *other_sum = segue_task_window_sum(&s->tasks, l);
    const double *other_pulls = segue_task_window_pulls(&s->tasks, l);
    for (size_t i = 0; i < s->tasks.n_arms; i++)
        if (separates(alpha2, sum[i], pulls[i], other_sum[i], other_pulls[i]))
            return false;
    return true;
}

/* Join the newest task with the components to which it has an edge. A component that was joined by
 * a task that has left the window stays one. */
static void join(club_state *s, double alpha2)
{
    const size_t newest = s->tasks.count - 1;
    const uint64_t number = segue_task_window_number(&s->tasks, newest);
    s->component[newest] = number;
    for (size_t k = 0; k < newest; k++) {
        const uint64_t old = s->component[k];
        if (old == number || !has_edge(s, alpha2, k, newest))
            continue;
        for (size_t l = 0; l < newest; l++)
            s->component[l] = s->component[l] == old ? number : s->component[l];
    }
}

static segue_status add(club_state *s, double alpha2, uint64_t number, const double *sum,
                        const double *pulls, segue_error *err)
{
    SEGUE_TRY(segue_task_window_reserve(&s->tasks, 1, err));
    if (s->tasks.count == s->tasks.window)
        memmove(s->component, s->component + 1, (s->tasks.window - 1) * sizeof *s->component);
    segue_task_window_add(&s->tasks, number, sum, pulls);
    join(s, alpha2);
    return SEGUE_OK;
}

static segue_status learn(segue_learner *learner, const open_task *entry, segue_error *err)
{
    club_state *s = learner->state;
    const size_t n_arms = learner->config.n_arms;
    copy_counts(entry, n_arms, s->counts);
    SEGUE_TRY(add(s, learner->config.option[ALPHA2], learner->closed, s->counts, s->counts + n_arms,
                  err));
    return publish(learner, s, err);
}

/* Publish a new state and replace the old one by it; on failure free it. */
static segue_status replace(segue_learner *learner, club_state *made, segue_error *err)
{
    const segue_status status = publish(learner, made, err);
    state_destroy(status == SEGUE_OK ? learner->state : made);
    learner->state = status == SEGUE_OK ? made : learner->state;
    return status;
}

static segue_status add_arm(segue_learner *learner, segue_error *err)
{
    club_state *made = NULL;
    SEGUE_TRY(state_copy(&made, learner->state, learner->config.n_arms + 1, err));
    return replace(learner, made, err);
}

static segue_status merge(segue_learner *into, const segue_learner *from, segue_error *err)
{
    const club_state *theirs = from->state;
    club_state *made = NULL;
    SEGUE_TRY(state_copy(&made, into->state, into->config.n_arms, err));
    segue_status status = SEGUE_OK;
    for (size_t k = 0; k < theirs->tasks.count && status == SEGUE_OK; k++)
        status = add(made, into->config.option[ALPHA2], into->closed + 1 + k,
                     segue_task_window_sum(&theirs->tasks, k),
                     segue_task_window_pulls(&theirs->tasks, k), err);
    if (status == SEGUE_OK)
        return replace(into, made, err);
    state_destroy(made);
    return status;
}

static size_t bytes_of(const segue_learner *learner)
{
    const club_state *s = learner->state;
    return sizeof *s + segue_task_window_bytes(&s->tasks) + s->tasks.window * sizeof *s->component +
           2 * s->tasks.n_arms * sizeof *s->counts;
}

static void serialize(const segue_learner *learner, segue_bytes *b)
{
    const club_state *s = learner->state;
    segue_task_window_serialize(&s->tasks, b);
    for (size_t k = 0; k < s->tasks.count; k++)
        segue_bytes_append_u64(b, s->component[k]);
}

static segue_status deserialize(segue_learner *learner, segue_bytes_reader *r, segue_error *err)
{
    club_state *s = learner->state;
    SEGUE_TRY(segue_task_window_deserialize(&s->tasks, r, err));
    for (size_t k = 0; k < s->tasks.count; k++)
        s->component[k] = segue_bytes_read_count(r);
    return publish(learner, s, err);
}

const learner_method segue_learner_club = {
    .info = {.name = "club",
             .summary = "CLUB of Gentile et al.: UCB on the earlier tasks that agree",
             .options = options,
             .n_options = N_OPTIONS,
             .groups_tasks = true},
    .create = create,
    .destroy = destroy,
    .policy = &policy,
    .plan = plan_with_options,
    .set_prior = segue_shared_prior_apply,
    .learn = learn,
    .add_arm = add_arm,
    .merge = merge,
    .bytes = bytes_of,
    .serialize = serialize,
    .deserialize = deserialize,
};
