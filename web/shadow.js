/* shadow.js - shadow mode: would Segue's choices have earned more than the caller's?
 * SPDX-License-Identifier: Apache-2.0 */
import { h, section, setText, show } from "./dom.js";
import { count, ends, many, scaleOf, share, signed, value } from "./format.js";

const VERDICTS = {
    better: "Segue's choices would have earned more than the caller's.",
    worse: "Segue's choices would have earned less than the caller's.",
    not_known_yet: "The data do not show yet which choices are better.",
    no_probabilities: "Without the caller's probabilities the data cannot show that Segue is better: send chosen_probability.",
    no_steps: "Too early: no task of shadow mode with a reward is closed yet.",
};

/** The steps that decide the verdict: those with the caller's probability, or all if there are none. */
export function deciding({ with_probabilities: known, without_probabilities: all }) {
    return known.steps > 0 ? known : all;
}

function modeSentence({ mode, tasks }) {
    const now = mode === "shadow" ? "the caller chooses in new tasks, and Segue learns beside it"
        : "Segue chooses in new tasks; these numbers are about the time in shadow mode";
    return `Mode ${mode}: ${now}. ${count(tasks.shadow)} of ${many(tasks.closed, "closed task")} were in shadow mode.`;
}

export function agreementSentence({ caller, agreed, disagreed }, scale) {
    if (caller.steps === 0) return "";
    return `Segue would have chosen the caller's arm in ${share(agreed.steps / caller.steps)} of ${many(caller.steps, "step")}. ` +
        `Mean reward per step is ${value(agreed.reward_per_step, scale)} where they agree and ` +
        `${value(disagreed.reward_per_step, scale)} where they do not.`;
}

export function verdictSentence(report, scale) {
    const judged = VERDICTS[report.verdict];
    const { steps, difference, interval } = deciding(report);
    if (!interval) return judged;
    const estimate = difference === undefined ? "" : `an estimate of ${signed(difference, scale)}, `;
    return `${judged} Segue minus the caller, per step, over ${many(steps, "step")}: ${estimate}` +
        `${Math.round(100 * report.level)} % interval ${ends(interval, scale)}, valid however often you check.`;
}

export function makeShadow() {
    const number = h("p", { class: "big" });
    const verdict = h("p");
    const agreement = h("p");
    const mode = h("p", { class: "soft" });
    const element = section("shadow", "Shadow mode", h("div", { class: "effect shadow" }, number, verdict, agreement, mode));
    function update({ learner, shadow }) {
        if (!show(element, Boolean(shadow))) return;
        const scale = scaleOf(learner.range);
        const { difference } = deciding(shadow);
        if (show(number, difference !== undefined)) setText(number, `${signed(difference, scale)} per step`);
        setText(verdict, verdictSentence(shadow, scale));
        setText(agreement, agreementSentence(shadow, scale));
        setText(mode, modeSentence(learner));
    }
    show(element, false);
    return { element, update };
}
