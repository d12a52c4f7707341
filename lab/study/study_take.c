/* Reads a point's report, and finds whether an earlier call has left one that still holds. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/io/version.h"
#include "core/options/values.h"
#include "lab/io/json_read.h"
#include "lab/study/study.h"
#include "lab/study/study_point.h"

const struct cgs_fact_row cgs_facts[CGS_FACTS] = {
#define CGS_FACT(name, path, text) {#name, path, text},
#include "lab/study/study_facts.def"
#undef CGS_FACT
};

static void take_facts(struct cgs_point *point)
{
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
    const char *n = point->weak_n[0] ? point->weak_n : point->values[CGS_OPTION_n];
    if (isnan(point->facts[CGS_FACT_n]) && point->values[CGS_OPTION_cells])
        point->facts[CGS_FACT_n] = cgs_point_cube(point->values[CGS_OPTION_cells]);
    if (isnan(point->facts[CGS_FACT_n]) && n)
        point->facts[CGS_FACT_n] = strtod(n, NULL);
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

/* ---- --resume ---- */

static bool same_text(const json_t *value, const char *text)
{
    return json_is_string(value) && strcmp(json_string_value(value), text) == 0;
}

/* Returns true if the characters U+0001 ... U+00FF of the text are the bytes of the word. */
static bool same_bytes(const json_t *value, const char *word)
{
    const char *text = json_string_value(value);
    if (!text)
        return false;
    for (; *word; word++) {
        const unsigned char byte = (unsigned char)*word;
        if (byte >= 0x80 && (unsigned char)*text++ != (0xc0 | byte >> 6))
            return false;
        if ((unsigned char)*text++ != (byte < 0x80 ? byte : (0x80 | (byte & 0x3f))))
            return false;
    }
    return *text == '\0';
}

/* Returns true if the report was written with these arguments, ignoring the path of the report,
 * and `solves` unless it was given (older studies recorded it). */
static bool same_arguments(const json_t *report, char *const *words)
{
    const json_t *bytes = json_object_get(report, "arguments_bytes");
    const json_t *arguments = bytes ? bytes : json_object_get(report, "arguments");
    size_t at = 0;
    const size_t count = json_array_size(arguments);
    for (int i = 1; words[i]; i++, at++) {
        if (strcmp(words[i], cgs_several_solves) == 0 &&
            !same_text(json_array_get(arguments, at), words[i]))
            break;
        const json_t *argument = json_array_get(arguments, at);
        if (at >= count || !(bytes ? same_bytes : same_text)(argument, words[i]))
            return false;
    }
    const char *last = json_string_value(json_array_get(arguments, at));
    return at + 1 == count && last && strncmp(last, "--json=", 7) == 0;
}

/* Finished: solved, not converged, or broken down. A lack of memory or of a device, or an
 * interrupt, may be over next time. */
static bool finished(int exit_status)
{
    return exit_status == cgs_status_exit(CGS_OK) ||
           exit_status == cgs_status_exit(CGS_NOT_CONVERGED) ||
           exit_status == cgs_status_exit(CGS_BREAKDOWN);
}

/* Returns true if a file that the point reads was written after its report. */
static bool outdated(const struct cgs_study *study, const struct cgs_point *point)
{
    static const enum cgs_option_id read[] = {CGS_OPTION_matrix, CGS_OPTION_rhs, CGS_OPTION_guess,
                                              CGS_OPTION_kernel};
    struct stat report, input;
    if (stat(point->file, &report) != 0)
        return true;
    for (int i = 0; i < 4; i++) {
        const char *name = cgs_point_value(study, point, read[i]);
        const bool file = name && (read[i] == CGS_OPTION_kernel ? cgs_plugin_named(name)
                                   : read[i] == CGS_OPTION_rhs
                                       ? strcmp(name, "ones") != 0 && strcmp(name, "random") != 0
                                   : read[i] == CGS_OPTION_guess ? cgs_guess_names_file(name)
                                                                 : true);
        if (!file || stat(name, &input) != 0)
            continue;
        if (input.st_mtim.tv_sec > report.st_mtim.tv_sec ||
            (input.st_mtim.tv_sec == report.st_mtim.tv_sec &&
             input.st_mtim.tv_nsec > report.st_mtim.tv_nsec))
            return true;
    }
    return false;
}

static bool holds(const struct cgs_study *study, const struct cgs_point *point, char *const *words)
{
    const json_t *program = json_object_get(point->report, "cgsolve");
    const json_t *status = json_object_get(point->report, "exit_status");
    const bool ours =
        study->options->draw ||
        (same_text(json_object_get(program, "version"), cgs_version()) &&
         same_text(json_object_get(program, "commit"), cgs_commit()) && !outdated(study, point));
    return ours && json_is_integer(status) && finished((int)json_integer_value(status)) &&
           same_arguments(point->report, words);
}

enum cgs_status cgs_study_resume(struct cgs_study *study, int *resumed, int *stale)
{
    *resumed = *stale = 0;
    for (int i = 0; i < study->count; i++) {
        struct cgs_point *point = &study->points[i];
        CGS_TRY(cgs_point_take(study->context, point));
        if (!point->report)
            continue;
        char **words = cgs_point_words(study, point);
        if (!words)
            return cgs_fail(study->context, CGS_MEMORY, "no memory for the options of a point");
        point->resumed = holds(study, point, words);
        cgs_words_release(words);
        if (point->resumed) {
            *resumed += 1;
            point->exit_status =
                (int)json_integer_value(json_object_get(point->report, "exit_status"));
        } else {
            *stale += 1;
            cgs_point_forget(point);
        }
    }
    return CGS_OK;
}
