/* store.c - `segue store`: check, upgrade, export and import the store of a service.
 *
 * Each action is an entry of `actions`: the mode in which the store is opened, a check of the
 * options before that, and the work.  A failed import discards the store that it created.
 *
 * src/store reads and writes rows; store_check.c of the service rebuilds the learners. Results go
 * to the standard output, warnings and progress to standard error.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/commands/store/store_heads.h"
#include "cli/commands/store/store_log.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/permissions.h"
#include "io/utf8.h"
#include "segue/internal.h"
#include "service/state/recovery/store_check.h"
#include "store/store.h"

typedef struct settings {
    const char *store, *file, *log, *format, *expect;
    cli_format printed;   /* no option: `format` */
    cli_store_name named; /* no option: `store` */
} settings;

static const cli_option options[] = {
    {"store", 's', CLI_TEXT, offsetof(settings, store), "STORE",
     "sqlite:PATH or postgresql:... (default segue.db)", 0, 0},
    {"file", 'f', CLI_TEXT, offsetof(settings, file), "FILE",
     "export: to this file; import: from it", 0, 0},
    {"log", 'l', CLI_TEXT, offsetof(settings, log), "LEARNER",
     "export: only the rewards of LEARNER, as a log (CSV)", 0, 0},
    {"format", 0, CLI_TEXT, offsetof(settings, format), "FORMAT",
     "check: table, csv or json (default table)", 0, 0},
    {"expect", 'e', CLI_TEXT, offsetof(settings, expect), "HASH,...",
     "check: fail unless the hash chains have these", 0, 0},
};

/* Damage that was found, one line each; and the heads of sound learners, if they are printed. */
typedef struct damage_list {
    segue_bytes text;
    size_t n_lines;
    cli_store_heads *heads;
} damage_list;

/* Called per damaged learner; `learner` is NULL for damage of the file itself. */
static void add_damage(void *context, const char *learner, const char *why)
{
    char line[2 * SEGUE_ERROR_SIZE];
    damage_list *list = context;
    list->n_lines++;
    if (learner)
        (void)snprintf(line, sizeof line, "learner '%s': %s", learner, why);
    else
        (void)snprintf(line, sizeof line, "%s", why);
    segue_utf8_make_printable(line);
    segue_bytes_append(&list->text, line, strlen(line));
    segue_bytes_append(&list->text, "\n", 1);
}

static segue_status add_head(void *context, segue_store *store, const segue_stored_learner *row,
                             segue_error *err)
{
    const damage_list *list = context;
    return list->heads ? cli_store_heads_add(list->heads, store, row, err) : SEGUE_OK;
}

/* Fail with the damage: a single line is the error, several are printed before it. */
static segue_status fail_damaged(const settings *set, const segue_store_check_result *found,
                                 const damage_list *list, const segue_error *first,
                                 segue_error *err)
{
    if (list->n_lines < 2)
        return segue_fail(err, first->status, "%s: %s", set->named.label, first->message);
    (void)printf("%.*s", (int)list->text.size, (const char *)list->text.data);
    return segue_fail(err, first->status,
                      "%s: %" PRIu64 " of %" PRIu64
                      " learners are damaged%s; restore a backup, or delete them in the service",
                      set->named.label, found->damaged, found->learners,
                      found->file ? ", and the file itself" : "");
}

/* Warn about damaged learners of an import: the others are restored, these are not served. */
static void warn_of_damage(const settings *set, const segue_store_check_result *found,
                           const damage_list *list)
{
    (void)fprintf(stderr,
                  "%.*s%s: imported, but %" PRIu64 " of %" PRIu64
                  " learners are damaged, and will not be served; delete them in the "
                  "service\n",
                  (int)list->text.size, (const char *)list->text.data, set->named.label,
                  found->damaged, found->learners);
}

/* Print the result of a check of a sound store. */
static segue_status print_sound(const settings *set, const segue_store_check_result *found,
                                cli_store_heads *heads, segue_error *err)
{
    if (!heads) {
        cli_store_heads_print_sound(stdout, set->named.label, found);
        return SEGUE_OK;
    }
    heads->store = set->named.label;
    heads->found = *found;
    SEGUE_TRY(cli_store_heads_compare(heads, err));
    return cli_store_heads_print(heads, set->printed, err);
}

/* Check a store; with `restores`, damage of single learners is only a warning.  `heads` may be
 * NULL. */
