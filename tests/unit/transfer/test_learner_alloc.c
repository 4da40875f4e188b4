/* test_learner_alloc.c - learners and types survive failing allocations.
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "support.h"

#include <unistd.h>

#include "alloc.h"
#include "estimate/types/types_read.h"
#include "segue/internal.h"

static const double mean[] = {0.1, 0.5, 0.9, 0.8, 0.2, 0.3};

static const char *learner_text;
static size_t learner_arms = 3, learner_steps = 30, learner_tasks = 6;

/* After a failure the learner can be inspected, saved and loaded. */
static bool can_be_loaded(const segue_learner *learner)
{
    const segue_learner_summary info = segue_learner_info(learner);
    segue_bytes b = {.data = NULL};
    segue_learner *loaded = NULL;
    segue_learner_serialize(learner, &b);
    const bool fine =
        !b.failed && info.age <= info.closed &&
        segue_learner_deserialize(&loaded, b.data, b.size, "it", NULL) == SEGUE_OK &&
        (segue_learner_models(loaded) == NULL) == (segue_learner_models(learner) == NULL);
    segue_learner_destroy(loaded);
    segue_bytes_fini(&b);
    return fine;
}

static segue_status learner_scenario(segue_error *err)
{
    char name[64]; /* two of these tests may run at once */
    (void)snprintf(name, sizeof name, "/tmp/segue-alloc-learner-%ld", (long)getpid());
    segue_learner_config config = segue_learner_defaults();
    segue_learner *learner = NULL, *loaded = NULL;
    config.n_arms = learner_arms;
    config.n_models = 2;
    config.horizon = learner_steps;
    segue_status status = segue_learner_config_parse(&config, learner_text, err);
    if (status == SEGUE_OK)
        status = segue_learner_create(&learner, &config, err);
    for (size_t j = 0; j < learner_tasks && status == SEGUE_OK; j++) {
        segue_task *task = NULL;
        const segue_feature features[] = {{.name = "kind", .text = j % 2 ? "odd" : "even"},
                                          {.name = "number", .number = (double)j}};
        status = segue_learner_open_task_with(
            learner, features, segue_learner_has_features(learner) ? j % 3 : 0, &task, err);
        for (size_t t = 0; t < learner_steps && status == SEGUE_OK; t++) {
            const size_t arm = segue_task_ask(task);
            status = segue_task_tell(task, arm, mean[j % 2 * 3 + arm % 3], err);
        }
        if (status == SEGUE_OK)
            status = segue_learner_close_task(learner, &task, err);
    }
    if (status == SEGUE_OK)
        status = segue_learner_save(learner, name, err);
    if (status == SEGUE_OK)
        status = segue_learner_load(&loaded, name, learner_arms, err);
    if (learner && alloc_has_failed() && !can_be_loaded(learner))
        status = SEGUE_EDOMAIN;
    segue_learner_destroy(learner);
    segue_learner_destroy(loaded);
    (void)unlink(name);
    return status;
}

/* Play some tasks. */
static segue_status play_some(segue_learner *learner, size_t tasks, segue_error *err)
{
    segue_status status = SEGUE_OK;
    for (size_t j = 0; j < tasks && status == SEGUE_OK; j++) {
        segue_task *task = NULL;
        status = segue_learner_open_task(learner, &task, err);
        for (size_t t = 0; t < 12 && status == SEGUE_OK; t++)
            status = segue_task_tell(task, t % 3, mean[j % 2 * 3 + t % 3], err);
        if (status == SEGUE_OK)
            status = segue_learner_close_task(learner, &task, err);
    }
    return status;
}

static segue_status begin_refit(segue_learner *learner, segue_refit **refit, segue_error *err)
{
    if (!segue_learner_refit_due(learner))
        return SEGUE_OK;
    const segue_status status = segue_learner_refit_begin(learner, refit, err);
    return status == SEGUE_OK ? segue_refit_run(*refit, err) : status;
}

