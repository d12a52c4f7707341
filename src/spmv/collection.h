/* cgsolve spmv over many matrices: how they are found, run one after the other, and kept in a
 * folder. What is drawn and written of them is in lab/collection. */
#pragma once

#include "lab/collection/collection.h"
#include "src/spmv/lab.h"

/* ---- collection_folder.c ---- */
