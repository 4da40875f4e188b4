/* test_alloc.c - every allocation made to fail in turn: an error, no leak, no crash.
 *
 * The linker sends malloc and its kin here (-Wl,--wrap); the n-th call fails, for n = 1, 2, ...
 * until a scenario passes untouched.  What is allocated and freed is counted.
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "core/atomic_file.h"
#include "estimate/types/types_read.h"
#include "experiment/experiment.h"
#include "io/log/history.h"
#include "io/log/log.h"
#include "io/log/samples_file.h"
#include "io/models_file.h"
#include "replay/advise.h"
#include "replay/replay.h"
#include "service/api/http/connections.h"
#include "service/engine/service_internal.h"
#include "service/jobs/log_writer.h"
#include "service/state/recovery/store_check.h"

static atomic_long calls_left; /* until the one that fails; negative: none does */
static atomic_long failures;
static atomic_long live; /* blocks allocated and not yet freed */

static bool must_fail(void)
{
    if (atomic_load(&calls_left) < 0 || atomic_fetch_sub(&calls_left, 1) != 1)
        return false;
    atomic_fetch_add(&failures, 1);
    atomic_store(&calls_left, -1);
    return true;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
char *__real_realpath(const char *path, char *resolved);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t length);
FILE *__real_open_memstream(char **data, size_t *size);
FILE *__wrap_open_memstream(char **data, size_t *size);
char *__wrap_realpath(const char *path, char *resolved);
void __wrap_free(void *block);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);

static void *counted(void *block)
{
    atomic_fetch_add(&live, block != NULL);
    return block;
}

void *__wrap_malloc(size_t size)
{
    return must_fail() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return must_fail() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size)
{
    if (must_fail())
        return NULL;
    void *grown = __real_realloc(block, size);
    return block ? grown : counted(grown);
}

char *__wrap_strdup(const char *text)
{
    char *copy = __wrap_malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

char *__wrap_strndup(const char *text, size_t length)
{
    char *copy = __wrap_calloc(length + 1, 1);
    return copy ? strncpy(copy, text, length) : NULL;
}

/* Its buffer is made by the C library and freed by us. */
FILE *__wrap_open_memstream(char **data, size_t *size)
{
    if (must_fail())
        return NULL;
    atomic_fetch_add(&live, 1);
    return __real_open_memstream(data, size);
}

/* Its NULL means that there is no such file, so it is counted but does not fail. */
char *__wrap_realpath(const char *path, char *resolved)
{
    return counted(__real_realpath(path, resolved));
}

void __wrap_free(void *block)
{
    atomic_fetch_sub(&live, block != NULL);
    __real_free(block);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument)
{
    return must_fail() ? EAGAIN : __real_pthread_create(thread, attributes, run, argument);
}

/* Run a scenario with every `stride`-th of its allocations failing in turn. */
static void fail_some(segue_status (*scenario)(segue_error *), long least, long stride)
{
    long n = 1;
    for (;; n += stride) {
        segue_error err = {.status = SEGUE_OK};
        const long before = atomic_load(&live);
        atomic_store(&failures, 0);
        atomic_store(&calls_left, n);
        const segue_status status = scenario(&err);
        const bool hit = atomic_load(&failures) > 0;
        atomic_store(&calls_left, -1);
        assert_int_equal(atomic_load(&live), before);
        if (!hit) {
            assert_int_equal(status, SEGUE_OK);
            break;
        }
        if (status != SEGUE_ENOMEM && status != SEGUE_ETHREAD)
            fail_msg("allocation %ld: status %d", n, (int)status);
        assert_true(strlen(err.message) > 0);
        assert_int_equal(err.status, status);
    }
    assert_true(n - 1 >= least); /* it did allocate */
}

/* With each of them. */
static void fail_each(segue_status (*scenario)(segue_error *), long least)
{
    fail_some(scenario, least, 1);
}

static const double mean[] = {0.1, 0.5, 0.9, 0.8, 0.2, 0.3};

static segue_status make_models(segue_models **out, segue_error *err)
{
    return segue_models_create(out, SEGUE_MODELS_KNOWN, 3, 2, mean, NULL, err);
}

static segue_status theory_scenario(segue_error *err)
{
    segue_models *models = NULL;
    segue_known_sets *known = NULL;
    segue_estimated_sets *estimated = NULL;
    segue_spectrum spectrum;
    segue_status status = make_models(&models, err);
    if (status == SEGUE_OK)
        status = segue_known_sets_create(&known, models, 0, err);
    if (status == SEGUE_OK)
        status = segue_estimated_sets_create(&estimated, models, models, NULL, 0.1, 0, err);
    if (status == SEGUE_OK)
        status = segue_spectrum_compute(&spectrum, models, err);
    segue_estimated_sets_destroy(estimated);
    segue_known_sets_destroy(known);
    segue_models_destroy(models);
    return status;
}

static const char *policy_name;
static size_t n_threads;

static segue_status simulate_scenario(segue_error *err)
{
    segue_models *models = NULL;
    segue_simulation_result *result = NULL;
    segue_policy_spec spec;
    segue_status status = segue_policy_parse(&spec, policy_name, err);
    if (status == SEGUE_OK)
        status = make_models(&models, err);
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    const segue_simulation sim = {.size = sizeof(segue_simulation),
                                  .environment = &env,
                                  .policy = spec,
                                  .steps = 8000,
                                  .tasks = 3,
                                  .runs = 3,
                                  .threads = n_threads,
                                  .want_curve = true};
    if (status == SEGUE_OK)
        status = segue_simulation_run(&result, &sim, err);
    segue_simulation_result_destroy(result);
    segue_models_destroy(models);
    return status;
}

static void theory_survives_every_failing_allocation(void **state)
{
    (void)state;
    fail_each(theory_scenario, 20);
}

static void simulation_survives_every_failing_allocation(void **state)
{
    (void)state;
    size_t count;
    const segue_policy *const *policies = segue_policy_all(&count);
    for (size_t i = 0; i < count; i++)
        for (n_threads = 1; n_threads <= 3; n_threads += 2) {
            policy_name = policies[i]->name;
            fail_each(simulate_scenario, 15);
        }
}

static const char *learner_text;
static size_t learner_arms = 3, learner_steps = 30, learner_tasks = 6;

/* A learner plays a few tasks, is saved and loaded. */
/* Nothing fails any more: it can be looked at, and what is saved of it can be loaded. */
static bool comes_back(const segue_learner *learner)
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
        status = segue_learner_open_task(learner, &task, err);
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
    if (learner && atomic_load(&failures) > 0 && !comes_back(learner))
        status = SEGUE_EDOMAIN;
    segue_learner_destroy(learner);
    segue_learner_destroy(loaded);
    (void)unlink(name);
    return status;
}

