/* ask.c - `segue ask`: ask a service which arm a task should pull.
 *
 * It builds the body of POST /v1/learners/LEARNER/ask and prints the response. The service checks
 * the values: this file only rejects a command without learner or task.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cli/commands/client/client.h"
#include "io/json_write.h"

#define MAX_ARM_NAME 300 /* bytes; the service rejects names that are cut here as unknown */

typedef struct settings {
    cli_client client;
    const char *task, *event, *exclude, *eligible, *chosen;
    double chosen_probability;
    uint64_t count;
    bool probability, explain;
} settings;

#define FIELD(name) .offset = offsetof(settings, name)

static const cli_option options[] = {
    {"task", 0, CLI_TEXT, FIELD(task), "KEY", "the task; a new key opens one", 0, 0},
    {"event", 0, CLI_TEXT, FIELD(event), "ID", "the same id gives the same decision", 0, 0},
    {"exclude", 0, CLI_TEXT, FIELD(exclude), "ARMS", "arms to exclude now, separated by commas", 0,
     0},
    {"eligible", 0, CLI_TEXT, FIELD(eligible), "ARMS",
     "the only arms to choose among, separated by commas", 0, 0},
    {"count", 0, CLI_INTEGER, FIELD(count), "N", "several decisions at once", 1, 1000},
    {"probability", 0, CLI_FLAG, FIELD(probability), NULL, "also the arm's probability", 0, 0},
    {"explain", 0, CLI_FLAG, FIELD(explain), NULL, "also the types still compatible", 0, 0},
    {"chosen", 0, CLI_TEXT, FIELD(chosen), "ARM", "shadow mode: the arm that you chose", 0, 0},
    {"chosen-probability", 0, CLI_NUMBER, FIELD(chosen_probability), "P",
     "... and its probability, above 0", 0.0, 1.0},
    CLI_CLIENT_OPTIONS,
};

/* Split at commas; an arm whose name has a comma cannot be listed here. */
static void write_list(segue_bytes *b, const char *field, const char *names)
{
    char name[MAX_ARM_NAME];
    segue_json_write_key(b, field);
    segue_json_write_raw(b, "[");
    for (const char *at = names; *at;) {
        const size_t size = strcspn(at, ",");
        (void)snprintf(name, sizeof name, "%.*s", size < sizeof name ? (int)size : MAX_ARM_NAME - 1,
                       at);
        segue_json_write_raw(b, at == names ? "" : ",");
        segue_json_write_string(b, name);
        at += size + (at[size] == ',');
    }
    segue_json_write_raw(b, "]");
}

/* Only options that were given become fields: the service has the defaults. */
static segue_bytes write_body(const settings *set)
{
    segue_bytes b = {.data = NULL};
    segue_json_write_raw(&b, "{");
    segue_json_write_text(&b, "task", set->task);
    if (set->event)
        segue_json_write_text(&b, "event", set->event);
    if (set->exclude)
        write_list(&b, "exclude", set->exclude);
    if (set->eligible)
        write_list(&b, "eligible", set->eligible);
    if (set->count > 0)
        segue_json_write_integer(&b, "count", set->count);
    if (set->probability)
        segue_json_write_bool(&b, "probability", 1);
    if (set->explain)
        segue_json_write_bool(&b, "explain", 1);
    if (set->chosen)
        segue_json_write_text(&b, "chosen", set->chosen);
    if (set->chosen_probability > 0.0)
        segue_json_write_double(&b, "chosen_probability", set->chosen_probability);
    segue_json_write_raw(&b, "}");
    return b;
}

static segue_status run(int argc, char **argv, segue_error *err)
{
    settings set = {.client = cli_client_defaults()};
    const char *learner = NULL;
    SEGUE_TRY(cli_options_parse_operand(options, sizeof options / sizeof *options, argc, argv, &set,
                                        &learner, err));
    if (!learner || !set.task)
        return segue_fail(err, SEGUE_EUSAGE, "give the learner and --task; see 'segue help ask'");
    segue_bytes body = write_body(&set);
    return cli_client_send(&set.client, "POST", cli_client_path(learner, "ask", NULL), &body, err);
}

const cli_command cli_command_ask = {
    .name = "ask",
    .summary = "ask a service which arm a task should pull",
    .usage = "ask LEARNER --task KEY [OPTIONS]",
    .details = "Prints the response of the service, JSON: the arm, and the id of the decision,\n"
               "which 'segue tell' takes.\n\n"
               "examples:\n"
               "  segue ask tutor --task student-42\n"
               "  segue ask tutor --task student-42 --probability --explain\n"
               "  segue ask tutor --task student-42 --chosen video --chosen-probability 0.5\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
