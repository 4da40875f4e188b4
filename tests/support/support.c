/* support.c - what the tests share.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <sched.h>
#include <unistd.h>

segue_models *models_of(size_t n_arms, size_t n_models, const double *mean)
{
    segue_models *models = NULL;
    segue_error err;
    if (segue_models_create(&models, SEGUE_MODELS_KNOWN, n_arms, n_models, mean, NULL, &err))
        fail_msg("%s", err.message);
    return models;
}

segue_models *paper_models(void)
{
    static const double mean[] = {
        .90, .75, .45, .55,  .58, .61, .65, /* 1 */
        .75, .89, .45, .55,  .58, .61, .65, /* 2 */
        .20, .23, .45, .35,  .30, .18, .25, /* 3 */
        .34, .31, .45, .725, .33, .37, .47, /* 4 */
        .60, .50, .45, .35,  .95, .90, .80, /* 5 */
    };
    return models_of(7, 5, mean);
}

int repeats(int count)
{
    const char *share = getenv("SEGUE_TEST_SHORT");
    const int part = share ? (int)strtol(share, NULL, 10) : 1;
    return part > 1 ? (count + part - 1) / part : count;
}

size_t random_between(segue_rng *rng, size_t min, size_t max)
{
    return min + (size_t)(segue_rng_uniform(rng) * (double)(max - min + 1));
}

segue_models *random_models(segue_rng *rng, size_t min_arms, size_t max_arms, size_t min_models,
                            size_t max_models)
{
    const size_t n_arms = random_between(rng, min_arms, max_arms);
    const size_t n_models = random_between(rng, min_models, max_models);
    const int coarse = segue_rng_uniform(rng) < 0.5;
    double *mean = calloc(n_arms * n_models, sizeof *mean);
    assert_non_null(mean);
    for (size_t i = 0; i < n_arms * n_models; i++) {
        const double u = segue_rng_uniform(rng);
        mean[i] = coarse ? floor(u * 11.0) / 10.0 : u;
    }
    if (n_models > 1 && segue_rng_uniform(rng) < 0.2)
        memcpy(mean + n_arms, mean, n_arms * sizeof *mean);
    double weight[128] = {1.0};
    for (size_t k = 1; k < n_models; k++) /* every fourth model has weight 0 */
        weight[k] = segue_rng_uniform(rng) < 0.25 ? 0.0 : segue_rng_uniform(rng);
    segue_models *models = NULL;
    assert_ok(
        segue_models_create(&models, SEGUE_MODELS_KNOWN, n_arms, n_models, mean, weight, NULL));
    free(mean);
    return models;
}

