#include "lab/exercise/reports.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/contention.h"
#include "core/autotune/calls.h"
#include "core/io/interrupt.h"
#include "lab/io/rerun.h"

enum { WORDS = 32, LINE = 8192 };
static const double LIMIT = 120.0; /* seconds: some ten times what is usual */

/* Splits the line into words; returns how many. */
static int split(char *line, char **words)
{
    char *rest = NULL;
    int count = 0;
    for (char *word = strtok_r(line, " ", &rest); word && count < WORDS - 2;
         word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    return count;
}

/* Returns the seconds that processes which have ended had a processor. */
static double children_ran(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_CHILDREN, &usage) != 0)
        return 0.0;
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* busy: if it took too long, that was for want of a processor. */
static json_t *read_report(struct cgs_context *context, const struct cgs_rerun *child, int status,
                           bool busy)
{
    json_error_t error;
    if (child->asked > 0.0 && !cgs_interrupted()) { /* its report says that it was interrupted */
        cgs_fail(context, CGS_NOT_CONVERGED, "it took longer than %.0f s, and was ended%s", LIMIT,
                 busy ? ": " CGS_PULSE_BUSY : "");
        return NULL;
    }
    rewind(child->printed);
    json_t *root = json_loadf(child->printed, 0, &error);
    if (root)
        return root;
    char *said = cgs_rerun_first_line(child);
    if (cgs_interrupted())
        cgs_fail(context, CGS_INTERRUPTED, "interrupted while an exercise was judged");
    else
        cgs_fail(context, CGS_BUG, "this program, started once more, has made no report: %s%s",
                 said ? said : "it ended by signal ",
                 said ? "" : strsignal(WIFSIGNALED(status) ? WTERMSIG(status) : 0));
    free(said);
    return NULL;
}

json_t *cgs_reports_run(struct cgs_context *context, const char *line, const char *file,
                        char *command, size_t size)
{
    static char json[] = "--json=-";
    char text[LINE], *words[WORDS], last[LINE];
    struct cgs_rerun child;
    if (command)
        snprintf(command, size, "cgsolve %s%s", line, file ? file : "");
    snprintf(text, sizeof text, "cgsolve %s", line);
    const int count = split(text, words);
    if (file) {
        snprintf(last, sizeof last, "%s%s", words[count - 1], file);
        words[count - 1] = last;
    }
    words[count] = json;
    words[count + 1] = NULL;
    if (cgs_rerun_start(context, words, true, &child) != CGS_OK)
        return NULL;
    const double before = children_ran();
    const int status = cgs_rerun_await(&child, LIMIT);
    const bool starved =
        children_ran() - before < 0.5 * LIMIT && cgs_contention_crowded("", CGS_CALL_THREADS);
    json_t *root = read_report(context, &child, status, !file || starved);
    cgs_rerun_release(&child);
    return root;
}

json_t *cgs_reports_kernels(const json_t *report)
{
    return json_object_get(json_object_get(report, "spmv"), "kernels");
}

json_t *cgs_reports_kernel(const json_t *report, const char *name)
{
    size_t i;
    json_t *kernel;
    json_array_foreach(cgs_reports_kernels(report), i,
                       kernel) if (strcmp(cgs_reports_text(kernel, "name"), name) ==
                                   0) return kernel;
    return NULL;
}

double cgs_reports_number(const json_t *object, const char *path)
{
    char part[64];
    const char *dot = strchr(path, '.');
    if (dot) {
        snprintf(part, sizeof part, "%.*s", (int)(dot - path), path);
        return cgs_reports_number(json_object_get(object, part), dot + 1);
    }
    const json_t *value = json_object_get(object, path);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

const char *cgs_reports_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}
