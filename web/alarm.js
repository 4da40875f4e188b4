/* alarm.js - tasks that fit none of the types: when to worry.
 * SPDX-License-Identifier: Apache-2.0 */
import { h, setText, show } from "./dom.js";
import { share } from "./format.js";

/* Share of tasks of no type from which on something is new; it is 1 until types are found, which is no alarm. */
const ALARM = 0.2;
/* A young learner does not tell types from chance yet: see docs/dashboard.md for what was measured. */
const ENOUGH = 200;

export const isAlarming = (noType, nTypes, closed) => nTypes > 0 && noType >= ALARM && closed >= ENOUGH;

/** A banner that is there only while many tasks fit no type; its first words are said aloud once. */
export function makeAlarm() {
    const text = h("p");
    const title = h("strong", { role: "alert" });
    const element = h("div", { class: "alarm banner" }, title, text);
    function update({ no_type: noType, types, tasks }) {
        const on = show(element, isAlarming(noType, types.length, tasks.closed));
        setText(title, on ? "None of the above: many tasks are of no known type" : "");
        setText(text, on ? `${share(noType)} of tasks fit none of the ${types.length} types found. ` +
            "Either tasks have changed, or more of a new kind are needed before it becomes a type. " +
            "A task taken for none of them is played as if nothing were known." : "");
    }
    show(element, false);
    return { element, update };
}
