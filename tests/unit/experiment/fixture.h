/* fixture.h - a folder with an experiment, shared by the tests of experiments.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_EXPERIMENT_FIXTURE_H
#define TESTS_EXPERIMENT_FIXTURE_H

#include <stdatomic.h>
#include <unistd.h>

#include "experiment/experiment.h"
#include "support.h"

static char folder[64];

static inline void path_in(char *path, size_t size, const char *name)
{
    (void)snprintf(path, size, "%s/%s", folder, name);
}

static inline segue_experiment *experiment_of(const char *text)
{
    char path[128];
    path_in(path, sizeof path, "experiment.json");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    segue_experiment *experiment = NULL;
    segue_error err;
    const segue_experiment_overrides none = {.variant = NULL};
    if (segue_experiment_read(&experiment, path, &none, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
    return experiment;
}

/* An experiment with two policies, two horizons and tracks. */
static const char mixed[] =
    "{\"name\": \"mixed\", \"environment\": {\"models\": {\"means\": [[0.9, 0.2, 0.4], [0.1, 0.8, "
    "0.3]]}}, \"policies\": [\"tucb\", \"ts\"], \"steps\": [40, 60], \"tasks\": 9, \"runs\": 4, "
    "\"every\": 2}";

static inline char *text_of(const segue_results *results)
{
    json_t *json = segue_results_to_json(results);
    assert_non_null(json);
    char *text = json_dumps(json, JSON_REAL_PRECISION(15));
    json_decref(json);
    assert_non_null(text);
    return text;
}

/* Return true from the call on that finds `calls_left` used up. */
static atomic_int calls_left;

static inline bool stop_soon(void)
{
    return atomic_fetch_sub(&calls_left, 1) <= 0;
}

static inline int make_folder(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/segue-experiment-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    static const char *const names[] = {
        "experiment.json", "mixed.unfinished", "mixed.json", "mixed.csv",  "mixed-curve.csv",
        "timing.json",     "x.json",           "x.csv",      "x-curve.csv"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[128];
        path_in(path, sizeof path, names[i]);
        (void)unlink(path);
    }
    return rmdir(folder);
}

#endif
