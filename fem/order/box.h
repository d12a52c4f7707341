/* The three lines of a box of order p > 1. Internal to fem/order. */
#pragma once

#include "fem/element/order_line.h"

struct cgs_order_box {
    struct cgs_order_line line[3];
    double scale, reaction;
};

static inline struct cgs_order_box cgs_order_box(const struct cgs_mesh *mesh)
{
    struct cgs_order_box box = {.scale = mesh->scale, .reaction = mesh->reaction};
    for (int k = 0; k < 3; k++)
        cgs_order_line_make(mesh, k, &box.line[k]);
    return box;
}

/* Returns the entry of the mass matrix, which is diagonal. */
static inline double cgs_order_box_mass(const struct cgs_order_box *box, int64_t x, int64_t y,
                                        int64_t z)
{
    return cgs_order_mass(&box->line[0], x) * cgs_order_mass(&box->line[1], y) *
           cgs_order_mass(&box->line[2], z);
}
