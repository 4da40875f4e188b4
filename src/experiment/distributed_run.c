/* distributed_run.c - an experiment over several processes.
 *
 * What is left to play is dealt out in turns.  In each process one thread talks, and others play.
 * Rank 0 takes in the runs of all and alone writes the journal, so what is finished anywhere is
 * kept as if it had been played here.
 *
 * A failure anywhere goes to rank 0, which stops the others, hears them out, and fails with that
 * sentence.  A signal leaves no time for that: a launcher sends it to all, also when one of them
 * has died, and a second later the one that cannot be caught.  Then rank 0 says what is kept and
 * ends.  Should it be rank 0 that died, rank 1 misses its word, and says so if it has the time.
 * SPDX-License-Identifier: Apache-2.0 */
#include "experiment/distributed_run.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "segue/internal.h"

#define PATIENCE                                                                                   \
    0.25 /* seconds that a rank waits for the last word of rank 0: launchers have one */

typedef struct talk {
    plan *p;
    const segue_processes *ranks;
    segue_message message; /* the last that came, with room for the longest */
    size_t ended;          /* how many ranks have told how they fared, for rank 0 */
    segue_status status;   /* the first failure, likewise */
    segue_error err;
    pthread_t player;
    atomic_bool idle;    /* nothing is played any more; only then the next two are settled */
    segue_status played; /* how playing went here */
    segue_error why;
} talk;

/* ---- before ------------------------------------------------------------------------------ */

static segue_status reserve(talk *t, segue_error *err)
{
    const plan *p = t->p;
    const size_t done = p->n_units * sizeof *p->done;
    size_t capacity = done > SEGUE_MESSAGE_SIZE ? done : SEGUE_MESSAGE_SIZE;
    for (size_t i = 0; i < p->n_cells; i++)
        if (8 + 8 * p->cells[i].width > capacity)
            capacity = 8 + 8 * p->cells[i].width;
    t->message.capacity = capacity;
    t->message.data = malloc(capacity);
    return t->message.data ? SEGUE_OK : segue_fail_no_memory(err, "messages");
}

/* Processes that differ in experiment or program would make results of nothing. */
static segue_status mark_of(const plan *p, uint32_t *mark, segue_error *err)
{
    segue_output identity;
    const segue_status status = segue_schedule_identity(p, &identity, err);
    *mark = status == SEGUE_OK ? segue_bytes_crc32(identity.data, identity.size) : 0;
    segue_output_fini(&identity);
    return status;
}

static segue_status prepare(talk *t, segue_status status, segue_error *err)
{
    uint32_t mark = 0;
    if (status == SEGUE_OK)
        status = mark_of(t->p, &mark, err);
    if (status == SEGUE_OK)
        status = reserve(t, err);
    status = segue_processes_agree(t->ranks, status, mark, err);
    if (status != SEGUE_OK)
        return status; /* and no journal is left behind */
    if (t->ranks->self == 0)
        status = segue_schedule_open_checkpoint(t->p, err);
    return segue_processes_agree(t->ranks, status, mark, err);
}

/* All learn what the journal holds, and so whose turn each run is. */
static void deal(talk *t)
{
    plan *p = t->p;
    const segue_processes *ranks = t->ranks;
    const size_t size = p->n_units * sizeof *p->done;
    if (ranks->self == 0) {
        segue_processes_broadcast(ranks, SEGUE_MESSAGE_START, p->done, size);
    } else {
        while (!ranks->receive(ranks->context, &t->message))
            segue_processes_backoff();
        assert(t->message.kind == SEGUE_MESSAGE_START && t->message.size == size);
        memcpy(p->done, t->message.data, size);
    }
    segue_schedule_assign(p, ranks->self, ranks->count);
}

static void *play(void *argument)
{
    talk *t = argument;
    t->played = segue_parallel_run(t->p->conduct->threads, t->p->n_todo, segue_schedule_play_item,
                                   NULL, t->p, &t->why);
    atomic_store(&t->idle, true);
    return NULL;
}

/* Whether the player could be started; if not, that is how playing went. */
static bool start(talk *t)
{
    const int code = pthread_create(&t->player, NULL, play, t);
    if (code == 0)
        return true;
    t->played = segue_fail(&t->why, SEGUE_ETHREAD, "the thread that plays could not be started: %s",
                           strerror(code));
    atomic_store(&t->idle, true);
    return false;
}

static bool is_interrupted(const plan *p)
{
    return p->conduct->stopped && p->conduct->stopped();
}

/* End at once, with a sentence unless it is empty. */
static void leave(const talk *t, const segue_error *err)
{
    const segue_run_options *conduct = t->p->conduct;
    if (err->message[0])
        conduct->tell(conduct->context, err);
    if (t->ranks->self == 0)
        segue_processes_broadcast(t->ranks, SEGUE_MESSAGE_QUIT, NULL, 0);
    t->ranks->leave(t->ranks->context, segue_status_exit_code(SEGUE_ESTOPPED));
}

/* ---- rank 0 ------------------------------------------------------------------------------ */

/* Its locks are never given back: nothing more is to be written. */
static void abort_coordinator(talk *t)
{
    segue_error err;
    (void)pthread_mutex_lock(&t->p->writing);
    (void)pthread_mutex_lock(&t->p->telling);
    (void)segue_schedule_stopped_error(t->p, ", by a signal or since a process died", &err);
    leave(t, &err);
}