static segue_status check_all(const settings *set, segue_store *store, bool restores,
                              cli_store_heads *heads, segue_error *err)
{
    segue_store_check_result found = {.learners = 0};
    damage_list list = {.heads = heads};
    const segue_store_check_listener listener = {add_damage, add_head, &list};
    segue_error first;
    segue_status status = segue_store_check_each(store, &listener, &found, &first);
    if (status == SEGUE_OK) {
        status = print_sound(set, &found, heads, err);
    } else if (restores && status == SEGUE_EFILE && !found.file && found.damaged > 0) {
        warn_of_damage(set, &found, &list);
        status = SEGUE_OK;
    } else {
        status = fail_damaged(set, &found, &list, &first, err);
    }
    segue_bytes_fini(&list.text);
    return status;
}

/* The action `check`: damage of a single learner is a failure too. */
static segue_status check(const settings *set, segue_store *store, segue_error *err)
{
    cli_store_heads heads;
    segue_status status = cli_store_heads_init(&heads, set->expect, err);
    if (status == SEGUE_OK)
        status = check_all(set, store, false, &heads, err);
    cli_store_heads_fini(&heads);
    return status;
}

/* Export and import have no default file. */
static segue_status need_file(const settings *set, segue_error *err)
{
    return set->file
               ? SEGUE_OK
               : segue_fail(err, SEGUE_EUSAGE, "name the file with --file; see 'segue help store'");
}

/* Check that the export replaces neither the store nor one of its files.  This must happen before
 * the store is opened: see segue_store_file_detect. */
static segue_status check_export(const settings *set, segue_error *err)
{
    char path[PATH_MAX];
    SEGUE_TRY(need_file(set, err));
    const bool has_path = segue_store_file_path(set->named.name, 0, path, sizeof path);
    const cli_path paths[] = {{"file", set->log ? cli_output_path(set->file) : set->file},
                              {"store", path}};
    return cli_output_check_paths(paths, 1, has_path ? 2 : 1, err);
}

/* Say what the log has, and the option that `segue replay` needs. */
static void report_log(const settings *set, const cli_store_log *log)
{
    const bool is_unit =
        !(log->lowest < 0.0 || log->lowest > 0.0 || log->highest < 1.0 || log->highest > 1.0);
    (void)fprintf(stderr, "%s: %" PRIu64 " rewards of %" PRIu64 " tasks written to %s\n",
                  set->named.label, log->rewards, log->tasks, set->file);
    if (log->unrewarded > 0)
        (void)fprintf(stderr, "%" PRIu64 " stored decisions have no reward and are not in it\n",
                      log->unrewarded);
    if (log->with_probability < log->rewards)
        (void)fprintf(stderr,
                      "%" PRIu64 " of the rewards have a probability, so there is no such column: "
                      "ask with \"probability\": true\n",
                      log->with_probability);
    if (!is_unit)
        (void)fprintf(stderr, "read it with --range %.15g,%.15g\n", log->lowest, log->highest);
}

static segue_status export_log(const settings *set, segue_store *store, segue_error *err)
{
    cli_store_log log;
    SEGUE_TRY(cli_store_log_write(store, set->log, set->file, &log, err));
    report_log(set, &log);
    return SEGUE_OK;
}

static segue_status export(const settings *set, segue_store *store, segue_error *err)
{
    cli_interrupt_catch(); /* an unfinished export, which has the key, is removed */
    if (set->log)
        return export_log(set, store, err);
    SEGUE_TRY(segue_store_export(store, set->file, cli_interrupt_requested, err));
    (void)fprintf(stderr, "%s: written to %s\n", set->named.label, set->file);
    return SEGUE_OK;
}

/* The lock excludes a service; the new store is checked before it counts as imported. */
static segue_status import(const settings *set, segue_store *store, segue_error *err)
{
    SEGUE_TRY(segue_store_lock(store, err));
    SEGUE_TRY(segue_store_import(store, set->file, err));
    return check_all(set, store, true, NULL, err);
}

