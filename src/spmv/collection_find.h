/* The matrices that --matrix names. */
#pragma once

#include "src/spmv/collection.h"

/* Lists the matrices of --matrix, which is a file, a folder, an archive, or several with commas
 * between them. *one: it is a single file or archive with one matrix. CGS_FILE: a file is not
 * there, a folder holds no matrix. */
enum cgs_status cgs_collection_find(struct cgs_collection *c, bool *one);

/* Writes size and time of a file; "" where there is none. */
void cgs_collection_stamp(const char *path, char *text, size_t size);
void cgs_collection_release_items(struct cgs_collection *c);
