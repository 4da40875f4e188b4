/* tally_read.c - add the file of a tally to a tally.
 *
 * The file is read whole, decompressed if it is compressed, and its frame (magic, version, length,
 * checksum) is checked first.  Then every number is checked too: a file that was written by another
 * program may have a right checksum and wrong contents.  Numbers of variable length and the order of
 * names have one valid form, so that equal tallies stay equal bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/tally/tally_internal.h"
#include "io/text/input_stream.h"
#include "io/utf8.h"
#include "segue/models.h"

#define MAX_PULLS (UINT64_C(1) << 53) /* of a task and arm, and of all parts: exact in doubles */
#define MAX_NAME  (1U << 20)

/* A file while it is read. */
typedef struct tally_reader {
    const char *path;
    segue_bytes_reader in;
    segue_tally *out;
    bool binary, is_graded; /* as the head says; some reward is neither 0 nor 1 */
    uint64_t n_rows, n_skipped, n_arms, n_tasks;
    size_t *arm;   /* n_arms: their numbers in `out` */
    uint64_t *use; /* n_arms: rewards of each */
} tally_reader;

static segue_status damaged(const tally_reader *r, const char *what, segue_error *err)
{
    return segue_fail(err, SEGUE_EPARSE,
                      "%s: is damaged: %s; tally the log again, or copy the file again",
                      segue_path_tail(r->path), what);
}

/* ---- the frame --------------------------------------------------------------------------- */

/* Read the whole file, followed by zeros that names may be compared with. */
static segue_status read_bytes(const char *path, segue_bytes *b, segue_error *err)
{
    static const char zeros[SEGUE_STRING_TABLE_SLACK] = {0};
    char block[65536];
    segue_input_stream *stream = NULL;
    segue_error why = {.status = SEGUE_OK};
    SEGUE_TRY(segue_input_stream_open(&stream, path, err));
    size_t got = 1;
    segue_status status = SEGUE_OK;
    while (status == SEGUE_OK && got > 0) {
        status = segue_input_stream_read(stream, block, sizeof block, &got, &why);
        if (status == SEGUE_OK && got > 0)
            segue_bytes_append(b, block, got);
    }
    segue_input_stream_close(stream);
    if (status != SEGUE_OK)
        return segue_fail(err, status, "%s: %s", segue_path_tail(path), why.message);
    segue_bytes_append(b, zeros, sizeof zeros);
    if (b->failed)
        return segue_fail_no_memory(err, "a tally");
    b->size -= sizeof zeros;
    return SEGUE_OK;
}

static segue_status check_frame(tally_reader *r, segue_error *err)
{
    segue_bytes_reader *in = &r->in;
    if (in->size < TALLY_MAGIC_SIZE || memcmp(in->data, TALLY_MAGIC, TALLY_MAGIC_SIZE) != 0)
        return segue_fail(err, SEGUE_EFILE, "%s: is not a tally; 'segue tally' makes one of a log",
                          segue_path_tail(r->path));
    in->at = TALLY_MAGIC_SIZE;
    const uint64_t version = segue_bytes_read_u64(in), length = segue_bytes_read_u64(in);
    if (!in->failed && version != TALLY_VERSION)
        return segue_fail(err, SEGUE_EFILE,
                          "%s: has format version %" PRIu64 "; this program reads %d",
                          segue_path_tail(r->path), version, TALLY_VERSION);
    if (in->failed || in->size < TALLY_HEAD + TALLY_TAIL ||
        length != in->size - TALLY_HEAD - TALLY_TAIL)
        return damaged(r, "it is cut off, or has other bytes after its end", err);
    segue_bytes_reader tail = {.data = in->data, .size = in->size, .at = in->size - TALLY_TAIL};
    if (segue_bytes_read_u64(&tail) != segue_bytes_crc32(in->data, in->size - TALLY_TAIL))
        return damaged(r, "its checksum is wrong", err);
    in->size -= TALLY_TAIL;
    return SEGUE_OK;
}

/* ---- numbers and names ------------------------------------------------------------------- */

