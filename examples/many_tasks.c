/* many_tasks.c - four hundred visitors of two hidden types.
 *
 * A learner (tUCB) plays one task after another; the learned models are printed at the end. The
 * visitors are simulated; everything else is as in a product.
 * SPDX-License-Identifier: Apache-2.0 */
#include <segue/segue.h>
#include <stdio.h>

#define N_PAGES  3
#define N_STEPS  200
#define N_PEOPLE 400

static int report(const segue_error *err)
{
    fprintf(stderr, "many_tasks: %s\n", err->message);
    return segue_status_exit_code(err->status);
}

/* One visitor: ask, show, tell; then close the task. */
static segue_status serve(segue_learner *learner, segue_simulated_task *visitor, segue_error *err)
{
    segue_task *task = NULL;
    if (segue_learner_open_task(learner, &task, err) != SEGUE_OK)
        return err->status;
    for (int step = 0; step < N_STEPS; step++) {
        const size_t page = segue_task_ask(task);
        if (segue_task_tell(task, page, segue_simulated_task_reward(visitor, page), err) !=
            SEGUE_OK)
            return err->status;
    }
    return segue_learner_close_task(learner, &task, err);
}

int main(void)
{
    static const double types[] = {0.9, 0.4, 0.3, 0.2, 0.4, 0.8};
    segue_error err;
    segue_models *truth = NULL;
    segue_simulated_task *visitor = NULL;
    segue_learner *learner = NULL;
    segue_environment people = {.size = sizeof(segue_environment)};
    segue_learner_config config = segue_learner_defaults();
    config.method = "tucb";
    config.n_arms = N_PAGES;
    config.n_models = 2;
    config.horizon = N_STEPS;
    if (segue_models_create(&truth, SEGUE_MODELS_KNOWN, N_PAGES, 2, types, NULL, &err) != SEGUE_OK)
        return report(&err);
    people.models = truth;
    if (segue_simulated_task_create(&visitor, &people, &err) != SEGUE_OK ||
        segue_learner_create(&learner, &config, &err) != SEGUE_OK)
        return report(&err);

    for (uint64_t person = 0; person < N_PEOPLE; person++) {
        segue_simulated_task_begin(visitor, 2013, 0, person, SEGUE_ANY_MODEL);
        if (serve(learner, visitor, &err) != SEGUE_OK)
            return report(&err);
    }

    const segue_models *models = segue_learner_models(learner);
    printf("%s\n", segue_learner_info(learner).estimate.verdict);
    for (size_t k = 0; models && k < models->n_models; k++)
        printf("type %zu: %.2f %.2f %.2f\n", k + 1, segue_models_row(models, k)[0],
               segue_models_row(models, k)[1], segue_models_row(models, k)[2]);
    segue_learner_destroy(learner);
    segue_simulated_task_destroy(visitor);
    segue_models_destroy(truth);
    return 0;
}
