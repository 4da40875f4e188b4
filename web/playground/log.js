/* log.js - the verdict of replay on a log that the visitor drops; it stays in the memory of this page.
 * SPDX-License-Identifier: Apache-2.0 */
import { h, setText } from "./dom.js";
import { count, many } from "./format.js";
import { makeTable } from "./chart.js";
import { startWorker } from "./run.js";
import { typesTable } from "./results.js";
import { LABELS, spell } from "./wording.js";

/* Quick: the runs and replicates with which the intervals were tested (docs/verdict.md). */
const EFFORTS = { quick: { runs: 6, replicates: 7 }, full: { runs: 0, replicates: 0 } }; /* 0: as segue replay chooses */

const percent = (x) => (x === null ? "–" : `${(100 * x).toFixed(1)} %`.replace("-", "−"));
const interval = ([value, low, high], write) => (low === null ? write(value) : `${write(value)} (${write(low)} to ${write(high)})`);
const number = (x) => (x === null ? "–" : x.toFixed(3));

/* A gzip file is decompressed by the browser; the reader refuses what is still compressed. */
async function bytesOf(file) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

function field(name, props) {
    const id = `log-${name}`;
    const input = h("input", { id, ...props });
    return { input, element: h("div", { class: "field" }, h("label", { for: id }, LABELS[name]), input) };
}

/* With how much effort a verdict was found. */
function describeEffort(result, isQuick) {
    const effort = `${many(result.runs, "run")} and ${many(result.replicates, "replicate")}`;
    return isQuick ? `A quick verdict, of ${effort}: its intervals are wider than those of a full one.` : `A verdict of ${effort}.`;
}

function showResult(into, result, isQuick) {
    const rows = result.policies.map((policy) => [policy.name, interval(policy.reward, number), number(policy.regret[0]),
        interval(policy.gain_over_ts, percent)]);
    const types = { mean: result.types.map((type) => type.mean), weight: result.types.map((type) => type.weight) };
    const skipped = result.skipped ? ` ${many(result.skipped, "row")} skipped.` : "";
    into.replaceChildren(h("h3", {}, "Verdict"), h("p", { class: "verdict" }, spell(result.verdict)),
        h("p", { id: "verdict-effort" }, describeEffort(result, isQuick)),
        ...result.warnings.map((warning) => h("p", { class: "banner" }, spell(warning))),
        h("p", { class: "soft" }, `${many(result.rows, "reward")} of ${many(result.tasks, "task")}; ${count(result.played)} played, ${many(result.steps, "step")} each.${skipped}`),
        makeTable("Reward per step, regret per task, and gain over ts", ["Policy", "Reward", "Regret", "Over ts"], rows),
        ...(types.mean.length ? [typesTable("Types of the log", result.arms, types)] : []));
}

/** The section: a target to drop a log on, its options, and the verdict. */
export function makeLog(section) {
    const file = h("input", { id: "log-file", type: "file", accept: ".csv,.tsv,.jsonl,.gz,text/csv", onchange: () => read(file.files[0]) });
    const fields = {
        task: field("task", { type: "text", placeholder: "task" }),
        arm: field("arm", { type: "text", placeholder: "arm" }),
        reward: field("reward", { type: "text", placeholder: "reward" }),
        low: field("low", { type: "number", step: "any", value: "0" }),
        high: field("high", { type: "number", step: "any", value: "1" }),
        steps: field("steps", { type: "number", min: 1, step: 1, placeholder: "the log's median" }),
        runs: field("runs", { type: "number", min: 1, step: 1, placeholder: "of the effort" }),
        replicates: field("replicates", { type: "number", min: 2, step: 1, placeholder: "of the effort" }),
    };
    const effort = h("select", { id: "log-effort" }, h("option", { value: "quick" }, "Quick: 6 runs, 7 replicates"),
        h("option", { value: "full" }, "Full, as segue replay: 4 to 32 runs, 20 replicates"));
    const skip = h("input", { id: "log-skip", type: "checkbox" });
    const again = h("button", { type: "button", disabled: true, onclick: judge }, "Judge");
    const stop = h("button", { type: "button", disabled: true, onclick: () => end("Stopped.") }, "Stop");
    const bar = h("progress", { max: 1, value: 0, hidden: true, "aria-label": "Progress of the verdict" });
    const note = h("p", { id: "log-status", role: "status" });
    const result = h("div", { id: "verdict" });
    let log = null;
    let worker = null;

    function end(text) {
        worker?.terminate();
        worker = null;
        stop.disabled = true;
        again.disabled = !log;
        bar.hidden = true;
        setText(note, text);
    }
    const show = (message) => end(`This log cannot be judged: ${spell(message)}.`);
    async function read(given) {
        if (!given) return;
        try {
            log = { name: given.name, bytes: await bytesOf(given) };
            judge();
        } catch (error) {
            log = null;
            show(`${given.name} cannot be read (${error.message})`);
        }
    }
    function judge() {
        const value = (name) => Number(fields[name].input.value || 0);
        const own = { ...(value("runs") && { runs: value("runs") }), ...(value("replicates") && { replicates: value("replicates") }) };
        const isQuick = effort.value === "quick" && !Object.keys(own).length;
        end("Playing the log …");
        result.replaceChildren();
        stop.disabled = false;
        bar.hidden = false;
        bar.value = 0;
        const columns = Object.fromEntries(["task", "arm", "reward"].map((name) => [name, fields[name].input.value.trim()]));
        worker = startWorker({ work: "judge", ...log, columns, range: [value("low"), value("high")], skip: skip.checked,
                               steps: value("steps"), ...EFFORTS[effort.value], ...own, seed: 1 }, {
            progress: (message) => { bar.value = message.share; },
            judged: (message) => {
                end("The verdict is ready.");
                showResult(result, message.result, isQuick);
            },
            failed: ({ message }) => show(message),
        });
    }

    const target = h("div", { class: "drop" }, h("label", { for: "log-file" }, "Choose a log, or drop it here"), file,
        h("p", { class: "soft" }, "CSV with the columns task, arm and reward, or JSON Lines; plain or gzip. It is not uploaded."));
    for (const name of ["dragenter", "dragover"]) target.addEventListener(name, (event) => {
        event.preventDefault();
        target.classList.add("over");
    });
    target.addEventListener("dragleave", () => target.classList.remove("over"));
    target.addEventListener("drop", (event) => {
        event.preventDefault();
        target.classList.remove("over");
        read(event.dataTransfer.files[0]);
    });
    section.append(h("p", {}, "Would transfer have paid? ", h("code", {}, "segue replay"), " plays the logged tasks with each policy and judges."), target,
        h("details", {}, h("summary", {}, "Columns, range and steps"), h("div", { class: "fields" }, ...Object.values(fields).map((one) => one.element),
            h("div", { class: "field check" }, skip, h("label", { for: "log-skip" }, LABELS.skip)))),
        h("div", { class: "field" }, h("label", { for: "log-effort" }, "Effort"), effort),
        h("p", { class: "buttons" }, again, stop), bar, note, result);
}