/* So many tasks of a learner. */
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

static segue_status look_at_task(segue_learner *learner, segue_error *err)
{
    segue_task *task = NULL;
    double chance[5]; /* arms, by then */
    bool exact;
    segue_status status = segue_learner_open_task(learner, &task, err);
    if (status == SEGUE_OK)
        status = segue_task_probabilities(task, NULL, 5, chance, &exact, err);
    return status;
}

/* Nothing fails any more: tasks are played, and the refit that is open is run and published. */
static bool goes_on(segue_learner *learner, segue_refit **refit)
{
    return play_some(learner, 2, NULL) == SEGUE_OK &&
           (!*refit || segue_refit_run(*refit, NULL) == SEGUE_OK) &&
           publish_refit(learner, refit, NULL) == SEGUE_OK;
}

/* A refit aside of tucb, whose arms stay, and a merge; after a failure the learner goes on as it
 * was. */
static segue_status tucb_aside_scenario(segue_error *err)
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
    if (learner && atomic_load(&failures) > 0 && !(comes_back(learner) && goes_on(learner, &refit)))
        status = SEGUE_EDOMAIN;
    segue_refit_destroy(refit);
    segue_learner_destroy(learner);
    segue_learner_destroy(other);
    return status;
}

/* Refits aside, an arm more, one less, a merge; after a failure the learner goes on as it was. */
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
        status = look_at_task(learner, err);
    if (learner && atomic_load(&failures) > 0 && !goes_on(learner, &refit))
        status = SEGUE_EDOMAIN;
    segue_refit_destroy(refit);
    segue_learner_destroy(learner);
    segue_learner_destroy(other);
    return status;
}

