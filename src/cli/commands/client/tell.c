/* tell.c - `segue tell`: tell a service the reward of a decision.
 *
 * The decision names learner, task and arm: the path is /v1/tell. A repeated tell with the same
 * reward is harmless, so that a client may retry.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/client/client.h"
#include "io/json_write.h"

/* A reward outside every valid range: --reward was not given. */
#define NO_REWARD (-1e300)

typedef struct settings {
    cli_client client;
    double reward;
    const char *event;
} settings;

static const cli_option options[] = {
    {"reward", 'r', CLI_NUMBER, offsetof(settings, reward), "X", "the reward of the decision",
     NO_REWARD, -NO_REWARD},
    {"event", 0, CLI_TEXT, offsetof(settings, event), "ID",
     "id of this reward, if decisions have several", 0, 0},
    CLI_CLIENT_OPTIONS,
};

static segue_status run(int argc, char **argv, segue_error *err)
{
    settings set = {.client = cli_client_defaults(), .reward = NO_REWARD};
    const char *decision = NULL;
    segue_bytes path = {.data = NULL}, body = {.data = NULL};
    SEGUE_TRY(cli_options_parse_operand(options, sizeof options / sizeof *options, argc, argv, &set,
                                        &decision, err));
    if (!decision || set.reward <= NO_REWARD)
        return segue_fail(err, SEGUE_EUSAGE,
                          "give the decision and --reward; see 'segue help tell'");
    segue_json_write_raw(&path, "/v1/tell");
    segue_json_write_raw(&body, "{");
    segue_json_write_text(&body, "decision", decision);
    segue_json_write_double(&body, "reward", set.reward);
    if (set.event)
        segue_json_write_text(&body, "event", set.event);
    segue_json_write_raw(&body, "}");
    return cli_client_send(&set.client, "POST", path, &body, err);
}

const cli_command cli_command_tell = {
    .name = "tell",
    .summary = "tell a service the reward of a decision",
    .usage = "tell DECISION --reward X [OPTIONS]",
    .details = "Returns when the reward is on the service's disk.  Telling it again changes\n"
               "nothing; telling a different one is rejected.  A learner with 'aggregate' takes\n"
               "several rewards of a decision, each with its own --event.\n\n"
               "examples:\n"
               "  segue tell \"$DECISION\" --reward 1\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
