/* Types of the files that --output and --save-matrix write. */
#pragma once

#include <stdbool.h>

/* Contents of --output, each more than the one before: a matrix (a vector is one of one column), a
 * vector, fields on the mesh of the box, fields on the undeformed box. */
enum cgs_holding { CGS_HOLDS_MATRIX, CGS_HOLDS_VECTOR, CGS_HOLDS_BOX, CGS_HOLDS_CUBE };

/* CGS_FILE_TYPE_VTU, CGS_FILE_TYPE_MARKET, ... */
enum cgs_file_type_id {
#define CGS_FILE_TYPE(code, ...) CGS_FILE_TYPE_##code,
#include "core/options/file_types.def"
#undef CGS_FILE_TYPE
    CGS_FILE_TYPES
};

struct cgs_file_type {
    enum cgs_file_type_id id;
    const char *endings[5]; /* of its names; "": none. After the last one NULL */
    enum cgs_holding needs; /* the least that it can hold */
    const char *purpose;    /* "for ParaView and VTK" */
};

extern const struct cgs_file_type cgs_file_type_table[CGS_FILE_TYPES];

/* Returns the ending of a path, ".mtx" for "a/b.mtx"; "" if there is none. */
const char *cgs_file_ending(const char *path);

/* Returns true if the path has one of those endings, in any case; NULL is after the last. */
bool cgs_file_ends_in(const char *path, const char *const *endings);

/* Returns the type of a path by its ending; NULL: it stands for none. */
const struct cgs_file_type *cgs_file_type_of(const char *path);