static void learners_in_service_survive_every_failing_allocation(void **state)
{
    (void)state;
    static const char *const texts[] = {"tts", "tla", "ts-prior"};
    for (size_t i = 0; i < 3; i++) {
        learner_text = texts[i];
        fail_each(service_scenario, 40);
    }
    learner_text = "tucb";
    fail_each(tucb_aside_scenario, 40);
    learner_text = "tucb:estimator=em";
    fail_each(tucb_aside_scenario, 40);
}

static void learners_survive_every_failing_allocation(void **state)
{
    (void)state;
    static const char *const texts[] = {"tucb", "tucb:estimator=eca", "tucb:estimator=algorithm-b",
                                        "tucb:batches=interleaved,identify=2", "tucb:estimator=em"};
    for (size_t i = 0; i < 5; i++) {
        learner_text = texts[i];
        fail_each(learner_scenario, 60);
    }
    learner_arms = SEGUE_MAX_DENSE_ARMS + 1; /* views are kept, eigenvectors iterated */
    learner_steps = 3 * learner_arms;
    learner_tasks = 3;
    learner_text = "tucb:identify=3";
    fail_each(learner_scenario, 40);
}

/* Tasks of two types are finished; of two others, should they be other ones. */
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

/* Types learn, are copied, adopted, merged, replaced by others, saved, loaded and given an arm. */
static segue_status types_scenario(segue_error *err)
{
    segue_types_config config = segue_types_defaults();
    segue_types *types = NULL, *copy = NULL, *loaded = NULL;
    config.n_arms = 3;
    segue_status status = segue_types_create(&types, &config, err);
    if (status == SEGUE_OK)
        status = finish_tasks(types, 20, false, err);
    if (status == SEGUE_OK)
        status = segue_types_copy(&copy, types, err);
    if (status == SEGUE_OK)
        status = finish_tasks(types, 20, false, err);
    if (status == SEGUE_OK)
        status = segue_types_adopt(types, copy, err);
    if (status == SEGUE_OK)
        status = segue_types_merge(types, copy, err);
    if (status == SEGUE_OK)
        status = finish_tasks(types, 20, true, err);
    if (status == SEGUE_OK)
        status = segue_types_create(&loaded, &config, err);
    if (status == SEGUE_OK)
        status = save_types(types, loaded, err);
    if (status == SEGUE_OK)
        status = segue_types_resize(loaded, 4, err);
    segue_types_destroy(types);
    segue_types_destroy(copy);
    segue_types_destroy(loaded);
    return status;
}

static void types_survive_every_failing_allocation(void **state)
{
    (void)state;
    fail_each(types_scenario, 60);
}

static char file_name[] = "/tmp/segue-alloc-XXXXXX";

static segue_status file_scenario(segue_error *err)
{
    segue_models_file file;
    segue_status status = segue_models_file_read(&file, file_name, SEGUE_MODELS_KNOWN, err);
    segue_models_file_fini(&file);
    if (status == SEGUE_OK)
        status = segue_atomic_file_write(file_name, "a,b\n.1,.2\n.3,.4\n", 16, err);
    return status;
}

static segue_status log_scenario(segue_error *err)
{
    segue_log log;
    const segue_status status = segue_log_read(&log, file_name, 0.0, 1.0, err);
    segue_log_fini(&log);
    return status;
}

/* A list that could not be made leaves nothing to free. */
static segue_status list_scenario(segue_error *err)
{
    segue_policy_list list;
    const segue_status status = segue_policy_list_parse(&list, "ts,tla", err);
    if (status == SEGUE_OK)
        segue_policy_list_fini(&list);
    return status;
}

/* A log with all there can be is kept, and its tasks put in the order of time. */
static segue_status history_scenario(segue_error *err)
{
    const log_read_options wanted = {.highest = 1.0, .time = true, .probability = true};
    segue_history history;
    size_t order[100];
    segue_status status = segue_history_read(&history, file_name, &wanted, err);
    if (status == SEGUE_OK)
        status = segue_history_order_by_time(&history, order, err);
    segue_history_fini(&history);
    return status;
}

