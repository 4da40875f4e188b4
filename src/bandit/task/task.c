/* task.c - the counts of a task, and the policy that reads them.
 *
 * A task owns all memory that a policy uses: the arrays of its view, the precomputed data and the
 * state. `ask` calls policy->choose on the view; `tell` maps the reward to [0, 1], updates counts,
 * batches and the policy's state. Neither allocates, and `ask` cannot fail. An ask counts as a
 * pull in `asked`; `pulls` and `sum` change on tell only. A task belongs to one thread at a time;
 * copies (segue_task_copy) share nothing but models and prior.
 * SPDX-License-Identifier: Apache-2.0 */
#include "segue/task.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bandit/options.h"
#include "bandit/task/task.h"
#include "bandit/task/task_struct.h"
#include "core/fail.h"
#include "core/struct_size.h"

#define PENDING_LIFE 200.0 /* rewards of other asks after which a pending ask counts 1/e */

static const segue_struct_size config_size = {.type = "segue_task_config",
                                              .first = sizeof(segue_task_config),
                                              .now = sizeof(segue_task_config)};

void segue_task_config_init(segue_task_config *config, size_t size)
{
    const segue_task_config defaults = {
        .setting = {.horizon = 1000, .n_tasks = 1}, .highest = 1.0, .seed = 1};
    segue_struct_size_init(&config_size, &defaults, config, size);
}

segue_status segue_task_check_setting(const segue_setting *setting, double lowest, double highest,
                                      segue_error *err)
{
    if (setting->n_arms < SEGUE_MIN_ARMS || setting->n_arms > SEGUE_MAX_ARMS)
        return segue_fail(err, SEGUE_EDOMAIN, "n_arms is %zu; need %d to %d", setting->n_arms,
                          SEGUE_MIN_ARMS, SEGUE_MAX_ARMS);
    if (setting->models && setting->models->n_arms != setting->n_arms)
        return segue_fail(err, SEGUE_EDOMAIN, "the models have %zu arms and the task %zu",
                          setting->models->n_arms, setting->n_arms);
    if (setting->n_model_indices > 2 * SEGUE_MAX_MODELS || setting->n_models > SEGUE_MAX_MODELS)
        return segue_fail(
            err, SEGUE_EDOMAIN, "n_model_indices is %zu and n_models %zu; need at most %d and %d",
            setting->n_model_indices, setting->n_models, 2 * SEGUE_MAX_MODELS, SEGUE_MAX_MODELS);
    if (setting->horizon < 1 || setting->horizon > SEGUE_MAX_HORIZON)
        return segue_fail(err, SEGUE_EDOMAIN, "horizon is %" PRIu64 "; need 1 to %" PRIu64,
                          setting->horizon, SEGUE_MAX_HORIZON);
    if (setting->n_tasks < 1 || setting->n_tasks > SEGUE_MAX_TASKS)
        return segue_fail(err, SEGUE_EDOMAIN, "n_tasks is %" PRIu64 "; need 1 to %" PRIu64,
                          setting->n_tasks, SEGUE_MAX_TASKS);
    const double width = highest - lowest;
    if (!(width > 0.0 && isfinite(width) && isfinite(1.0 / width)))
        return segue_fail(
            err, SEGUE_EDOMAIN,
            "rewards from %g to %g: need finite numbers, the highest above the lowest", lowest,
            highest);
    return SEGUE_OK;
}

static segue_status check_config(const segue_task_config *config, segue_error *err)
{
    const segue_policy *policy = config->policy.policy;
    if (!policy)
        return segue_fail(err, SEGUE_EDOMAIN, "no policy is given; see segue_policy_parse");
    if (config->batches > SEGUE_BATCHES_INTERLEAVED)
        return segue_fail(err, SEGUE_EDOMAIN, "there are no batches %d", (int)config->batches);
    const option_table table = segue_options_of_policy(policy);
    SEGUE_TRY(segue_options_check(&table, config->policy.option, err));
    const bool any = config->setting.models || config->setting.n_models > 0;
    if ((policy->needs == SEGUE_NEEDS_MODELS && !config->setting.models) ||
        (policy->needs == SEGUE_NEEDS_MODEL_COUNT && !any))
        return segue_fail(err, SEGUE_EUSAGE, "policy '%s' needs a known model set", policy->name);
    if (policy->needs == SEGUE_NEEDS_MODEL_INDEX && config->setting.n_model_indices == 0)
        return segue_fail(err, SEGUE_EUSAGE,
                          "policy '%s' must be told each task's model, and tasks have none here",
                          policy->name);
    return segue_task_check_setting(&config->setting, config->lowest, config->highest, err);
}

