/* cgsolve spmv over many matrices: how they are found, run one after the other, and kept in a
 * folder. What is drawn and written of them is in lab/collection. */
#ifndef CGS_SRC_SPMV_COLLECTION_H
#define CGS_SRC_SPMV_COLLECTION_H

#include "lab/collection/collection.h"
#include "src/spmv/lab.h"

/* The command `cgsolve spmv`: cgs_lab for one matrix without --report, else a collection. */
enum cgs_status cgs_spmv(struct cgs_context *context, const struct cgs_call *call);

/* ---- collection_find.c ---- */
/* Lists the matrices of --matrix, which is a file, a folder, an archive, or several with commas
 * between them. *one: it is a single file or archive with one matrix. CGS_FILE: a file is not
 * there, a folder holds no matrix. */
enum cgs_status cgs_collection_find(struct cgs_collection *c, bool *one);
/* Writes size and time of a file; "" where there is none. */
void cgs_collection_stamp(const char *path, char *text, size_t size);
void cgs_collection_release_items(struct cgs_collection *c);

/* ---- collection_run.c ---- */
/* Opens users' kernels and the machine; fills c->machine, without its queues, host, device and
 * settings. */
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
void cgs_collection_csv(FILE *file, const struct cgs_collection *c);
enum cgs_status cgs_collection_json(const struct cgs_collection *c, FILE *file);
/* ---- collection_folder.c ---- */
/* Makes and locks the folder; with --resume takes over what is there. CGS_USAGE: it holds
 * something else, or results without --resume, or of other settings. */
enum cgs_status cgs_collection_open_folder(struct cgs_collection *c);
enum cgs_status cgs_collection_save(struct cgs_collection *c);
void cgs_collection_close_folder(struct cgs_collection *c);

#endif
