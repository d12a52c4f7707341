/* A point of a study: its options, its names, its command line, and what its report says. */
#include "lab/study/study_point.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/plain.h"
#include "core/report/report.h"
#include "lab/io/json_read.h"

/* ---- options ---- */

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

double cgs_point_cube(const char *text)
{
    struct cgs_cell_counts cells;
    if (!cgs_cells_read(text, &cells))
        return NAN;
    return cbrt((double)cells.of[0] * (double)cells.of[1] * (double)cells.of[2]) - 1.0;
}

double cgs_point_order(const struct cgs_study *study, const struct cgs_point *point)
{
    const char *order = cgs_point_value(study, point, CGS_OPTION_order);
    return order ? strtod(order, NULL) : 1.0;
}

double cgs_point_size(const struct cgs_study *study, const struct cgs_point *point)
{
    const char *cells = point->values[CGS_OPTION_cells], *n = point->values[CGS_OPTION_n];
    if (cells)
        return (cgs_point_cube(cells) + 1.0) * cgs_point_order(study, point) - 1.0;
    return n ? strtod(n, NULL) : NAN;
}

/* ---- names: the values of swept options, in the order of the table ---- */

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

static bool name_taken(const struct cgs_study *study, const char *name)
{
    for (int i = 0; i < study->count; i++)
        if (study->points[i].name && strcmp(study->points[i].name, name) == 0)
            return true;
    return false;
}

/* Two files of one name in different folders would have one name for their points, too. */
enum cgs_status cgs_study_name(const struct cgs_study *study, struct cgs_point *point)
{
    char name[200], distinct[216];
    cgs_point_name(study, point, name, sizeof name);
    snprintf(distinct, sizeof distinct, "%s", name);
    for (int k = 2; name_taken(study, distinct); k++)
        snprintf(distinct, sizeof distinct, "%s-%d", name, k);
    point->name = strdup(distinct);
    return point->name
               ? CGS_OK
               : cgs_fail(study->context, CGS_MEMORY, "no memory for the points of the study");
}

/* ---- command line ---- */

const char cgs_several_solves[] = "--solves=0";

char **cgs_point_words(const struct cgs_study *study, const struct cgs_point *point)
{
    char **words = calloc(CGS_OPTIONS + 4, sizeof *words); /* with room for --json */
    int count = 2;
    if (!words || !(words[0] = strdup("cgsolve")) || !(words[1] = strdup("solve")))
        goto release;
    for (int i = 0; i < CGS_OPTIONS; i++) {
        const char *value = cgs_point_value(study, point, (enum cgs_option_id)i);
        if (!value || i == CGS_OPTION_scaling || i == CGS_OPTION_target_error) /* in the mesh */
            continue;
        const bool flag = cgs_option_table[i].kind == CGS_KIND_FLAG;
        const size_t size = strlen(cgs_option_table[i].name) + strlen(value) + 4;
        char *word = words[count++] = malloc(size);
        if (!word)
            goto release;
        snprintf(word, size, "--%s%s%s", cgs_option_table[i].name, flag ? "" : "=", value);
    }
    if (!cgs_point_value(study, point, CGS_OPTION_solves) &&
        !(words[count++] = strdup(cgs_several_solves)))
        goto release;
    return words;
release:
    cgs_words_release(words);
    return NULL;
}

void cgs_words_release(char **words)
{
    for (int i = 0; words && words[i]; i++)
        free(words[i]);
    free(words);
}

/* ---- report ---- */

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

const struct cgs_fact_row cgs_facts[CGS_FACTS] = {
#define CGS_FACT(name, path, text) {#name, path, text},
#include "lab/study/study_facts.def"
#undef CGS_FACT
};

static void take_facts(struct cgs_point *point)
{
    const double n = point->facts[CGS_FACT_n]; /* as it is asked for */
    for (int i = 0; i < CGS_FACTS; i++) {
        const json_t *value = cgs_report_find(point->report, cgs_facts[i].path); /* "": all of it */
        point->facts[i] = json_is_number(value) ? json_number_value(value) : NAN;
    }
    if (isnan(point->facts[CGS_FACT_solve_seconds])) { /* the only solve did not come to its end */
        const json_t *solve = cgs_report_find(point->report, "seconds.solve");
        if (json_is_number(solve))
            point->facts[CGS_FACT_solve_seconds] = json_number_value(solve);
    }
    if (isnan(point->facts[CGS_FACT_gpus]) && point->report && point->values[CGS_OPTION_gpus])
        point->facts[CGS_FACT_gpus] = 1.0; /* no ranks */
    if (isnan(point->facts[CGS_FACT_n]))
        point->facts[CGS_FACT_n] = n;
    point->facts[CGS_FACT_answer_seconds] =
        point->facts[CGS_FACT_once_seconds] + point->facts[CGS_FACT_solve_seconds];
}

bool cgs_point_range(const struct cgs_point *point, enum cgs_fact fact, double *least, double *most)
{
    static const struct {
        enum cgs_fact fact, median, least, most;
        bool rate; /* so much in these seconds */
    } ranges[] = {
        {CGS_FACT_solve_seconds, CGS_FACT_solve_seconds, CGS_FACT_solve_seconds_min,
         CGS_FACT_solve_seconds_max, false},
        {CGS_FACT_mups, CGS_FACT_solve_seconds, CGS_FACT_solve_seconds_min,
         CGS_FACT_solve_seconds_max, true},
        {CGS_FACT_spmv_seconds, CGS_FACT_spmv_seconds, CGS_FACT_spmv_seconds_min,
         CGS_FACT_spmv_seconds_max, false},
        {CGS_FACT_spmv_gbs, CGS_FACT_spmv_seconds, CGS_FACT_spmv_seconds_min,
         CGS_FACT_spmv_seconds_max, true},
    };
    const double *facts = point->facts;
    *least = *most = NAN;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (ranges[i].fact == fact) {
            const double work = facts[fact] * facts[ranges[i].median];
            const double shortest = facts[ranges[i].least], longest = facts[ranges[i].most];
            *least = ranges[i].rate ? work / longest : shortest;
            *most = ranges[i].rate ? work / shortest : longest;
        }
    return isfinite(*least) && isfinite(*most);
}

void cgs_point_forget(struct cgs_point *point)
{
    json_decref(point->report);
    free(point->message);
    point->report = NULL;
    point->message = NULL;
    take_facts(point);
}

enum cgs_status cgs_point_take(struct cgs_context *context, struct cgs_point *point)
{
    struct stat is;
    int reason;
    cgs_point_forget(point);
    if (stat(point->file, &is) == 0 && !S_ISREG(is.st_mode)) /* to read a FIFO may never end */
        return CGS_OK;
    point->report = cgs_json_read(point->file, NULL, &reason);
    if (!point->report && reason == ENOMEM)
        return cgs_fail(context, CGS_MEMORY, "no memory to read the report '%s'", point->file);
    take_facts(point);
    const char *said = json_string_value(json_object_get(point->report, "error_message"));
    point->message = said ? strdup(said) : NULL;
    if (said && !point->message)
        return cgs_fail(context, CGS_MEMORY, "no memory for what the report '%s' says",
                        point->file);
    return CGS_OK;
}
