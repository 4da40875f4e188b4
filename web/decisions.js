/* decisions.js - the last decisions, and what they gave.
 * SPDX-License-Identifier: Apache-2.0 */
import { curl } from "./curl.js";
import { h, section, show } from "./dom.js";
import { clock } from "./format.js";
import { makeTable } from "./table.js";

const rewardOf = ({ reward }) => (reward === null ? "waiting" : String(Number(reward.toFixed(3))));

const COLUMNS = [
    { head: "Time", cell: (d) => clock(d.time) },
    { head: "Task", cell: (d) => (d.control ? `${d.task} (control)` : d.task) },
    { head: "Arm", cell: (d) => d.arm },
    { head: "Reward", number: true, cell: rewardOf },
];

export function makeDecisions() {
    const table = makeTable("The last decisions, the newest first", COLUMNS, (_, i) => i);
    const empty = h("div", { class: "empty" },
        h("p", {}, "None yet. Tell the reward of a decision with the id that asking gave:"),
        curl("/v1/tell", { decision: "ID", reward: 1 }));
    const element = section("decisions", "Recent decisions", empty, table.element);
    function update({ decisions }) {
        show(empty, decisions.length === 0);
        show(table.element, decisions.length > 0);
        table.update(decisions);
    }
    return { element, update };
}
