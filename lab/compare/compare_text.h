/* A comparison of reports for people. */
#ifndef CGS_LAB_COMPARE_COMPARE_TEXT_H
#define CGS_LAB_COMPARE_COMPARE_TEXT_H

#include <jansson.h>

#include "core/io/page.h"

/* `comparison` is that of lab/compare/difference.h, with of, reports[]{file, date, commit} and,
 * where one was drawn, figure. */
void cgs_compare_text(const struct cgs_page *page, json_t *comparison);

#endif