segue_policy_spec policy_of(const char *text)
{
    segue_policy_spec spec;
    segue_error err;
    if (segue_policy_parse(&spec, text, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
    return spec;
}

segue_task *task_of(const char *policy, const segue_models *models, uint64_t horizon)
{
    segue_task_config config = segue_task_defaults();
    segue_task *task = NULL;
    segue_error err;
    config.policy = policy_of(policy);
    config.setting = (segue_setting){.n_arms = models->n_arms,
                                     .models = models,
                                     .n_model_indices = models->n_models,
                                     .horizon = horizon,
                                     .n_tasks = 1};
    if (segue_task_create(&task, &config, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
    return task;
}

segue_simulated_task *new_simulated_task(const segue_environment *env, uint64_t seed, uint64_t run,
                                         size_t model)
{
    segue_simulated_task *simulated = NULL;
    segue_error err;
    if (segue_simulated_task_create(&simulated, env, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
    segue_simulated_task_begin(simulated, seed, run, 0, model);
    return simulated;
}

void tell(segue_task *task, size_t arm, double reward)
{
    segue_error err;
    if (segue_task_tell(task, arm, reward, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
}

segue_moments *new_moments(size_t n_arms, segue_views views)
{
    segue_moments *moments = NULL;
    assert_ok(segue_moments_create(&moments, n_arms, views, NULL));
    return moments;
}

/* The largest error of a mean, and of a weight, after matching. */
double error_of(const segue_models *truth, const segue_models *estimate, double *weights)
{
    size_t match[SEGUE_MAX_ESTIMATED];
    double error = 0;
    *weights = 0;
    assert_non_null(estimate);
    assert_ok(segue_models_match(truth, estimate, match, NULL));
    for (size_t k = 0; k < truth->n_models; k++) {
        *weights = fmax(*weights, fabs(truth->weight[k] - estimate->weight[match[k]]));
        for (size_t i = 0; i < truth->n_arms; i++)
            error = fmax(error, fabs(segue_models_row(truth, k)[i] -
                                     segue_models_row(estimate, match[k])[i]));
    }
    return error;
}

/* How many of 300 pulls of an arm pay, by blocks of 64 draws. */
double average_of_300(segue_rng *rng, uint64_t threshold)
{
    int ones = 0;
    for (int block = 0; block < 4; block++)
        ones += __builtin_popcountll(segue_rng_bernoulli_block(rng, threshold));
    ones +=
        __builtin_popcountll(segue_rng_bernoulli_block(rng, threshold) & ((UINT64_C(1) << 44) - 1));
    return ones / 300.0;
}

/* Add tasks until there are `wanted`: models by their weights, three views of 300 pulls. */
void add_tasks(segue_moments *moments, const segue_models *models, segue_rng *rng, uint64_t wanted)
{
    double views[3 * 7];
    while (segue_moments_tasks(moments) < wanted) {
        const size_t k = random_between(rng, 0, models->n_models - 1);
        for (size_t i = 0; i < 3 * 7; i++)
            views[i] = average_of_300(
                rng, segue_rng_bernoulli_threshold(segue_models_row(models, k)[i % 7]));
        assert_ok(segue_moments_add(moments, views, 1.0, NULL));
    }
}

/* ---- ranks ------------------------------------------------------------------------------- */

static bool put(fake_rank *to, size_t from, segue_message_kind kind, const void *data, size_t size)
{
    (void)pthread_mutex_lock(&to->lock);
    const bool has_space = to->count < BOX_ITEMS;
    if (has_space) {
        box_item *item = &to->item[(to->first + to->count++) % BOX_ITEMS];
        item->from = from;
        item->size = size;
        item->kind = kind;
        if (size)
            memcpy(item->data, data, size);
    }
    (void)pthread_mutex_unlock(&to->lock);
    return has_space;
}

static void send_to(void *context, size_t to, segue_message_kind kind, const void *data,
                    size_t size)
{
    const fake_rank *self = context;
    if (size > BOX_BYTES)
        abort();
    while (!put(&self->all->rank[to], self->processes.self, kind, data, size))
        (void)sched_yield();
}

static bool receive_here(void *context, segue_message *message)
{
    fake_rank *self = context;
    (void)pthread_mutex_lock(&self->lock);
    const bool some = self->count > 0;
    if (some) {
        const box_item *item = &self->item[self->first];
        if (item->size > message->capacity)
            abort();
        message->from = item->from;
        message->kind = item->kind;
        message->size = item->size;
        memcpy(message->data, item->data, item->size);
        self->first = (self->first + 1) % BOX_ITEMS;
        self->count--;
    }
    (void)pthread_mutex_unlock(&self->lock);
    return some;
}

/* Only a signal makes a rank abort. */
static void fake_abort(void *context, int code)
{
    (void)context;
    (void)code;
    abort();
}

void fake_ranks_init(fake_ranks *fakes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fake_rank *self = &fakes->rank[i];
        self->all = fakes;
        self->first = self->count = 0;
        self->processes = (segue_processes){.self = i,
                                            .count = count,
                                            .context = self,
                                            .send = send_to,
                                            .receive = receive_here,
                                            .abort = fake_abort};
        (void)pthread_mutex_init(&self->lock, NULL);
    }
}

/* ---- a file ------------------------------------------------------------------------------ */

char own_folder[32], own_path[64];

int make_own_folder(void **state)
{
    (void)state;
    (void)strcpy(own_folder, "/tmp/segue-test-XXXXXX");
    if (!mkdtemp(own_folder))
        return -1;
    (void)snprintf(own_path, sizeof own_path, "%s/file.csv", own_folder);
    return 0;
}

int remove_own_folder(void **state)
{
    (void)state;
    (void)unlink(own_path);
    return rmdir(own_folder);
}

void write_bytes(const void *data, size_t size)
{
    FILE *file = fopen(own_path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

void write_text(const char *text)
{
    write_bytes(text, strlen(text));
}
