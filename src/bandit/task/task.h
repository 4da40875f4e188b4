/* task.h - operations on a task that are private to the library.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_BANDIT_TASK_H
#define SEGUE_BANDIT_TASK_H

#include "../../core/stop.h"
#include "../batches.h"
#include "../reward_weights.h"

/** Check a setting and a range of rewards; @retval SEGUE_EDOMAIN */
SEGUE_MUST_CHECK segue_status segue_task_check_setting(const segue_setting *setting, double lowest,
                                                       double highest, segue_error *err);

/** Before the first step: set the models of a policy without precomputed data (NULL: none yet), and
 * one option. */
void segue_task_set_models(segue_task *task, const segue_models *models, size_t option,
                           double value);

/** Before the first step: set the shared prior of tts or tla; it must outlive the task or its next
 * prior. NULL: none. */
void segue_task_set_prior(segue_task *task, const segue_prior *prior);

/** Before segue_task_next: set what a learner expects of the dispersion of rewards; NULL: nothing. A
 * policy that weighs no rewards ignores it. */
void segue_task_expect_dispersion(segue_task *task, const segue_expected_dispersion *expected);

/** After segue_task_next: set the weights of rewards (n_arms), which are then not estimated: for
 * tests and benchmarks with known dispersions. */
void segue_task_give_weights(segue_task *task, const double *weight);

/** Return how many rewards of 0 or 1 a reward of the arm counts as when a learner learns from it. */
double segue_task_learned_weight(const segue_task *task, size_t arm);

/** Before the first step: set the arms that it may pull (n_arms, copied, at least one); NULL: all.
 */
void segue_task_set_allowed(segue_task *task, const bool *allowed);

#define SEGUE_MAX_COST 1e6 /* of a pull or a switch, in ranges of rewards */

/** Let pulls and switches cost nothing. */
void segue_task_clear_costs(segue_task *task);

/** Get the view with only the allowed arms (NULL: all that it may pull), valid until the next call;
 * false: no arm remains. */
bool segue_task_restrict(segue_task *task, const bool *allowed, segue_task_view *out);

/**
 * Estimate the distribution of the policy's random choices among the allowed arms (n_arms) by
 * `draws` >= 1 draws; it is valid until the next tell. *certain: the choice is deterministic.
 * `stop` (stop.h) is polled after each draw.
 * @retval SEGUE_EDOMAIN, SEGUE_ENOMEM, SEGUE_ESTOPPED
 */
SEGUE_MUST_CHECK segue_status segue_task_draw_distribution(segue_task *task, const bool *allowed,
                                                           uint64_t draws, const atomic_bool *stop,
                                                           double *distribution, bool *certain,
                                                           segue_error *err);

/** Compute the probability of each arm at the next ask from that distribution. */
SEGUE_MUST_CHECK segue_status segue_task_apply_distribution(segue_task *task, const bool *allowed,
                                                            const double *distribution,
                                                            bool certain, double *out,
                                                            segue_error *err);

/** segue_task_probabilities, until it is stopped.  @retval SEGUE_EDOMAIN, SEGUE_ENOMEM, SEGUE_ESTOPPED */
SEGUE_MUST_CHECK segue_status segue_task_probabilities_until(segue_task *task, const bool *allowed,
                                                             uint64_t draws,
                                                             const atomic_bool *stop, double *out,
                                                             bool *exact, segue_error *err);

/**
 * Copy a task to ask the copy; it has no batches and takes no rewards. The task's prior and models
 * must outlive it. Free it with segue_task_destroy.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_task_copy(segue_task **out, const segue_task *task,
                                              segue_error *err);

/** Undo the asks of a task since a copy was made that was not asked; no reward was told since. */
void segue_task_undo_asks(segue_task *task, const segue_task *copy);

/** Before a copy is asked: give it a random stream of its own, named by the task's stream. */
void segue_task_fork_stream(segue_task *task, segue_task *copy);

/** A reward of a task, in its range. */
typedef struct segue_given_reward {
    double reward;
    uint32_t arm;
} segue_given_reward;

/** Replace all rewards of a task by these, in the order in which they first came: one of them has
 * changed.  Its policy must not carry anything from task to task.  Costs a tell per reward. */
void segue_task_retell(segue_task *task, const segue_given_reward *given, size_t count);

/** Count an ask that a copy has answered. */
void segue_task_count_ask(segue_task *task, size_t arm);

/** Return the bytes of a task, without its prior and models. */
size_t segue_task_bytes(const segue_task *task);

/** The internals of a task, for kernels that play a whole task as asks and tells would. */
typedef struct task_internals {
    const segue_policy *policy;
    const segue_task_view *view;
    bool unit_range; /* rewards range from 0 to 1 */
    uint64_t *asked, *pulls;
    double *sum;
    const double *graded; /* n_arms: sum of x (1 - x) over the rewards x */
    uint64_t *step, *no_model_left;
    uint64_t switches; /* decisions for another arm than the one before */
    segue_reason *last_reason;
    segue_rng *rng;
    batches *batches;
    size_t state_size;
} task_internals;
task_internals segue_task_internals(segue_task *task);

/** Set and get the owner, for example the learner that opened it. */
void segue_task_set_owner(segue_task *task, void *owner);
void *segue_task_owner(const segue_task *task);

/** Return L of the radius. */
double segue_task_log_term(const segue_task *task);

#endif
