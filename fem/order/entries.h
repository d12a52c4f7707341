/* Rows of cells of order p whose matrix is no star (fem/element/order_cells.h), from the forms of
 * the cells at the points of a rule. */
#pragma once

#include <stdbool.h>

#include "fem/element/element.h"
#include "fem/element/lobatto.h"

CGS_BEGIN_C

enum {
    CGS_FORM_POINTS = CGS_BASIS_POINTS * CGS_BASIS_POINTS * CGS_BASIS_POINTS,
    CGS_FORMS = 7 /* of xx, xy, xz, yy, yz, zz, and of values */
};

/* Numbers of a cell at the points of the rule, x fastest: weights of slopes in k and l, or of
 * values, of a mass matrix. */
typedef double cgs_order_forms[CGS_FORMS][CGS_FORM_POINTS];

/* Computes the forms of a cell, among them only those used; self: the caller's. */
typedef void cgs_order_make_forms(const void *self, const int64_t cell[3], cgs_order_forms form);

/* Products of polynomials of which rows of a mesh are made. */
struct cgs_order_entries {
    const struct cgs_mesh *mesh; /* borrowed */
    int points;
    /* [slope of a][slope of b][a][b][point]: products of polynomials or slopes of nodes a and b */
    double pair[2][2][CGS_NODES_MOST][CGS_NODES_MOST][CGS_BASIS_POINTS];
};

/* Makes them for the matrix of the mesh by the rule `basis`. */
void cgs_order_entries_make(const struct cgs_mesh *mesh, const struct cgs_basis *basis,
                            struct cgs_order_entries *entries);

/* Writes the lengths of rows first ... last - 1, and the rows, as struct cgs_row_source says:
 * symmetric to the bit. */
void cgs_order_entries_lengths(const struct cgs_mesh *mesh, int64_t first, int64_t last,
                               int32_t *lengths);
void cgs_order_entries_fill(const struct cgs_order_entries *entries, cgs_order_make_forms *forms,
                            const void *self, int64_t first, int64_t last, int32_t *columns,
                            double *values);

CGS_END_C
