/* learners.c - `segue learners`: list, show, create and change the learners of a service.
 *
 * Without an action it sends GET, with or without LEARNER; --export and --shadow send GET, --create,
 * --from, --add-arm and --merge POST, --retire-arm and --delete DELETE. One request per command. A saved learner (--from) is loaded
 * here first, so that a wrong file has a sentence with its name.
 * SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/client/client.h"
#include "io/encode.h"
#include "io/json.h"
#include "io/json_write.h"
#include "segue/internal.h"

typedef struct settings {
    cli_client client;
    const char *create, *from, *arms, *add_arm, *retire_arm, *merge;
    bool is_deletion, is_export, is_shadow, force;
} settings;

#define FIELD(name) .offset = offsetof(settings, name)

static const cli_option options[] = {
    {"create", 0, CLI_TEXT, FIELD(create), "FILE",
     "create the learner of a JSON file; -: standard input", 0, 0},
    {"from", 0, CLI_TEXT, FIELD(from), "FILE", "create LEARNER from a saved one, of 'segue learn'",
     0, 0},
    {"arms", 0, CLI_TEXT, FIELD(arms), "A,B,...",
     "with --from: names of its arms, if FILE has none", 0, 0},
    {"add-arm", 0, CLI_TEXT, FIELD(add_arm), "ARM", "add an arm to LEARNER", 0, 0},
    {"retire-arm", 0, CLI_TEXT, FIELD(retire_arm), "ARM", "no longer decide for this arm", 0, 0},
    {"delete", 0, CLI_FLAG, FIELD(is_deletion), NULL, "delete LEARNER, its tasks and rewards", 0,
     0},
    {"shadow", 0, CLI_FLAG, FIELD(is_shadow), NULL, "would LEARNER have chosen better than you?", 0,
     0},
    {"export", 0, CLI_FLAG, FIELD(is_export), NULL, "print LEARNER, to merge it elsewhere", 0, 0},
    {"merge", 0, CLI_TEXT, FIELD(merge), "FILE", "merge an export into LEARNER; -: standard input",
     0, 0},
    {"force", 0, CLI_FLAG, FIELD(force), NULL, "with --merge: even if tasks count twice", 0, 0},
    CLI_CLIENT_OPTIONS,
};

/* ---- creating ---------------------------------------------------------------------------- */

/* Add the field "arms": names between commas. */
static bool add_arms(json_t *learner, const char *text)
{
    json_t *list = json_array();
    bool fine = list != NULL;
    while (fine) {
        const size_t length = strcspn(text, ",");
        fine = json_array_append_new(list, json_stringn(text, length)) == 0;
        if (text[length] == '\0')
            break;
        text += length + 1;
    }
    return json_object_set_new(learner, "arms", list) == 0 && fine;
}

/* Add the field "saved": the bytes of a saved learner in base64. */
static bool add_saved(json_t *learner, const segue_learner *saved)
{
    segue_bytes bytes = {.data = NULL};
    segue_learner_serialize(saved, &bytes);
    char *text = bytes.failed ? NULL : malloc(SEGUE_ENCODE_BASE64_LENGTH(bytes.size));
    const size_t length = text ? segue_encode_base64(text, bytes.data, bytes.size) : 0;
    const bool fine =
        text && json_object_set_new(learner, "saved", json_stringn(text, length)) == 0;
    free(text);
    segue_bytes_fini(&bytes);
    return fine;
}

static segue_status add_from(const settings *set, const char *name, json_t *learner,
                             segue_error *err)
{
    segue_learner *saved = NULL;
    SEGUE_TRY(segue_learner_load(&saved, set->from, 0, err));
    bool fine = add_saved(learner, saved);
    segue_learner_destroy(saved);
    if (fine && name)
        fine = json_object_set_new(learner, "name", json_string(name)) == 0;
    if (fine && set->arms)
        fine = add_arms(learner, set->arms);
    return fine ? SEGUE_OK
                : segue_fail(err, SEGUE_EUSAGE,
                             "a name is not UTF-8, or out of memory for a request");
}

/* Send a JSON object to a path, which is released. */
static segue_status send_object(const settings *set, segue_bytes path, json_t *learner,
                                segue_error *err)
{
    segue_bytes body = {.data = NULL};
    char *text = json_dumps(learner, JSON_COMPACT);
    if (!text) {
        segue_bytes_fini(&path);
        return segue_fail_no_memory(err, "a request");
    }
    segue_json_write_raw(&body, text);
    free(text);
    return cli_client_send(&set->client, "POST", path, &body, err);
}