static void fill_option_defaults(segue_task *task, const segue_task_config *config)
{
    memcpy(task->option, config->policy.option, sizeof task->option);
    if (task->policy->fill_defaults)
        task->policy->fill_defaults(&config->setting, task->option);
}

static segue_status reserve(segue_task *task, const segue_task_config *config, segue_error *err)
{
    const size_t n_arms = config->setting.n_arms;
    const size_t precomputed_size =
        task->policy->precomputed_size
            ? task->policy->precomputed_size(&config->setting, task->option)
            : 0;
    if (task->policy->state_size)
        task->state_size = task->policy->state_size(&config->setting, task->option);
    task->asked = calloc(n_arms, sizeof *task->asked);
    task->pulls = calloc(n_arms, sizeof *task->pulls);
    task->pending = calloc(n_arms, sizeof *task->pending);
    task->sum = calloc(n_arms, sizeof *task->sum);
    task->graded = calloc(n_arms, sizeof *task->graded);
    task->cost = calloc(n_arms, sizeof *task->cost);
    task->allowed = calloc(2 * n_arms, sizeof *task->allowed);
    task->precomputed_size = precomputed_size;
    task->precomputed = precomputed_size ? calloc(1, precomputed_size) : NULL;
    task->view.state = task->state_size ? calloc(1, task->state_size) : NULL;
    if (!task->asked || !task->pulls || !task->pending || !task->sum || !task->graded ||
        !task->cost || !task->allowed || (precomputed_size && !task->precomputed) ||
        (task->state_size && !task->view.state))
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for a task of %zu arms", n_arms);
    if (task->weighs)
        SEGUE_TRY(segue_reward_weights_init(&task->weights, n_arms, err));
    return segue_batches_init(&task->batches, config->batches, n_arms, config->setting.horizon,
                              err);
}

static void set_view(segue_task *task, const segue_setting *setting)
{
    task->view.n_arms = setting->n_arms;
    task->view.asked = task->asked;
    task->view.pulls = task->pulls;
    task->view.sum = task->sum;
    task->view.models = setting->models;
    task->view.horizon = setting->horizon;
    task->view.option = task->option;
    task->view.precomputed = task->precomputed;
    if (task->policy->log_term)
        task->view.log_term = task->policy->log_term(setting, task->option);

    if (task->policy->precompute)
        task->policy->precompute(setting, task->option, task->precomputed);
}

segue_status segue_task_create(segue_task **out, const segue_task_config *given, segue_error *err)
{
    segue_task_config own = segue_task_defaults();
    const segue_task_config *config = &own;
    *out = NULL;
    SEGUE_TRY(segue_struct_size_copy(&config_size, given, &own, err));
    SEGUE_TRY(check_config(config, err));
    segue_task *task = calloc(1, sizeof *task);
    if (!task)
        return segue_fail_no_memory(err, "a task");

    const segue_setting *setting = &config->setting;
    task->policy = config->policy.policy;
    task->n_model_indices = setting->n_model_indices;
    task->lowest = config->lowest;
    task->highest = config->highest;
    task->width = config->highest - config->lowest;
    fill_option_defaults(task, config);
    task->weighs = task->policy->weighs_rewards && task->option[0] == SEGUE_DISPERSION_AUTO;
    const segue_status status = reserve(task, config, err);
    if (status != SEGUE_OK) {
        segue_task_destroy(task);
        return status;
    }
    set_view(task, setting);

    segue_rng rng;
    segue_rng_init(&rng, config->seed, 0, 0, SEGUE_STREAM_POLICY);
    segue_task_reset(task);
    segue_task_next(task, &rng, 0);
    *out = task;
    return SEGUE_OK;
}

void segue_task_destroy(segue_task *task)
{
    if (!task)
        return;
    free(task->asked);
    free(task->pulls);
    free(task->pending);
    free(task->sum);
    free(task->graded);
    free(task->cost);
    free(task->allowed);
    free(task->precomputed);
    free(task->view.state);
    segue_reward_weights_fini(&task->weights);
    segue_batches_fini(&task->batches);
    free(task);
}

