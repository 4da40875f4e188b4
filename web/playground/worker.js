/* worker.js - one candidate, or one verdict, away from the page's thread.  To stop it, the page ends it.
 * SPDX-License-Identifier: Apache-2.0 */
import makeModule from "./segue.js";
import { pack } from "./steps.js";

const SLICE = 60; /* milliseconds between two messages to the page */

let onProgress = () => {};
const loading = makeModule({ onProgress: (done, total) => onProgress(done, total) });

/* Call an exported function; its answer is JSON. */
function call(module, name, types, values) {
    const answer = JSON.parse(module.ccall(name, "string", types, values));
    if (answer.error) throw new Error(answer.error);
    return answer;
}

/* Numbers in the memory of the module, for one call. */
function withNumbers(module, numbers, use) {
    const at = module.ccall("malloc", "number", ["number"], [8 * numbers.length]);
    if (!at) throw new Error("out of memory for the model set");
    module.HEAPF64.set(numbers, at / 8);
    try {
        return use(at);
    } finally {
        module.ccall("free", null, ["number"], [at]);
    }
}

function giveModels(module, candidate, { mean, weight }) {
    const types = ["number", "number", "number", "number", "number"];
    withNumbers(module, mean.flat(), (means) => withNumbers(module, weight, (weights) =>
        call(module, "segue_play_models", types, [candidate, mean[0].length, mean.length, means, weights])));
}

/* Tasks of one call: what fits into a slice, by the time of the last call. */
function nextCount(count, spent, one) {
    if (one) return 1;
    return Math.max(1, Math.min(Math.round((count * SLICE) / Math.max(spent, 1)), 4 * count));
}

async function play({ policy, before, after, steps, tasks, seed, spread, drift, oneByOne }) {
    const module = await loading;
    const candidate = module.ccall("segue_play_create", "number", [], []);
    if (!candidate) throw new Error("out of memory for a candidate");
    giveModels(module, candidate, before);
    if (drift) giveModels(module, candidate, after);
    call(module, "segue_play_begin", ["number", "string", "number", "number", "number", "number", "number"],
        [candidate, policy, steps, tasks, seed, spread, drift]);
    for (let left = tasks, count = 1; left > 0;) {
        const begun = performance.now();
        const answer = call(module, "segue_play_tasks", ["number", "number"], [candidate, count]);
        left = answer.left;
        postMessage({ kind: "played", answer: { ...answer, steps: answer.steps ? pack(answer.steps) : null } });
        count = nextCount(count, performance.now() - begun, oneByOne);
    }
    postMessage({ kind: "done" });
}

async function judge({ name, bytes, columns, range, skip, steps, runs, replicates, seed }) {
    const module = await loading;
    let last = 0;
    onProgress = (done, total) => {
        if (performance.now() - last < SLICE) return;
        last = performance.now();
        postMessage({ kind: "progress", share: done / total });
    };
    module.FS.writeFile(name, bytes);
    const answer = module.ccall("segue_judge_create", "number", [], []);
    if (!answer) throw new Error("out of memory for the verdict");
    const result = call(module, "segue_judge_log", ["number", "string", "string", "string", "string", "number", "number",
        "number", "number", "number", "number", "number"],
    [answer, name, columns.task, columns.arm, columns.reward, ...range, skip ? 1 : 0, steps, runs, replicates, seed]);
    postMessage({ kind: "judged", result });
}

async function tellVersion() {
    const module = await loading;
    postMessage({ kind: "version", version: module.ccall("segue_play_version", "string", [], []) });
}

const works = { play, judge, version: tellVersion };

self.addEventListener("message", async ({ data }) => {
    try {
        await works[data.work](data);
    } catch (error) {
        postMessage({ kind: "failed", message: error.message ?? String(error) });
    }
});
