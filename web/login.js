/* login.js - the page that asks for a token.
 * SPDX-License-Identifier: Apache-2.0 */
import { token } from "./api.js";
import { h } from "./dom.js";

/** A page that asks for the token and then calls `done`. */
export function loginPage(done) {
    const input = h("input", { id: "token", type: "password", required: true, autocomplete: "off",
                               "aria-describedby": "token-help" });
    function submit(event) {
        event.preventDefault();
        token.set(input.value.trim());
        done();
    }
    const wrong = token.get() !== null;
    const form = h("form", { class: "form", onsubmit: submit },
        h("div", { class: "field" }, h("label", { for: "token" }, "Token"), input,
            h("p", { class: "soft", id: "token-help" },
                "The token of a line of the file given with --token-file; the right “read” is enough for all pages. ",
                "This tab stores it until you close the tab.")),
        wrong ? h("p", { class: "error", role: "alert" }, "The token is not valid.") : null,
        h("button", { type: "submit" }, "Continue"));
    const element = h("div", {}, h("h1", { tabindex: "-1" }, "The service needs a token"), form);
    return { title: "Token", element, focus: input };
}
