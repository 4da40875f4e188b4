/* versions.js - how the types changed from version to version.
 * SPDX-License-Identifier: Apache-2.0 */
import { makeChart, typeColour } from "./chart.js";
import { section, show } from "./dom.js";
import { follow } from "./follow.js";
import { count, many, share } from "./format.js";
import { makeTable } from "./table.js";
import { hasTypes } from "./types.js";

/** The name of a matched type; those not in the newest version no longer exist. */
const nameOf = (type, nNow) => (type === 0 ? "No type" : type <= nNow ? `Type ${type}` : "No longer exists");

/** Weights of each version by name; types that no longer exist share one sum. */
function weigh(version, numbers, nNow) {
    const weights = new Map([[nameOf(0), version.no_type]]);
    version.types.forEach((type, i) => {
        const name = nameOf(numbers[i], nNow);
        weights.set(name, (weights.get(name) ?? 0) + type.weight);
    });
    return weights;
}

function series(rows, nNow) {
    const anyGone = rows.some((row) => row.weights.has("No longer exists"));
    const types = Array.from({ length: nNow }, (_, i) => i + 1);
    return [...types, ...(anyGone ? [nNow + 1] : []), 0].map((type) => {
        const label = nameOf(type, nNow);
        return { label, backgroundColor: typeColour(type > nNow ? Infinity : type), pointStyle: "rect",
                 data: rows.map((row) => row.weights.get(label) ?? 0), categoryPercentage: 1, barPercentage: 0.9 };
    });
}

function drawing(rows, nNow) {
    const last = rows.at(-1);
    return {
        label: `Shares of the types over ${many(rows.length, "version")}. Version ${last.version}: ` +
            [...last.weights].map(([name, weight]) => `${name} ${share(weight)}`).join(", ") + ".",
        labels: rows.map((row) => row.version),
        datasets: series(rows, nNow),
        x: { title: "version", stacked: true },
        y: { title: "share of tasks", stacked: true, min: 0, max: 1 },
        write: share,
    };
}

const COLUMNS = [
    { head: "Version", cell: (row) => count(row.version) },
    { head: "Closed tasks", number: true, cell: (row) => count(row.tasks) },
    { head: "Shares of tasks", cell: (row) => [...row.weights].map(([name, w]) => `${name} ${share(w)}`).join(", ") },
];

export function makeVersions() {
    const table = makeTable("Types by version", COLUMNS, (row) => row.version);
    const chart = makeChart("bar", table);
    const element = section("versions", "How the types changed", chart.element);
    function update({ learner, versions }) {
        if (!show(element, versions.length > 0 && hasTypes(learner))) return;
        const nNow = versions.at(-1).types.length;
        const numbers = follow(versions, learner.range);
        const rows = versions.map((v, i) => ({ ...v, weights: weigh(v, numbers[i], nNow) }));
        table.update([...rows].reverse());
        chart.draw(() => drawing(rows, nNow));
    }
    return { element, update, destroy: chart.destroy };
}
