/* cmd_store.c - `segue store`: look after the file of a service.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "serve/rebuild.h"
#include "store/store.h"

typedef struct settings {
    const char *store, *file;
} settings;

static const cli_option options[] = {
    {"store", 's', CLI_TEXT, offsetof(settings, store), "STORE",
     "the store, sqlite:PATH (default segue.db)", 0, 0},
    {"file", 'f', CLI_TEXT, offsetof(settings, file), "FILE",
     "export: to this file; import: from it", 0, 0},
};

static segue_status check(const settings *set, segue_store *store, segue_error *err)
{
    segue_checked found = {.learners = 0};
    const segue_status status = segue_check_store(store, &found, err);
    if (status == SEGUE_OK)
        (void)printf("%s: sound; %" PRIu64 " learners, rebuilt from %" PRIu64
                     " events, are what they were\n",
                     set->store, found.learners, found.events);
    return status;
}

static segue_status need_file(const settings *set, segue_error *err)
{
    return set->file ? SEGUE_OK
                     : segue_fail(err, SEGUE_EUSAGE,
                                  "name the file with --file; 'segue help store' "
                                  "tells more");
}

/* The store must not be replaced by its export, nor a file that belongs to it.  This is checked
 * before it is opened: see segue_is_store_file. */
static segue_status check_export(const settings *set, segue_error *err)
{
    static const char kind[] = "sqlite:";
    const segue_status status = need_file(set, err);
    if (status != SEGUE_OK)
        return status;
    const bool named = strncmp(set->store, kind, strlen(kind)) == 0;
    const cli_path paths[] = {{"file", set->file},
                              {"store", named ? set->store + strlen(kind) : set->store}};
    return cli_check_paths(paths, 1, 2, err);
}

static segue_status export(const settings *set, segue_store *store, segue_error *err)
{
    cli_interrupt_catch(); /* what is written so far has the store's key in it, and goes */
    const segue_status status = segue_store_export(store, set->file, cli_interrupted, err);
    if (status == SEGUE_OK)
        (void)fprintf(stderr, "%s: written to %s\n", set->store, set->file);
    return status;
}

static segue_status import(const settings *set, segue_store *store, segue_error *err)
{
    segue_status status = segue_store_claim(store, err);
    if (status == SEGUE_OK)
        status = segue_store_import(store, set->file, err);
    return status == SEGUE_OK ? check(set, store, err) : status;
}

static segue_status upgrade(const settings *set, segue_store *store, segue_error *err)
{
    int64_t from = 0;
    segue_status status = segue_store_claim(store, err);
    if (status == SEGUE_OK)
        status = segue_store_upgrade(store, &from, err);
    if (status != SEGUE_OK)
        return status;
    if (from == SEGUE_STORE_FORMAT)
        (void)printf("%s: is of format %d, the newest; nothing is to be done\n", set->store,
                     SEGUE_STORE_FORMAT);
    else
        (void)printf("%s: was of format %" PRId64 ", and is of format %d now\n", set->store, from,
                     SEGUE_STORE_FORMAT);
    return check(set, store, err);
}

typedef struct action {
    const char *name;
    segue_store_mode mode;
    segue_status (*check)(const settings *set, segue_error *err); /* before it is opened */
    segue_status (*run)(const settings *set, segue_store *store, segue_error *err);
} action;

static const action actions[] = {{"check", SEGUE_STORE_LOOK, NULL, check},
                                 {"upgrade", SEGUE_STORE_UPGRADE, NULL, upgrade},
                                 {"export", SEGUE_STORE_LOOK, check_export, export},
                                 {"import", SEGUE_STORE_CREATE, need_file, import}};

static segue_status run(int argc, char **argv, segue_error *err)
{
    settings set = {.store = "sqlite:segue.db"};
    const char *word = NULL;
    segue_status status =
        cli_parse_operand(options, sizeof options / sizeof *options, argc, argv, &set, &word, err);
    if (status != SEGUE_OK)
        return status;
    const action *found = NULL;
    for (size_t i = 0; word && i < sizeof actions / sizeof *actions; i++)
        if (strcmp(actions[i].name, word) == 0)
            found = &actions[i];
    if (!found)
        return segue_fail(err, SEGUE_EUSAGE, "say check, upgrade, export or import%s%.60s",
                          word ? ", not " : "", word ? word : "");
    segue_store *store = NULL;
    if (found->check)
        status = found->check(&set, err);
    if (status == SEGUE_OK)
        status = segue_store_open(&store, set.store, found->mode, err);
    if (status == SEGUE_OK)
        status = found->run(&set, store, err);
    if (status == SEGUE_OK)
        segue_store_close(store);
    else
        segue_store_abandon(store); /* a failed import leaves nothing */
    return status;
}

const cli_command cli_command_store = {
    .name = "store",
    .summary = "checks, upgrades, exports and imports the store of a service",
    .usage = "store check|upgrade|export|import [OPTIONS]",
    .details = "check    rebuilds every learner from the first event of its journal, and\n"
               "         compares the bytes with its snapshot and with what a start makes of it\n"
               "upgrade  brings a store of an older program to this one's format; checks it\n"
               "export   writes all there is to FILE, but snapshots, which the journal leads to:\n"
               "         a line of JSON a row\n"
               "import   fills a new store from such a file, and checks it\n\n"
               "An export has the key of the store in it, and is its owner's alone; one that is\n"
               "ended before its end leaves nothing.\n\n"
               "check and export may be used while the service runs, and need not be allowed\n"
               "to write; if they are not, start no service before they are through.\n\n"
               "examples:\n"
               "  segue store check --store sqlite:/var/lib/segue/segue.db\n"
               "  segue store export --file backup.jsonl\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
