/* play.c - one policy or learner over simulated tasks, some tasks per call: what `segue simulate
 * --runs 1` plays, with the same numbers for the same settings.
 *
 * A learner is created as the simulation would create it, and each call continues it; so what it has
 * learned can be shown between calls, and the last task of a call is watched step by step. A policy
 * learns nothing between tasks and plays all of them in the first call.
 * SPDX-License-Identifier: Apache-2.0 */
#include <emscripten.h>
#include <stdlib.h>
#include <string.h>

#include "io/policy_list.h"
#include "json_text.h"
#include "segue/internal.h"
#include "segue/simulation.h"
#include "segue/version.h"

typedef struct play {
    segue_policy_list list; /* of one */
    segue_models *before, *after;
    segue_environment environment;
    segue_simulation simulation;
    segue_learner *learner; /* NULL: a policy plays */
    double *regret, *model; /* of the tasks of the last call */
    size_t n_played;        /* in the last call */
    uint64_t n_left;        /* tasks to come */
    json_text steps;        /* of the watched task */
    json_text answer;
} play;

/* ---- what the library reports ------------------------------------------------------------ */

static segue_status visit(void *context, const segue_played_task *task, segue_error *err)
{
    play *p = context;
    (void)err;
    p->regret[p->n_played] = task->regret;
    p->model[p->n_played++] = (double)task->model;
    return SEGUE_OK;
}

static segue_status watch(void *context, const segue_step *step, segue_error *err)
{
    static const char *const purposes[] = {"exploit", "distinguish", "explore"};
    play *p = context;
    json_text *json = &p->steps;
    (void)err;
    if (step->posterior) /* of the closed task */
        return SEGUE_OK;
    const segue_explanation *why = step->why;
    (void)fprintf(json->stream, "%s{\"arm\":%zu,\"reward\":", step->number > 1 ? "," : "",
                  step->arm);
    json_text_number(json, step->reward);
    json_text_key(json, false, "purpose");
    json_text_string(json, step->arm == why->arm ? purposes[why->purpose] : "draw");
    if (step->arm == why->arm && why->purpose == SEGUE_DISTINGUISH)
        (void)fprintf(json->stream, ",\"types\":[%zu,%zu]", why->first, why->second);
    json_text_key(json, false, "posterior");
    json_text_numbers(json, why->n_types + 1, why->weight);
    (void)fputc('}', json->stream);
    return SEGUE_OK;
}

/* ---- creation ---------------------------------------------------------------------------- */

static segue_status create_learner(play *p, segue_error *err)
{
    const segue_learner_config config = segue_simulation_config_learner(&p->simulation, 0);
    SEGUE_TRY(segue_learner_create(&p->learner, &config, err));
    p->simulation.continued = p->learner;
    if (segue_learner_method_find(config.method)->has_types) {
        p->simulation.watch = watch;
        p->simulation.watch_context = p;
    }
    return SEGUE_OK;
}

static segue_status init(play *p, segue_error *err)
{
    p->environment.size = sizeof p->environment;
    p->environment.models = p->before;
    p->environment.switch_to = p->after;
    p->simulation.size = sizeof p->simulation;
    p->simulation.environment = &p->environment;
    p->simulation.policy = p->list.spec[0];
    p->simulation.learner = segue_policy_list_is_learner(&p->list, 0) ? &p->list.learner[0] : NULL;
    p->simulation.runs = 1;
    p->simulation.threads = 1;
    p->simulation.visit = visit;
    p->simulation.visit_context = p;
    SEGUE_TRY(segue_simulation_check(&p->simulation, err));
    p->n_left = p->simulation.tasks;
    p->regret = calloc(p->n_left, sizeof *p->regret);
    p->model = calloc(p->n_left, sizeof *p->model);
    if (!p->regret || !p->model)
        return segue_fail_no_memory(err, "the tasks");
    return p->simulation.learner ? create_learner(p, err) : SEGUE_OK;
}

/* The answer that says why something failed; or, without an error, nothing else. */
static const char *answer_error(play *p, const segue_error *err)
{
    if (json_text_begin(&p->answer)) {
        (void)fputs("{\"error\":", p->answer.stream);
        json_text_string(&p->answer, err->message);
        (void)fputc('}', p->answer.stream);
    }
    return json_text_end(&p->answer);
}

/** Create a candidate; NULL: out of memory.  segue_play_destroy frees it. */
EMSCRIPTEN_KEEPALIVE play *segue_play_create(void)
{
    return calloc(1, sizeof(play));
}