/* A log is read and played. */
static segue_status samples_scenario(segue_error *err)
{
    const segue_samples_options wanted = {.min_rewards = 1, .highest = 1.0};
    segue_samples *samples = NULL;
    segue_simulation_result *result = NULL;
    segue_policy_spec spec;
    segue_status status = segue_policy_parse(&spec, "ucb", err);
    if (status == SEGUE_OK)
        status = segue_samples_file_read(&samples, file_name, &wanted, err);
    const segue_environment env = {.size = sizeof(segue_environment), .samples = samples};
    const segue_simulation sim = {.size = sizeof(segue_simulation),
                                  .environment = &env,
                                  .policy = spec,
                                  .steps = 20,
                                  .tasks = 50,
                                  .runs = 20,
                                  .threads = 2};
    if (status == SEGUE_OK)
        status = segue_simulation_run(&result, &sim, err);
    segue_simulation_result_destroy(result);
    segue_samples_destroy(samples);
    return status;
}

static void files_survive_every_failing_allocation(void **state)
{
    (void)state;
    const int fd = mkstemp(file_name);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "a,b\n.1,.2\n.3,.4\n", 16), 16);
    close(fd);
    fail_each(list_scenario, 5);
    fail_each(file_scenario, 10);
    FILE *log = fopen(file_name, "w");
    assert_non_null(log);
    fputs("task,arm,reward\n", log);
    for (int i = 0; i < 300; i++)
        fprintf(log, "%d,%c,1\n", i % 100, 'a' + i % 3);
    assert_int_equal(fclose(log), 0);
    fail_each(log_scenario, 100);
    fail_each(samples_scenario, 30);
    log = fopen(file_name, "w");
    assert_non_null(log);
    for (int i = 0; i < 300; i++)
        fprintf(log,
                "{\"x\":0,\"task\":%d,\"arm\":%d,\"reward\":1,\"time\":%d,\"probability\":1}\n",
                i % 100, i % 3, i);
    assert_int_equal(fclose(log), 0);
    fail_each(history_scenario, 20);
    unlink(file_name);
}

/* An experiment is read, run, written, and its results read again. */
static segue_status experiment_scenario(segue_error *err)
{
    char folder[64], journal[128], path[128];
    (void)snprintf(folder, sizeof folder, "/tmp/segue-alloc-experiment-%ld", (long)getpid());
    (void)snprintf(journal, sizeof journal, "%s/a.unfinished", folder);
    (void)snprintf(path, sizeof path, "%s/a.json", folder);
    segue_experiment *experiment = NULL;
    segue_results *results = NULL, *again = NULL;
    const segue_experiment_overrides changes = {.variant = "small", .runs = 2};
    const segue_run_options options = {
        .threads = n_threads, .checkpoint_path = journal, .fresh = true};
    segue_status status = segue_experiment_make_folder(folder, err);
    if (status == SEGUE_OK)
        status = segue_experiment_read(&experiment, file_name, &changes, err);
    if (status == SEGUE_OK)
        status = segue_experiment_run(&results, experiment, &options, err);
    if (status == SEGUE_OK)
        status = segue_experiment_write_results(results, folder, err);
    if (status == SEGUE_OK)
        status = segue_results_read(&again, path, err);
    segue_results_destroy(results);
    segue_results_destroy(again);
    segue_experiment_destroy(experiment);
    return status;
}

/* Both shards of an experiment are run, stay, and are merged. */
static segue_status shards_scenario(segue_error *err)
{
    char folder[64], journal[128];
    (void)snprintf(folder, sizeof folder, "/tmp/segue-alloc-experiment-%ld", (long)getpid());
    segue_experiment *experiment = NULL;
    segue_results *results = NULL;
    const segue_experiment_overrides changes = {.variant = "small", .runs = 2};
    segue_status status = segue_experiment_read(&experiment, file_name, &changes, err);
    for (uint64_t i = 1; i <= 2 && status == SEGUE_OK; i++) {
        const segue_run_options options = {.threads = n_threads,
                                           .checkpoint_path = journal,
                                           .resume = true,
                                           .shard = {.number = i, .count = 2}};
        status = segue_experiment_checkpoint_path(experiment, folder, options.shard, journal,
                                                  sizeof journal, err);
        if (status == SEGUE_OK)
            status = segue_experiment_run(&results, experiment, &options, err);
    }
    if (status == SEGUE_OK)
        status = segue_experiment_merge(&results, experiment, folder, err);
    segue_results_destroy(results);
    segue_experiment_destroy(experiment);
    return status;
}

typedef struct part {
    segue_experiment *experiment;
    segue_run_options options;
    segue_results *results;
} part;