/* A number in its shortest form, at most `max`; else `failed` is set. */
static uint64_t read_number(segue_bytes_reader *in, uint64_t max)
{
    uint64_t x = 0;
    unsigned char byte = 128;
    for (unsigned shift = 0; shift < 63 && byte >= 128 && !in->failed; shift += 7) {
        segue_bytes_read(in, &byte, 1);
        x |= (uint64_t)(byte & 127) << shift;
        in->failed = in->failed || (shift > 0 && byte == 0);
    }
    in->failed = in->failed || byte >= 128 || x > max;
    return in->failed ? 0 : x;
}

/* A name in the bytes of the file. */
typedef struct tally_name {
    const char *text;
    size_t length;
} tally_name;

static bool is_before(const tally_name *a, const tally_name *b)
{
    const size_t shared = a->length < b->length ? a->length : b->length;
    const int order = memcmp(a->text, b->text, shared);
    return order < 0 || (order == 0 && a->length < b->length);
}

/* Read a name, which must come after *last, and return its number in `list`. */
static segue_status read_name(tally_reader *r, names *list, size_t max, tally_name *last,
                              size_t *number, segue_error *err)
{
    segue_bytes_reader *in = &r->in;
    const size_t length = (size_t)read_number(in, MAX_NAME);
    const tally_name name = {.text = (const char *)in->data + in->at, .length = length};
    if (in->failed || name.length == 0 || name.length > in->size - in->at ||
        (last->text && !is_before(last, &name)))
        return damaged(r, "a name is wrong, or not in its order", err);
    in->at += name.length;
    *last = name;
    SEGUE_TRY(segue_string_table_intern(list, name.text, name.length, number, err));
    const char *stored = list->name[*number];
    if (strlen(stored) != name.length || segue_utf8_has_control(stored) ||
        !segue_utf8_is_valid(stored, name.length))
        return damaged(r, "a name is not UTF-8, or has a control character", err);
    if (list->count > max)
        return segue_fail(err, SEGUE_EDOMAIN, "%s: there are more than %zu arms in all parts",
                          segue_path_tail(r->path), max);
    return SEGUE_OK;
}

/* ---- contents ---------------------------------------------------------------------------- */

/* All parts must map rewards to [0, 1] alike. */
static segue_status check_range(const tally_reader *r, const double range[2], segue_error *err)
{
    segue_tally *out = r->out;
    if (!(range[0] < range[1]) || !isfinite(range[1] - range[0]))
        return damaged(r, "its range of rewards is empty", err);
    if (out->tasks.count > 0 && (range[0] != out->lowest || range[1] != out->highest))
        return segue_fail(
            err, SEGUE_EDOMAIN,
            "%s: its rewards are from %g to %g, those of the other tallies from %g to "
            "%g; tally all parts with one --range",
            segue_path_tail(r->path), range[0], range[1], out->lowest, out->highest);
    out->lowest = range[0];
    out->highest = range[1];
    return SEGUE_OK;
}

static segue_status read_head(tally_reader *r, segue_error *err)
{
    double range[2];
    segue_bytes_reader *in = &r->in;
    segue_bytes_read_f64(in, range, 2);
    const uint64_t binary = segue_bytes_read_u64(in);
    r->n_rows = segue_bytes_read_count(in);
    r->n_skipped = segue_bytes_read_count(in);
    r->n_arms = segue_bytes_read_count(in);
    r->n_tasks = segue_bytes_read_count(in);
    const size_t left = in->size - in->at; /* a name has two bytes at least */
    if (in->failed || binary > 1 || r->n_arms == 0 || r->n_tasks == 0 || r->n_arms > left ||
        r->n_tasks > left || r->n_arms > SEGUE_MAX_ARMS)
        return damaged(r, "its counts are wrong", err);
    r->binary = binary == 1;
    return check_range(r, range, err);
}

static segue_status read_arms(tally_reader *r, segue_error *err)
{
    tally_name last = {.text = NULL};
    r->arm = calloc((size_t)r->n_arms, sizeof *r->arm);
    r->use = calloc((size_t)r->n_arms, sizeof *r->use);
    if (!r->arm || !r->use)
        return segue_fail_no_memory(err, "the arms of a tally");
    for (size_t i = 0; i < r->n_arms; i++)
        SEGUE_TRY(read_name(r, &r->out->arms, SEGUE_MAX_ARMS, &last, &r->arm[i], err));
    return SEGUE_OK;
}

