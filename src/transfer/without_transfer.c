/* without_transfer.c - learners that learn nothing: a policy plays each task alone.
 *
 * So a program or a service that uses learners can also run the policies that transfer is compared
 * with: it opens, closes, saves and merges such a learner as any other.  The learner counts its
 * tasks, and has no shared prior: its version stays 0.  The options are those of the policy.
 *
 * Each method has the name of its policy.  Lists of policies and learners (io/policy_list.c) take
 * such a name for the policy.  Policies that need models, or that carry their averages from task to
 * task, have no learner.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "bandit/choose.h"
#include "transfer/learner_method.h"

extern const segue_policy segue_policy_ts, segue_policy_la, segue_policy_ucb, segue_policy_ucb1,
    segue_policy_kl_ucb, segue_policy_moss, segue_policy_imed, segue_policy_bayes_ucb,
    segue_policy_eps_greedy, segue_policy_exp3, segue_policy_round_robin;

static segue_status create(segue_learner *learner, segue_error *err)
{
    (void)learner;
    (void)err;
    return SEGUE_OK;
}

static void destroy(segue_learner *learner)
{
    (void)learner;
}

/* The options of the policy follow from the setting of its tasks. */
static void fill_defaults(segue_learner_config *config)
{
    const segue_setting setting = {.n_arms = config->n_arms, .horizon = config->horizon};
    const learner_method *method =
        segue_learner_method_object(config->method, strlen(config->method));
    if (method->policy->fill_defaults)
        method->policy->fill_defaults(&setting, config->option);
}

/* Give the options of the learner to the policy of a task. */
static segue_status plan(const segue_learner *learner, bool identifies, segue_task_config *task,
                         segue_error *err)
{
    (void)identifies;
    (void)err;
    memcpy(task->policy.option, learner->config.option,
           learner->method->info.n_options * sizeof *task->policy.option);
    return SEGUE_OK;
}

static void set_prior(const segue_learner *learner, open_task *entry)
{
    (void)learner;
    (void)entry;
}

static segue_status learn(segue_learner *learner, const open_task *entry, segue_error *err)
{
    (void)learner;
    (void)entry;
    (void)err;
    return SEGUE_OK;
}

static segue_status merge(segue_learner *into, const segue_learner *from, segue_error *err)
{
    (void)into;
    (void)from;
    (void)err;
    return SEGUE_OK;
}

static size_t bytes_of(const segue_learner *learner)
{
    (void)learner;
    return 0;
}

static void serialize(const segue_learner *learner, segue_bytes *b)
{
    (void)learner;
    (void)b;
}

static segue_status deserialize(segue_learner *learner, segue_bytes_reader *r, segue_error *err)
{
    (void)learner;
    (void)r;
    (void)err;
    return SEGUE_OK;
}

#define OPERATIONS                                                                                 \
    .create = create, .destroy = destroy, .fill_defaults = fill_defaults, .plan = plan,            \
    .set_prior = set_prior, .learn = learn, .add_arm = create, .merge = merge, .bytes = bytes_of,  \
    .serialize = serialize, .deserialize = deserialize

const learner_method segue_learner_ts = {
    .info = {.name = "ts",
             .summary = "Thompson sampling without transfer; needs no n",
             .options = segue_reward_weights_option,
             .n_options = 1,
             .without_transfer = true,
             .takes_costs = true},
    .policy = &segue_policy_ts,
    OPERATIONS,
};

const learner_method segue_learner_la = {
    .info = {.name = "la",
             .summary = "look-ahead without transfer",
             .options = segue_reward_weights_option,
             .n_options = 1,
             .needs_horizon = true,
             .has_posterior = true,
             .without_transfer = true,
             .takes_costs = true},
    .policy = &segue_policy_la,
    OPERATIONS,
};

const learner_method segue_learner_ucb = {
    .info = {.name = "ucb",
             .summary = "largest average plus radius, without transfer",
             .options = segue_ucb_options,
             .n_options = N_UCB_OPTIONS,
             .needs_horizon = true,
             .without_transfer = true,
             .takes_costs = true},
    .policy = &segue_policy_ucb,
    OPERATIONS,
};

const learner_method segue_learner_ucb1 = {
    .info = {.name = "ucb1",
             .summary = "UCB1 without transfer; needs no n",
             .without_transfer = true,
             .takes_costs = true},
    .policy = &segue_policy_ucb1,
    OPERATIONS,
};

const learner_method segue_learner_kl_ucb = {
    .info = {.name = "kl-ucb",
             .summary = "KL-UCB without transfer; needs no n",
             .without_transfer = true,
             .takes_costs = true},
    .policy = &segue_policy_kl_ucb,
    OPERATIONS,
};

const learner_method segue_learner_moss = {
    .info = {.name = "moss",
             .summary = "MOSS without transfer",
             .needs_horizon = true,
             .without_transfer = true,
             .takes_costs = true},
    .policy = &segue_policy_moss,
    OPERATIONS,
};

const learner_method segue_learner_imed = {
    .info = {.name = "imed",
             .summary = "IMED without transfer; needs no n",
             .without_transfer = true},
    .policy = &segue_policy_imed,
    OPERATIONS,
};

const learner_method segue_learner_bayes_ucb = {
    .info = {.name = "bayes-ucb",
             .summary = "Bayes-UCB without transfer; c = 0 needs no n",
             .options = segue_bayes_ucb_options,
             .n_options = sizeof segue_bayes_ucb_options / sizeof *segue_bayes_ucb_options,
             .without_transfer = true,
             .takes_costs = true},
    .policy = &segue_policy_bayes_ucb,
    OPERATIONS,
};

const learner_method segue_learner_eps_greedy = {
    .info = {.name = "eps-greedy",
             .summary = "epsilon-greedy without transfer; needs no n",
             .options = segue_eps_greedy_options,
             .n_options = sizeof segue_eps_greedy_options / sizeof *segue_eps_greedy_options,
             .without_transfer = true},
    .policy = &segue_policy_eps_greedy,
    OPERATIONS,
};

const learner_method segue_learner_exp3 = {
    .info = {.name = "exp3",
             .summary = "Exp3 without transfer",
             .options = segue_exp3_options,
             .n_options = sizeof segue_exp3_options / sizeof *segue_exp3_options,
             .needs_horizon = true,
             .without_transfer = true},
    .policy = &segue_policy_exp3,
    OPERATIONS,
};

const learner_method segue_learner_round_robin = {
    .info = {.name = "round-robin",
             .summary = "every arm in turn: exploration only",
             .without_transfer = true},
    .policy = &segue_policy_round_robin,
    OPERATIONS,
};
