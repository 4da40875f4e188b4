/* audit.c - `segue audit`: compute a decision of a service again from its store.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "cli/columns.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/permissions.h"
#include "segue/internal.h"
#include "service/audit/decision_audit.h"
#include "store/store.h"

typedef struct settings {
    const char *store, *format;
} settings;

static const cli_option options[] = {
    {"store", 's', CLI_TEXT, offsetof(settings, store), "STORE",
     "sqlite:PATH or postgresql:... (default segue.db)", 0, 0},
    {"format", 'f', CLI_TEXT, offsetof(settings, format), "FORMAT", "table, csv or json", 0, 0},
};

/* ---- printing ---------------------------------------------------------------------------- */

static const segue_decision_audit *audit_of(const void *data)
{
    return data;
}

static cli_value get_name(const void *data, size_t row, size_t index)
{
    (void)index;
    return cli_value_text(audit_of(data)->arm[row].name);
}

static cli_value get_allowed(const void *data, size_t row, size_t index)
{
    (void)index;
    return cli_value_boolean(audit_of(data)->arm[row].allowed);
}

static cli_value get_pulls(const void *data, size_t row, size_t index)
{
    (void)index;
    return cli_value_integer(audit_of(data)->arm[row].pulls);
}

static cli_value get_mean(const void *data, size_t row, size_t index)
{
    (void)index;
    return cli_value_number(audit_of(data)->arm[row].mean);
}

static cli_value get_probability(const void *data, size_t row, size_t index)
{
    (void)index;
    return cli_value_number(audit_of(data)->arm[row].probability);
}

static cli_value get_chosen(const void *data, size_t row, size_t index)
{
    const segue_decision_audit *a = audit_of(data);
    return cli_value_boolean((index == 0 ? a->decision.arm : a->computed) == row);
}

static const cli_column columns[] = {
    {"arm", "arm", "arm", .get = get_name, .digits = 24},
    {"allowed", "allowed", "allowed", .get = get_allowed},
    {"pulls", "pulls", "pulls", .get = get_pulls},
    {"mean", "mean", "mean", .get = get_mean, .digits = 4},
    {"probability", "probability", "probability", .get = get_probability, .digits = 4},
    {"decided", "decided", "decided", .get = get_chosen, .index = 0},
    {"computed", "computed", "computed", .get = get_chosen, .index = 1},
};

static void print_csv(const void *data, FILE *out)
{
    const cli_columns rows = CLI_COLUMNS(columns, data, audit_of(data)->task.n_arms);
    cli_columns_print_csv(&rows, out);
}

/* Weights by type, 0: none of them. */
static json_t *make_types(const segue_decision_audit *a)
{
    json_t *list = json_array();
    for (size_t i = 0; list && a->types.n_types > 0 && i <= a->types.n_types; i++)
        (void)json_array_append_new(list, json_real(a->types.weight[i]));
    return list;
}

static json_t *make_json(const void *data)
{
    const segue_decision_audit *a = data;
    const cli_columns arms = CLI_COLUMNS(columns, a, a->task.n_arms);
    const cli_field fields[] = {
        {"learner", cli_value_text(a->state->settings.name)},
        {"task", cli_value_text(a->key)},
        {"control", cli_value_boolean(a->task.control)},
        {"version", cli_value_integer(segue_learner_version(a->state->learner))},
        {"prior_event", cli_value_integer(a->prior_seq)},
        {"draw", cli_value_format("%016" PRIx64, a->draw)},
        {"ask", cli_value_integer(a->index)},
        {"rewards", cli_value_integer(a->rewards)},
        {"pending", cli_value_integer(a->pending)},
        {"types", cli_value_json(make_types(a))},
        {"arms", cli_value_json(cli_columns_list(&arms))},
        {"probability", a->requested_probability ? cli_value_number(a->decision.probability)
                                                 : cli_value_missing()},
        {"computed_probability",
         a->requested_probability ? cli_value_number(a->probability) : cli_value_missing()},
        {"decided", cli_value_text(a->arm[a->decision.arm].name)},
        {"computed", cli_value_text(a->arm[a->computed].name)},
        {"same", cli_value_boolean(segue_decision_audit_agrees(a))},
    };
    return CLI_OBJECT(fields);
}

