/* alarm.js - the alarm when many tasks fit no type.
 * SPDX-License-Identifier: Apache-2.0 */
import { h, setText, show } from "./dom.js";
import { share } from "./format.js";

/* Share of tasks of no type that raises the alarm.  Before types are found it is 1, which is no alarm. */
const ALARM = 0.2;
/* With fewer closed tasks the types are not reliable yet (docs/dashboard.md). */
const ENOUGH = 200;

export const isAlarming = (noType, nTypes, closed) => nTypes > 0 && noType >= ALARM && closed >= ENOUGH;

/** A banner shown while many tasks fit no type; screen readers announce its title once. */
export function makeAlarm() {
    const text = h("p");
    const title = h("strong", { role: "alert" });
    const element = h("div", { class: "alarm banner" }, title, text);
    function update({ no_type: noType, types, tasks }) {
        const on = show(element, isAlarming(noType, types.length, tasks.closed));
        setText(title, on ? "Many tasks fit no type" : "");
        setText(text, on ? `${share(noType)} of tasks fit no type of the ${types.length} found. ` +
            "Tasks have changed, or a new kind needs more tasks before it becomes a type. " +
            "A task of no type starts without a shared prior." : "");
    }
    show(element, false);
    return { element, update };
}
