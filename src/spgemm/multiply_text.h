/* The table as text. */
#ifndef CGS_SRC_SPGEMM_MULTIPLY_TEXT_H
#define CGS_SRC_SPGEMM_MULTIPLY_TEXT_H

#include "core/io/page.h"
#include "src/spgemm/multiply_table.h"

void cgs_multiply_text(const struct cgs_page *page, const struct cgs_multiply *m);

#endif
