/* poll.js - ask again and again, but never while nobody looks.
 * SPDX-License-Identifier: Apache-2.0 */

const EVERY = 2000; /* ms between the end of one look and the next */
const LONGEST = 30000; /* ms: failures double the wait up to this */

/**
 * Call `look(signal)` now and then; `failed(error)` is told what it throws.  Returns a function
 * that stops it.  A hidden tab asks nothing, and one that is shown again asks at once.
 */
export function poll(look, failed) {
    let wait = EVERY;
    let timer = 0;
    let busy = false; /* a look is under way: its end starts the next wait */
    const stopper = new AbortController();

    async function turn() {
        busy = true;
        try {
            await look(stopper.signal);
            wait = EVERY;
        } catch (error) {
            if (stopper.signal.aborted) return;
            wait = Math.max(Math.min(2 * wait, LONGEST), 1000 * (error.retryAfter ?? 0));
            failed(error);
        }
        busy = false;
        timer = !stopper.signal.aborted && !document.hidden ? setTimeout(turn, wait) : 0;
    }

    function looked() {
        clearTimeout(timer);
        timer = 0;
        if (!document.hidden && !busy) turn();
    }
    document.addEventListener("visibilitychange", looked, { signal: stopper.signal });
    turn();
    return () => {
        stopper.abort();
        clearTimeout(timer);
    };
}
