/* The matrix of a handle of libcgsolve: the caller's rows, the box, or a file, as asked for. One that is
 * refused leaves none, so that no solve takes another matrix than the caller believes. */
#include <inttypes.h>
#include <stdio.h>

#include "src/library/library.h"
#include "src/options/values.h"

static void forget_matrix(struct cgsolve *s)
{
    cgs_library_close(s);
    s->matrix = CGS_LIBRARY_NONE;
    s->crs = (struct cgs_crs){0};
    s->nonzeros = s->rows = 0;
    s->refused[0] = '\0';
    cgs_library_keep(s, CGS_OPTION_matrix, NULL);
}

/* The end of a call that gives the handle a matrix. */
static enum cgsolve_status end(struct cgs_library_call *call, enum cgs_library_matrix matrix)
{
    struct cgsolve *s = call->solver;
    if (s->call.status == CGS_OK)
        s->matrix = matrix;
    else
        snprintf(s->refused, sizeof s->refused, "%.*s", (int)sizeof s->refused - 1,
                 s->call.message);
    return cgs_library_end(call);
}

enum cgsolve_status cgsolve_matrix_crs(struct cgsolve *s, int64_t rows, int64_t nonzeros,
                                       const int64_t *pointers, const int32_t *columns,
                                       const double *values)
{
    struct cgs_library_call call;
    if (!cgs_library_begin(&call, s, "cgsolve_matrix_crs"))
        return CGSOLVE_USAGE;
    /* Borrowed and only read: struct cgs_crs owns its arrays elsewhere. */
    const struct cgs_crs crs = {.rows = rows,
                                .columns = rows,
                                .pointers = (int64_t *)pointers,
                                .column = (int32_t *)columns,
                                .value = (double *)values};
    forget_matrix(s);
    cgs_library_compute();
    if (!pointers || !columns || !values)
        cgs_fail(&s->call, CGS_USAGE, "%s is NULL: expected an array",
                 !pointers  ? "pointers"
                 : !columns ? "columns"
                            : "values");
    else if (cgs_crs_check(&s->call, &crs, nonzeros) == CGS_OK) {
        s->crs = crs;
        s->nonzeros = nonzeros;
    }
    return end(&call, CGS_LIBRARY_CRS);
}

enum cgsolve_status cgsolve_matrix_box(struct cgsolve *s)
{
    struct cgs_library_call call;
    if (!cgs_library_begin(&call, s, "cgsolve_matrix_box"))
        return CGSOLVE_USAGE;
    forget_matrix(s);
    return end(&call, CGS_LIBRARY_BOX);
}

enum cgsolve_status cgsolve_matrix_file(struct cgsolve *s, const char *path)
{
    struct cgs_library_call call;
    struct cgs_options scratch = {0};
    if (!cgs_library_begin(&call, s, "cgsolve_matrix_file"))
        return CGSOLVE_USAGE;
    forget_matrix(s);
    if (!path || !path[0])
        cgs_fail(&s->call, CGS_USAGE, "path is %s: expected the name of a Matrix Market file",
                 path ? "empty" : "NULL");
    else if (cgs_options_take(&s->call, &scratch, CGS_OPTION_matrix, path) == CGS_OK)
        cgs_library_keep(s, CGS_OPTION_matrix, path);
    return end(&call, CGS_LIBRARY_FILE);
}

int64_t cgs_library_unknowns(const struct cgsolve *s)
{
    const struct cgs_option *option = &cgs_option_table[CGS_OPTION_n];
    const char *text = s->values[CGS_OPTION_n] ? s->values[CGS_OPTION_n] : option->initial;
    int64_t n;
    switch (s->matrix) {
    case CGS_LIBRARY_NONE:
        return 0;
    case CGS_LIBRARY_CRS:
        return s->crs.rows;
    case CGS_LIBRARY_FILE:
        return s->rows;
    case CGS_LIBRARY_BOX:
        break;
    }
    return cgs_value_whole(text, option->least, option->most, &n) == CGS_VALUE_FINE ? n * n * n : 0;
}

enum cgs_status cgs_library_wants_matrix(struct cgsolve *s)
{
    if (s->matrix != CGS_LIBRARY_NONE)
        return CGS_OK;
    if (s->refused[0])
        return cgs_fail(&s->call, CGS_USAGE,
                        "the handle has no matrix: the last one was refused (%s)", s->refused);
    return cgs_fail(&s->call, CGS_USAGE,
                    "the handle has no matrix: expected cgsolve_matrix_crs, cgsolve_matrix_box or "
                    "cgsolve_matrix_file before");
}

enum cgsolve_status cgsolve_unknowns(struct cgsolve *s, int64_t *unknowns)
{
    struct cgs_library_call call;
    if (!cgs_library_begin(&call, s, "cgsolve_unknowns"))
        return CGSOLVE_USAGE;
    const int64_t rows = cgs_library_unknowns(s);
    if (!unknowns)
        cgs_fail(&s->call, CGS_USAGE, "unknowns is NULL: expected room for a number");
    else if (cgs_library_wants_matrix(s) == CGS_OK) {
        if (rows > 0)
            *unknowns = rows;
        else
            cgs_fail(&s->call, CGS_USAGE,
                     "the file %s has not been read since matrix or options changed: call "
                     "cgsolve_setup first",
                     s->values[CGS_OPTION_matrix]);
    }
    return cgs_library_end(&call);
}
