#include "lab/study/study_point.h"

#include <math.h>
#include <string.h>

/* "error.l2" -> root["error"]["l2"] */
const json_t *cgs_report_find(const json_t *root, const char *path)
{
    while (root && *path) {
        char key[64];
        const size_t length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        root = json_object_get(root, key);
        path += length + (path[length] == '.');
    }
    return root;
}

double cgs_point_fact(const struct cgs_point *point, enum cgs_fact fact)
{
    if (fact == CGS_FACT_transfer_seconds && !isfinite(point->facts[CGS_FACT_transfer_gbs]))
        return NAN;
    return point->facts[fact];
}

const char *cgs_point_text(const struct cgs_point *point, const char *path)
{
    const char *text = json_string_value(cgs_report_find(point->report, path));
    return text ? text : "";
}

double cgs_point_number(const struct cgs_point *point, const char *path)
{
    const json_t *at = cgs_report_find(point->report, path);
    return json_is_number(at) ? json_number_value(at) : NAN;
}

const char *cgs_point_value(const struct cgs_study *study, const struct cgs_point *point,
                            enum cgs_option_id id)
{
    const struct cgs_list *list = &study->lists[id];
    if (id == CGS_OPTION_n && point->weak_n[0])
        return point->weak_n;
    return point->values[id] ? point->values[id] : list->count > 0 ? list->values[0] : NULL;
}

bool cgs_points_alike(const struct cgs_study *study, const struct cgs_point *a,
                      const struct cgs_point *b, enum cgs_option_id but)
{
    for (int i = 0; i < study->swept_count; i++) {
        const enum cgs_option_id id = study->swept[i];
        if (id != but && strcmp(a->values[id], b->values[id]) != 0)
            return false;
    }
    return true;
}
