/* The table as text. */
#pragma once

#include "core/io/page.h"
#include "src/spgemm/multiply_table.h"

void cgs_multiply_text(const struct cgs_page *page, const struct cgs_multiply *m);
