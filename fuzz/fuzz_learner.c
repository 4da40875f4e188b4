/* fuzz_learner.c - any bytes as the inside of a learner's file.
 *
 * Length and checksum are made right, or nothing would get past them; what is loaded must then be
 * refused, or play a task and be saved again.
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <string.h>

#include "core/bytes.h"
#include "segue/learner.h"
#include "segue/learner_arms.h"
#include "transfer/learner_internal.h"

#define MAX_ARMS   64 /* larger ones are slow, and nothing new */
#define MAX_MODELS 16
#define MAX_STEPS  10000
#define NAME_SIZE  16 /* of the method, before the configuration */

static void play(segue_learner *learner)
{
    segue_task *task = NULL;
    const segue_learner_config *config = segue_learner_get_config(learner);
    if (segue_learner_open_task(learner, &task, NULL) != SEGUE_OK)
        return;
    for (size_t t = 0; t < 4 * config->n_arms; t++)
        (void)!segue_task_tell(task, segue_task_ask(task), config->lowest, NULL);
    (void)!segue_learner_close_task(learner, &task, NULL);
}

/* Use a learner as a service does. */
static void serve(segue_learner *learner)
{
    segue_refit *refit = NULL;
    if (segue_learner_refit_begin(learner, &refit, NULL) == SEGUE_OK &&
        segue_refit_run(refit, NULL) == SEGUE_OK)
        (void)!segue_learner_refit_publish(learner, &refit, NULL);
    segue_refit_destroy(refit);
    (void)!segue_learner_add_arm(learner, NULL);
    (void)!segue_learner_retire_arm(learner, 0, NULL);
    play(learner);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char name[NAME_SIZE];
    segue_bytes_reader r = {.data = data, .size = size};
    segue_bytes_read(&r, name, sizeof name);
    const uint64_t arms = segue_bytes_read_u64(&r), models = segue_bytes_read_u64(&r);
    if (r.failed || arms > MAX_ARMS || models > MAX_MODELS || segue_bytes_read_u64(&r) > MAX_STEPS)
        return 0;
    segue_bytes b = {.data = NULL};
    segue_bytes_append(&b, "SEGUELRN", 8);
    segue_bytes_append_u64(&b, SEGUE_LEARNER_FILE_VERSION);
    segue_bytes_append_u64(&b, size);
    segue_bytes_append(&b, data, size);
    segue_bytes_append_u64(&b, segue_bytes_crc32(b.data, b.size));
    char path[64];
    const int fd = memory_file(b.data, b.size, path);
    segue_learner *learner = NULL;
    segue_error err = {.status = SEGUE_OK};
    if (segue_learner_load(&learner, path, 0, &err) == SEGUE_OK) {
        play(learner);
        serve(learner);
    } else if (err.message[0] == '\0') {
        abort();
    }
    segue_learner_destroy(learner);
    segue_bytes_fini(&b);
    close(fd);
    return 0;
}
