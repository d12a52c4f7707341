/* The writers of --output's files, a table each: the file of a solution on the mesh of the box is
 * written plane by plane, with error and residual, and a solution without a mesh as a vector.
 * core/options/file_types.def lists them.
 *
 * What could not be written shows in ferror of the output's file. */
#pragma once

#include <stdio.h>

#include "core/field/planes.h"
#include "core/io/output.h"
#include "core/options/file_types.h"
#include "fem/user_problem/materials.h"

/* A file of fields that is being written. */
struct cgs_field_file {
    const struct cgs_writer *writer;
    struct cgs_context *context;
    const struct cgs_mesh *mesh;     /* borrowed */
    struct cgs_materials *materials; /* borrowed; NULL: none */
    bool known;                      /* there is an error */
    struct cgs_output *output;       /* borrowed; begun: a regular file */
    void *state;                     /* the writer's own */
};

struct cgs_writer {
    /* ---- fields; NULL: this type has the vector alone ---- */
    /* Adds the memory that a file takes, other than the planes written to it, to a plan. */
    void (*plan)(struct cgs_plan *plan, const struct cgs_mesh *mesh);
    /* Begins the file. Always to be closed. */
    enum cgs_status (*open)(struct cgs_field_file *file);
    /* Write facts about the run that made the fields, before the first plane; NULL: the file has
     * no place for them. */
    void (*put_real)(struct cgs_field_file *file, const char *name, double value);
    void (*put_integer)(struct cgs_field_file *file, const char *name, int64_t value);
    void (*put_text)(struct cgs_field_file *file, const char *name, const char *value);
    /* Writes the next plane, iz = 0 ... cells_z in this order, as cgs_planes_get makes it. */
    enum cgs_status (*put)(struct cgs_field_file *file, int64_t iz,
                           double *const plane[CGS_NODALS]);
    /* Frees what open took; NULL: it took nothing. */
    void (*close)(struct cgs_field_file *file);

    /* ---- vectors, one after the other; NULL: this type needs the mesh ---- */
    enum cgs_status (*vector)(struct cgs_context *context, FILE *file, const char *comment,
                              int64_t rows, int64_t columns, const double *values);
};

/* Returns the writer of that type. */
const struct cgs_writer *cgs_writer(enum cgs_file_type_id type);

#define CGS_FILE_TYPE(code, writer, ...) extern const struct cgs_writer cgs_##writer##_writer;
#include "core/options/file_types.def"
#undef CGS_FILE_TYPE
