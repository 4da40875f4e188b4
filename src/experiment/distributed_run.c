/* distributed_run.c - run an experiment on several processes.
 *
 * The remaining runs are distributed in turns.  In each process one thread exchanges messages and
 * others play.  Workers send finished runs to the coordinator, which alone writes the checkpoint
 * file: a run that is finished anywhere is on its disk.
 *
 * Failures: a failure in any process reaches the coordinator as a status.  It orders all to stop,
 * waits for their statuses, and fails with the first message.  After a signal the coordinator
 * prints how many runs are saved and aborts all processes at once.  A launcher that finds a dead
 * process sends that signal; one that finds the coordinator dead ends the workers itself.
 *
 * Locks: checkpoint_lock guards the checkpoint file and all messages, progress_lock the progress
 * display; they are locked in this order.
 * SPDX-License-Identifier: Apache-2.0 */
#include "experiment/distributed_run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "segue/internal.h"

typedef struct session {
    segue_schedule *schedule;
    const segue_processes *processes;
    segue_message message; /* the last received, with capacity for the longest */
    size_t n_ended;        /* coordinator: processes whose status is known ... */
    segue_status status;   /* ... and the first failure */
    segue_error err;
    pthread_t play_thread;
    bool has_reported;   /* the status of playing in this process is counted or sent */
    atomic_bool is_idle; /* playing has ended; the next two are valid from then on */
    segue_status played;
    segue_error why;
} session;

/* ---- start ------------------------------------------------------------------------------- */

/* The longest message is a run of the widest cell, or the START with a flag per unit. */
static segue_status reserve_message(session *s, segue_error *err)
{
    const segue_schedule *schedule = s->schedule;
    const size_t done = schedule->n_units * sizeof *schedule->done;
    size_t capacity = done > SEGUE_MESSAGE_SIZE ? done : SEGUE_MESSAGE_SIZE;
    for (size_t i = 0; i < schedule->n_cells; i++)
        if (8 + 8 * schedule->cells[i].width > capacity)
            capacity = 8 + 8 * schedule->cells[i].width;
    s->message.capacity = capacity;
    s->message.data = malloc(capacity);
    return s->message.data ? SEGUE_OK : segue_fail_no_memory(err, "messages");
}

/* Compute a checksum of experiment and program: results of different ones must not mix. */
static segue_status compute_fingerprint(const segue_schedule *schedule, uint32_t *fingerprint,
                                        segue_error *err)
{
    segue_output identity;
    const segue_status status = segue_schedule_identity(schedule, &identity, err);
    *fingerprint = status == SEGUE_OK ? segue_bytes_crc32(identity.data, identity.size) : 0;
    segue_output_fini(&identity);
    return status;
}

/* Prepare this process; `status` is that of the steps before. */
static segue_status prepare_self(session *s, segue_status status, uint32_t *fingerprint,
                                 segue_error *err)
{
    SEGUE_TRY(status);
    SEGUE_TRY(compute_fingerprint(s->schedule, fingerprint, err));
    return reserve_message(s, err);
}

static segue_status prepare(session *s, segue_status status, segue_error *err)
{
    uint32_t fingerprint = 0;
    status = prepare_self(s, status, &fingerprint, err);
    /* Agree before the checkpoint file exists, so that a failure leaves none. */
    SEGUE_TRY(segue_processes_agree(s->processes, status, fingerprint, err));
    if (s->processes->self == 0)
        status = segue_schedule_open_checkpoint(s->schedule, err);
    return segue_processes_agree(s->processes, status, fingerprint, err);
}

/* Tell all which runs the checkpoint file has, and assign the others in turns. */
static void assign(session *s)
{
    segue_schedule *schedule = s->schedule;
    const segue_processes *processes = s->processes;
    const size_t size = schedule->n_units * sizeof *schedule->done;
    if (processes->self == 0) {
        segue_processes_broadcast(processes, SEGUE_MESSAGE_START, schedule->done, size);
    } else {
        while (!processes->receive(processes->context, &s->message))
            segue_processes_backoff();
        assert(s->message.kind == SEGUE_MESSAGE_START && s->message.size == size);
        memcpy(schedule->done, s->message.data, size);
    }
    segue_schedule_assign(schedule, processes->self, processes->count);
}

static void *play(void *argument)
{
    session *s = argument;
    segue_schedule *schedule = s->schedule;
    s->played = segue_parallel_run(schedule->options->threads, schedule->n_todo,
                                   segue_schedule_play_item, NULL, schedule, &s->why);
    atomic_store(&s->is_idle, true);
    return NULL;
}

/* Start the thread that plays; a failure is the status of playing. */
static bool start_playing(session *s)
{
    const int code = pthread_create(&s->play_thread, NULL, play, s);
    if (code == 0)
        return true;
    s->played = segue_fail(&s->why, SEGUE_ETHREAD, "the thread that plays could not be started: %s",
                           strerror(code));
    atomic_store(&s->is_idle, true);
    return false;
}

/* ---- coordinator ------------------------------------------------------------------------- */