static void fail_all(talk *t, segue_status status, const segue_error *err)
{
    if (status == SEGUE_OK || t->status != SEGUE_OK)
        return;
    t->status = segue_fail(&t->err, status, "%s", err->message);
    atomic_store(&t->p->stop, true);
    segue_processes_broadcast(t->ranks, SEGUE_MESSAGE_STOP, NULL, 0);
}

static void receive_run(talk *t)
{
    plan *p = t->p;
    segue_bytes_reader r = {.data = t->message.data, .size = t->message.size};
    size_t count = 0;
    segue_error err;
    const uint64_t unit = segue_bytes_read_u64(&r);
    assert(unit < p->n_units);
    double *values = segue_schedule_values(p, unit, &count);
    segue_bytes_read_f64(&r, values, count);
    assert(!r.failed && r.at == r.size);
    const segue_status status = segue_checkpoint_add(p->journal, unit, values, count, &err);
    p->done[unit] = status == SEGUE_OK;
    p->kept += p->done[unit];
    fail_all(t, status, &err);
    const schedule_cell *cell = &p->cells[unit / p->ex->runs];
    segue_schedule_progress(p, cell, (uint64_t)(cell->steps / (double)cell->sim.steps));
}

static void receive_status(talk *t)
{
    uint32_t mark = 0;
    segue_error err;
    const segue_status status = segue_processes_read_status(&t->message, &mark, &err);
    t->ended++;
    fail_all(t, status, &err);
}

/* One message, or the end of playing here; false if there was neither. */
static bool attend(talk *t, bool *told)
{
    bool busy = t->ranks->receive(t->ranks->context, &t->message);
    if (busy && t->message.kind == SEGUE_MESSAGE_RUN)
        receive_run(t);
    else if (busy)
        receive_status(t);
    if (!*told && atomic_load(&t->idle)) {
        *told = busy = true;
        t->ended++;
        fail_all(t, t->played, &t->why);
    }
    return busy;
}

static segue_status lead(talk *t, segue_error *err)
{
    bool told = false;
    while (t->ended < t->ranks->count) {
        (void)pthread_mutex_lock(&t->p->writing);
        const bool busy = attend(t, &told);
        (void)pthread_mutex_unlock(&t->p->writing);
        if (is_interrupted(t->p))
            abort_coordinator(t);
        if (!busy)
            segue_processes_backoff();
    }
    const unsigned char verdict = (unsigned char)t->status;
    segue_processes_broadcast(t->ranks, SEGUE_MESSAGE_OUTCOME, &verdict, 1);
    if (t->status == SEGUE_ESTOPPED)
        return segue_schedule_stopped_error(t->p, "", err);
    return t->status == SEGUE_OK ? SEGUE_OK : segue_fail(err, t->status, "%s", t->err.message);
}

/* ---- the others -------------------------------------------------------------------------- */

/* Rank 0 has not said goodbye.  One of those who notice speaks. */
static void abort_worker(talk *t)
{
    segue_error err = {.message = ""};
    if (t->ranks->self == 1)
        (void)segue_fail(&err, SEGUE_ESTOPPED,
                         "stopped, and rank 0 does not answer; the finished runs of '%s' are kept, "
                         "and '--resume' goes on from there",
                         t->p->ex->name);
    leave(t, &err);
}

/* Tell rank 0 how it went here, once it is known, and see whether there is word from it.  A player
 * may be sending: then it is not waited for, since a signal must be heeded even if it hangs. */
static bool listen(talk *t, bool *told)
{
    if (pthread_mutex_trylock(&t->p->writing) != 0)
        return false;
    if (!*told && atomic_load(&t->idle)) {
        segue_processes_send_status(t->ranks, t->played, 0, &t->why);
        *told = true;
    }
    const bool heard = t->ranks->receive(t->ranks->context, &t->message);
    (void)pthread_mutex_unlock(&t->p->writing);
    return heard;
}

static double now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static segue_status follow(talk *t, segue_error *err)
{
    const segue_error silence = {.message = ""};
    bool told = false;
    for (double end = INFINITY; now() < end;) {
        if (!listen(t, &told)) {
            segue_processes_backoff();
            if (is_interrupted(t->p) && !isfinite(end))
                end = now() + PATIENCE;
            continue;
        }
        if (t->message.kind == SEGUE_MESSAGE_QUIT)
            leave(t, &silence);
        if (t->message.kind == SEGUE_MESSAGE_OUTCOME)
            return segue_fail(err, (segue_status)t->message.data[0], "%s", "");
        atomic_store(&t->p->stop, true);
    }
    abort_worker(t);
    return SEGUE_ESTOPPED;
}

segue_status segue_distributed_run(plan *p, segue_status status, segue_error *err)
{
    talk t = {.p = p, .ranks = p->conduct->ranks};
    status = prepare(&t, status, err);
    if (status == SEGUE_OK) {
        deal(&t);
        const bool started = start(&t);
        status = t.ranks->self == 0 ? lead(&t, err) : follow(&t, err);
        if (started)
            (void)pthread_join(t.player, NULL);
    }
    free(t.message.data);
    return status;
}
