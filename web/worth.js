/* worth.js - what transfer is worth: its tasks beside the control tasks.
 * SPDX-License-Identifier: Apache-2.0 */
import { h, setText, show } from "./dom.js";
import { count, signed, value } from "./format.js";

const span = ([low, high]) => `${signed(low)}\u00a0to\u00a0${signed(high)}`; /* not broken over lines */

/** In a few words, for a card. */
export function worthShort(worth) {
    if (!worth?.interval) return "not known yet";
    return `${signed(worth.difference)} (${span(worth.interval)})`;
}

function verdict({ interval }) {
    if (interval[0] > 0) return "Transfer pays.";
    if (interval[1] < 0) return "Transfer costs: tasks may not be alike, or the types are wrong.";
    return "Not told apart from no transfer yet.";
}

/** One sentence. */
function worthSentence(worth) {
    const { transfer, control, difference, interval, level } = worth;
    if (!interval) {
        return `Not known yet: it takes two closed tasks of each kind, and there are ${count(transfer.tasks)} ` +
            `with transfer and ${count(control.tasks)} without.`;
    }
    return `${verdict(worth)} Mean reward per step is ${value(transfer.reward_per_step)} with transfer and ` +
        `${value(control.reward_per_step)} in ${count(control.tasks)} control tasks played without: ` +
        `a difference of ${signed(difference)}, ${Math.round(100 * level)} % interval ${span(interval)}.`;
}

export function makeWorth() {
    const number = h("p", { class: "big" });
    const sentence = h("p");
    function update({ worth }) {
        if (show(number, worth.interval !== null)) setText(number, `${signed(worth.difference)} per step`);
        setText(sentence, worthSentence(worth));
    }
    return { element: h("div", { class: "worth" }, number, sentence), update };
}
