/* one_task.c - one visitor, three pages, two hundred decisions.
 *
 * Two types of visitor are known; which one this is, is not.  Thompson sampling over the known
 * types finds out in a few tries.
 * SPDX-License-Identifier: Apache-2.0 */
#include <segue/segue.h>
#include <stdio.h>

static int report(const segue_error *err)
{
    fprintf(stderr, "one_task: %s\n", err->message);
    return segue_status_exit_code(err->status);
}

/* A visitor of the second type, in place of a real one. */
static double reward_of(segue_rng *rng, size_t page)
{
    static const double mean[] = {0.2, 0.4, 0.8};
    return segue_rng_uniform(rng) < mean[page] ? 1.0 : 0.0;
}

int main(void)
{
    static const double types[] = {0.9, 0.4, 0.3, /* likes the first page */
                                   0.2, 0.4, 0.8 /* likes the third      */};
    segue_error err;
    segue_models *models = NULL;
    if (segue_models_create(&models, SEGUE_MODELS_KNOWN, 3, 2, types, NULL, &err) != SEGUE_OK)
        return report(&err);

    segue_task_config config = segue_task_defaults();
    config.setting.n_arms = 3;
    config.setting.models = models;
    config.setting.horizon = 200;
    segue_task *task = NULL;
    if (segue_policy_parse(&config.policy, "mts", &err) != SEGUE_OK ||
        segue_task_create(&task, &config, &err) != SEGUE_OK)
        return report(&err);

    segue_rng visitor;
    segue_rng_init(&visitor, 2013, 0, 0, 0);
    for (int step = 0; step < 200; step++) {
        const size_t page = segue_task_ask(task);
        if (segue_task_tell(task, page, reward_of(&visitor, page), &err) != SEGUE_OK)
            return report(&err);
    }
    for (size_t page = 0; page < 3; page++)
        printf("page %zu was shown %llu times\n", page + 1,
               (unsigned long long)segue_task_info(task).pulls[page]);
    segue_task_destroy(task);
    segue_models_destroy(models);
    return 0;
}
