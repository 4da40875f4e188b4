/* store_heads.c - the newest hash of each learner's hash chain, and hashes that were noted.
 *
 * Heads are read in the read transaction of the check, so that they are those of the events that
 * were verified, also while a service writes.  An expected hash costs one more pass over all links.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/store/store_heads.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/columns.h"
#include "io/encode.h"
#include "segue/internal.h"
#include "store/store_chain.h"

#define HEX (2 * SEGUE_DIGEST_SIZE)

/* ---- hashes that were noted -------------------------------------------------------------- */

static size_t count_commas(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == ',';
    return n;
}

segue_status cli_store_heads_init(cli_store_heads *out, const char *expected, segue_error *err)
{
    *out = (cli_store_heads){.head = NULL};
    if (!expected)
        return SEGUE_OK;
    out->expected = calloc(count_commas(expected) + 1, sizeof *out->expected);
    if (!out->expected)
        return segue_fail_no_memory(err, "hashes");
    for (const char *p = expected;; p += HEX + 1) {
        const size_t length = strcspn(p, ",");
        if (length != HEX ||
            !segue_encode_hex_decode(out->expected[out->n_expected].hash, p, SEGUE_DIGEST_SIZE))
            return segue_fail(err, SEGUE_EUSAGE,
                              "--expect has '%.*s'; need %d hexadecimal digits, as 'segue store "
                              "check' prints them",
                              length < HEX ? (int)length : HEX, p, HEX);
        out->n_expected++;
        if (!p[HEX])
            return SEGUE_OK;
    }
}

static void free_hashes(cli_store_hash *hash, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(hash[i].learner);
    free(hash);
}

void cli_store_heads_fini(cli_store_heads *heads)
{
    free_hashes(heads->head, heads->n_heads);
    free_hashes(heads->expected, heads->n_expected);
}

segue_status cli_store_heads_compare(const cli_store_heads *heads, segue_error *err)
{
    char text[HEX + 1];
    for (size_t i = 0; i < heads->n_expected; i++) {
        segue_encode_hex(text, heads->expected[i].hash, SEGUE_DIGEST_SIZE);
        if (!heads->expected[i].learner)
            return segue_fail(err, SEGUE_EFILE,
                              "%s: no event has the hash %s: since it was noted, events were "
                              "changed or removed, or their learner was deleted",
                              heads->store, text);
    }
    return SEGUE_OK;
}

/* ---- learners ---------------------------------------------------------------------------- */

static segue_status fill(cli_store_hash *hash, const segue_stored_learner *row,
                         const segue_stored_link *link, segue_error *err)
{
    if (hash->learner)
        return SEGUE_OK;
    hash->learner = strdup(row->name);
    hash->event = link->seq;
    memcpy(hash->hash, link->hash, sizeof hash->hash);
    return hash->learner ? SEGUE_OK : segue_fail_no_memory(err, "hashes");
}

static segue_status add_head(cli_store_heads *heads, segue_store *store,
                             const segue_stored_learner *row, segue_error *err)
{
    segue_stored_link link;
    SEGUE_TRY(segue_store_chain_head(store, row->id, &link, err));
    cli_store_hash *more = realloc(heads->head, (heads->n_heads + 1) * sizeof *more);
    if (!more)
        return segue_fail_no_memory(err, "hashes");
    heads->head = more;
    more[heads->n_heads] = (cli_store_hash){.learner = NULL};
    return fill(&more[heads->n_heads++], row, &link, err);
}

static segue_status find_expected(cli_store_heads *heads, segue_store *store,
                                  const segue_stored_learner *row, segue_error *err)
{
    segue_rows links;
    segue_stored_link link;
    segue_status status = SEGUE_OK;
    segue_rows_open(&links, store, &(segue_query){.kind = SEGUE_QUERY_CHAIN, .id = row->id}, err);
    while (status == SEGUE_OK && segue_rows_next_link(&links, &link))
        for (size_t i = 0; i < heads->n_expected && status == SEGUE_OK; i++)
            if (memcmp(heads->expected[i].hash, link.hash, sizeof link.hash) == 0)
                status = fill(&heads->expected[i], row, &link, err);
    return segue_rows_close(&links, status);
}

