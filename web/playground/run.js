/* run.js - a run of all policies: one worker each, and what they have played so far.
 * SPDX-License-Identifier: Apache-2.0 */
import { drifted } from "./models.js";

export const POLICIES = ["ts", "mucb", "tucb", "tla"];

/** A worker that does one work; `listen` maps the kinds of its messages to functions. */
export function startWorker(work, listen, transfer = []) {
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }) => listen[data.kind]?.(data));
    worker.addEventListener("error", (event) => {
        event.preventDefault();
        listen.failed({ message: event.message || "the worker could not be loaded" });
    });
    worker.postMessage(work, transfer);
    return worker;
}

/* One policy or learner: the regret and model of each task, what it had learned after some tasks. */
class Candidate {
    constructor(policy) {
        this.policy = policy;
        this.regret = [];
        this.model = [];
        this.learned = []; /* {after, types, steps}; steps are packed, null of tucb */
        this.message = null; /* why it failed */
        this.done = false;
    }

    add(answer) {
        this.regret.push(...answer.regret);
        this.model.push(...answer.model);
        if (answer.types) this.learned.push({ after: this.regret.length, types: answer.types, steps: answer.steps });
    }

    /** The last thing learned within the first `tasks` tasks. */
    at(tasks) {
        return this.learned.filter((one) => one.after <= tasks).pop() ?? null;
    }
}

/** A run; it calls `changed` after each message. */
export class Run {
    constructor(settings, changed) {
        this.settings = settings;
        this.candidates = POLICIES.map((policy) => new Candidate(policy));
        this.workers = this.candidates.map((candidate) => this.start(candidate, changed));
    }

    start(candidate, changed) {
        const { set, pace, ...numbers } = this.settings;
        const finish = () => {
            candidate.done = true;
            worker.terminate(); /* it frees the memory of its module */
            changed();
        };
        const worker = startWorker({ work: "play", policy: candidate.policy, before: set, after: drifted(set), oneByOne: pace > 0, ...numbers }, {
            played: ({ answer }) => {
                candidate.add(answer);
                changed();
            },
            done: finish,
            failed: ({ message }) => {
                candidate.message = message;
                finish();
            },
        });
        return worker;
    }

    /** Tasks that all candidates have played, but those that failed. */
    played() {
        const sizes = this.candidates.filter((candidate) => !candidate.message).map((candidate) => candidate.regret.length);
        return sizes.length ? Math.min(...sizes) : 0;
    }

    isDone() {
        return this.candidates.every((candidate) => candidate.done);
    }

    stop() {
        this.workers.forEach((worker) => worker.terminate());
    }
}
