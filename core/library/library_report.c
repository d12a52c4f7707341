/* The result of a solve by libcgsolve, as a struct and as the program's JSON report. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/facts/report_json.h"
#include "core/io/json.h"
#include "core/library/handle.h"
#include "core/library/library_call.h"
#include "core/library/library_report.h"
#include "matrix/names.h"
#include "solver/cg/cg_result.h"

void cgs_library_result(const struct cgsolve *s, struct cgsolve_result *result)
{
    if (!s) {
        *result = (struct cgsolve_result){
            .status = CGSOLVE_USAGE,
            .outcome = "",
            .relative_residual = NAN,
            .true_relative_residual = NAN,
            .l2_error = NAN,
            .nodal_l2_error = NAN,
            .h1_error = NAN,
            .max_error = NAN,
            .solve_seconds = NAN,
            .mups = NAN,
            .backend = "",
            .kernel = "",
            .format = "",
        };
        return;
    }
    const struct cgs_report *report = &s->report;
    const struct cgs_cg_result *r = &report->result;
    const struct cgs_errors *e = &report->errors;
    const bool there = s->reported && report->has_result, errors = there && report->has_errors;
    const bool machine = s->reported && report->has_machine;
    *result = (struct cgsolve_result){
        .outcome = there ? cgs_outcome_name(r->outcome) : "",
        .unknowns = there ? report->matrix.rows : cgs_library_unknowns(s),
        .iterations = there ? r->iterations : 0,
        .relative_residual = there ? r->relative_residual : NAN,
        .true_relative_residual = there ? r->true_relative_residual : NAN,
        .l2_error = errors && e->integral ? e->l2 : NAN,
        .h1_error = errors && e->integral ? e->h1 : NAN,
        .nodal_l2_error = errors ? e->nodal_l2 : NAN,
        .max_error = errors                       ? e->max
                     : there && report->has_known ? report->known.max
                                                  : NAN,
        .solve_seconds = there ? r->seconds : NAN,
        .mups = there && cgs_report_mups(report) > 0.0 ? cgs_report_mups(report) : NAN,
        .backend = machine ? report->machine.backend->name : "",
        .kernel = machine ? report->machine.entry->name : "",
        .format = machine ? cgs_format_name(s->options.settings.format) : "",
    };
}

static char *json(struct cgsolve *s)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    static pthread_mutex_t watching =
        PTHREAD_MUTEX_INITIALIZER; /* of Jansson's allocator, which all threads share */
    pthread_mutex_lock(&watching);
    cgs_json_watch();
    const enum cgs_status status = cgs_report_json(&s->context, file, &s->report);
    cgs_json_watch_end();
    pthread_mutex_unlock(&watching);
    if (fclose(file) == 0 && status == CGS_OK)
        return text;
    free(text);
    return NULL;
}

enum cgsolve_status cgsolve_report_json(struct cgsolve *s, char **text)
{
    struct cgs_library_call call;
    if (text)
        *text = NULL;
    if (!cgs_library_begin(&call, s, "cgsolve_report_json"))
        return CGSOLVE_USAGE;
    if (!text)
        cgs_fail(&s->call, CGS_USAGE, "json is NULL: expected room for a pointer");
    else if (!s->reported)
        cgs_fail(&s->call, CGS_USAGE,
                 "there is no report: cgsolve_solve makes one, unless it refuses its vectors");
    else if (!(*text = json(s)))
        cgs_fail(&s->call, CGS_MEMORY, "no memory for the JSON report");
    return cgs_library_end(&call);
}

void cgsolve_free(char *text)
{
    free(text);
}

/* Looks the text up in base/status.def, whose numbers are the public ones. */
const char *cgsolve_status_text(enum cgsolve_status status)
{
    static const enum cgs_status all[] = {
#define CGS_STATUS(code, exit_status, text, meaning) code,
#include "base/status.def"
#undef CGS_STATUS
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (cgs_status_exit(all[i]) == (int)status)
            return cgs_status_text(all[i]);
    return "no status of cgsolve";
}