/* Print what is saved and end all processes.  Keeps both locks, so that no run is saved after. */
static void abort_all(session *s)
{
    segue_error err;
    const segue_run_options *options = s->schedule->options;
    (void)pthread_mutex_lock(&s->schedule->checkpoint_lock);
    (void)pthread_mutex_lock(&s->schedule->progress_lock);
    (void)segue_schedule_stopped_error(s->schedule, " by a signal, or because a process died",
                                       &err);
    options->print_error(options->context, &err);
    s->processes->abort(s->processes->context, segue_status_exit_code(SEGUE_ESTOPPED));
}

/* Remember the first failure, and tell all to stop. */
static void fail_all(session *s, segue_status status, const segue_error *err)
{
    if (status == SEGUE_OK || s->status != SEGUE_OK)
        return;
    s->status = segue_fail(&s->err, status, "%s", err->message);
    atomic_store(&s->schedule->stop, true);
    segue_processes_broadcast(s->processes, SEGUE_MESSAGE_STOP, NULL, 0);
}

static void receive_run(session *s)
{
    segue_schedule *schedule = s->schedule;
    segue_bytes_reader r = {.data = s->message.data, .size = s->message.size};
    size_t count = 0;
    segue_error err;
    const uint64_t unit = segue_bytes_read_u64(&r);
    assert(unit < schedule->n_units);
    double *values = segue_schedule_values(schedule, unit, &count);
    segue_bytes_read_f64(&r, values, count);
    assert(!r.failed && r.at == r.size);
    fail_all(s, segue_schedule_save_run(schedule, unit, &err), &err);
    const schedule_cell *cell = &schedule->cells[unit / schedule->ex->runs];
    segue_schedule_progress(schedule, cell, (uint64_t)(cell->steps / (double)cell->sim.steps));
}

static void receive_status(session *s)
{
    uint32_t fingerprint = 0;
    segue_error err;
    s->n_ended++;
    fail_all(s, segue_processes_read_status(&s->message, &fingerprint, &err), &err);
}

/* Handle one message, and the end of playing here; false if there was neither. */
static bool poll_coordinator(session *s)
{
    const bool received = s->processes->receive(s->processes->context, &s->message);
    if (received && s->message.kind == SEGUE_MESSAGE_RUN)
        receive_run(s);
    else if (received)
        receive_status(s);
    if (s->has_reported || !atomic_load(&s->is_idle))
        return received;
    s->has_reported = true;
    s->n_ended++;
    fail_all(s, s->played, &s->why);
    return true;
}

static segue_status coordinate(session *s, segue_error *err)
{
    segue_schedule *schedule = s->schedule;
    while (s->n_ended < s->processes->count) {
        (void)pthread_mutex_lock(&schedule->checkpoint_lock);
        const bool busy = poll_coordinator(s);
        (void)pthread_mutex_unlock(&schedule->checkpoint_lock);
        if (schedule->options->stopped && schedule->options->stopped())
            abort_all(s);
        if (!busy)
            segue_processes_backoff();
    }
    const unsigned char outcome = (unsigned char)s->status;
    segue_processes_broadcast(s->processes, SEGUE_MESSAGE_OUTCOME, &outcome, 1);
    if (s->status == SEGUE_ESTOPPED)
        return segue_schedule_stopped_error(schedule, "", err);
    return s->status == SEGUE_OK ? SEGUE_OK : segue_fail(err, s->status, "%s", s->err.message);
}

/* ---- worker ------------------------------------------------------------------------------ */

/* Send the status once playing has ended, and receive a message; false if none has arrived. */
static bool poll_worker(session *s)
{
    (void)pthread_mutex_lock(&s->schedule->checkpoint_lock);
    if (!s->has_reported && atomic_load(&s->is_idle)) {
        segue_processes_send_status(s->processes, s->played, 0, &s->why);
        s->has_reported = true;
    }
    const bool received = s->processes->receive(s->processes->context, &s->message);
    (void)pthread_mutex_unlock(&s->schedule->checkpoint_lock);
    return received;
}

static segue_status work(session *s, segue_error *err)
{
    for (;;) {
        if (!poll_worker(s))
            segue_processes_backoff();
        else if (s->message.kind == SEGUE_MESSAGE_OUTCOME)
            return segue_fail(err, (segue_status)s->message.data[0], "%s", "");
        else
            atomic_store(&s->schedule->stop, true);
    }
}

static segue_status run(session *s, segue_status status, segue_error *err)
{
    SEGUE_TRY(prepare(s, status, err));
    assign(s);
    const bool started = start_playing(s);
    status = s->processes->self == 0 ? coordinate(s, err) : work(s, err);
    if (started)
        (void)pthread_join(s->play_thread, NULL);
    return status;
}

segue_status segue_distributed_run(segue_schedule *schedule, segue_status status, segue_error *err)
{
    session s = {.schedule = schedule, .processes = schedule->options->processes};
    status = run(&s, status, err);
    free(s.message.data);
    return status;
}
