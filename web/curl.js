/* curl.js - a request as a curl command to copy.
 * SPDX-License-Identifier: Apache-2.0 */
import { token } from "./api.js";
import { h } from "./dom.js";

const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** A POST with curl; the token is a shell variable. */
export function curl(path, body) {
    const lines = [`curl ${quote(location.origin + path)}`, "-H 'Content-Type: application/json'"];
    if (token.get()) lines.push('-H "Authorization: Bearer $TOKEN"');
    lines.push(`-d ${quote(JSON.stringify(body))}`);
    return h("pre", { tabindex: "0" }, h("code", {}, lines.join(" \\\n  ")));
}
