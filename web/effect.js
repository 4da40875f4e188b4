/* effect.js - the effect of transfer: tasks with transfer compared with the control group.
 * SPDX-License-Identifier: Apache-2.0 */
import { h, setText, show } from "./dom.js";
import { count, ends, many, roughly, scaleOf, share, signed, value } from "./format.js";

const ENOUGH = 5; /* closed tasks of each kind: with fewer, the interval is wider than the range of rewards */

const isEarly = ({ transfer, control, interval }) => !interval || Math.min(transfer.tasks, control.tasks) < ENOUGH;

/* The list has no range of rewards: take the scale from the means. */
function scaleOfEffect({ transfer, control, interval }) {
    return Math.max(...[transfer.reward_per_step, control.reward_per_step, ...interval].map(Math.abs)) || 1;
}

/** Short text for a card. */
export function effectShort(effect) {
    if (isEarly(effect)) return `too early: ${many(effect.control.tasks, "control task")}`;
    const scale = scaleOfEffect(effect);
    return `${signed(effect.difference, scale)} (${ends(effect.interval, scale)})`;
}

/* Control tasks are played by Thompson sampling: without transfer, that is what the method is compared with. */
function plainVerdict({ interval }) {
    if (interval[0] > 0) return "The method earns more than Thompson sampling.";
    if (interval[1] < 0) return "The method earns less than Thompson sampling.";
    return "The data do not show an effect of the method yet.";
}

function verdict({ interval }) {
    if (interval[0] > 0) return "Transfer pays.";
    if (interval[1] < 0) return "Transfer costs reward: tasks may differ too much, or the types are wrong.";
    return "The data do not show an effect of transfer yet.";
}

function earlySentence({ transfer, control, stops, tasks }, setting) {
    if (setting === 0 && control.tasks === 0) return "Not measured: there are no control tasks.";
    if (stops > 0) return `Too early: transfer was resumed, and ${many(tasks, "closed task")} since then count.`;
    return `Too early: ${ENOUGH} closed tasks of each kind are needed; there are ${count(transfer.tasks)} ` +
        `with transfer and ${count(control.tasks)} in the control group.`;
}

/** The effect as one sentence. */
function effectSentence(effect, scale, hasTransfer) {
    const { transfer, control, difference, interval, level } = effect;
    const [judged, which] = hasTransfer ? [verdict(effect), "with transfer"] : [plainVerdict(effect), "in its tasks"];
    return `${judged} Mean reward per step is ${value(transfer.reward_per_step, scale)} ${which} and ` +
        `${value(control.reward_per_step, scale)} in ${count(control.tasks)} control tasks: ` +
        `a difference of ${signed(difference, scale)}, ${Math.round(100 * level)} % interval ${ends(interval, scale)}, ` +
        "valid however often you check.";
}

/** How long until the data can tell; "" if they can, or nothing is compared. */
export function forecastSentence({ forecast, control_share: now }, scale) {
    if (!forecast || forecast.tasks === 0 || !(forecast.effect > 0)) return "";
    const goal = `an effect of ${value(forecast.effect, scale)} can be distinguished from zero`;
    if (forecast.tasks === null) return `It takes more than ${count(forecast.more_than)} further tasks until ${goal}.`;
    const time = forecast.seconds ? ` (${roughly(forecast.seconds)} at the present rate)` : "";
    return `About ${many(forecast.tasks, "further task")}${time} until ${goal}, with ${share(now)} control tasks.`;
}

export function makeEffect() {
    const number = h("p", { class: "big" });
    const sentence = h("p");
    const forecast = h("p", { class: "soft forecast" });
    function update({ effect, range, control, capabilities, rewards_before_costs: beforeCosts }) {
        const scale = scaleOf(range);
        const early = isEarly(effect);
        if (show(number, !early)) setText(number, `${signed(effect.difference, scale)} per step`);
        const text = early ? earlySentence(effect, control) : effectSentence(effect, scale, capabilities.has_transfer);
        setText(sentence, beforeCosts ? `${text} Rewards are before costs.` : text);
        setText(forecast, early ? "" : forecastSentence(effect, scale));
    }
    return { element: h("div", { class: "effect" }, number, sentence, forecast), update };
}
