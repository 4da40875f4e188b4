/* learner_config.h - how a learner learns: its method, the options of the method, common settings.
 *
 * Sizes.  Every public configuration begins with its `size` in bytes.  `X_defaults()` fills a
 * configuration, inline in the program, with the size that the program was compiled with.  So a
 * later library can add fields at the end: it reads an older, shorter struct, uses defaults for the
 * rest, and rejects a size that it does not know.  Never fill such a struct by hand from zero.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_LEARNER_CONFIG_H
#define SEGUE_LEARNER_CONFIG_H

#include "segue/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A method has at most this many options. */
#define SEGUE_MAX_LEARNER_OPTIONS 24

/** A learning method: its name, its options, and what it needs and offers.  The library owns it. */
typedef struct segue_learner_method {
    const char *name;    /* as typed on the command line: "tla" */
    const char *summary; /* one line for help */
    const segue_option *options;
    size_t n_options;
    bool needs_horizon; /* the steps per task must be known */
    bool needs_models;  /* the number of models must be known */
    bool fixed_arms;    /* arms can be neither added nor retired */
    bool has_models;    /* it learns a model set: segue_learner_models */
    bool has_types;     /* it learns types, and how many there are */
    bool has_posterior; /* its tasks have a posterior, over types or one prior: learner_explain.h */
    bool chooses;       /* it stands for another method, which segue_learner_create chooses */
    /* it learns nothing: the policy of its name plays each task alone */
    bool without_transfer;
    bool groups_tasks; /* it groups tasks, but its groups are no types that it shows */
    bool takes_costs;  /* its tasks take costs: segue_task_set_costs */
} segue_learner_method;

/** The methods, from 0 on, in the order of the documentation; NULL after the last. */
SEGUE_API const segue_learner_method *segue_learner_methods(size_t i);

/** The method that `text` begins with, up to its end or a ':'; NULL: there is none. */
SEGUE_API const segue_learner_method *segue_learner_method_find(const char *text);

/** How a learner learns.  Start from segue_learner_defaults(). */
typedef struct segue_learner_config {
    size_t size;            /* of this struct, as segue_learner_config_init writes it */
    const char *method;     /* the name of a segue_learner_method; default "auto" */
    size_t n_arms;          /* K; required */
    size_t n_models;        /* m: how many models to look for; default 0, unknown (a simulation then
                               uses the number of its environment) */
    uint64_t horizon;       /* n: steps per task; default 0, unknown; tla also accepts a guess on
                               the high side */
    uint64_t n_tasks;       /* J: tasks to come; default 10,000 */
    double lowest, highest; /* the range of rewards; default 0 .. 1 */
    uint64_t seed, run;     /* of the random streams; defaults 1 and 0 */
    bool background;        /* closing a task never refits, which takes milliseconds: the caller
                               begins and publishes refits; default false */
    /* The method's options, in the order of its table; NaN: the default. */
    double option[SEGUE_MAX_LEARNER_OPTIONS];
} segue_learner_config;

/** Fill a configuration of `size` bytes with the defaults. */
SEGUE_API void segue_learner_config_init(segue_learner_config *config, size_t size);

/** A configuration with the defaults. */
static inline segue_learner_config segue_learner_defaults(void)
{
    segue_learner_config config;
    segue_learner_config_init(&config, sizeof config);
    return config;
}

/**
 * Set the method and its options from text, `tucb:C=1,views=symmetric`.  Options that the text does
 * not name go back to their defaults; the option `models` also sets n_models.  Other fields stay.
 *
 * @retval SEGUE_ENAME    no such method or option
 * @retval SEGUE_EPARSE, SEGUE_EDOMAIN  a value is wrong; the configuration stays as it is
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_config_parse(segue_learner_config *config,
                                                                   const char *text,
                                                                   segue_error *err);

/**
 * Set one option of the configuration's method to a number, or to the rank of a word among its
 * choices.
 *
 * @retval SEGUE_ENAME    no such method, or the method has no such option
 * @retval SEGUE_EDOMAIN  `value` is outside its range
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_config_set(segue_learner_config *config,
                                                                 const char *key, double value,
                                                                 segue_error *err);

/** The value of one option; NaN: it has its default, or the method has no such option. */
SEGUE_API double segue_learner_config_get(const segue_learner_config *config, const char *key);

#ifdef __cplusplus
}
#endif
#endif
