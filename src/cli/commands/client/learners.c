/* learners.c - `segue learners`: list, show, create and change the learners of a service.
 *
 * Without an action it sends GET, with or without LEARNER; --create and --add-arm send POST,
 * --retire-arm and --delete send DELETE. One request per command.
 * SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <stdlib.h>

#include "cli/commands/client/client.h"
#include "io/json.h"
#include "io/json_write.h"

typedef struct settings {
    cli_client client;
    const char *create, *add_arm, *retire_arm;
    bool is_deletion;
} settings;

#define FIELD(name) .offset = offsetof(settings, name)

static const cli_option options[] = {
    {"create", 0, CLI_TEXT, FIELD(create), "FILE",
     "create the learner of a JSON file; -: standard input", 0, 0},
    {"add-arm", 0, CLI_TEXT, FIELD(add_arm), "ARM", "add an arm to LEARNER", 0, 0},
    {"retire-arm", 0, CLI_TEXT, FIELD(retire_arm), "ARM", "no longer decide for this arm", 0, 0},
    {"delete", 0, CLI_FLAG, FIELD(is_deletion), NULL, "delete LEARNER, its tasks and rewards", 0,
     0},
    CLI_CLIENT_OPTIONS,
};

/* The file is parsed first, so that a mistake in it has a line number. */
static segue_status create(const settings *set, segue_error *err)
{
    json_t *learner = NULL;
    segue_bytes body = {.data = NULL};
    SEGUE_TRY(segue_json_read(&learner, set->create, err));
    char *text = json_dumps(learner, JSON_COMPACT);
    json_decref(learner);
    if (!text)
        return segue_fail_no_memory(err, "a request");
    segue_json_write_raw(&body, text);
    free(text);
    return cli_client_send(&set->client, "POST", cli_client_path(NULL, NULL, NULL), &body, err);
}

static segue_status add_arm(const settings *set, const char *learner, segue_error *err)
{
    segue_bytes body = {.data = NULL};
    segue_json_write_raw(&body, "{");
    segue_json_write_text(&body, "arm", set->add_arm);
    segue_json_write_raw(&body, "}");
    return cli_client_send(&set->client, "POST", cli_client_path(learner, "arms", NULL), &body,
                           err);
}

/* At most one action; --create names the learner in its file. */
static segue_status check_settings(const settings *set, const char *learner, segue_error *err)
{
    const int n_actions = (set->create != NULL) + (set->add_arm != NULL) +
                          (set->retire_arm != NULL) + set->is_deletion;
    if (n_actions > 1)
        return segue_fail(err, SEGUE_EUSAGE,
                          "give one of --create, --add-arm, --retire-arm, --delete");
    if (set->create && learner)
        return segue_fail(err, SEGUE_EUSAGE,
                          "--create reads the name from the file; remove '%.60s'", learner);
    if (n_actions == 1 && !set->create && !learner)
        return segue_fail(err, SEGUE_EUSAGE, "name the learner; see 'segue help learners'");
    return SEGUE_OK;
}

static segue_status run(int argc, char **argv, segue_error *err)
{
    settings set = {.client = cli_client_defaults()};
    const char *learner = NULL;
    SEGUE_TRY(cli_options_parse_operand(options, sizeof options / sizeof *options, argc, argv, &set,
                                        &learner, err));
    SEGUE_TRY(check_settings(&set, learner, err));
    if (set.create)
        return create(&set, err);
    if (set.add_arm)
        return add_arm(&set, learner, err);
    const bool deletes = set.retire_arm || set.is_deletion;
    return cli_client_send(&set.client, deletes ? "DELETE" : "GET",
                           cli_client_path(learner, set.retire_arm ? "arms" : NULL, set.retire_arm),
                           NULL, err);
}

const cli_command cli_command_learners = {
    .name = "learners",
    .summary = "list, show, create and change the learners of a service",
    .usage = "learners [LEARNER] [OPTIONS]",
    .details = "Prints the response of the service, JSON.  The fields of a learner to create are\n"
               "in the service's /openapi.json (NewLearner); name and arms are enough.\n\n"
               "examples:\n"
               "  segue learners\n"
               "  echo '{\"name\":\"tutor\",\"arms\":[\"A\",\"B\"]}' | segue learners --create -\n"
               "  segue learners tutor\n"
               "  segue learners --url https://decide.example.org --cacert ca.pem\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
