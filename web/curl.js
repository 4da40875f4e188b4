/* curl.js - the same request from a shell, to copy.
 * SPDX-License-Identifier: Apache-2.0 */
import { token } from "./api.js";
import { h } from "./dom.js";

const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** A POST with curl; the token itself is never in it. */
export function curl(path, body) {
    const lines = [`curl ${quote(location.origin + path)}`, "-H 'Content-Type: application/json'"];
    if (token.get()) lines.push('-H "Authorization: Bearer $TOKEN"');
    lines.push(`-d ${quote(JSON.stringify(body))}`);
    return h("pre", { tabindex: "0" }, h("code", {}, lines.join(" \\\n  ")));
}