static segue_status print_table(const void *data, FILE *out, segue_error *err)
{
    const segue_decision_audit *a = data;
    const cli_columns arms = CLI_COLUMNS(columns, a, a->task.n_arms);
    (void)fprintf(
        out,
        "learner %s, task %s%s\n"
        "types after event %" PRIu64 " (version %" PRIu64 "), draw %016" PRIx64 "\n"
        "ask %" PRIu64 " of the task, %" PRIu64 " rewards counted, %" PRIu64 " asks pending\n",
        a->state->settings.name, a->key, a->task.control ? " (control)" : "", a->prior_seq,
        segue_learner_version(a->state->learner), a->draw, a->index, a->rewards, a->pending);
    for (size_t i = 0; a->types.n_types > 0 && i <= a->types.n_types; i++)
        (void)fprintf(out, "%s%.4f%s", i == 0 ? "posterior of no type and of each type: " : ", ",
                      a->types.weight[i], i == a->types.n_types ? "\n\n" : "");
    SEGUE_TRY(
        cli_columns_print_table(&arms, CLI_FIT_ANY_WIDTH, NULL, out, cli_output_bold(NULL), err));
    (void)fprintf(out, "\ndecided %s, computed %s: %s\n", a->arm[a->decision.arm].name,
                  a->arm[a->computed].name,
                  segue_decision_audit_agrees(a) ? "the same" : "not the same");
    return SEGUE_OK;
}

/* ---- running ----------------------------------------------------------------------------- */

static segue_status audit(segue_store *store, const char *id, cli_format format, segue_error *err)
{
    static const cli_printers printers = {
        .table = print_table, .csv = print_csv, .json = make_json};
    segue_decision_audit found;
    segue_status status = segue_decision_audit_run(store, id, &found, err);
    if (status == SEGUE_OK)
        status = cli_output_print(&printers, &found, format, NULL, err);
    if (status == SEGUE_OK && !segue_decision_audit_agrees(&found))
        status = segue_fail(err, SEGUE_EDIFFERS,
                            "the store does not lead to this decision; 'segue store check' says "
                            "whether the store is sound");
    segue_decision_audit_fini(&found);
    return status;
}

static segue_status run(int argc, char **argv, segue_error *err)
{
    settings set = {.store = "sqlite:segue.db", .format = "table"};
    cli_format format = CLI_TABLE;
    const char *id = NULL;
    segue_store *store = NULL;
    cli_store_name name;
    SEGUE_TRY(cli_options_parse_operand(options, sizeof options / sizeof *options, argc, argv, &set,
                                        &id, err));
    SEGUE_TRY(cli_output_parse_format(set.format, &format, err));
    if (!id)
        return segue_fail(err, SEGUE_EUSAGE, "give a decision; see 'segue help audit'");
    SEGUE_TRY(cli_permissions_take_store(set.store, &name, err));
    SEGUE_TRY(segue_store_open(&store, name.name, SEGUE_STORE_READ_IMMUTABLE, err));
    const segue_status status = audit(store, id, format, err);
    segue_store_close(store);
    return status;
}

const cli_command cli_command_audit = {
    .name = "audit",
    .summary = "compute a decision of a service again from its store",
    .usage = "audit DECISION [OPTIONS]",
    .details =
        "Rebuilds the learner as it was when the task took its types, plays the task\n"
        "again with its random draw, its asks and its rewards, and prints what the\n"
        "decision was made of: pulls and means of each arm, probabilities, the posterior.\n\n"
        "The exit code is 0 if the same arm is computed, 1 if another one is, and 2 if\n"
        "DECISION is none of this store or the store has not all that it needs: a reward\n"
        "that came after the decision in the same run of the service, and the rewards\n"
        "before it (--keep and erasures remove them).  docs/audit.md\n\n"
        "Works while the service runs, and without permission to write.\n\n"
        "examples:\n"
        "  segue audit DECISION --store sqlite:/var/lib/segue/segue.db\n"
        "  segue audit DECISION --format json\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