/* The JSON file is parsed here, so that a mistake in it has a line number. */
static segue_status create(const settings *set, const char *name, segue_error *err)
{
    json_t *learner = set->create ? NULL : json_object();
    if (set->create)
        SEGUE_TRY(segue_json_read(&learner, set->create, err));
    segue_status status = learner ? SEGUE_OK : segue_fail_no_memory(err, "a request");
    if (status == SEGUE_OK && set->from)
        status = add_from(set, name, learner, err);
    if (status == SEGUE_OK)
        status = send_object(set, cli_client_path(NULL, NULL, NULL), learner, err);
    json_decref(learner);
    return status;
}

/* ---- merging ----------------------------------------------------------------------------- */

static segue_status merge(const settings *set, const char *learner, segue_error *err)
{
    json_t *export = NULL;
    SEGUE_TRY(segue_json_read(&export, set->merge, err));
    const bool fine = !set->force || json_object_set_new(export, "force", json_true()) == 0;
    const segue_status status =
        fine ? send_object(set, cli_client_path(learner, "merge", NULL), export, err)
             : segue_fail(err, SEGUE_EUSAGE, "%s: is not an export", set->merge);
    json_decref(export);
    return status;
}

/* ---- the command ------------------------------------------------------------------------- */

static segue_status add_arm(const settings *set, const char *learner, segue_error *err)
{
    segue_bytes body = {.data = NULL};
    segue_json_write_raw(&body, "{");
    segue_json_write_text(&body, "arm", set->add_arm);
    segue_json_write_raw(&body, "}");
    return cli_client_send(&set->client, "POST", cli_client_path(learner, "arms", NULL), &body,
                           err);
}

/* At most one action; --create names the learner in its file, unless there is --from. */
static segue_status check_settings(const settings *set, const char *learner, segue_error *err)
{
    const int n_actions = (set->create || set->from) + (set->add_arm != NULL) +
                          (set->retire_arm != NULL) + set->is_deletion + (set->merge != NULL) +
                          set->is_export + set->is_shadow;
    if (n_actions > 1)
        return segue_fail(err, SEGUE_EUSAGE,
                          "give one of --create or --from, --add-arm, --retire-arm, --delete, "
                          "--shadow, --export, --merge");
    if (set->force && !set->merge)
        return segue_fail(err, SEGUE_EUSAGE, "--force belongs to --merge; 'segue help learners'");
    if (set->arms && !set->from)
        return segue_fail(err, SEGUE_EUSAGE, "--arms belongs to --from; 'segue help learners'");
    if (set->create && !set->from && learner)
        return segue_fail(err, SEGUE_EUSAGE,
                          "--create reads the name from the file; remove '%.60s'", learner);
    if (n_actions == 1 && !set->create && !learner) /* --from alone needs it, too */
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
    if (set.create || set.from)
        return create(&set, learner, err);
    if (set.add_arm)
        return add_arm(&set, learner, err);
    if (set.merge)
        return merge(&set, learner, err);
    const char *part = set.retire_arm  ? "arms"
                       : set.is_export ? "export"
                       : set.is_shadow ? "shadow"
                                       : NULL;
    const bool deletes = set.retire_arm || set.is_deletion;
    return cli_client_send(&set.client, deletes ? "DELETE" : "GET",
                           cli_client_path(learner, part, set.retire_arm), NULL, err);
}

const cli_command cli_command_learners = {
    .name = "learners",
    .summary = "list, show, create and change the learners of a service",
    .usage = "learners [LEARNER] [OPTIONS]",
    .details = "Prints the response of the service, JSON.  The fields of a learner to create are\n"
               "in the service's /openapi.json (NewLearner); name and arms are enough.  If there\n"
               "is --from too, the file of --create has other fields, such as control.\n\n"
               "examples:\n"
               "  segue learners\n"
               "  echo '{\"name\":\"tutor\",\"arms\":[\"A\",\"B\"]}' | segue learners --create -\n"
               "  segue learners tutor\n"
               "  segue learners tutor --from tutor.segue\n"
               "  segue learners tutor --shadow\n"
               "  segue learners tutor --export | segue learners all --merge - -u other:8080\n"
               "  segue learners --url https://decide.example.org --cacert ca.pem\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