/* Read pulls and sums; false: they are impossible. */
static bool read_cell(tally_reader *r, tally_cell *cell)
{
    segue_bytes_reader *in = &r->in;
    cell->pulls = read_number(in, MAX_PULLS);
    if (r->binary) {
        cell->sum = cell->square = segue_tally_sum_count(read_number(in, cell->pulls));
    } else {
        cell->sum.low = segue_bytes_read_u64(in);
        cell->sum.high = segue_bytes_read_u64(in);
        cell->square.low = segue_bytes_read_u64(in);
        cell->square.high = segue_bytes_read_u64(in);
    }
    return !in->failed && cell->pulls > 0 &&
           !segue_tally_sum_is_above(cell->sum, segue_tally_sum_count(cell->pulls)) &&
           !segue_tally_sum_is_above(cell->square, cell->sum);
}

static segue_status read_task(tally_reader *r, size_t task, uint64_t *n_rows, segue_error *err)
{
    const uint64_t present = read_number(&r->in, r->n_arms);
    size_t next = 0; /* the arm after the last one */
    if (present == 0)
        return damaged(r, "a task has no arm", err);
    for (uint64_t i = 0; i < present; i++) {
        tally_cell cell;
        const size_t step = (size_t)read_number(&r->in, r->n_arms);
        next += step;
        const bool is_right = read_cell(r, &cell) && step > 0 && next <= r->n_arms;
        if (!is_right || (*n_rows += cell.pulls) > MAX_PULLS)
            return damaged(r, "the counts of a task are wrong", err);
        r->use[next - 1] += cell.pulls;
        r->is_graded = r->is_graded || !segue_tally_sum_is_equal(cell.sum, cell.square);
        SEGUE_TRY(segue_tally_add_cell(r->out, task, r->arm[next - 1], &cell, err));
    }
    return SEGUE_OK;
}

/* The counts of the head must be those of the tasks, and each arm must be used. */
static segue_status read_tasks(tally_reader *r, segue_error *err)
{
    tally_name last = {.text = NULL};
    uint64_t n_rows = 0;
    for (uint64_t i = 0; i < r->n_tasks; i++) {
        size_t task = 0;
        SEGUE_TRY(read_name(r, &r->out->tasks, SIZE_MAX, &last, &task, err));
        SEGUE_TRY(read_task(r, task, &n_rows, err));
    }
    for (size_t i = 0; i < r->n_arms; i++)
        if (r->use[i] == 0)
            return damaged(r, "an arm has no reward", err);
    if (r->in.at != r->in.size || n_rows != r->n_rows || r->is_graded == r->binary)
        return damaged(r, "its counts do not add up", err);
    return SEGUE_OK;
}

static segue_status add_contents(tally_reader *r, segue_error *err)
{
    SEGUE_TRY(check_frame(r, err));
    SEGUE_TRY(read_head(r, err));
    SEGUE_TRY(read_arms(r, err));
    SEGUE_TRY(read_tasks(r, err));
    r->out->n_rows += r->n_rows;
    r->out->n_skipped += r->n_skipped;
    if (r->out->n_rows > MAX_PULLS)
        return segue_fail(err, SEGUE_EDOMAIN, "%s: there are more than 2^53 rewards in all parts",
                          segue_path_tail(r->path));
    return SEGUE_OK;
}

segue_status segue_tally_add_file(segue_tally *tally, const char *path, segue_error *err)
{
    segue_bytes b = {.data = NULL};
    segue_status status = read_bytes(path, &b, err);
    if (status == SEGUE_OK) {
        tally_reader r = {.path = path, .out = tally, .in = {.data = b.data, .size = b.size}};
        status = add_contents(&r, err);
        free(r.arm);
        free(r.use);
    }
    segue_bytes_fini(&b);
    return status;
}

/* A pipe is not read: its bytes would be lost. */
bool segue_tally_detect(const char *path)
{
    struct stat about;
    char magic[TALLY_MAGIC_SIZE];
    size_t got = 0;
    segue_input_stream *stream = NULL;
    if (strcmp(path, "-") == 0 || stat(path, &about) != 0 || !S_ISREG(about.st_mode) ||
        segue_input_stream_open(&stream, path, NULL) != SEGUE_OK)
        return false;
    const segue_status status = segue_input_stream_read(stream, magic, sizeof magic, &got, NULL);
    segue_input_stream_close(stream);
    return status == SEGUE_OK && got == sizeof magic &&
           memcmp(magic, TALLY_MAGIC, sizeof magic) == 0;
}