static void *take_part(void *argument)
{
    part *self = argument;
    segue_error err;
    (void)!segue_experiment_run(&self->results, self->experiment, &self->options, &err);
    return NULL;
}

/* Two processes, which are threads, share an experiment; either may run out of memory. */
static segue_status ranks_scenario(segue_error *err)
{
    static fake_ranks fakes;
    char journal[128];
    (void)snprintf(journal, sizeof journal, "/tmp/segue-alloc-experiment-%ld/a.unfinished",
                   (long)getpid());
    segue_experiment *experiment = NULL;
    segue_results *results = NULL;
    const segue_experiment_overrides changes = {.variant = "small", .runs = 2};
    part other = {.options = {.threads = n_threads, .processes = &fakes.rank[1].processes}};
    segue_status status = segue_experiment_read(&experiment, file_name, &changes, err);
    if (status == SEGUE_OK)
        status = segue_experiment_read(&other.experiment, file_name, &changes, err);
    fake_ranks_init(&fakes, 2);
    const segue_run_options options = {.threads = n_threads,
                                       .checkpoint_path = journal,
                                       .fresh = true,
                                       .processes = &fakes.rank[0].processes};
    pthread_t thread;
    if (status == SEGUE_OK && pthread_create(&thread, NULL, take_part, &other) != 0)
        status = segue_fail(err, SEGUE_ETHREAD, "there is no other process");
    if (status == SEGUE_OK) {
        status = segue_experiment_run(&results, experiment, &options, err);
        (void)pthread_join(thread, NULL);
    }
    segue_results_destroy(results);
    segue_experiment_destroy(experiment);
    segue_experiment_destroy(other.experiment);
    return status;
}

static char log_name[] = "/tmp/segue-alloc-log-XXXXXX";

/* An experiment on a log, of which the file is log_name. */
static void write_logged_experiment(void)
{
    const int fd = mkstemp(log_name);
    assert_true(fd >= 0);
    FILE *log = fdopen(fd, "w"), *file = fopen(file_name, "w");
    assert_non_null(log);
    assert_non_null(file);
    fputs("task,arm,reward\n", log);
    for (int i = 0; i < 24; i++)
        fprintf(log, "%d,%c,1\n", i % 4, 'a' + i % 3);
    assert_int_equal(fclose(log), 0);
    fprintf(file,
            "{\"name\": \"a\", \"environment\": {\"log\": \"%s\", \"order\": \"file\"}, "
            "\"policies\": [\"ucb\"], \"steps\": 20, \"tasks\": 4, \"runs\": 5, "
            "\"variants\": {\"small\": {\"tasks\": 3}}}",
            log_name);
    assert_int_equal(fclose(file), 0);
}

/* One request to a service; whether it was answered, or refused for want of memory.  The id of a
 * decision goes to `id`, if there is one. */
static bool served(segue_service *service, const char *method, const char *path, const char *body,
                   char *id)
{
    segue_response reply;
    const segue_request request = {.own = true,
                                   .method = method,
                                   .path = path,
                                   .content_type = "application/json",
                                   .body = body,
                                   .size = strlen(body)};
    segue_service_handle_and_wait(service, &request, &reply);
    const unsigned char *found =
        reply.status == 200 && reply.body.size > 0 && !reply.body.failed
            ? memmem(reply.body.data, reply.body.size, "\"decision\":\"", 12)
            : NULL;
    if (found && id)
        (void)snprintf(id, 65, "%.64s", (const char *)found + 12);
    const bool fine = reply.status < 300 || reply.status == 503 || reply.body.failed;
    segue_response_fini(&reply);
    return fine;
}

/* A decision asked for and its reward told, `count` times; without an id there is nothing to tell.
 */
static bool serve_tasks(segue_service *service, char name, int count, const char *more)
{
    char body[256], id[65] = "";
    bool fine = true;
    for (int i = 0; i < count && fine && !segue_service_has_failed(service); i++) {
        id[0] = '\0';
        (void)snprintf(body, sizeof body, "{\"task\":\"%c%d\"%s}", name, i, more);
        fine = served(service, "POST", "/v1/learners/l/ask", body, id);
        (void)snprintf(body, sizeof body, "{\"decision\":\"%s\",\"reward\":1}", id);
        if (fine && id[0])
            fine = served(service, "POST", "/v1/tell", body, NULL);
    }
    return fine;
}