void segue_task_reset(segue_task *task)
{
    if (task->state_size)
        memset(task->view.state, 0, task->state_size);
    if (task->policy->begin)
        task->policy->begin(&task->view);
}

/* Let the view show the weights of the rewards, if they are not all 1. */
static void show_weights(segue_task *task)
{
    task->view.reward_weight = task->weighs ? segue_reward_weights_all(&task->weights) : NULL;
}

static segue_reward_totals totals_of(const segue_task *task)
{
    return (segue_reward_totals){.pulls = task->pulls, .sum = task->sum, .graded = task->graded};
}

void segue_task_clear_rewards(segue_task *task)
{
    const size_t n_arms = task->view.n_arms;
    memset(task->pulls, 0, n_arms * sizeof *task->pulls);
    memset(task->sum, 0, n_arms * sizeof *task->sum);
    memset(task->graded, 0, n_arms * sizeof *task->graded);
    segue_batches_clear(&task->batches);
    if (task->weighs)
        segue_reward_weights_begin(&task->weights);
    show_weights(task);
    if (!task->policy->carries)
        segue_task_reset(task);
}

void segue_task_next(segue_task *task, const segue_rng *rng, size_t model_index)
{
    const size_t n_arms = task->view.n_arms;
    memset(task->asked, 0, n_arms * sizeof *task->asked);
    memset(task->pending, 0, n_arms * sizeof *task->pending);
    task->n_pending = 0;
    task->view.pending = NULL;
    assert(task->policy->needs != SEGUE_NEEDS_MODEL_INDEX || model_index < task->n_model_indices);
    task->view.step = 0;
    task->view.last_arm = n_arms;
    task->switches = 0;
    task->view.model_index = task->policy->needs == SEGUE_NEEDS_MODEL_INDEX ? model_index : 0;
    task->no_model_left = 0;
    task->last_reason = SEGUE_BY_RULE;
    task->rng = *rng;
    segue_task_clear_rewards(task);
}

/* ---- asking ------------------------------------------------------------------------------ */

void segue_task_count_ask(segue_task *task, size_t arm)
{
    assert(arm < task->view.n_arms);
    task->asked[arm]++;
    task->view.step++;
    task->switches += task->view.last_arm < task->view.n_arms && arm != task->view.last_arm;
    task->view.last_arm = arm;
    task->pending[arm] += 1.0;
    task->n_pending++;
    task->view.pending = task->pending;
}

/* A reward came, and others may never come: with each reward that does, they are expected less. */
static void count_reward(segue_task *task, size_t arm)
{
    if (!task->view.pending)
        return;
    task->n_pending -= task->n_pending > 0;
    task->pending[arm] = fmax(0.0, task->pending[arm] - 1.0);
    for (size_t i = 0; task->n_pending > 0 && i < task->view.n_arms; i++)
        task->pending[i] *= 1.0 - 1.0 / PENDING_LIFE;
    if (task->n_pending == 0) {
        task->pending[arm] = 0.0;
        task->view.pending = NULL;
    }
}

static size_t choose(segue_task *task, const segue_task_view *view)
{
    const segue_choice choice = task->policy->choose(view, &task->rng);
    segue_task_count_ask(task, choice.arm);
    task->no_model_left += choice.reason == SEGUE_NO_MODEL_LEFT;
    task->last_reason = choice.reason;
    return choice.arm;
}

size_t segue_task_ask(segue_task *task)
{
    return choose(task, &task->view);
}

bool segue_task_restrict(segue_task *task, const bool *allowed, segue_task_view *out)
{
    const size_t n_arms = task->view.n_arms;
    const bool *usual = task->view.allowed;
    bool *among = task->allowed + n_arms;
    bool narrows = false, any = false;
    *out = task->view;
    for (size_t arm = 0; allowed && arm < n_arms; arm++) {
        const bool may = !usual || usual[arm];
        among[arm] = may && allowed[arm];
        any = any || among[arm];
        narrows = narrows || among[arm] != may;
    }
    if (narrows)
        out->allowed = among;
    return any || !allowed;
}

