/* api.js - requests to the service, with the token where there is one.
 * SPDX-License-Identifier: Apache-2.0 */

const KEY = "segue-token";

/** The token lives as long as the tab does, and nowhere else. */
export const token = {
    get: () => sessionStorage.getItem(KEY),
    set: (text) => sessionStorage.setItem(KEY, text),
    forget: () => sessionStorage.removeItem(KEY),
};

/** What the service refused: its sentence, and when to try again. */
export class Refused extends Error {
    constructor(status, message, retryAfter) {
        super(message);
        this.status = status;
        this.retryAfter = retryAfter;
    }
}

async function refusal(response) {
    const body = await response.json().catch(() => null);
    const sentence = body?.error?.message ?? `The service answered ${response.status}.`;
    return new Refused(response.status, sentence, Number(response.headers.get("Retry-After")) || 0);
}

async function request(path, options = {}) {
    const headers = { Accept: "application/json", ...options.headers };
    if (token.get()) headers.Authorization = `Bearer ${token.get()}`;
    const response = await fetch(path, { ...options, headers, cache: "no-store" });
    if (!response.ok) throw await refusal(response);
    return response.json();
}

export const get = (path, signal) => request(path, { signal });

export const post = (path, body) =>
    request(path, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
    });

/** The path of a learner, and of what is under it. */
export const learnerPath = (name, rest = "") => `/v1/learners/${encodeURIComponent(name)}${rest}`;
