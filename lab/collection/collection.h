/* cgsolve spmv over many matrices: files, folders and archives, each matrix by every kernel. A
 * matrix that is refused or a kernel that fails is a row with its reason.
 *
 *     DIR/results.json      settings and rows: what --resume goes on with
 *     DIR/results.csv       a line for each matrix and kernel
 *     DIR/report.html, DIR/NAME.svg, DIR/tables.md, DIR/tables.tex
 *
 * Both results are written beside and renamed after every matrix, results.json first: it alone
 * is read again. */
#pragma once

#include <jansson.h>

#include "core/autotune/user_kernels.h"
#include "core/io/format.h"
#include "core/io/output.h"
#include "core/io/page.h"
#include "core/setup/machine.h"
#include "lab/command_line/call.h"

struct cgs_collection_item {
    char *file, *member; /* owned; member of an archive, or NULL */
    char *name;          /* owned: "bcsstk13" */
    char *group;         /* owned: name of its folder or archive */
    char stamp[64];      /* size and time of the file */
    bool done;           /* rows has it */
};

struct cgs_collection {
    struct cgs_context *context;
    struct cgs_options *options;
    const struct cgs_call *call;
    cgs_date date;
    struct cgs_collection_item *items; /* owned */
    int count;
    struct cgs_machine machine;                  /* what is known of it; no queues */
    struct cgs_bandwidth bandwidth[CGS_DEVICES]; /* of its memory, of the last matrix */
    char host[128], device[128];                 /* names of the processor; of the GPU, or "cpu" */
    struct cgs_user_kernels user_kernels;
    json_t *settings, *ceilings, *rows; /* owned; rows of a matrix stand together */
    char *folder;                       /* owned; --report, NULL: none */
    bool made;                          /* the folder was not there */
    int lock;                           /* -1: none */
    char remark[1024];                  /* why figures are missing; "": they are not */
};

/* Returns how many items have their rows. */
int cgs_collection_done(const struct cgs_collection *c);

/* Returns true if the row is about the item. */
bool cgs_collection_owns(const struct cgs_collection_item *item, const json_t *row);

/* Returns true if the row is the first one of its matrix; before: the row before it, or NULL. */
bool cgs_row_begins(const json_t *row, const json_t *before);

/* Returns true if other processes disturbed the run that the row is of. */
bool cgs_row_disturbed(const json_t *row);

/* Returns on how many matrices that was so. */
int cgs_collection_disturbed(const struct cgs_collection *c);

/* Says it in a sentence; "" where it was so on none. */
void cgs_collection_say_disturbed(const struct cgs_collection *c, char *text, size_t size);

/* Text and number of a row; "" and 0 where it has none. */
const char *cgs_row_text(const json_t *row, const char *key);
double cgs_row_number(const json_t *row, const char *key);

/* Opens a file of the folder for writing. */
enum cgs_status cgs_collection_begin(struct cgs_collection *c, const char *name,
                                     struct cgs_output *output);

/* ---- collection_figures.c, collection_page.c, collection_text.c ---- */
struct cgs_summary;
extern const char *const
    cgs_collection_drawings[]; /* names of the figures' files without .svg; NULL at the end */
