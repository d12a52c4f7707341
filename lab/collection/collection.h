/* cgsolve spmv over many matrices: files, folders and archives, each matrix by every kernel. A matrix that is refused
 * or a kernel that fails is a row with its reason.
 *
 *     DIR/results.json      settings and rows: what --resume goes on with
 *     DIR/results.csv       a line for each matrix and kernel
 *     DIR/report.html, DIR/NAME.svg, DIR/tables.md, DIR/tables.tex
 *
 * Both results are written beside and renamed after every matrix, results.json first: it alone is read again. */
#ifndef CGS_LAB_COLLECTION_COLLECTION_H
#define CGS_LAB_COLLECTION_COLLECTION_H

#include <jansson.h>

#include "core/options/call.h"
#include "src/spmv/lab.h"

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
    struct cgs_user_kernels own;
    json_t *settings, *ceilings, *rows; /* owned; rows of a matrix stand together */
    char *folder;                       /* owned; --report, NULL: none */
    bool made;                          /* the folder was not there */
    int lock;                           /* -1: none */
    char remark[1024];                  /* why figures are missing; "": they are not */
};

/* The command `cgsolve spmv`: cgs_lab for one matrix without --report, else a collection. */
enum cgs_status cgs_spmv(struct cgs_context *context, const struct cgs_call *call);

/* ---- collection_find.c ---- */
/* Lists the matrices of --matrix, which is a file, a folder, an archive, or several with commas between them. *one: it
 * is a single file or archive with one matrix. CGS_FILE: a file is not there, a folder holds no matrix. */
enum cgs_status cgs_collection_find(struct cgs_collection *c, bool *one);
/* Writes size and time of a file; "" where there is none. */
void cgs_collection_stamp(const char *path, char *text, size_t size);
void cgs_collection_release_items(struct cgs_collection *c);

/* ---- collection_run.c ---- */
/* Opens users' kernels and the machine; fills c->machine, without its queues, host, device and settings. */
enum cgs_status cgs_collection_open_machine(struct cgs_collection *c, struct cgs_machine *machine);
/* Measures the bandwidth of each level of cache and of the memory: ceilings. */
enum cgs_status cgs_collection_measure(struct cgs_collection *c, const struct cgs_machine *machine);
/* Runs all matrices that are not done; saves after each where there is a folder. */
enum cgs_status cgs_collection_run(struct cgs_collection *c);

/* ---- collection_rows.c ---- */
/* Adds the rows of a matrix. */
void cgs_collection_note(struct cgs_collection *c, struct cgs_collection_item *item,
                         const struct cgs_lab *lab);
/* Adds the row of a matrix that was refused. */
void cgs_collection_refuse(struct cgs_collection *c, struct cgs_collection_item *item,
                           const struct cgs_lab *lab, const char *reason);
int cgs_collection_done(const struct cgs_collection *c);
void cgs_collection_csv(FILE *file, const struct cgs_collection *c);
enum cgs_status cgs_collection_json(const struct cgs_collection *c, FILE *file);
/* Text and number of a row; "" and 0 where it has none. */
const char *cgs_row_text(const json_t *row, const char *key);
double cgs_row_number(const json_t *row, const char *key);

/* ---- collection_folder.c ---- */
/* Makes and locks the folder; with --resume takes over what is there. CGS_USAGE: it holds something else, or results
 * without --resume, or of other settings. */
enum cgs_status cgs_collection_open_folder(struct cgs_collection *c);
enum cgs_status cgs_collection_save(struct cgs_collection *c);
void cgs_collection_close_folder(struct cgs_collection *c);
/* Opens a file of the folder for writing. */
enum cgs_status cgs_collection_begin(struct cgs_collection *c, const char *name,
                                     struct cgs_output *output);

/* ---- collection_figures.c, collection_tables.c, collection_page.c, collection_text.c ---- */
struct cgs_summary;
extern const char *const
    cgs_collection_drawings[]; /* names of the figures' files without .svg; NULL at the end */
/* Draws the figures; what cannot be drawn is said in remark. */
enum cgs_status cgs_collection_figures(struct cgs_collection *c, const struct cgs_summary *s);
enum cgs_status cgs_collection_tables(struct cgs_collection *c, const struct cgs_summary *s);
enum cgs_status cgs_collection_page(struct cgs_collection *c, const struct cgs_summary *s);
void cgs_collection_text(const struct cgs_page *page, const struct cgs_collection *c,
                         const struct cgs_summary *s);

#endif
