/* app.js - which page is shown, kept up to date while somebody looks.
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

/** Say something once, aloud too; "" takes it back. */
const say = (text) => setText(status, text);

/* An address may have been typed by hand. */
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
        h("p", {}, `There is nothing at ${decoded(hash)}. `, h("a", { href: "#/" }, "All learners")));
    return { title: "No such page", element };
}

/** Mark the page's own link. */
function markCurrent(hash) {
    for (const link of document.querySelectorAll("nav a")) {
        if (link.hash && link.hash === (hash.slice(1) ? hash : "#/")) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
    }
}

/* Pages are gone to by hand, so focus moves to the heading, or to the field asked for: by keyboard one goes on there. */
function enter(next, focus) {
    stop();
    page?.leave?.();
    page = next;
    main.replaceChildren(page.element);
    document.title = `${page.title} – Segue`;
    forget.hidden = token.get() === null;
    if (focus) (page.focus ?? main.querySelector("h1")).focus();
    if (!page.look) setText(live, "Not live.");
    stop = page.look ? poll(look, failed) : () => {};
}

async function look(signal) {
    await page.look(signal);
    if (lost) say("Connected again.");
    lost = false;
    if (page.once) stop(); /* it shows nothing that changes */
    setText(live, page.once ? "Connected." : `Live: looked at ${new Date().toLocaleTimeString()}.`);
}

function failed(error) {
    if (error.status === 401) return enter(loginPage(() => route(true)), true);
    lost = true;
    say(error.status ? capital(error.message) : "The service does not answer; trying again.");
    setText(live, "Not live.");
}

function route(focus) {
    lost = false;
    markCurrent(location.hash);
    enter(pageOf(location.hash), focus);
}

/* The address tells the page, so the link cannot have one of its own. */
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
