/* app.js - the router: shows a page and polls for its data while it is visible.
 * SPDX-License-Identifier: Apache-2.0 */
import { token } from "./api.js";
import { createPage } from "./create.js";
import { h, setText } from "./dom.js";
import { capital } from "./format.js";
import { learnerPage } from "./learner.js";
import { learnersPage } from "./learners.js";
import { loginPage } from "./login.js";
import { poll } from "./poll.js";

const main = document.getElementById("main");
const status = document.getElementById("status");
const live = document.getElementById("live");
const forget = document.getElementById("forget");

let page = null;
let stop = () => {};
let lost = false;

/** Show a status text; screen readers announce it.  "" clears it. */
const say = (text) => setText(status, text);

/* The address may be typed by hand and not decode. */
function decoded(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
}

function pageOf(hash) {
    if (hash === "#/new") return createPage(say);
    if (["", "#", "#/"].includes(hash)) return learnersPage();
    const name = /^#\/learner\/(.+)$/.exec(hash)?.[1];
    return name ? learnerPage(decoded(name)) : unknownPage(hash);
}

function unknownPage(hash) {
    const element = h("div", {}, h("h1", { tabindex: "-1" }, "No such page"),
        h("p", {}, `The page ${decoded(hash)} does not exist. `, h("a", { href: "#/" }, "All learners")));
    return { title: "No such page", element };
}

/** Mark the link of the current page. */
function markCurrent(hash) {
    for (const link of document.querySelectorAll("nav a")) {
        if (link.hash && link.hash === (hash.slice(1) ? hash : "#/")) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
    }
}

/* Navigation moves the focus to the heading or the first field, so that keyboard users continue there. */
function enter(next, focus) {
    stop();
    page?.destroy?.();
    page = next;
    main.replaceChildren(page.element);
    document.title = `${page.title} – Segue`;
    forget.hidden = token.get() === null;
    if (focus) (page.focus ?? main.querySelector("h1")).focus();
    if (!page.poll) setText(live, "Not live.");
    stop = page.poll ? poll(refresh, failed) : () => {};
}

async function refresh(signal) {
    await page.poll(signal);
    if (lost) say("Connected again.");
    lost = false;
    if (page.once) stop(); /* the page shows nothing that changes */
    setText(live, page.once ? "Connected." : `Live: updated at ${new Date().toLocaleTimeString()}.`);
}

function failed(error) {
    if (error.status === 401) return enter(loginPage(() => route(true)), true);
    lost = true;
    say(error.status ? capital(error.message) : "The service does not respond; retrying.");
    setText(live, "Not live.");
}

function route(focus) {
    lost = false;
    markCurrent(location.hash);
    enter(pageOf(location.hash), focus);
}

/* The hash selects the page, so the skip link cannot use it. */
document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
});
forget.addEventListener("click", () => {
    token.forget();
    route(true);
});
addEventListener("hashchange", () => {
    if (!location.hash.startsWith("#/learner/")) say("");
    route(true);
});
route(false);
