/* create.js - a learner from a form.
 * SPDX-License-Identifier: Apache-2.0 */
import { get, post } from "./api.js";
import { h, setText, show } from "./dom.js";

const METHODS = [["auto", "auto: the one that suits"], ["tla", "tla: look ahead over types"],
    ["tts", "tts: sample over types"], ["ts-prior", "ts-prior: share one prior"]];

/** A label, a control, and a line of help tied to it. */
function field(id, label, help, control) {
    control.id = id;
    control.name = id;
    control.setAttribute("aria-describedby", `${id}-help`);
    return h("div", { class: "field" }, h("label", { for: id }, label), control,
        h("p", { class: "soft", id: `${id}-help` }, help));
}

function number(value, props) {
    return h("input", { type: "number", value, required: true, ...props });
}

function fields() {
    return [
        field("name", "Name", "Your programs use it in paths.",
            h("input", { required: true, maxlength: 256, autocomplete: "off" })),
        field("arms", "Arms", "What there is to choose from: one a line, at least two.",
            h("textarea", { required: true, rows: 5 })),
        field("steps", "Steps a task", "How many decisions a task has, or a guess on the high side; 0: not known.",
            number(0, { min: 0, step: 1 })),
        field("control", "Control tasks, %", "So many tasks are played without transfer, to measure what it is worth.",
            number(5, { min: 0, max: 100, step: "any" })),
        field("lowest", "Lowest reward", "Rewards below it are refused.", number(0, { step: "any" })),
        field("highest", "Highest reward", "Rewards above it are refused.", number(1, { step: "any" })),
        field("method", "Method", "How it learns over tasks.",
            h("select", {}, ...METHODS.map(([value, text]) => h("option", { value }, text)))),
    ];
}

/** The form as the service takes it. */
export function read(data) {
    const arms = data.get("arms").split("\n").map((line) => line.trim()).filter(Boolean);
    return {
        name: data.get("name").trim(), arms, method: data.get("method"), steps: Number(data.get("steps")),
        control: Number(data.get("control")) / 100, range: [Number(data.get("lowest")), Number(data.get("highest"))],
    };
}

export function createPage(say) {
    const error = h("p", { class: "error", role: "alert" });
    const button = h("button", { type: "submit" }, "Create");
    show(error, false);

    async function submit(event) {
        event.preventDefault();
        button.disabled = true;
        try {
            const learner = await post("/v1/learners", read(new FormData(event.target)));
            say(`Learner ${learner.name} is there.`);
            location.hash = `#/learner/${encodeURIComponent(learner.name)}`;
        } catch (refused) {
            show(error, true);
            setText(error, refused.message);
        }
        button.disabled = false;
    }
    const form = h("form", { class: "form", onsubmit: submit }, ...fields(), error, button);
    const element = h("div", {}, h("h1", { tabindex: "-1" }, "New learner"), form);
    const look = (signal) => get("/v1/learners", signal); /* a token is asked for before the form is filled in */
    return { title: "New learner", element, look };
}