static segue_status publish_refit(segue_learner *learner, segue_refit **refit, segue_error *err)
{
    return *refit ? segue_learner_refit_publish(learner, refit, err) : SEGUE_OK;
}

static segue_status inspect_task(segue_learner *learner, segue_error *err)
{
    segue_task *task = NULL;
    double probability[5]; /* arms, by then */
    bool exact;
    segue_status status = segue_learner_open_task(learner, &task, err);
    if (status == SEGUE_OK)
        status = segue_task_probabilities(task, NULL, 5, probability, &exact, err);
    return status;
}

/* Nothing fails any more: tasks are played, and the refit that is open is run and published. */
static bool can_continue(segue_learner *learner, segue_refit **refit)
{
    return play_some(learner, 2, NULL) == SEGUE_OK &&
           (!*refit || segue_refit_run(*refit, NULL) == SEGUE_OK) &&
           publish_refit(learner, refit, NULL) == SEGUE_OK;
}

/* A background refit of tucb, whose arms are fixed, and a merge; after a failure the learner is
 * unchanged. */
static segue_status tucb_refit_scenario(segue_error *err)
{
    segue_learner_config config = segue_learner_defaults();
    segue_learner *learner = NULL, *other = NULL;
    segue_refit *refit = NULL;
    config.n_arms = 3;
    config.n_models = 2;
    config.horizon = 12;
    config.background = true;
    segue_status status = segue_learner_config_parse(&config, learner_text, err);
    if (status == SEGUE_OK)
        status = segue_learner_create(&learner, &config, err);
    if (status == SEGUE_OK)
        status = play_some(learner, 9, err);
    if (status == SEGUE_OK)
        status = begin_refit(learner, &refit, err);
    if (status == SEGUE_OK)
        status = play_some(learner, 2, err);
    if (status == SEGUE_OK)
        status = publish_refit(learner, &refit, err);
    if (status == SEGUE_OK && strcmp(learner_text, "tucb") == 0) {
        status = segue_learner_create(&other, &config, err);
        if (status == SEGUE_OK)
            status = play_some(other, 4, err);
        if (status == SEGUE_OK)
            status = segue_learner_merge(learner, other, err);
    }
    if (learner && alloc_has_failed() && !(can_be_loaded(learner) && can_continue(learner, &refit)))
        status = SEGUE_EDOMAIN;
    segue_refit_destroy(refit);
    segue_learner_destroy(learner);
    segue_learner_destroy(other);
    return status;
}

/* Background refits, then many in a row, an arm added, one retired, a merge; after a failure the
 * learner is unchanged. */
static segue_status service_scenario(segue_error *err)
{
    segue_learner_config config = segue_learner_defaults();
    segue_learner *learner = NULL, *other = NULL;
    segue_refit *refit = NULL;
    config.method = learner_text;
    config.n_arms = 3;
    config.horizon = 12;
    config.background = true;
    segue_status status = segue_learner_create(&learner, &config, err);
    if (status == SEGUE_OK)
        status = segue_learner_create(&other, &config, err);
    if (status == SEGUE_OK)
        status = play_some(learner, 9, err);
    if (status == SEGUE_OK)
        status = begin_refit(learner, &refit, err);
    if (status == SEGUE_OK)
        status = play_some(learner, 2, err);
    if (status == SEGUE_OK)
        status = segue_learner_add_arm(learner, err);
    if (status == SEGUE_OK)
        status = publish_refit(learner, &refit, err);
    if (status == SEGUE_OK)
        status = segue_learner_refit_fully(learner, err);
    if (status == SEGUE_OK)
        status = segue_learner_retire_arm(learner, 1, err);
    if (status == SEGUE_OK)
        status = segue_learner_add_arm(other, err);
    if (status == SEGUE_OK)
        status = play_some(other, 3, err);
    if (status == SEGUE_OK)
        status = segue_learner_add_arm(learner, err);
    if (status == SEGUE_OK)
        status = segue_learner_add_arm(other, err);
    if (status == SEGUE_OK)
        status = segue_learner_merge(learner, other, err);
    if (status == SEGUE_OK)
        status = inspect_task(learner, err);
    if (learner && alloc_has_failed() && !can_continue(learner, &refit))
        status = SEGUE_EDOMAIN;
    segue_refit_destroy(refit);
    segue_learner_destroy(learner);
    segue_learner_destroy(other);
    return status;
}