EMSCRIPTEN_KEEPALIVE void segue_play_destroy(play *p)
{
    if (!p)
        return;
    segue_learner_destroy(p->learner);
    segue_models_destroy(p->before);
    segue_models_destroy(p->after);
    segue_policy_list_fini(&p->list);
    json_text_free(&p->steps);
    json_text_free(&p->answer);
    free(p->regret);
    free(p->model);
    free(p);
}

/** The model set: of all tasks, or, a second time, of those from a task on.  "{}", or an error. */
EMSCRIPTEN_KEEPALIVE const char *segue_play_models(play *p, size_t n_arms, size_t n_models,
                                                   const double *mean, const double *weight)
{
    segue_error err;
    segue_models **models = p->before ? &p->after : &p->before;
    if (segue_models_create(models, SEGUE_MODELS_KNOWN, n_arms, n_models, mean, weight, &err) !=
        SEGUE_OK)
        return answer_error(p, &err);
    return "{}";
}

/** Begin a run; spread and switch_at are 0 for none.  "{}", or an error. */
EMSCRIPTEN_KEEPALIVE const char *segue_play_begin(play *p, const char *policy, double steps,
                                                  double tasks, double seed, double spread,
                                                  double switch_at)
{
    segue_error err;
    p->simulation.steps = (uint64_t)steps;
    p->simulation.tasks = (uint64_t)tasks;
    p->simulation.seed = (uint64_t)seed;
    p->environment.spread = spread;
    p->environment.switch_at = (uint64_t)switch_at;
    if (segue_policy_list_parse(&p->list, policy, &err) != SEGUE_OK || init(p, &err) != SEGUE_OK)
        return answer_error(p, &err);
    return "{}";
}

/* ---- play -------------------------------------------------------------------------------- */

static segue_status play_some(play *p, uint64_t tasks, segue_error *err)
{
    segue_simulation_result *result = NULL;
    p->n_played = 0;
    p->simulation.tasks = p->learner && tasks < p->n_left ? tasks : p->n_left;
    if (p->simulation.watch) {
        if (!json_text_begin(&p->steps))
            return segue_fail_no_memory(err, "the steps of a task");
        (void)fputc('[', p->steps.stream);
    }
    const segue_status status = segue_simulation_run(&result, &p->simulation, err);
    segue_simulation_result_destroy(result);
    p->n_left -= p->n_played;
    return status;
}

static void write_types(play *p, const segue_type_list *found)
{
    json_text *json = &p->answer;
    json_text_key(json, false, "types");
    (void)fputs("{\"no_type\":", json->stream);
    json_text_number(json, found->no_type);
    json_text_key(json, false, "weight");
    json_text_numbers(json, found->n_types, found->weight);
    json_text_key(json, false, "mean");
    (void)fputc('[', json->stream);
    for (size_t k = 0; k < found->n_types; k++) {
        if (k > 0)
            (void)fputc(',', json->stream);
        json_text_numbers(json, found->n_arms, found->mean + k * found->n_arms);
    }
    (void)fputs("]}", json->stream);
}

static void write_answer(play *p, const segue_type_list *found)
{
    json_text *json = &p->answer;
    (void)fputs("{\"regret\":", json->stream);
    json_text_numbers(json, p->n_played, p->regret);
    json_text_key(json, false, "model");
    json_text_numbers(json, p->n_played, p->model);
    if (found)
        write_types(p, found);
    if (p->simulation.watch) {
        (void)fputc(']', p->steps.stream);
        json_text_key(json, false, "steps");
        (void)fputs(json_text_end(&p->steps), json->stream);
    }
    (void)fprintf(json->stream, ",\"left\":%llu}", (unsigned long long)p->n_left);
}

/** Play the next tasks; at least one must be left.  The regret and the model of each task (models
 * after a switch follow those before), what is learned after them, the steps of the last one, and how
 * many are left; or an error. */
EMSCRIPTEN_KEEPALIVE const char *segue_play_tasks(play *p, double tasks)
{
    segue_error err;
    segue_type_list found = {.n_types = 0};
    if (play_some(p, (uint64_t)tasks, &err) != SEGUE_OK)
        return answer_error(p, &err);
    if (p->learner && segue_learner_types(p->learner, &found, &err) != SEGUE_OK)
        return answer_error(p, &err);
    if (json_text_begin(&p->answer))
        write_answer(p, p->learner ? &found : NULL);
    segue_type_list_fini(&found);
    return json_text_end(&p->answer);
}

/** The version of the library. */
EMSCRIPTEN_KEEPALIVE const char *segue_play_version(void)
{
    return segue_version();
}