/* Whatever fails, requests are answered or refused, and the journal leads to what a start makes. */
static segue_status serve_scenario(segue_error *err)
{
    segue_service_config config = segue_service_defaults();
    segue_service *service = NULL;
    segue_store_check_result checked;
    config.store = "sqlite::memory:";
    segue_status status = segue_service_create(&service, &config, err);
    if (status != SEGUE_OK)
        return status;
    bool fine = served(service, "POST", "/v1/learners",
                       "{\"name\":\"l\",\"arms\":[\"A\",\"B\"],\"steps\":1,\"reward_deadline\":9,"
                       "\"default_reward\":0,\"control\":0.5}",
                       NULL);
    const bool there = atomic_load(&failures) == 0;
    if (there)
        fine = fine && serve_tasks(service, 's', 2, "") &&
               serve_tasks(service, 't', 3,
                           ",\"event\":\"e\",\"probability\":true,\"explain\":true") &&
               served(service, "POST", "/v1/learners/l/arms", "{\"arm\":\"C\"}", NULL) &&
               serve_tasks(service, 'u', 5, ",\"exclude\":[\"A\"],\"count\":1");
    if (there && atomic_load(&failures) == 0)
        fine = fine && served(service, "DELETE", "/v1/learners/l/arms/A", "", NULL) &&
               served(service, "GET", "/v1/learners/l", "", NULL) &&
               served(service, "GET", "/v1/learners/l/tasks", "", NULL) &&
               served(service, "GET", "/v1/learners/l/history", "", NULL) &&
               served(service, "GET", "/v1/learners/l/versions", "", NULL) &&
               served(service, "GET", "/v1/learners/l/decisions", "", NULL) &&
               served(service, "GET", "/v1/learners", "", NULL) &&
               served(service, "GET", "/v1/learners/l/tasks/s1", "", NULL) &&
               served(service, "GET", "/metrics", "", NULL);
    const bool failed = atomic_load(&failures) > 0;
    atomic_store(&calls_left, -1);
    status = fine ? segue_store_check_run(service->store, &checked, err) : SEGUE_EDOMAIN;
    segue_service_destroy(service);
    return status == SEGUE_OK && failed ? segue_fail(err, SEGUE_ENOMEM, "as it should") : status;
}

/* Learners and tasks are made before they are stored: whatever fails, the service goes on. */
static segue_status open_scenario(segue_error *err)
{
    segue_service_config config = segue_service_defaults();
    segue_service *service = NULL;
    segue_store_check_result checked;
    config.store = "sqlite::memory:";
    config.memory_most = SEGUE_MIN_MEMORY;
    segue_status status = segue_service_create(&service, &config, err);
    if (status != SEGUE_OK)
        return status;
    bool fine = served(service, "POST", "/v1/learners",
                       "{\"name\":\"l\",\"arms\":[\"A\",\"B\",\"C\",\"D\",\"E\",\"F\"],"
                       "\"steps\":9,\"reward_deadline\":9,\"default_reward\":0,\"control\":0.5}",
                       NULL);
    if (atomic_load(&failures) == 0)
        fine = fine && serve_tasks(service, 's', 3, "") &&
               served(service, "POST", "/v1/learners/l/tasks", "{\"task\":\"p\"}", NULL) &&
               serve_tasks(service, 's', 2, ",\"count\":600,\"explain\":true") &&
               serve_tasks(service, 't', 2, ",\"event\":\"e\",\"count\":600") &&
               serve_tasks(service, 't', 2, ",\"event\":\"e\",\"count\":600,\"explain\":true") &&
               served(service, "GET", "/v1/learners/l/tasks/s1", "", NULL);
    const bool failed = atomic_load(&failures) > 0;
    atomic_store(&calls_left, -1);
    fine = fine && !segue_service_has_failed(service);
    status = fine ? segue_store_check_run(service->store, &checked, err) : SEGUE_EDOMAIN;
    segue_service_destroy(service);
    return status == SEGUE_OK && failed ? segue_fail(err, SEGUE_ENOMEM, "as it should") : status;
}

static segue_status copy_versions(const segue_model_history *versions, segue_error *err)
{
    segue_bytes b = {.data = NULL};
    segue_model_history back = {.count = 0};
    segue_model_history_serialize(versions, &b);
    segue_bytes_reader r = {.data = b.data, .size = b.size};
    const segue_status status = b.failed ? segue_fail(err, SEGUE_ENOMEM, "out of memory to save")
                                         : segue_model_history_deserialize(&back, &r, err);
    segue_model_history_fini(&back);
    segue_bytes_fini(&b);
    return status;
}

