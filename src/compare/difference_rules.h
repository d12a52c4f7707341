/* Rules of comparing: what a key of a JSON report means for a comparison, by its place. */
#ifndef CGS_SRC_COMPARE_DIFFERENCE_RULES_H
#define CGS_SRC_COMPARE_DIFFERENCE_RULES_H

#include "src/report/facts.h"

/* Returns the rule of a place, "solver.iterations"; kernel.KEY of the laboratories. A place that is
 * not known is a setting, so that new keys of reports are compared, too. */
const struct cgs_report_fact *cgs_rule_find(const char *place);

#endif
