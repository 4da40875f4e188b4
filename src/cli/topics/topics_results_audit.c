/* topics_results_audit.c - `segue help results`: the fields and columns of audit.
 *
 * tests/test_help.py compares them with what the command prints; see topics_results_logs.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/topics/topics.h"

/* clang-format off */
const char cli_topics_results_audit[] =
    "segue audit --format json\n"
    "\n"
    "  learner, task                names\n"
    "  control                      the task was played without transfer\n"
    "  version                      of the learner when the task took its types\n"
    "  prior_event                  the last event that these types know\n"
    "  draw                         random bits of the task, in hexadecimal\n"
    "  ask                          asks of the task before it, in the same run of\n"
    "                               the service\n"
    "  rewards, pending             rewards counted then; asks without one\n"
    "  types[]                      posterior of no type and of each type; empty\n"
    "                               without types\n"
    "  arms[].arm                   name\n"
    "  arms[].allowed               it was neither excluded nor retired\n"
    "  arms[].pulls, arms[].mean    rewards of the arm in the task, their mean\n"
    "  arms[].probability           of being chosen\n"
    "  arms[].decided, arms[].computed\n"
    "                               it was decided; it was computed again\n"
    "  probability, computed_probability\n"
    "                               of the decision; null if the ask did not\n"
    "                               request it\n"
    "  decided, computed            the arm that was decided, and computed again\n"
    "  same                         they agree\n"
    "\n"
    "segue audit --format csv\n"
    "\n"
    "One row per arm.\n"
    "\n"
    "  arm, allowed, pulls, mean, probability, decided, computed\n"
    "                               as in JSON, under 'arms'\n";
/* clang-format on */
