/* task_doc.h - docstrings of segue.Task; their examples are doctests.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_PYTHON_TASK_DOC_H
#define SEGUE_PYTHON_TASK_DOC_H

#define TASK_DOC                                                                                   \
    "A task of a learner, from learner.task(): ask for an arm, tell its reward, close it.\n"       \
    "\n"                                                                                           \
    "As a context manager it closes at the end of the block, also after an exception: the "        \
    "rewards that were told\n"                                                                     \
    "are true.  A task that is dropped while it is open teaches nothing, with a "                  \
    "ResourceWarning.\n"                                                                           \
    "\n"                                                                                           \
    ">>> learner = segue.Learner([\"a\", \"b\"], steps=30)\n"                                      \
    ">>> with learner.task() as task:\n"                                                           \
    "...     task.tell(task.ask(), 1.0)\n"                                                         \
    ">>> task.closed\n"                                                                            \
    "True\n"

#define TASK_ASK_DOC                                                                               \
    "ask($self, count=None, /, *, exclude=None)\n"                                                 \
    "--\n"                                                                                         \
    "\n"                                                                                           \
    "The arm to pull next, by name.\n"                                                             \
    "\n"                                                                                           \
    "count    an array of so many decisions (array.array of indices in learner.arms) instead of "  \
    "one name\n"                                                                                   \
    "exclude  arms that must not be pulled\n"                                                      \
    "\n"                                                                                           \
    "Several decisions may wait for their rewards: an ask counts as a pull with the expected "     \
    "reward.\n"                                                                                    \
    "\n"                                                                                           \
    ">>> task = segue.Learner([\"a\", \"b\", \"c\"], steps=30).task()\n"                           \
    ">>> task.ask(exclude={\"a\", \"b\"})\n"                                                       \
    "'c'\n"                                                                                        \
    ">>> len(task.ask(8))\n"                                                                       \
    "8\n"                                                                                          \
    ">>> task.close()\n"

#define TASK_TELL_DOC                                                                              \
    "tell($self, /, arm, reward)\n"                                                                \
    "--\n"                                                                                         \
    "\n"                                                                                           \
    "Tell the reward of a pull, late and in any order, also of an arm that was not asked for.\n"   \
    "\n"                                                                                           \
    "arm     its name, or its index in learner.arms\n"                                             \
    "reward  in the range of the learner; another one is a ValueError, and the task is "           \
    "unchanged\n"                                                                                  \
    "\n"                                                                                           \
    ">>> with segue.Learner([\"a\", \"b\"], steps=30).task() as task:\n"                           \
    "...     task.tell(\"a\", 0.5)\n"                                                              \
    "...     task.tell(\"b\", 2)\n"                                                                \
    "Traceback (most recent call last):\n"                                                         \
    "ValueError: the reward is 2; need a number from 0 to 1\n"

#define TASK_TELL_MANY_DOC                                                                         \
    "tell_many($self, /, arms, rewards)\n"                                                         \
    "--\n"                                                                                         \
    "\n"                                                                                           \
    "Tell many rewards at once: all of them, or none if one is wrong.\n"                           \
    "\n"                                                                                           \
    "arms     names or indices: a list, or an array of whole numbers such as ask(count) returns\n" \
    "rewards  as many numbers: a list, a numpy array, a column of pandas, an array or a "          \
    "memoryview\n"                                                                                 \
    "\n"                                                                                           \
    ">>> with segue.Learner([\"a\", \"b\"], steps=30).task() as task:\n"                           \
    "...     arms = task.ask(4)\n"                                                                 \
    "...     task.tell_many(arms, [1, 0, 1, 0])\n"                                                 \
    "...     sum(task.pulls.values())\n"                                                           \
    "4\n"

#define TASK_EXPLAIN_DOC                                                                           \
    "explain($self, /, *, exclude=None)\n"                                                         \
    "--\n"                                                                                         \
    "\n"                                                                                           \
    "The posterior of the task over types, and the purpose of its next pull: a "                   \
    "segue.Explanation.\n"                                                                         \
    "\n"                                                                                           \
    ">>> with segue.Learner([\"a\", \"b\"], steps=30).task() as task:\n"                           \
    "...     task.explain().no_type\n"                                                             \
    "1.0\n"

#define TASK_PROBABILITIES_DOC                                                                     \
    "probabilities($self, draws=1000, /, *, exclude=None)\n"                                       \
    "--\n"                                                                                         \
    "\n"                                                                                           \
    "The probability that the next ask returns each arm: a dict.  It is exact where nothing is "   \
    "drawn, else a\n"                                                                              \
    "share of `draws` draws.  The task does not change.\n"                                         \
    "\n"                                                                                           \
    ">>> with segue.Learner([\"a\", \"b\"], method=\"ucb1\").task() as task:\n"                    \
    "...     task.tell(\"a\", 1)\n"                                                                \
    "...     task.probabilities()\n"                                                               \
    "{'a': 0.0, 'b': 1.0}\n"

#define TASK_CLOSE_DOC                                                                             \
    "close($self, /)\n"                                                                            \
    "--\n"                                                                                         \
    "\n"                                                                                           \
    "Close the task; the learner learns from it.  A second call does nothing.\n"                   \
    "\n"                                                                                           \
    ">>> learner = segue.Learner([\"a\", \"b\"], steps=30)\n"                                      \
    ">>> task = learner.task()\n"                                                                  \
    ">>> task.close()\n"                                                                           \
    ">>> learner.closed\n"                                                                         \
    "1\n"

#define TASK_ENTER_DOC                                                                             \
    "__enter__($self, /)\n"                                                                        \
    "--\n"                                                                                         \
    "\n"                                                                                           \
    "The task itself.\n"                                                                           \
    "\n"                                                                                           \
    ">>> with segue.Learner([\"a\", \"b\"]).task() as task:\n"                                     \
    "...     task.closed\n"                                                                        \
    "False\n"

#define TASK_EXIT_DOC                                                                              \
    "__exit__($self, *exception)\n"                                                                \
    "--\n"                                                                                         \
    "\n"                                                                                           \
    "Close the task.\n"                                                                            \
    "\n"                                                                                           \
    ">>> with segue.Learner([\"a\", \"b\"]).task() as task:\n"                                     \
    "...     pass\n"                                                                               \
    ">>> task.closed\n"                                                                            \
    "True\n"

#define TASK_PULLS_DOC                                                                             \
    "How many rewards each arm has: a dict.\n"                                                     \
    "\n"                                                                                           \
    ">>> with segue.Learner([\"a\", \"b\"]).task() as task:\n"                                     \
    "...     task.tell(\"a\", 1)\n"                                                                \
    ">>> task.pulls\n"                                                                             \
    "{'a': 1, 'b': 0}\n"

#define TASK_MEANS_DOC                                                                             \
    "The mean reward of each arm: a dict; nan without a reward.\n"                                 \
    "\n"                                                                                           \
    ">>> with segue.Learner([\"a\", \"b\"]).task() as task:\n"                                     \
    "...     task.tell_many([\"a\", \"a\"], [1, 0])\n"                                             \
    ">>> task.means\n"                                                                             \
    "{'a': 0.5, 'b': nan}\n"

#define TASK_CLOSED_DOC                                                                            \
    "True if the task is closed.\n"                                                                \
    "\n"                                                                                           \
    ">>> task = segue.Learner([\"a\", \"b\"]).task()\n"                                            \
    ">>> task.closed\n"                                                                            \
    "False\n"                                                                                      \
    ">>> task.close()\n"

#define TASK_LEARNER_DOC                                                                           \
    "The learner of the task.\n"                                                                   \
    "\n"                                                                                           \
    ">>> learner = segue.Learner([\"a\", \"b\"])\n"                                                \
    ">>> with learner.task() as task:\n"                                                           \
    "...     task.learner is learner\n"                                                            \
    "True\n"

#define EXPLANATION_DOC                                                                            \
    "The posterior of an open task over the types of its learner, and its next pull: a record.\n"  \
    "\n"                                                                                           \
    ">>> with segue.Learner([\"a\", \"b\"], steps=30).task() as task:\n"                           \
    "...     why = task.explain()\n"                                                               \
    ">>> why.types, why.arm in (\"a\", \"b\"), why.purpose in (\"exploit\", \"explore\", "         \
    "\"distinguish\")\n"                                                                           \
    "((), True, True)\n"

#endif
