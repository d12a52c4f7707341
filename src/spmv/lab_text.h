/* The table as text. */
#ifndef CGS_SRC_SPMV_LAB_TEXT_H
#define CGS_SRC_SPMV_LAB_TEXT_H

#include "core/io/page.h"
#include "src/spmv/lab.h"

void cgs_lab_text(const struct cgs_page *page, const struct cgs_lab *lab);

#endif
