/* topics.h - the topics of `segue help` that are not commands.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_TOPICS_TOPICS_H
#define SEGUE_CLI_TOPICS_TOPICS_H

#include <stddef.h>

#define CLI_TOPICS_MAX_PARTS 6

typedef struct cli_topic {
    const char *name;
    const char *summary; /* one line */
    /* Paragraphs, and indented lines that are printed verbatim; a NULL ends the list if it is
     * shorter.  C compilers need not accept string literals as long as a whole topic. */
    const char *parts[CLI_TOPICS_MAX_PARTS];
} cli_topic;

extern const char cli_topics_models[], cli_topics_logs[];
extern const char cli_topics_results_simulate[], cli_topics_results_models[],
    cli_topics_results_logs[], cli_topics_results_plan[], cli_topics_results_audit[];

/** All topics, sorted by name. */
const cli_topic *cli_topics_list(size_t *count);

/** The topic of that name, or NULL. */
const cli_topic *cli_topics_find(const char *name);

#endif
