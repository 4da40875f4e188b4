/* test_logs_compressed.c - logs compressed by gzip and zstd, whole, cut and damaged.
 * SPDX-License-Identifier: Apache-2.0 */
#define ZLIB_CONST
#include "logs_fixture.h"

#include <zlib.h>
#include <zstd.h>

enum { ROWS = 40000, CAPACITY = 4 << 20 };

/* Create a log of ROWS rows. */
static char *make_text(size_t *size)
{
    char *text = malloc(CAPACITY);
    assert_non_null(text);
    *size = (size_t)snprintf(text, CAPACITY, HEAD);
    for (int i = 0; i < ROWS; i++)
        *size += (size_t)snprintf(text + *size, CAPACITY - *size, "t%d,a%d,0.%d\n", i % 777,
                                  i * i % 5, i * 37 % 1000);
    return text;
}

static size_t gzip(const char *text, size_t size, unsigned char *to)
{
    z_stream z = {.avail_in = (uInt)size};
    z.next_in = (const Bytef *)text; /* const by ZLIB_CONST */
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_out = to;
    z.avail_out = CAPACITY;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(deflateEnd(&z), Z_OK);
    return CAPACITY - z.avail_out;
}

static size_t zstd(const char *text, size_t size, unsigned char *to)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    assert_non_null(context);
    (void)ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    const size_t packed = ZSTD_compress2(context, to, CAPACITY, text, size);
    assert_false(ZSTD_isError(packed));
    (void)ZSTD_freeCCtx(context);
    return packed;
}

typedef size_t (*compressor)(const char *text, size_t size, unsigned char *to);

static void must_be_the_text(const char *what)
{
    segue_history h = must_read(what);
    assert_int_equal(h.n_rows, ROWS);
    assert_int_equal(h.n_tasks, 777);
    assert_int_equal(h.row[h.n_rows - 1].task, 776);
    segue_history_fini(&h);
}

/* Expect an error at any line of the text. */
static void refused_somewhere(const char *what, const char *says)
{
    segue_history history;
    segue_error err = {.status = SEGUE_OK};
    assert_int_equal(segue_history_read(&history, own_path, &all, &err), SEGUE_EPARSE);
    const char *line = err.message + strlen(own_path) + 1;
    if (strtol(line, NULL, 10) < 1 || strtol(line, NULL, 10) > ROWS + 2 ||
        !strstr(err.message, says))
        fail_msg("%s: \"%s\" does not say \"%s\"", what, err.message, says);
}

static void compressed_logs_are_read_or_refused(void **state)
{
    (void)state;
    static const compressor by[] = {gzip, zstd};
    static const char *const name[] = {"gzip", "zstd"};
    size_t size;
    char *text = make_text(&size), says[64];
    unsigned char *packed = malloc(2 * (size_t)CAPACITY);
    assert_non_null(packed);
    for (size_t i = 0; i < 2; i++) {
        size_t length = by[i](text, size, packed);
        write_bytes(packed, length);
        must_be_the_text(name[i]);

        (void)snprintf(says, sizeof says, "the %s data end too early", name[i]);
        const size_t cut[] = {5, 20, length / 2, length - 5, length - 1};
        for (size_t c = 0; c < sizeof cut / sizeof *cut; c++) {
            write_bytes(packed, cut[c]);
            refused_somewhere("cut off", says);
        }
        (void)snprintf(says, sizeof says, "the %s data are damaged", name[i]);
        const size_t at[] = {i ? length - 3 : length - 6, length / 2}; /* the checksum; inside */
        for (size_t a = 0; a < 2; a++) {
            packed[at[a]] ^= 0x55;
            write_bytes(packed, length);
            segue_error err;
            segue_history h;
            assert_int_equal(segue_history_read(&h, own_path, &all, &err), SEGUE_EPARSE);
            if (a == 0)
                refused_somewhere("a wrong checksum", says);
            packed[at[a]] ^= 0x55;
        }

        /* Two streams that split a row; then other bytes after them. */
        length = by[i](text, 100001, packed);
        length += by[i](text + 100001, size - 100001, packed + length);
        write_bytes(packed, length);
        must_be_the_text("two streams");
        memset(packed + length, 'x', 4);
        write_bytes(packed, length + 4);
        refused_somewhere("other bytes after", i ? says : "there are other bytes after the gzip");
        memset(packed + length, 0, 1000);
        write_bytes(packed, length + 1000);
        if (i == 0)
            must_be_the_text("zeros behind");
        write_bytes(packed, by[i](text, 0, packed));
        refused("nothing, compressed", ": the file is empty");
        /* The error has the line of the text. */
        write_bytes(packed, by[i]("task,arm,reward\n\nu,a,1\nu,b,x\n", 29, packed));
        refused("a wrong reward", ":4: field 'reward': 'x' is not");
    }
    free(packed);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compressed_logs_are_read_or_refused),
    };
    return cmocka_run_group_tests(tests, make_own_folder, remove_own_folder);
}