segue_status segue_task_ask_among(segue_task *task, const bool *allowed, size_t *arm,
                                  segue_error *err)
{
    segue_task_view view;
    if (!segue_task_restrict(task, allowed, &view))
        return segue_fail(err, SEGUE_EDOMAIN, "no arm is allowed that the task may pull");
    *arm = choose(task, &view);
    return SEGUE_OK;
}

void segue_task_add_reward(segue_task *task, size_t arm, double x)
{
    if (task->batches.kind != SEGUE_BATCHES_NONE)
        segue_batches_add(&task->batches, arm, x, task->pulls[arm]);
    task->sum[arm] += x;
    task->graded[arm] += x * (1.0 - x);
    task->pulls[arm]++;
    if (task->weighs) {
        segue_reward_weights_update(&task->weights, arm, x, totals_of(task));
        show_weights(task);
    }
}

segue_status segue_task_tell(segue_task *task, size_t arm, double reward, segue_error *err)
{
    if (arm >= task->view.n_arms)
        return segue_fail(err, SEGUE_EDOMAIN, "there is no arm %zu; need 0 to %zu", arm,
                          task->view.n_arms - 1);
    if (!(reward >= task->lowest && reward <= task->highest)) /* NaN fails too */
        return segue_fail(err, SEGUE_EDOMAIN, "the reward is %.10g; need a number from %g to %g",
                          reward, task->lowest, task->highest);
    const double x = segue_task_to_unit(task, reward);
    count_reward(task, arm);
    if (task->pulls[arm] == task->asked[arm]) { /* a reward without an ask */
        task->asked[arm]++;
        task->view.step++;
        task->view.last_arm = arm;
    }
    segue_task_add_reward(task, arm, x);
    if (task->policy->update)
        task->policy->update(&task->view, arm, x);
    return SEGUE_OK;
}

segue_task_summary segue_task_info(const segue_task *task)
{
    return (segue_task_summary){.step = task->view.step,
                                .no_model_left = task->no_model_left,
                                .pulls = task->pulls,
                                .sum = task->sum,
                                .last_reason = task->last_reason};
}

double segue_task_mean(const segue_task *task, size_t arm)
{
    assert(arm < task->view.n_arms);
    if (task->pulls[arm] == 0)
        return NAN;
    return task->lowest + task->sum[arm] / (double)task->pulls[arm] * task->width;
}

bool segue_task_views(const segue_task *task, double *views)
{
    return task->batches.kind != SEGUE_BATCHES_NONE &&
           segue_batches_views(&task->batches, task->pulls, views);
}

void segue_task_set_models(segue_task *task, const segue_models *models, size_t option,
                           double value)
{
    task->view.models = models;
    task->option[option] = value;
}

void segue_task_set_prior(segue_task *task, const segue_prior *prior)
{
    task->view.prior = prior;
    segue_task_reset(task);
}

void segue_task_set_allowed(segue_task *task, const bool *allowed)
{
    if (allowed)
        memcpy(task->allowed, allowed, task->view.n_arms * sizeof *allowed);
    task->view.allowed = allowed ? task->allowed : NULL;
}

void segue_task_expect_dispersion(segue_task *task, const segue_expected_dispersion *expected)
{
    if (task->weighs)
        segue_reward_weights_expect(&task->weights, expected);
}

void segue_task_give_weights(segue_task *task, const double *weight)
{
    if (task->weighs)
        segue_reward_weights_give(&task->weights, weight);
    show_weights(task);
}

double segue_task_learned_weight(const segue_task *task, size_t arm)
{
    return task->weighs ? segue_reward_weights_learned(&task->weights, arm, totals_of(task)) : 1.0;
}

task_internals segue_task_internals(segue_task *task)
{
    return (task_internals){.policy = task->policy,
                            .view = &task->view,
                            .unit_range = task->lowest == 0.0 && task->highest == 1.0,
                            .asked = task->asked,
                            .pulls = task->pulls,
                            .sum = task->sum,
                            .graded = task->graded,
                            .step = &task->view.step,
                            .no_model_left = &task->no_model_left,
                            .switches = task->switches,
                            .last_reason = &task->last_reason,
                            .rng = &task->rng,
                            .batches = &task->batches,
                            .state_size = task->state_size};
}

void segue_task_set_owner(segue_task *task, void *owner)
{
    task->owner = owner;
}

void *segue_task_owner(const segue_task *task)
{
    return task->owner;
}

double segue_task_log_term(const segue_task *task)
{
    return task->view.log_term;
}