/* Versions of a learner are noted after every task, saved and loaded. */
static segue_status versions_scenario(segue_error *err)
{
    segue_learner_config config = segue_learner_defaults();
    segue_model_history versions = {.count = 0};
    segue_learner *learner = NULL;
    config.method = "tts";
    config.n_arms = 3;
    config.horizon = 12;
    segue_status status = segue_learner_create(&learner, &config, err);
    for (int i = 0; i < 9 && status == SEGUE_OK; i++) {
        status = play_some(learner, 1, err);
        if (status == SEGUE_OK)
            status = segue_model_history_add(&versions, learner, err);
    }
    if (status == SEGUE_OK)
        status = versions.count > 0 ? copy_versions(&versions, err) : SEGUE_EDOMAIN;
    segue_model_history_fini(&versions);
    segue_learner_destroy(learner);
    return status;
}

static int no_notice(char line[SEGUE_LOG_WRITER_NOTICE], uint64_t dropped)
{
    (void)line;
    (void)dropped;
    return 0;
}

static segue_status writer_scenario(segue_error *err)
{
    segue_log_writer *log = NULL;
    const int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const segue_status status = segue_log_writer_create(&log, fd, no_notice, err);
    if (status == SEGUE_OK)
        assert_true(segue_log_writer_append(log, "line\n", 5));
    assert_int_equal(segue_log_writer_destroy(log, 60.0), 0);
    assert_int_equal(close(fd), 0);
    return status;
}

static segue_service *quiet_service; /* of connections_scenario, made while nothing fails */

/* A connection that cannot be entered is refused, and leaves nothing behind. */
static segue_status connections_scenario(segue_error *err)
{
    const segue_connections_config config = {
        .limit = 8, .per_address = 2, .request_timeout = 60.0, .idle_timeout = 60.0};
    struct sockaddr_in6 address = {.sin6_family = AF_INET6};
    union {
        struct sockaddr_in6 *six;
        const struct sockaddr *any;
    } from = {&address};
    segue_connections *all = NULL;
    segue_status status = segue_connections_create(&all, quiet_service, &config, err);
    for (unsigned char i = 1; i <= 3 && status == SEGUE_OK; i++) {
        address.sin6_addr.s6_addr[0] = i;
        segue_connection *one = segue_connections_add(all, -1, from.any);
        segue_connections_set_reading(one);
        segue_connections_set_idle(one);
        segue_connections_remove(all, one);
        if (!one)
            status = segue_fail(err, SEGUE_ENOMEM, "a connection was refused");
    }
    segue_connections_destroy(all);
    return status;
}

static void logs_and_connections_survive_every_failing_allocation(void **state)
{
    segue_service_config config = segue_service_defaults();
    segue_error err;
    (void)state;
    config.store = "sqlite::memory:";
    assert_int_equal(segue_service_create(&quiet_service, &config, &err), SEGUE_OK);
    fail_each(writer_scenario, 4);
    fail_each(connections_scenario, 6);
    segue_service_destroy(quiet_service);
}

static void versions_survive_every_failing_allocation(void **state)
{
    (void)state;
    fail_each(versions_scenario, 40);
}

static void the_service_survives_every_failing_allocation(void **state)
{
    (void)state;
    fail_some(serve_scenario, 100, repeats(50) < 50 ? 29 : 1); /* few under valgrind */
}

static void opening_tasks_never_ends_the_service(void **state)
{
    (void)state;
    fail_some(open_scenario, 100, repeats(50) < 50 ? 29 : 1);
}

