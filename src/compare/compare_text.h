/* A comparison of reports for people. */
#ifndef CGS_SRC_COMPARE_COMPARE_TEXT_H
#define CGS_SRC_COMPARE_COMPARE_TEXT_H

#include <jansson.h>

#include "src/io/page.h"

/* `comparison` is that of src/compare/difference.h, with of, reports[]{file, date, commit} and, where one
 * was drawn, figure. */
void cgs_compare_text(const struct cgs_page *page, json_t *comparison);

#endif
