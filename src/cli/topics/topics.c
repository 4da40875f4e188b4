/* topics.c - the help topics that are not commands: formats of input files and of results.
 *
 * `segue help` prints them and the build makes manual pages of them. A topic may have several
 * parts, since compilers limit the length of a literal.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/topics/topics.h"

#include "segue/internal.h"

static const cli_topic topics[] = {
    {"logs", "the format of logs of rewards", {cli_topics_logs}},
    {"models", "the format of model sets", {cli_topics_models}},
    {"results",
     "every field and column that commands print or write",
     {cli_topics_results_simulate, cli_topics_results_models, cli_topics_results_logs,
      cli_topics_results_plan, cli_topics_results_audit}},
};

const cli_topic *cli_topics_list(size_t *count)
{
    *count = sizeof topics / sizeof *topics;
    return topics;
}

static const char *name_of(const void *list, size_t i)
{
    return ((const cli_topic *)list)[i].name;
}

const cli_topic *cli_topics_find(const char *name)
{
    const size_t count = sizeof topics / sizeof *topics;
    const size_t index = segue_text_find(name, topics, count, name_of);
    return index < count ? &topics[index] : NULL;
}
