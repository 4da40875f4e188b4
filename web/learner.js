/* learner.js - one learner: effect of transfer, types, tasks, decisions.
 * SPDX-License-Identifier: Apache-2.0 */
import { makeAlarm } from "./alarm.js";
import { get, learnerPath } from "./api.js";
import { makeDecisions } from "./decisions.js";
import { h, setText, show } from "./dom.js";
import { capital, count, many, share } from "./format.js";
import { makeReward } from "./reward.js";
import { makeSettings } from "./settings.js";
import { makeShadow } from "./shadow.js";
import { makeStopped } from "./stopped.js";
import { makeTasks } from "./tasks.js";
import { hasNoType, makeTypes } from "./types.js";
import { makeVersions } from "./versions.js";

/* null: not shown for this learner */
const TILES = [
    ["Closed tasks", (l) => count(l.tasks.closed)],
    ["In the control group", (l) => count(l.tasks.control)],
    ["Open tasks", (l) => count(l.tasks.open)],
    ["Rewards", (l) => count(l.rewards)],
    ["Version", (l) => count(l.version)],
    ["No type", (l) => (!hasNoType(l) ? null : l.types.length ? share(l.no_type) : "–")],
];

function describe({ method, arms, age, paused }) {
    const state = paused ? "paused: no decisions and no new tasks; " : "";
    const pending = age ? `; ${many(age, "closed task")} not in this version yet` : "";
    return `${state}${method}, ${arms.length} arms${pending}`;
}

function makeTiles() {
    const values = TILES.map(() => h("dd"));
    const tiles = TILES.map(([label], i) => h("div", {}, h("dt", {}, label), values[i]));
    const update = (learner) => TILES.forEach(([, textOf], i) => {
        const text = textOf(learner);
        if (show(tiles[i], text !== null)) setText(values[i], text);
    });
    return { element: h("dl", { class: "tiles" }, ...tiles), update };
}

export function learnerPage(name) {
    const method = h("p", { class: "soft" });
    const tiles = makeTiles();
    const alarm = makeAlarm();
    const stopped = makeStopped(name);
    const parts = [makeReward(name), makeShadow(), makeTypes(), makeVersions(), makeTasks(name), makeDecisions()];
    const settings = h("div");
    const body = h("div", {}, stopped.element, alarm.element, tiles.element, ...parts.map((part) => part.element), settings);
    const damage = h("p", { class: "alarm" });
    const element = h("div", {}, h("h1", { tabindex: "-1" }, name), damage, method, body);
    body.hidden = true;
    show(damage, false);

    const at = (rest) => learnerPath(name, rest);
    let groups, versions, shadow, seen, drawn;

    function forget() {
        groups = [];
        versions = [];
        shadow = null;
        seen = null;
        drawn = -1;
        settings.replaceChildren();
    }
    forget();

    /* The cost of the history grows with its length: load it again only when the chart would change.  The report about
     * shadow mode changes when a task of it closes. */
    async function loadHistory(learner, signal) {
        const { closed } = learner.tasks;
        if (closed > drawn && closed >= 1.01 * drawn) {
            ({ groups } = await get(at("/history"), signal));
            drawn = closed;
        }
        const { mode, tasks } = learner;
        if ((mode === "shadow" || tasks.shadow > 0) && (!shadow || tasks.shadow !== seen?.tasks.shadow)) {
            shadow = await get(at("/shadow"), signal);
        }
        if (seen?.version !== learner.version) ({ versions } = await get(at("/versions"), signal));
    }

    /* For a learner whose rows in the store are damaged, show the reason alone. */
    async function inspect(signal) {
        try {
            const learner = await get(at(""), signal);
            show(damage, false);
            return learner;
        } catch (error) {
            if (show(damage, error.status === 500)) {
                setText(damage, capital(error.message));
                setText(method, "");
                body.hidden = true;
            }
            throw error;
        }
    }

    async function poll(signal) {
        const learner = await inspect(signal);
        if (seen && seen.created !== learner.created) forget(); /* a new learner of the same name */
        await loadHistory(learner, signal);
        const [{ tasks }, { decisions }] = await Promise.all([
            get(at("/tasks?open=true&explain=true&limit=20"), signal), get(at("/decisions"), signal)]);
        if (seen?.changes !== learner.changes) settings.replaceChildren(makeSettings(learner));
        seen = learner;
        body.hidden = false; /* charts are measured when drawn: not while hidden */
        setText(method, describe(learner));
        tiles.update(learner);
        stopped.update(learner);
        alarm.update(learner);
        parts.forEach((part) => part.update({ learner, groups, versions, shadow, tasks, decisions }));
    }
    const destroy = () => parts.forEach((part) => part.destroy?.());
    return { title: name, element, poll, destroy };
}
