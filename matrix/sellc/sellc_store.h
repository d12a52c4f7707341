/* Storage of compressed SELL in host memory. */
#ifndef CGS_MATRIX_SELLC_SELLC_STORE_H
#define CGS_MATRIX_SELLC_SELLC_STORE_H

#include "base/linkage.h"
#include "matrix/sellc/sellc.h"

CGS_BEGIN_C

struct cgs_sellc_sink cgs_sellc_into(struct cgs_sellc_store *store);
void cgs_sellc_store_release(struct cgs_sellc_store *store);

CGS_END_C

#endif
