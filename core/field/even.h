/* Planes of fields as files have them. The nodes of cells of order p > 1 are Gauss-Lobatto points,
 * and files have p equal parts of each cell in each direction instead (core/field/grid.h): a plane
 * of points is a sum over the p + 1 planes of nodes of its layer of cells, lines and columns
 * likewise. Planes of order 1 are passed on. */
#pragma once

#include <stdbool.h>

#include "core/field/planes.h"
#include "core/field/writer.h"
#include "fem/element/lobatto.h"

struct cgs_even {
    struct cgs_field_file *file;                  /* borrowed; where planes of points go */
    double value[CGS_NODES_MOST][CGS_NODES_MOST]; /* [point][node]: polynomials of the nodes */
    double *memory; /* owned; p + 2 planes of each field; NULL: order 1 */
};

/* Adds the memory to a plan. */
void cgs_even_plan(struct cgs_plan *plan, const struct cgs_mesh *mesh);

/* To be released also where it fails. CGS_MEMORY. */
enum cgs_status cgs_even_open(struct cgs_field_file *file, struct cgs_even *even);
void cgs_even_release(struct cgs_even *even);

/* Takes plane iz = 0, 1, ... of nodes, as cgs_planes_get makes it, of all fields that the file has,
 * and writes the planes of points that it completes. */
enum cgs_status cgs_even_put(struct cgs_even *even, int64_t iz, double *const plane[CGS_NODALS]);
