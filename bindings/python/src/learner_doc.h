/* learner_doc.h - docstrings of segue.Learner and its records; their examples are doctests.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_PYTHON_LEARNER_DOC_H
#define SEGUE_PYTHON_LEARNER_DOC_H

#define LEARNER_DOC                                                                                \
    "Learner(arms, steps=None, method='auto', seed=1, range=(0, 1), models=None, tasks=None, "     \
    "**options)\n"                                                                                 \
    "--\n"                                                                                         \
    "\n"                                                                                           \
    "Learn across short tasks with the same arms, so that each new one needs only a few tries.\n"  \
    "\n"                                                                                           \
    "arms     names, all different\n"                                                              \
    "steps    decisions per task; None: not known\n"                                               \
    "method   as on the command line, such as 'tla' or 'tla:cap=5'; 'auto' chooses one\n"          \
    "seed     of the random draws: the same seed and the same calls give the same decisions\n"     \
    "range    the lowest and the highest reward\n"                                                 \
    "models   how many models tucb looks for\n"                                                    \
    "tasks    how many tasks are to come\n"                                                        \
    "options  of the method: cap=5 is 'tla:cap=5'\n"                                               \
    "\n"                                                                                           \
    "Threads may share a learner: one at a time uses it.  Fits, files and batches release the "    \
    "GIL.\n"                                                                                       \
    "\n"                                                                                           \
    ">>> learner = segue.Learner([\"video\", \"quiz\", \"game\"], steps=30)\n"                     \
    ">>> for student in range(20):\n"                                                              \
    "...     with learner.task() as task:\n"                                                       \
    "...         for step in range(30):\n"                                                         \
    "...             arm = task.ask()\n"                                                           \
    "...             task.tell(arm, 1 if arm == (\"quiz\" if student % 2 else \"game\") else 0)\n" \
    ">>> learner.closed, len(learner.types)\n"                                                     \
    "(20, 2)\n"

#define LEARNER_ARMS_DOC                                                                           \
    "The names of the arms, a tuple.\n"                                                            \
    "\n"                                                                                           \
    ">>> segue.Learner([\"a\", \"b\"]).arms\n"                                                     \
    "('a', 'b')\n"

#define LEARNER_RETIRED_DOC                                                                        \
    "The arms that new tasks do not pull, a tuple.\n"                                              \
    "\n"                                                                                           \
    ">>> segue.Learner([\"a\", \"b\"]).retired\n"                                                  \
    "()\n"

#define LEARNER_METHOD_DOC                                                                         \
    "The method with its options, as the command line takes them.\n"                               \
    "\n"                                                                                           \
    ">>> segue.Learner([\"a\", \"b\"], steps=30, method=\"tla\", cap=5).method\n"                  \
    "'tla:cap=5'\n"

#define LEARNER_RANGE_DOC                                                                          \
    "The lowest and the highest reward.\n"                                                         \
    "\n"                                                                                           \
    ">>> segue.Learner([\"a\", \"b\"], range=(-1, 1)).range\n"                                     \
    "(-1.0, 1.0)\n"

#define LEARNER_STEPS_DOC                                                                          \
    "The decisions per task; None: not known.\n"                                                   \
    "\n"                                                                                           \
    ">>> segue.Learner([\"a\", \"b\"], steps=30).steps\n"                                          \
    "30\n"

#define LEARNER_SEED_DOC                                                                           \
    "The seed of the random draws.\n"                                                              \
    "\n"                                                                                           \
    ">>> segue.Learner([\"a\", \"b\"]).seed\n"                                                     \
    "1\n"

#define LEARNER_OPENED_DOC                                                                         \
    "How many tasks were opened.\n"                                                                \
    "\n"                                                                                           \
    ">>> segue.Learner([\"a\", \"b\"]).opened\n"                                                   \
    "0\n"

#define LEARNER_CLOSED_DOC                                                                         \
    "How many tasks were closed.\n"                                                                \
    "\n"                                                                                           \
    ">>> learner = segue.Learner([\"a\", \"b\"])\n"                                                \
    ">>> learner.task().close()\n"                                                                 \
    ">>> learner.closed\n"                                                                         \
    "1\n"

#define LEARNER_SKIPPED_DOC                                                                        \
    "How many closed tasks the method could not learn from, for want of rewards.\n"                \
    "\n"                                                                                           \
    ">>> segue.Learner([\"a\", \"b\"]).skipped\n"                                                  \
    "0\n"

#define LEARNER_VERSION_DOC                                                                        \
    "The number of changes of the shared prior.  Types keep their numbers while it is the same.\n" \
    "\n"                                                                                           \
    ">>> segue.Learner([\"a\", \"b\"]).version\n"                                                  \
    "0\n"

#define LEARNER_TYPES_DOC                                                                          \
    "The types of tasks that were found, a list of segue.Type; tucb: its models.\n"                \
    "\n"                                                                                           \
    ">>> learner = segue.Learner([\"a\", \"b\"], steps=20)\n"                                      \
    ">>> for number in range(20):\n"                                                               \
    "...     with learner.task() as task:\n"                                                       \
    "...         task.tell_many([\"a\", \"b\"] * 10, [number % 2, 1 - number % 2] * 10)\n"         \
    ">>> for found in learner.types:\n"                                                            \
    "...     print(found.number, round(found.weight, 1), max(found.means, key=found.means.get) "   \
    "in \"ab\")\n"                                                                                 \
    "1 0.5 True\n"                                                                                 \
    "2 0.5 True\n"

#define LEARNER_NO_TYPE_DOC                                                                        \
    "The share of tasks that fit no type.\n"                                                       \
    "\n"                                                                                           \
    ">>> segue.Learner([\"a\", \"b\"]).no_type\n"                                                  \
    "1.0\n"

#define LEARNER_FEATURES_DOC                                                                       \
    "The features that tasks were opened with, a list of segue.Feature.\n"                         \
    "\n"                                                                                           \
    ">>> learner = segue.Learner([\"a\", \"b\"], steps=20)\n"                                      \
    ">>> learner.task({\"grade\": 3, \"school\": \"north\"}).close()\n"                            \
    ">>> [feature.name for feature in learner.features]\n"                                         \
    "['grade', 'school']\n"

#define LEARNER_TASK_DOC                                                                           \
    "task($self, /, features=None, *, costs=None, switch_cost=0.0)\n"                              \
    "--\n"                                                                                         \
    "\n"                                                                                           \
    "Open a task: a segue.Task.  Several may be open at once.\n"                                   \
    "\n"                                                                                           \
    "features     a dict from names to numbers or texts: what is known about the task\n"           \
    "costs        a dict from arms to the cost of a pull, in units of the rewards\n"               \
    "switch_cost  of a pull of another arm than the last one\n"                                    \
    "\n"                                                                                           \
    "Decisions maximise the reward minus the costs.  Tell rewards without costs.\n"                \
    "\n"                                                                                           \
    ">>> learner = segue.Learner([\"cheap\", \"dear\"], steps=30)\n"                               \
    ">>> with learner.task({\"country\": \"NO\"}, costs={\"dear\": 0.9}) as task:\n"               \
    "...     task.tell(task.ask(), 0.5)\n"                                                         \
    ">>> learner.opened\n"                                                                         \
    "1\n"

#define LEARNER_ADD_ARM_DOC                                                                        \
    "add_arm($self, name, /)\n"                                                                    \
    "--\n"                                                                                         \
    "\n"                                                                                           \
    "Add an arm.  Tasks that are opened from now on have it.\n"                                    \
    "\n"                                                                                           \
    ">>> learner = segue.Learner([\"a\", \"b\"], steps=30)\n"                                      \
    ">>> learner.add_arm(\"c\")\n"                                                                 \
    ">>> learner.arms\n"                                                                           \
    "('a', 'b', 'c')\n"

#define LEARNER_RETIRE_ARM_DOC                                                                     \
    "retire_arm($self, arm, /)\n"                                                                  \
    "--\n"                                                                                         \
    "\n"                                                                                           \
    "Retire an arm: tasks that are opened from now on do not pull it.\n"                           \
    "\n"                                                                                           \
    ">>> learner = segue.Learner([\"a\", \"b\"], steps=30)\n"                                      \
    ">>> learner.retire_arm(\"a\")\n"                                                              \
    ">>> learner.retired\n"                                                                        \
    "('a',)\n"

#define LEARNER_REFIT_DOC                                                                          \
    "refit($self, /)\n"                                                                            \
    "--\n"                                                                                         \
    "\n"                                                                                           \
    "Refit 32 times in a row: slower than the fits after a task, until types hardly change.\n"     \
    "\n"                                                                                           \
    ">>> segue.Learner([\"a\", \"b\"], steps=30).refit()\n"

#define LEARNER_SAVE_DOC                                                                           \
    "save($self, path, /)\n"                                                                       \
    "--\n"                                                                                         \
    "\n"                                                                                           \
    "Save the learner to a file, by an atomic rename, without its open tasks.  The program segue " \
    "and the C\n"                                                                                  \
    "library read the same file.\n"                                                                \
    "\n"                                                                                           \
    ">>> import pathlib, tempfile\n"                                                               \
    ">>> with tempfile.TemporaryDirectory() as folder:\n"                                          \
    "...     segue.Learner([\"a\", \"b\"]).save(pathlib.Path(folder) / \"ab.learner\")\n"          \
    "...     segue.load(pathlib.Path(folder) / \"ab.learner\").arms\n"                             \
    "('a', 'b')\n"

#define LEARNER_TO_BYTES_DOC                                                                       \
    "to_bytes($self, /)\n"                                                                         \
    "--\n"                                                                                         \
    "\n"                                                                                           \
    "The bytes of the file that save would write.\n"                                               \
    "\n"                                                                                           \
    ">>> segue.from_bytes(segue.Learner([\"a\", \"b\"]).to_bytes()).arms\n"                        \
    "('a', 'b')\n"

#define LEARNER_MERGE_DOC                                                                          \
    "merge($self, other, /)\n"                                                                     \
    "--\n"                                                                                         \
    "\n"                                                                                           \
    "Learn what another learner has learned, as if its tasks had been closed here.  It stays as "  \
    "it is.\n"                                                                                     \
    "\n"                                                                                           \
    ">>> here, there = segue.Learner([\"a\", \"b\"], steps=9), segue.Learner([\"a\", \"b\"], "     \
    "steps=9)\n"                                                                                   \
    ">>> there.task().close()\n"                                                                   \
    ">>> here.merge(there)\n"                                                                      \
    ">>> here.closed\n"                                                                            \
    "1\n"

#define LEARNER_REDUCE_DOC                                                                         \
    "__reduce__($self, /)\n"                                                                       \
    "--\n"                                                                                         \
    "\n"                                                                                           \
    "Pickle and copy a learner, without its open tasks.\n"                                         \
    "\n"                                                                                           \
    ">>> import pickle\n"                                                                          \
    ">>> pickle.loads(pickle.dumps(segue.Learner([\"a\", \"b\"]))).arms\n"                         \
    "('a', 'b')\n"

#define LEARNER_HTML_DOC                                                                           \
    "_repr_html_($self, /)\n"                                                                      \
    "--\n"                                                                                         \
    "\n"                                                                                           \
    "A table of the types, for notebooks.\n"                                                       \
    "\n"                                                                                           \
    ">>> segue.Learner([\"a\", \"b\"])._repr_html_().startswith(\"<table\")\n"                     \
    "True\n"

#define LEARNER_LOAD_DOC                                                                           \
    "load($module, path, /)\n"                                                                     \
    "--\n"                                                                                         \
    "\n"                                                                                           \
    "Load a learner from a file.  It continues as the saved one.\n"                                \
    "\n"                                                                                           \
    ">>> import os, tempfile\n"                                                                    \
    ">>> with tempfile.TemporaryDirectory() as folder:\n"                                          \
    "...     path = os.path.join(folder, \"ab.learner\")\n"                                        \
    "...     segue.Learner([\"a\", \"b\"]).save(path)\n"                                           \
    "...     segue.load(path)\n"                                                                   \
    "<segue.Learner tts: 2 arms, 0 closed tasks, 0 types>\n"

#define LEARNER_FROM_BYTES_DOC                                                                     \
    "from_bytes($module, data, /)\n"                                                               \
    "--\n"                                                                                         \
    "\n"                                                                                           \
    "Make a learner of the bytes of its file.\n"                                                   \
    "\n"                                                                                           \
    ">>> segue.from_bytes(segue.Learner([\"a\", \"b\"]).to_bytes()).closed\n"                      \
    "0\n"

#define TYPE_DOC                                                                                   \
    "A type of tasks that a learner has found: a record.\n"                                        \
    "\n"                                                                                           \
    ">>> learner = segue.Learner([\"a\", \"b\"], steps=20)\n"                                      \
    ">>> for number in range(20):\n"                                                               \
    "...     with learner.task() as task:\n"                                                       \
    "...         task.tell_many([\"a\", \"b\"] * 10, [1, 0] * 10)\n"                               \
    ">>> found = learner.types[0]\n"                                                               \
    ">>> found.number, found.means[\"a\"] > 0.9, found.low[\"a\"] < found.high[\"a\"]\n"           \
    "(1, True, True)\n"

#define FEATURE_DOC                                                                                \
    "A feature that tasks were opened with: a record.\n"                                           \
    "\n"                                                                                           \
    ">>> learner = segue.Learner([\"a\", \"b\"], steps=20)\n"                                      \
    ">>> learner.task({\"grade\": 3}).close()\n"                                                   \
    ">>> feature = learner.features[0]\n"                                                          \
    ">>> feature.name, feature.is_number, feature.tasks\n"                                         \
    "('grade', True, 1)\n"

#endif
