/* The origin of a study's reports: days, program (machines: study_machines.c). With --draw
 * none of them is that which draws. */
#include <string.h>

#include "base/plain.h"
#include "lab/study/study_fit.h"
#include "lab/study/study_point.h"

bool cgs_study_reported(const struct cgs_study *study)
{
    for (int i = 0; i < study->count; i++)
        if (study->points[i].report)
            return true;
    return false;
}

/* " and " between, nothing twice. */
static void join(const char *one, char *text, size_t size)
{
    const size_t used = strlen(text);
    if (one[0] && !strstr(text, one))
        snprintf(text + used, size - used, "%s%s", used > 0 ? " and " : "", one);
}

void cgs_study_told(const struct cgs_study *study, const char *path, const char *otherwise,
                    char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < study->count; i++)
        join(cgs_point_text(&study->points[i], path), text, size);
    if (!text[0])
        snprintf(text, size, "%s", otherwise ? otherwise : "");
    cgs_make_plain(text);
}

void cgs_study_days(const struct cgs_study *study, char *text, size_t size)
{
    enum { DAY = 10 }; /* characters of "2026-11-22T10:00:00Z" */
    const char *first = "", *last = "";
    for (int i = 0; i < study->count; i++) {
        const char *date = cgs_point_text(&study->points[i], "date");
        if (!date[0])
            continue;
        first = !first[0] || strcmp(date, first) < 0 ? date : first;
        last = strcmp(date, last) > 0 ? date : last;
    }
    if (!first[0])
        snprintf(text, size, "%.*s", DAY, study->date);
    else if (strncmp(first, last, DAY) == 0)
        snprintf(text, size, "%.*s", DAY, first);
    else
        snprintf(text, size, "%.*s to %.*s", DAY, first, DAY, last);
    cgs_make_plain(text);
}
