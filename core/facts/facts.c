#include "core/facts/facts.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define CGS_OBJECT(place, when, meaning) {place, NULL, "", CGS_SETTING, meaning},
#define CGS_FACT(key, kind, unit, rule, when, value, meaning)                                      \
    {NULL, #key, unit, CGS_##rule, meaning},
#define CGS_LAST(key, rule, meaning) {NULL, #key, "", CGS_##rule, meaning},

/* clang-format off */
const struct cgs_report_fact cgs_report_facts[] = {
#include "core/facts/facts_head.def"
#include "core/facts/facts_solve.def"

    CGS_OBJECT("preconditioning.levels[]", true, "") /* grids of multigrid */
#include "core/facts/facts_level.def"

#include "core/facts/facts_spmv.def"
    CGS_OBJECT("spmv.kernels[]", true, "")
#define CGS_KERNEL_FACT CGS_FACT
#include "core/facts/facts_spmv_kernel.def"

#include "core/facts/facts_collection.def"
    CGS_OBJECT("collection.rows[]", true, "")
#define CGS_KERNEL_FACT CGS_FACT
#include "core/facts/facts_collection_row.def"

#include "core/facts/facts_spgemm.def"
    CGS_OBJECT("kernels[]", true, "")
#define CGS_KERNEL_FACT CGS_FACT
#include "core/facts/facts_spgemm_kernel.def"
};
/* clang-format on */
const int cgs_report_fact_count = sizeof cgs_report_facts / sizeof *cgs_report_facts;

const struct cgs_report_fact *cgs_report_fact_find(const char *path)
{
    const char *rest = NULL; /* of the path, below the object of the rows; NULL: not there */
    for (int i = 0; i < cgs_report_fact_count; i++) {
        const struct cgs_report_fact *fact = &cgs_report_facts[i];
        if (fact->place) {
            const size_t length = strlen(fact->place);
            const bool below =
                length == 0 || (strncmp(path, fact->place, length) == 0 && path[length] == '.');
            rest = below ? path + length + (length > 0) : NULL;
        } else if (rest) {
            const size_t length = strlen(fact->key);
            if (strncmp(rest, fact->key, length) == 0 &&
                (rest[length] == '\0' || rest[length] == '.'))
                return fact;
        }
    }
    return NULL;
}
