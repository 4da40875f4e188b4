/* topics.h - the topics of `segue help` that are no commands.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_TOPICS_H
#define SEGUE_CLI_TOPICS_H

#include <stddef.h>

typedef struct cli_topic {
    const char *name;
    const char *summary; /* one line */
    const char *text;    /* paragraphs, and indented lines that stay as they are */
} cli_topic;

/** The text of the topic "results". */
extern const char cli_topic_results[];

/** All topics, by name. */
const cli_topic *cli_topics_list(size_t *count);

/** The topic of that name, or NULL. */
const cli_topic *cli_topics_find(const char *name);

#endif
