/* Reads and writes structured option values: the coefficient, the fault to inject, ... */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/options/fault.h"
#include "core/options/table.h"
#include "fem/element/element.h"
#include "matrix/random.h"

/* Fields at the nodes of the model problem. */
enum cgs_nodal {
    CGS_NODAL_SOLUTION, /* u_h */
    CGS_NODAL_ERROR,    /* u_h - u, at the nodes where u is known */
    CGS_NODAL_RESIDUAL, /* b - A x, in the units of the run's matrix and right-hand side */
    CGS_NODALS
};

/* Returns the name of a field, "error". */
const char *cgs_nodal_name(enum cgs_nodal nodal);

/* One value of --slice=AXIS:POSITION,[FIELD,]FILE. */
struct cgs_slice_request {
    int axis;        /* 0, 1, 2: x, y, z */
    double position; /* coordinate in that direction: 0 ... length, once options are checked */
    enum cgs_nodal field;
    bool flux; /* the magnitude of kappa grad u_h instead; the field is the solution */
    char file[PATH_MAX];
};

/* Return what a slice shows: as cgs_nodal_name does, and its formula. */
const char *cgs_slice_name(const struct cgs_slice_request *slice);
const char *cgs_slice_formula(const struct cgs_slice_request *slice);

enum { CGS_LINE_POINTS = 10000 /* at most */ };

/* Value of --line=X,Y,Z:X,Y,Z:N[,FILE]. */
struct cgs_line_request {
    double from[3], to[3];
    int64_t points;   /* 0: no line */
    const char *file; /* borrowed from the text that was read; NULL: none */
};

/* Value of --cells=20x36x50: cells in x, y and z; 0: not given. */
struct cgs_cell_counts {
    int64_t of[3];
};

/* Value of --size=1x2x0.5: lengths in x, y and z. */
struct cgs_lengths {
    double of[3];
};

/* Value of --gpus=all|K|i,j,...: rank r has the r-th device. */
enum { CGS_GPUS_MOST = 64 };

struct cgs_gpus {
    int count;   /* 0: all that there are */
    bool listed; /* by numbers; else devices 0 ... count - 1 */
    int device[CGS_GPUS_MOST];
};

/* Read the whole text. Return false, with the output unchanged, if it is not valid. */
bool cgs_kappa_read(const char *text, struct cgs_kappa *kappa);
bool cgs_cells_read(const char *text, struct cgs_cell_counts *cells);
bool cgs_lengths_read(const char *text, struct cgs_lengths *size);
bool cgs_random_read(const char *text, struct cgs_random_matrix *random);
/* Reads a point "x,y,z" of that length: three numbers between -1e13 and 1e13. */
bool cgs_point_read(const char *text, size_t length, double point[3]);
/* Reads the first line of the text. */
bool cgs_slice_read(const char *text, struct cgs_slice_request *slice);
/* Reads the first of the slices that are left, a line each, and moves on to those after it. Returns
 * false where none is left (*left is NULL) or the first one is not valid. */
bool cgs_slice_next(const char **left, struct cgs_slice_request *slice);
bool cgs_gpus_read(const char *text, struct cgs_gpus *gpus);
bool cgs_fault_read(const char *text, struct cgs_fault *fault);

/* Write the value as on the command line. */
void cgs_kappa_write(const struct cgs_kappa *kappa, char *text, size_t size);
void cgs_cells_write(const struct cgs_cell_counts *cells, char *text, size_t size);
void cgs_lengths_write(const struct cgs_lengths *lengths, char *text, size_t size);
void cgs_random_write(const struct cgs_random_matrix *random, char *text, size_t size);
bool cgs_line_read(const char *text, struct cgs_line_request *line);
void cgs_line_write(const struct cgs_line_request *line, char *text, size_t size);
void cgs_gpus_write(const struct cgs_gpus *gpus, char *text, size_t size);
void cgs_fault_write(const struct cgs_fault *fault, char *text, size_t size);

/* A kind of options whose values are phrases. */
struct cgs_phrase {
    bool (*read)(const char *text, void *field); /* as above; NULL: the kind has no phrases */
    void (*write)(const void *field, char *text, size_t size);
    const char *expected; /* what messages say of it */
};

extern const struct cgs_phrase cgs_phrases[CGS_KINDS];

/* Returns the device of a rank. */
static inline int cgs_gpus_device(const struct cgs_gpus *gpus, int rank)
{
    return gpus->listed ? gpus->device[rank] : rank;
}
