/* poll.js - polling, paused while the tab is hidden.
 * SPDX-License-Identifier: Apache-2.0 */

const INTERVAL = 2000; /* ms between the end of a request and the next */
const MAX_INTERVAL = 30000; /* ms: failures double the interval up to this */

/**
 * Call `refresh(signal)` at intervals, and `failed(error)` with what it throws.  Returns a function
 * that stops polling.  A hidden tab does not poll; when it is shown again, it polls at once.
 */
export function poll(refresh, failed) {
    let interval = INTERVAL;
    let timer = 0;
    let busy = false; /* a request is running: its end starts the next interval */
    const stopper = new AbortController();

    async function turn() {
        busy = true;
        try {
            await refresh(stopper.signal);
            interval = INTERVAL;
        } catch (error) {
            if (stopper.signal.aborted) return;
            interval = Math.max(Math.min(2 * interval, MAX_INTERVAL), 1000 * (error.retryAfter ?? 0));
            failed(error);
        }
        busy = false;
        timer = !stopper.signal.aborted && !document.hidden ? setTimeout(turn, interval) : 0;
    }

    function onVisibility() {
        clearTimeout(timer);
        timer = 0;
        if (!document.hidden && !busy) turn();
    }
    document.addEventListener("visibilitychange", onVisibility, { signal: stopper.signal });
    turn();
    return () => {
        stopper.abort();
        clearTimeout(timer);
    };
}