static void learners_with_refits_survive_every_failing_allocation(void **state)
{
    (void)state;
    static const char *const texts[] = {"tts",     "tla",   "ts-prior", "ada-ts",
                                        "hier-ts", "dp-ts", "club",     "v-ids"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        learner_text = texts[i];
        alloc_fail_each(service_scenario, 40);
    }
    learner_text = "tucb";
    alloc_fail_each(tucb_refit_scenario, 40);
    learner_text = "tucb:estimator=em";
    alloc_fail_each(tucb_refit_scenario, 40);
}

static void learners_survive_every_failing_allocation(void **state)
{
    (void)state;
    static const char *const texts[] = {"tucb", "tucb:estimator=eca", "tucb:estimator=algorithm-b",
                                        "tucb:batches=interleaved,identify=2", "tucb:estimator=em"};
    for (size_t i = 0; i < 5; i++) {
        learner_text = texts[i];
        alloc_fail_each(learner_scenario, 60);
    }
    learner_arms =
        SEGUE_MAX_DENSE_ARMS + 1; /* the learner stores views and iterates eigenvectors */
    learner_steps = 3 * learner_arms;
    learner_tasks = 3;
    learner_text = "tucb:identify=3";
    alloc_fail_each(learner_scenario, 40);
}

/* Finish tasks of two types, or of two other types. */
static segue_status finish_tasks(segue_types *types, int count, bool are_others, segue_error *err)
{
    segue_status status = SEGUE_OK;
    for (int j = 0; j < count && status == SEGUE_OK; j++) {
        const double pulls[3] = {40, 40, 40};
        double sum[3];
        for (size_t i = 0; i < 3; i++)
            sum[i] = 40 * fabs(are_others - mean[(size_t)(j % 2) * 3 + i]);
        status = segue_types_add_task(types, sum, pulls, err);
        if (status == SEGUE_OK && segue_types_due(types))
            status = segue_types_refit(types, err);
    }
    return status;
}

static segue_status save_types(const segue_types *types, segue_types *loaded, segue_error *err)
{
    segue_bytes b = {.data = NULL};
    segue_types_serialize(types, &b);
    segue_bytes_reader r = {.data = b.data, .size = b.size};
    const segue_status status = b.failed ? segue_fail(err, SEGUE_ENOMEM, "out of memory to save")
                                         : segue_types_deserialize(loaded, &r, err);
    segue_bytes_fini(&b);
    return status;
}

/* Types learn, are saved and loaded. */
static segue_status types_scenario(segue_error *err)
{
    segue_types_config config = segue_types_defaults();
    segue_types *types = NULL, *loaded = NULL;
    config.n_arms = 3;
    segue_status status = segue_types_create(&types, &config, err);
    if (status == SEGUE_OK)
        status = finish_tasks(types, 20, false, err);
    if (status == SEGUE_OK)
        status = finish_tasks(types, 20, true, err);
    if (status == SEGUE_OK)
        status = segue_types_create(&loaded, &config, err);
    if (status == SEGUE_OK)
        status = save_types(types, loaded, err);
    segue_types_destroy(types);
    segue_types_destroy(loaded);
    return status;
}

static void types_survive_every_failing_allocation(void **state)
{
    (void)state;
    alloc_fail_each(types_scenario, 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learners_survive_every_failing_allocation),
        cmocka_unit_test(learners_with_refits_survive_every_failing_allocation),
        cmocka_unit_test(types_survive_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
