/* Graded boxes: --grade and --grid. */
#pragma once

#include "core/options/settings.h"
#include "fem/grading.h"

/* Fills the coordinates of nodes that the options ask for, blocks of cgs_alloc; a file also sets
 * --cells and --size. CGS_USAGE: --grade is not understood or too steep; CGS_FILE: the file cannot
 * be read or is malformed, has cells that are too thin, or does not fit --cells, --N or --size. */
enum cgs_status cgs_ask_grading(struct cgs_context *context, struct cgs_settings *settings,
                                struct cgs_grading *grading);

/* Sets the cells of the box in x, y and z: of --cells or --grid, or of --N. */
void cgs_cells_of(const struct cgs_settings *settings, int64_t cells[3]);
