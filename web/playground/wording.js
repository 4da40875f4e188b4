/* wording.js - sentences of the library that name options of the program, for a page with fields.
 * SPDX-License-Identifier: Apache-2.0 */

/** The labels of the fields that stand for options. */
export const LABELS = { task: "Column of tasks", arm: "Column of arms", reward: "Column of rewards", low: "Lowest reward",
                        high: "Highest reward", steps: "Steps per task", runs: "Runs", replicates: "Replicates",
                        skip: "Skip rows without a value" };

const NUMBER = /--(runs|replicates|steps) (\d+)/g;
const NAME = /--(task|arm|reward) (?!with the |or )('[^']*'|[^\s'.,;:]+)(?: (?=--))?/g;

/** A sentence with fields in place of options; an option without a field is left to the program. */
export function spell(sentence) {
    const isLast = (text, at) => !text.slice(at).startsWith("--");
    return sentence
        .replace(/give --missing skip/g, `choose “${LABELS.skip}”`)
        .replace(/--range ([-+.\w]+),([-+.\w]*\w)/g, `$1 and $2 in the fields ${LABELS.low} and ${LABELS.high}`)
        .replace(NUMBER, (_, name, value) => `${value} in the field ${LABELS[name]}`)
        .replace(NAME, (found, name, value, at, text) =>
            `${value} in the field ${LABELS[name]}${isLast(text, at + found.length) ? "" : ", "}`)
        .replace(/--(runs|replicates|steps|task|arm|reward)\b/g, (_, name) => `the field ${LABELS[name]}`)
        .replace(/--(?=[a-z])/g, "the program's --");
}
