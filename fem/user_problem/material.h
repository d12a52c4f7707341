/* Materials of a problem of the user's own: kappa and source of the cells whose centres lie in
 * regions of the box.
 *
 * The last region that holds a cell's centre gives the cell its material. Cells in no region
 * keep the kappa and the source of the problem: struct cgs_user_problem says them, and reports call
 * them "else". */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/expression.h"
#include "fem/norms.h"

enum { CGS_MATERIAL_NAME = 32 /* bytes of a name, with its end */, CGS_NO_MATERIAL = -1 };

/* The cells of one material, since cgs_materials_settle. */
struct cgs_material_facts {
    int64_t cells;
    double kappa_least, kappa_most; /* in all directions; 0 without cells */
    double source; /* its integral: at the centres, or as in the load where no material has one */
    double volume;
    struct cgs_extremes extremes; /* of u_h there, since a solve (fem/extremes.h) */
};

struct cgs_material {
    char name[CGS_MATERIAL_NAME];
    struct cgs_expression *kappa;     /* > 0, at the centres of cells */
    struct cgs_expression *across[2]; /* kappa in y and in z; NULL: as in x */
    struct cgs_expression *source;    /* at the centres of cells; NULL: the source of the problem */
    struct cgs_material_facts facts;
    bool held; /* a region of it holds a centre, if only until a later region takes the cell */
};

struct cgs_region {
    int material;
    struct cgs_expression *inside; /* not 0 at centres in the region; NULL: a box */
    double low[3], high[3];        /* of the box, both ends in it */
};

/* {0}: none. list[count] and regions[region_count] are blocks of cgs_alloc; the regions are in
 * the order given. */
struct cgs_materials {
    int count, region_count;
    struct cgs_material *list;
    struct cgs_region *regions;
    struct cgs_material_facts rest; /* cells in no region */
    bool source_known; /* facts have the source; false: it follows from the exact solution */
};
