/* fuzz_tally.c - any bytes as the inside of a tally.
 *
 * Length and checksum are made right, or nothing would get past them; what is read must then be
 * refused, or be written again as the same bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <string.h>

#include "io/tally/tally_internal.h"

#define MAX_ROWS 100000 /* more are slow, and nothing new */

/* Use a tally as estimate and replay do. */
static void use(segue_tally *tally, const char *path)
{
    segue_log log;
    segue_history history;
    segue_tally again = {.n_rows = 0};
    const tally_log_options wanted = {.path = path, .views = segue_tally_is_binary(tally)};
    if (tally->n_rows > MAX_ROWS)
        return;
    if (segue_tally_make_log(tally, &wanted, &log, NULL) == SEGUE_OK)
        segue_log_fini(&log);
    if (segue_tally_add_file(&again, path, NULL) == SEGUE_OK &&
        segue_tally_make_history(&again, path, 1, &history, NULL) == SEGUE_OK)
        segue_history_fini(&history);
    segue_tally_fini(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    segue_bytes b = {.data = NULL}, written = b;
    segue_bytes_append(&b, TALLY_MAGIC, TALLY_MAGIC_SIZE);
    segue_bytes_append_u64(&b, TALLY_VERSION);
    segue_bytes_append_u64(&b, size);
    segue_bytes_append(&b, data, size);
    segue_bytes_append_u64(&b, segue_bytes_crc32(b.data, b.size));
    char path[64];
    const int fd = memory_file(b.data, b.size, path);
    segue_tally tally = {.n_rows = 0};
    segue_error err = {.status = SEGUE_OK};
    if (segue_tally_add_file(&tally, path, &err) == SEGUE_OK) {
        if (segue_tally_serialize(&tally, &written, NULL) != SEGUE_OK || written.size != b.size ||
            memcmp(written.data, b.data, b.size) != 0)
            abort();
        use(&tally, path);
    } else if (err.message[0] == '\0') {
        abort();
    }
    segue_tally_fini(&tally);
    segue_bytes_fini(&written);
    segue_bytes_fini(&b);
    close(fd);
    return 0;
}
