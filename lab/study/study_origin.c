/* The origin of a study's reports: days, program and machines, as far as they tell. With --draw
 * none of them is that which draws. */
#include "lab/study/study_origin.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/plain.h"
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

/* ---- machines, by the names of processors and GPUs ---- */

/* Writes the processor's name, and how many threads the points on it had: "CPU, 1 to 2 threads". */
static void name_cpu(const struct cgs_study *study, const char *cpu, char *text, size_t size)
{
    double least = INFINITY, most = 0.0;
    for (int i = 0; i < study->count; i++) {
        const struct cgs_point *point = &study->points[i];
        if (strcmp(cgs_point_text(point, "host.cpu"), cpu) == 0 &&
            strcmp(cgs_point_text(point, "backend"), "cuda") != 0) {
            least = fmin(least, cgs_point_number(point, "host.threads"));
            most = fmax(most, cgs_point_number(point, "host.threads"));
        }
    }
    if (least < most)
        snprintf(text, size, "%.100s, %.0f to %.0f threads", cpu, least, most);
    else
        snprintf(text, size, "%.100s, %.0f thread%s", cpu, most, most == 1.0 ? "" : "s");
}

void cgs_study_machines(const struct cgs_study *study, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < study->count && used < size; i++) {
        const struct cgs_point *point = &study->points[i];
        const char *device = cgs_point_text(point, "device.name"),
                   *cpu = cgs_point_text(point, "host.cpu");
        char one[160];
        if (strcmp(cgs_point_text(point, "backend"), "cuda") == 0 && device[0])
            snprintf(one, sizeof one, "%.100s", device);
        else if (cpu[0] && study->lists[CGS_OPTION_threads].count <= 1)
            name_cpu(study, cpu, one, sizeof one);
        else
            snprintf(one, sizeof one, "%.100s", cpu);
        if (one[0] && !strstr(text, one))
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? " and " : "", one);
    }
}

/* Counts the different values that the reports have there. */
static int count_values(const struct cgs_study *study, const char *path)
{
    int count = 0;
    for (int i = 0; i < study->count; i++) {
        const char *value = cgs_point_text(&study->points[i], path);
        bool seen = value[0] == '\0';
        for (int k = 0; k < i && !seen; k++)
            seen = strcmp(value, cgs_point_text(&study->points[k], path)) == 0;
        count += !seen;
    }
    return count;
}

bool cgs_study_mixed(const struct cgs_study *study, char *text, size_t size)
{
    const int hosts = count_values(study, "host.cpu");
    const int devices = study->lists[CGS_OPTION_device].count > 1
                            ? 0 /* they were asked for */
                            : count_values(study, "device.name");
    const int machines = hosts > devices ? hosts : devices;
    if (machines < 2)
        return false;
    snprintf(text, size,
             "The points are of %d machines: seconds and rates of one do not compare with those of "
             "another.",
             machines);
    return true;
}

bool cgs_point_disturbed(const struct cgs_point *point)
{
    return json_is_true(json_object_get(point->report, "disturbed"));
}

bool cgs_study_disturbed(const struct cgs_study *study, char *text, size_t size)
{
    int count = 0;
    double most = 0.0;
    for (int i = 0; i < study->count; i++)
        if (cgs_point_disturbed(&study->points[i])) {
            count++;
            most = fmax(most, study->points[i].facts[CGS_FACT_waited]);
        }
    if (count == 0)
        return false;
    snprintf(text, size,
             "Other processes used the CPUs during %d of %d runs, for up to %.0f %% of the time; "
             "do not rely on their seconds and rates.",
             count, study->count, 100.0 * most);
    return true;
}
