/* Names of points: the values of their swept options, in the order of the table. */
#include <ctype.h>
#include <string.h>

#include "base/plain.h"
#include "core/run/report.h"
#include "lab/study/study.h"

/* Options whose values say by themselves what they are. */
static bool speaks_for_itself(enum cgs_option_id id)
{
    switch (id) {
    case CGS_OPTION_problem:
    case CGS_OPTION_quadrature:
    case CGS_OPTION_matrix:
    case CGS_OPTION_format:
    case CGS_OPTION_precision:
    case CGS_OPTION_backend:
    case CGS_OPTION_kernel:
    case CGS_OPTION_scaling:
        return true;
    default:
        return false;
    }
}

/* The value, of a path its last part. */
static const char *value_of(const struct cgs_point *point, enum cgs_option_id id)
{
    const char *value = point->values[id];
    return cgs_option_table[id].kind == CGS_KIND_TEXT ? cgs_report_base_name(value) : value;
}

void cgs_point_label(const struct cgs_study *study, const struct cgs_point *point, bool but_n,
                     char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < study->swept_count && used < size; i++) {
        const enum cgs_option_id id = study->swept[i];
        const bool spoken = speaks_for_itself(id);
        if (but_n && cgs_study_refines(id))
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s%s%s", used > 0 ? ", " : "",
                                 spoken ? "" : cgs_option_table[id].name, spoken ? "" : "=",
                                 value_of(point, id));
    }
    cgs_make_plain(text);
}

void cgs_point_name(const struct cgs_study *study, const struct cgs_point *point, char *text,
                    size_t size)
{
    size_t used = 0;
    for (int i = 0; i < study->swept_count && used < size; i++) {
        const enum cgs_option_id id = study->swept[i];
        used += (size_t)snprintf(text + used, size - used, "%s%s%s", used > 0 ? "-" : "",
                                 speaks_for_itself(id) ? "" : cgs_option_table[id].name,
                                 value_of(point, id));
    }
    if (used == 0)
        snprintf(text, size, "point");
    for (char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-+._", *c))
            *c = '_';
    if (text[0] == '.')
        text[0] = '_';
}
