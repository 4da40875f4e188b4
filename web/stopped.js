/* stopped.js - the banner while transfer is stopped because it harms.
 * SPDX-License-Identifier: Apache-2.0 */
import { learnerPath } from "./api.js";
import { curl } from "./curl.js";
import { h, setText, show } from "./dom.js";
import { scaleOf, signed } from "./format.js";

function sentence({ effect, range }) {
    const scale = scaleOf(range);
    const measured = effect.interval ? `Its effect was ${signed(effect.difference, scale)} per step, ` +
        `${Math.round(100 * effect.level)} % interval ${effect.interval.map((x) => signed(x, scale)).join(" to ")}. ` : "";
    return `${measured}New tasks are played without transfer; the learner goes on learning. ` +
        "An administrator can resume transfer, and its effect is then measured anew:";
}

/** Screen readers announce the title once. */
export function makeStopped(name) {
    const text = h("p");
    const title = h("strong", { role: "alert" });
    const element = h("div", { class: "alarm banner stopped" }, title, text, curl(learnerPath(name, "/resume"), {}));
    function update(learner) {
        const on = show(element, learner.effect.stopped);
        setText(title, on ? "Transfer harms and is stopped" : "");
        setText(text, on ? sentence(learner) : "");
    }
    show(element, false);
    return { element, update };
}
