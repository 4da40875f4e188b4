/* task_terms.h - the settings of a learner that can change.
 *
 * A task has the terms that were current when it was opened, until it is closed (terms_changes.h).
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_SETTINGS_TASK_TERMS_H
#define SEGUE_SERVICE_API_SETTINGS_TASK_TERMS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "segue/internal.h"
#include "service/api/settings/arm_numbers.h"

typedef struct task_terms {
    uint64_t steps;         /* per task; 0: not known */
    double reward_deadline; /* seconds after the ask; 0: none */
    bool has_default_reward;
    double default_reward; /* counts when the deadline passes */
    uint64_t close_after;  /* rewards; 0: never */
    double idle;           /* seconds; 0: never */
    double control;        /* share of tasks in the control group */
    bool grow;             /* that share falls from one half to `control` as transfer proves good */
    bool stop_if_harmful;  /* transfer stops when its effect is below 0 */
    double smallest_effect;    /* to forecast; 0: the present estimate */
    double floor;              /* least probability of an allowed arm without a share */
    const arm_numbers *costs;  /* of a pull, in units of the rewards; likewise */
    double switch_cost;        /* of a pull of another arm than the task's last decision */
    const arm_numbers *shares; /* fixed probabilities of arms; NULL: none; of the settings' pool */
    bool shadow;               /* the caller chooses, Segue says what it would have chosen */
} task_terms;

/** Read the terms of a new learner; *terms has the defaults that do not follow from other fields.
 * Rewards are from `lowest` to `highest`; `pool` gets lists of numbers.
 * @retval SEGUE_EDOMAIN  the message names the field
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_task_terms_read(task_terms *terms, json_t *body, double lowest,
                                                    double highest, arm_numbers **pool,
                                                    segue_error *err);

/** Replace the terms that `body` has; the others stay.  If tasks close after `steps` rewards, they
 * close after the new number of steps.  @retval SEGUE_EDOMAIN  the message names the field */
SEGUE_MUST_CHECK segue_status segue_task_terms_merge(task_terms *terms, json_t *body, double lowest,
                                                     double highest, arm_numbers **pool,
                                                     segue_error *err);

/** The horizon of a task with these terms, as the library takes it. */
uint64_t segue_task_terms_horizon(const task_terms *terms);

/** The field "mode". */
const char *segue_task_terms_mode(const task_terms *terms);

/** Check how terms fit together.  @retval SEGUE_EDOMAIN */
SEGUE_MUST_CHECK segue_status segue_task_terms_check(const task_terms *terms, segue_error *err);

/** Pulls or switches cost something. */
bool segue_task_terms_have_costs(const task_terms *terms);

/** The first arm of a share or a cost that `knows` does not know; NULL: it knows all. */
const char *segue_task_terms_unknown_arm(const task_terms *terms, knows_arm knows,
                                         const void *context, const char **field);

/** Write the fields of terms, each after a comma; limits and costs only if there are some. */
void segue_task_terms_write(const task_terms *terms, segue_bytes *b);

/** Describe the first field that differs; "" if none does. */
void segue_task_terms_difference(const task_terms *stored, const task_terms *requested, char *out,
                                 size_t size);
bool segue_task_terms_equal(const task_terms *a, const task_terms *b);

#endif
