/* results.h - the results of an experiment: one cell per environment, policy, n and J.
 *
 * Written as JSON, which holds all that is needed to repeat the experiment and which the report
 * reads, and as CSV for other programs.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_RESULTS_H
#define SEGUE_IO_RESULTS_H

#include <jansson.h>
#include <stdio.h>

#include "io/cell.h"

typedef struct segue_results {
    char *version;      /* of Segue */
    json_t *experiment; /* the experiment file with its model sets written out */
    const char *name;   /* of the experiment */
    const char *title;
    const char *variant; /* empty: the experiment itself */
    uint64_t seed;
    size_t n_cells;
    segue_cell *cell;
} segue_results;

/**
 * Create results of `experiment`, which they own (released on failure), with `n_cells` empty cells.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_results_create(segue_results **out, json_t *experiment,
                                                   size_t n_cells, segue_error *err);
void segue_results_destroy(segue_results *results);

/** Find the cell of a policy (as typed), n and J in any environment, or in one; NULL: none. */
const segue_cell *segue_results_find(const segue_results *results, const char *policy,
                                     uint64_t steps, uint64_t tasks);
const segue_cell *segue_results_find_in(const segue_results *results, const char *environment,
                                        const char *policy, uint64_t steps, uint64_t tasks);

/** Build the JSON of all cells; NULL: out of memory. */
json_t *segue_results_to_json(const segue_results *results);

/** Print one row per cell, and one per model of it. */
void segue_results_print_csv(const segue_results *results, FILE *out);

/** The header of the CSV of a curve. */
#define SEGUE_RESULTS_CURVE_HEADER                                                                 \
    "experiment,version,seed,environment,policy,steps,tasks,runs,track,task,run,value"

/** Print one row per track, point and run. */
void segue_results_print_curve(const segue_results *results, FILE *out);

/**
 * Read the JSON of segue_results_to_json.
 *
 * @retval SEGUE_EFILE, SEGUE_EPARSE, SEGUE_EDOMAIN  the message names file and field
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_results_read(segue_results **out, const char *path,
                                                 segue_error *err);

#endif
