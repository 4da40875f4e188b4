/* decisions.js - the last decisions and their rewards.
 * SPDX-License-Identifier: Apache-2.0 */
import { curl } from "./curl.js";
import { h, section, show } from "./dom.js";
import { clock, plain, scaleOf } from "./format.js";
import { makeTable } from "./table.js";

const MAX_ROWS = 12;

const COLUMNS = [
    { head: "Time", cell: (d) => clock(d.time) },
    { head: "Task", key: true, cell: (d) => (d.control ? `${d.task} (control)` : d.task) },
    { head: "Arm", name: true, cell: (d) => d.arm },
    { head: "Reward", number: true, cell: (d) => plain(d.reward, d.scale) },
];

export function makeDecisions() {
    const table = makeTable("The last decisions that got a reward, the newest first", COLUMNS, (_, i) => i);
    const empty = h("div", { class: "empty" },
        h("p", {}, "No reward since the service started. Tell one with the decision id of an ask:"),
        curl("/v1/tell", { decision: "ID", reward: 1 }));
    const element = section("decisions", "Recent decisions", empty, table.element);
    function update({ learner, decisions }) {
        const scale = scaleOf(learner.range);
        show(empty, decisions.length === 0);
        show(table.element, decisions.length > 0);
        table.update(decisions.slice(0, MAX_ROWS).map((d) => ({ ...d, scale })));
    }
    return { element, update };
}
