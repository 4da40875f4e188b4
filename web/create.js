/* create.js - a form that creates a learner.
 * SPDX-License-Identifier: Apache-2.0 */
import { get, post, token } from "./api.js";
import { h, setText, show } from "./dom.js";
import { capital } from "./format.js";

const METHODS = [
    { name: "auto", summary: "chosen by the settings" },
    { name: "tla", summary: "look-ahead over types" },
    { name: "tts", summary: "Thompson sampling over types" },
    { name: "ts-prior", summary: "one prior per arm, no types" },
    { name: "tucb", summary: "the paper's method, with a known number of models", needsModels: true },
    { name: "la", summary: "look-ahead, no transfer", plain: true },
    { name: "ts", summary: "Thompson sampling, no transfer", plain: true },
];

const CLOSING = "A learner learns from closed tasks only. A task closes after as many rewards as it has steps (or as set " +
    "below), after some time without ask or tell, or on request.";
const MORE = ["close_after", "idle", "reward_deadline", "default_reward", "models"];

/** A label, a control and its help text. */
function field(id, label, help, control) {
    control.id = id;
    control.name = id;
    control.setAttribute("aria-describedby", `${id}-help`);
    return h("div", { class: "field" }, h("label", { for: id }, label), control,
        h("p", { class: "soft", id: `${id}-help` }, help));
}

function number(value, props) {
    return h("input", { type: "number", value, required: value !== null, ...props });
}

const seconds = () => number(null, { min: 0, step: "any" });

/** Fields with defaults: an empty field is not sent. */
function moreFields() {
    return [
        field("close_after", "Close after rewards", "Number of rewards. Empty: the steps of a task. 0: never.",
            number(null, { min: 0, step: 1 })),
        field("idle", "Close after idle seconds", "Seconds without ask or tell. Empty: a day (86400), or twice " +
            "the reward deadline if that is more. 0: never.", seconds()),
        field("reward_deadline", "Reward deadline, seconds", "A reward that arrives later is rejected. Empty or 0: no deadline.",
            seconds()),
        field("default_reward", "Default reward", "It counts when the deadline passes. Empty: a decision without a reward is ignored.",
            number(null, { step: "any" })),
        field("models", "Models", "The number of models; tucb needs it.", number(null, { min: 1, step: 1 })),
    ];
}

function fields() {
    return [
        field("name", "Name", "Part of the paths of the API.",
            h("input", { required: true, maxlength: 256, autocomplete: "off" })),
        field("arms", "Arms", "The choices, one per line, at least two.",
            h("textarea", { required: true, rows: 5 })),
        field("steps", "Steps per task", "Decisions per task, or a guess on the high side; 0: not known.",
            number(0, { min: 0, step: 1 })),
        field("control", "Control tasks, %", "Share of tasks without transfer, to measure its effect.",
            number(5, { min: 0, max: 100, step: "any" })),
        field("lowest", "Lowest reward", "Rewards below it are rejected.", number(0, { step: "any" })),
        field("highest", "Highest reward", "Rewards above it are rejected.", number(1, { step: "any" })),
        field("method", "Method", "How it learns over tasks.",
            h("select", {}, ...METHODS.map(({ name, summary }) => h("option", { value: name }, `${name}: ${summary}`)))),
    ];
}

/** The form as the body of a request. */
export function read(data) {
    const arms = data.get("arms").split("\n").map((line) => line.trim()).filter(Boolean);
    return {
        name: data.get("name").trim(), arms, method: data.get("method"), steps: Number(data.get("steps")),
        control: Number(data.get("control")) / 100, range: [Number(data.get("lowest")), Number(data.get("highest"))],
        ...Object.fromEntries(MORE.filter((name) => data.get(name)).map((name) => [name, Number(data.get(name))])),
    };
}

const PATTERNS = [["name", /^learner '.*' already exists/], ["models", /n_models/]]; /* messages that name no field */

/** The service's message, and the id of the form field that it names, or null. */
export function blame(message) {
    const [, name, reason] = /^the body: field '([^']*)': (.*)$/s.exec(message) ?? [];
    const text = reason ?? message.replace(/^the body: /, "");
    const id = name ?? PATTERNS.find(([, pattern]) => pattern.test(message))?.[0] ?? null;
    return { id: id === "range" ? "lowest" : id, text: capital(text) };
}

/* A token without the right to create learners can be replaced. */
function explain(refused) {
    if (!refused.status) return "The service does not respond; try again.";
    const other = refused.status === 403 && token.get() !== null;
    return other ? `${refused.message}: choose “Forget token” and enter it` : refused.message;
}

export function createPage(say) {
    const error = h("p", { class: "error", role: "alert", id: "wrong" });
    const button = h("button", { type: "submit" }, "Create");
    const more = h("details", {}, h("summary", {}, "More"), ...moreFields());
    show(error, false);

    /* Show an error at its field, or above the button. */
    function complain(form, { id, text }) {
        const control = id ? form.elements[id] : null;
        setText(error, text);
        show(error, true);
        if (!control) return button.before(error);
        more.open ||= more.contains(control);
        control.closest(".field").append(error);
        control.setAttribute("aria-invalid", "true");
        control.setAttribute("aria-errormessage", error.id);
        control.focus();
    }

    /* Show the field for models if the method needs it, and open the section with a required field.  A method
     * without transfer needs no control tasks. */
    function choose(event) {
        const { method, models, control } = form.elements;
        if (event?.target === method) control.value = METHODS[method.selectedIndex].plain ? 0 : 5;
        const needed = show(models.closest(".field"), Boolean(METHODS[method.selectedIndex].needsModels));
        models.required = needed;
        models.disabled = !needed;
        more.open ||= needed;
    }

    async function submit(event) {
        event.preventDefault();
        button.disabled = true;
        event.target.querySelector("[aria-invalid]")?.removeAttribute("aria-invalid");
        try {
            const learner = await post("/v1/learners", read(new FormData(event.target)));
            say(`Learner ${learner.name} exists now.`);
            location.hash = `#/learner/${encodeURIComponent(learner.name)}`;
        } catch (refused) {
            complain(event.target, blame(explain(refused)));
        }
        button.disabled = false;
    }
    const form = h("form", { class: "form", onsubmit: submit, onchange: choose }, ...fields(), more, error, button);
    choose();
    const element = h("div", {}, h("h1", { tabindex: "-1" }, "New learner"), h("p", { class: "note" }, CLOSING), form);
    const poll = (signal) => get("/v1/learners", signal); /* ask for a token before the form is filled in */
    return { title: "New learner", element, poll, once: true };
}