/* The lock excludes a service; the upgraded store is checked at once. */
static segue_status upgrade(const settings *set, segue_store *store, segue_error *err)
{
    int64_t from = 0;
    SEGUE_TRY(segue_store_lock(store, err));
    SEGUE_TRY(segue_store_upgrade(store, &from, err));
    if (from == SEGUE_STORE_FORMAT)
        (void)printf("%s: has format %d, the newest; nothing to do\n", set->named.label,
                     SEGUE_STORE_FORMAT);
    else
        (void)printf("%s: upgraded from format %" PRId64 " to %d\n", set->named.label, from,
                     SEGUE_STORE_FORMAT);
    return check_all(set, store, false, NULL, err);
}

/* An action never opens the store in a stronger mode than it needs. */
typedef struct action {
    const char *name;
    segue_store_mode mode;
    segue_status (*check)(const settings *set, segue_error *err); /* before the store is opened */
    segue_status (*run)(const settings *set, segue_store *store, segue_error *err);
} action;

static const action actions[] = {{"check", SEGUE_STORE_READ_IMMUTABLE, NULL, check},
                                 {"upgrade", SEGUE_STORE_UPGRADE, NULL, upgrade},
                                 {"export", SEGUE_STORE_READ_IMMUTABLE, check_export, export},
                                 {"import", SEGUE_STORE_CREATE, need_file, import}};

/* Find an action by its name; NULL: there is none. */
static const action *find_action(const char *name)
{
    for (size_t i = 0; name && i < sizeof actions / sizeof *actions; i++)
        if (strcmp(actions[i].name, name) == 0)
            return &actions[i];
    return NULL;
}

static segue_status run(int argc, char **argv, segue_error *err)
{
    settings set = {.store = "sqlite:segue.db"};
    const char *name = NULL;
    SEGUE_TRY(cli_options_parse_operand(options, sizeof options / sizeof *options, argc, argv, &set,
                                        &name, err));
    const action *found = find_action(name);
    if (!found)
        return segue_fail(err, SEGUE_EUSAGE, "need check, upgrade, export or import%s%.60s",
                          name ? ", not " : "", name ? name : "");
    if (set.log && found->run != export)
        return segue_fail(err, SEGUE_EUSAGE, "--log belongs to 'segue store export'");
    if ((set.format || set.expect) && found->run != check)
        return segue_fail(err, SEGUE_EUSAGE, "--%s belongs to 'segue store check'",
                          set.format ? "format" : "expect");
    SEGUE_TRY(cli_output_parse_format(set.format ? set.format : "table", &set.printed, err));
    segue_store *store = NULL;
    SEGUE_TRY(cli_permissions_take_store(set.store, &set.named, err));
    if (found->check)
        SEGUE_TRY(found->check(&set, err));
    SEGUE_TRY(segue_store_open(&store, set.named.name, found->mode, err));
    const segue_status status = found->run(&set, store, err);
    if (status == SEGUE_OK)
        segue_store_close(store);
    else
        segue_store_discard(store); /* remove the store of a failed import */
    return status;
}

const cli_command cli_command_store = {
    .name = "store",
    .summary = "check, upgrade, export and import the store of a service",
    .usage = "store check|upgrade|export|import [OPTIONS]",
    .details = "check    read every row, rebuild every learner from its event log, and compare\n"
               "         its bytes with its snapshot and with the state that a start rebuilds;\n"
               "         list all damaged learners; a service starts with a store that passes;\n"
               "         print the newest hash of each learner's hash chain, to be noted\n"
               "         elsewhere: --expect HASH finds out later whether the store still has\n"
               "         all events up to it, as they were (docs/audit.md)\n"
               "upgrade  convert a store of an older program to this one's format; check it\n"
               "export   write every row but snapshots, which the event log gives, to FILE: one\n"
               "         line of JSON per row; with --log LEARNER only its rewards, as a log\n"
               "         that 'segue replay' and 'segue learn' read: task, arm, reward, time,\n"
               "         control (1: played without transfer), and probability if every reward\n"
               "         has one (asks with \"probability\": true); '-': standard output\n"
               "import   fill a new store from such a file, and check it\n\n"
               "An export contains the key of the store; only its owner can read it.  One that\n"
               "is interrupted is removed.\n\n"
               "check and export work while the service runs, and without permission to write;\n"
               "without it, start no service before they end.\n\n"
               "examples:\n"
               "  segue store check --store sqlite:/var/lib/segue/segue.db\n"
               "  segue store check --format csv > heads.csv\n"
               "  segue store export --file backup.jsonl\n"
               "  segue store import --file backup.jsonl --store postgresql://segue@db/segue\n"
               "  segue store export --log tutor --file log.csv\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