static void experiments_survive_every_failing_allocation(void **state)
{
    (void)state;
    static const char text[] =
        "{\"name\": \"a\", \"environment\": {\"models\": {\"means\": [[0.1, 0.5], [0.9, 0.2]]}}, "
        "\"policies\": [\"tucb\", \"ucb\"], \"steps\": 20, \"tasks\": [3, 4], \"runs\": 5, "
        "\"every\": 2, \"variants\": {\"small\": {\"tasks\": 3}}}";
    FILE *file = fopen(file_name, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    for (n_threads = 1; n_threads <= 2; n_threads++) {
        fail_each(experiment_scenario, 100);
        fail_each(shards_scenario, 100);
        fail_each(ranks_scenario, 100);
    }
    write_logged_experiment();
    n_threads = 1;
    fail_each(experiment_scenario, 100);
    unlink(log_name);
    unlink(file_name);
    char path[128];
    static const char *const files[] = {"a.unfinished", "a.json",         "a.csv",
                                        "a-curve.csv",  "a.shard-1-of-2", "a.shard-2-of-2"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        (void)snprintf(path, sizeof path, "/tmp/segue-alloc-experiment-%ld/%s", (long)getpid(),
                       files[i]);
        (void)unlink(path);
    }
    (void)snprintf(path, sizeof path, "/tmp/segue-alloc-experiment-%ld", (long)getpid());
    assert_int_equal(rmdir(path), 0);
}

/* A log of ten tasks, two arms and three rewards each, which no memory is asked for. */
static segue_history small_log(void)
{
    enum { TASKS = 10, ROWS = 60 };
    static const char *arm_name[2] = {"a", "b"};
    static char *task_name[TASKS];
    static char name[] = "t";
    static size_t start[TASKS + 1];
    static segue_logged_reward row[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        start[i / 6 + 1] = i + 1;
        task_name[i / 6] = name;
        row[i] = (segue_logged_reward){
            .task = (uint32_t)(i / 6), .arm = (uint32_t)(i % 2), .reward = (double)(i % 4 < 2)};
    }
    return (segue_history){.n_arms = 2,
                           .n_tasks = TASKS,
                           .n_rows = ROWS,
                           .arm_name = arm_name,
                           .task_name = task_name,
                           .start = start,
                           .row = row};
}

static segue_replay_method replay_method;
static bool replay_values;

static segue_status replay_scenario(segue_error *err)
{
    const segue_history log = small_log();
    segue_policy_list policies;
    segue_replay_result result = {.path = NULL};
    segue_status status = segue_policy_list_parse(&policies, "tts", err);
    const segue_replay_config config = {.path = "log",
                                        .history = &log,
                                        .highest = 1.0,
                                        .policies = &policies,
                                        .method = replay_method,
                                        .order = SEGUE_REPLAY_ORDER_SHUFFLE,
                                        .steps = 3,
                                        .runs = 2,
                                        .threads = n_threads,
                                        .values_only = replay_values};
    if (status == SEGUE_OK)
        status = segue_replay_evaluate(&result, &config, err);
    segue_replay_result_fini(&result);
    segue_policy_list_fini(&policies);
    return status;
}

static segue_status advise_scenario(segue_error *err)
{
    const segue_history log = small_log();
    segue_advise_result result;
    const segue_advise_config config = {
        .history = &log, .highest = 1.0, .min_rewards = 3, .seed = 1, .threads = 1};
    return segue_advise(&result, &config, err);
}

static void replay_survives_every_failing_allocation(void **state)
{
    (void)state;
    replay_values = true;
    for (n_threads = 1; n_threads <= 2; n_threads++)
        for (int method = SEGUE_REPLAY_METHOD_RESAMPLE; method <= SEGUE_REPLAY_METHOD_ROWS;
             method++) {
            replay_method = (segue_replay_method)method;
            fail_each(replay_scenario, 60);
        }
    n_threads = 1;
    replay_values = false;
    fail_each(replay_scenario, 60);
    fail_each(advise_scenario, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theory_survives_every_failing_allocation),
        cmocka_unit_test(simulation_survives_every_failing_allocation),
        cmocka_unit_test(files_survive_every_failing_allocation),
        cmocka_unit_test(learners_survive_every_failing_allocation),
        cmocka_unit_test(learners_in_service_survive_every_failing_allocation),
        cmocka_unit_test(types_survive_every_failing_allocation),
        cmocka_unit_test(logs_and_connections_survive_every_failing_allocation),
        cmocka_unit_test(versions_survive_every_failing_allocation),
        cmocka_unit_test(the_service_survives_every_failing_allocation),
        cmocka_unit_test(opening_tasks_never_ends_the_service),
        cmocka_unit_test(experiments_survive_every_failing_allocation),
        cmocka_unit_test(replay_survives_every_failing_allocation),
    };
    atomic_store(&calls_left, -1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