segue_status cli_store_heads_add(cli_store_heads *heads, segue_store *store,
                                 const segue_stored_learner *row, segue_error *err)
{
    SEGUE_TRY(add_head(heads, store, row, err));
    return heads->n_expected > 0 ? find_expected(heads, store, row, err) : SEGUE_OK;
}

/* ---- printing ---------------------------------------------------------------------------- */

static cli_value get_learner(const void *data, size_t row, size_t index)
{
    const cli_store_hash *hash = data;
    (void)index;
    return cli_value_text(hash[row].learner);
}

static cli_value get_event(const void *data, size_t row, size_t index)
{
    const cli_store_hash *hash = data;
    (void)index;
    return cli_value_integer(hash[row].event);
}

static cli_value get_hash(const void *data, size_t row, size_t index)
{
    const cli_store_hash *hash = data;
    char text[HEX + 1];
    (void)index;
    segue_encode_hex(text, hash[row].hash, SEGUE_DIGEST_SIZE);
    return cli_value_format("%s", text);
}

static const cli_column columns[] = {
    {"learner", "learner", "learner", .get = get_learner, .digits = 40},
    {"event", "event", "event", .get = get_event},
    {"hash", "hash", "hash", .get = get_hash},
};

void cli_store_heads_print_sound(FILE *out, const char *store,
                                 const segue_store_check_result *found)
{
    const bool one = found->learners == 1;
    (void)fprintf(out,
                  "%s: sound; %" PRIu64 " learner%s, rebuilt from %" PRIu64 " events, %s what %s\n",
                  store, found->learners, one ? "" : "s", found->events, one ? "is" : "are",
                  one ? "it was" : "they were");
}

static segue_status print_table(const void *data, FILE *out, segue_error *err)
{
    const cli_store_heads *heads = data;
    char text[HEX + 1];
    cli_store_heads_print_sound(out, heads->store, &heads->found);
    for (size_t i = 0; i < heads->n_expected; i++) {
        const cli_store_hash *hash = &heads->expected[i];
        segue_encode_hex(text, hash->hash, SEGUE_DIGEST_SIZE);
        (void)fprintf(out, "expected %s: event %" PRIu64 " of learner '%s'\n", text, hash->event,
                      hash->learner);
    }
    if (heads->n_heads == 0)
        return SEGUE_OK;
    const cli_columns rows = CLI_COLUMNS(columns, heads->head, heads->n_heads);
    (void)fprintf(out, "\n");
    return cli_columns_print_table(&rows, CLI_FIT_ANY_WIDTH, NULL, out, cli_output_bold(NULL), err);
}

static void print_csv(const void *data, FILE *out)
{
    const cli_store_heads *heads = data;
    const cli_columns rows = CLI_COLUMNS(columns, heads->head, heads->n_heads);
    cli_columns_print_csv(&rows, out);
}

static json_t *make_json(const void *data)
{
    const cli_store_heads *heads = data;
    const cli_columns rows = CLI_COLUMNS(columns, heads->head, heads->n_heads),
                      expected = CLI_COLUMNS(columns, heads->expected, heads->n_expected);
    const cli_field fields[] = {
        {"store", cli_value_text(heads->store)},
        {"learners", cli_value_integer(heads->found.learners)},
        {"events", cli_value_integer(heads->found.events)},
        {"heads", cli_value_json(cli_columns_list(&rows))},
        {"expected", cli_value_json(cli_columns_list(&expected))},
    };
    return CLI_OBJECT(fields);
}

segue_status cli_store_heads_print(const cli_store_heads *heads, cli_format format,
                                   segue_error *err)
{
    static const cli_printers printers = {
        .table = print_table, .csv = print_csv, .json = make_json};
    return cli_output_print(&printers, heads, format, NULL, err);
}
