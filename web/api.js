/* api.js - requests to the service, with the token where there is one.
 * SPDX-License-Identifier: Apache-2.0 */

const KEY = "segue-token";

/** The token is in the session storage of the tab, and nowhere else. */
export const token = {
    get: () => sessionStorage.getItem(KEY),
    set: (text) => sessionStorage.setItem(KEY, text),
    forget: () => sessionStorage.removeItem(KEY),
};

/** An error response: its message, and when to retry. */
export class RequestError extends Error {
    constructor(status, message, retryAfter) {
        super(message);
        this.status = status;
        this.retryAfter = retryAfter;
    }
}

async function errorOf(response) {
    const body = await response.json().catch(() => null);
    const message = body?.error?.message ?? `The service responded with ${response.status}.`;
    return new RequestError(response.status, message, Number(response.headers.get("Retry-After")) || 0);
}

async function request(path, options = {}) {
    const headers = { Accept: "application/json", ...options.headers };
    if (token.get()) headers.Authorization = `Bearer ${token.get()}`;
    const response = await fetch(path, { ...options, headers, cache: "no-store" });
    if (!response.ok) throw await errorOf(response);
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
