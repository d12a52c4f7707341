/* The doctor's page: sections of findings, and at the end how many of them need attention.
 *
 *     OpenMP     ok       start       7 threads start
 *                PROBLEM  threads     7 on 2 processors
 *                         costs       they take turns ...
 *                         mend by     export OMP_NUM_THREADS=2
 *
 * A command is never broken, so that it can be copied; ./bootstrap is called in the folder of the
 * sources.
 */
#include "src/doctor/doctor.h"

#include <string.h>

#include "base/memory.h"
#include "core/facts/report_json.h"
#include "core/io/json.h"
#include "core/io/output.h"
#include "core/options/options.h"
#include "src/doctor/doctor_build.h"
#include "src/doctor/doctor_files.h"
#include "src/doctor/doctor_gpu.h"
#include "src/doctor/doctor_memory.h"
#include "src/doctor/doctor_processor.h"

enum { VERDICT_WIDTH = 9, NAME_WIDTH = 12 };

static void write_line(const struct cgs_page *page, const char *verdict, const char *name)
{
    const bool loud = strcmp(verdict, "PROBLEM") == 0;
    if (loud)
        cgs_page_loud(page);
    fprintf(page->file, "%-*s", VERDICT_WIDTH, verdict);
    if (loud)
        cgs_page_calm(page);
    fprintf(page->file, "%-*s", NAME_WIDTH, name);
}

static void write_finding(const struct cgs_page *page, const struct cgs_finding *finding)
{
    const int column = CGS_PAGE_COLUMN + VERDICT_WIDTH + NAME_WIDTH;
    write_line(page,
               finding->verdict == CGS_PROBLEM ? "PROBLEM" : cgs_verdict_name(finding->verdict),
               finding->name);
    cgs_page_wrap(page->file, finding->value, column);
    if (finding->verdict == CGS_FINE)
        return;
    cgs_page_more(page);
    write_line(page, "", "costs");
    cgs_page_wrap(page->file, finding->costs, column);
    cgs_page_more(page);
    write_line(page, "", "mend by");
    cgs_page_command(page, finding->mend);
}

static void write_page(struct cgs_context *context, FILE *file, const struct cgs_report *report,
                       const struct cgs_examination *e)
{
    struct cgs_page page;
    const int problems = cgs_verdict_count(e, CGS_PROBLEM), notes = cgs_verdict_count(e, CGS_NOTE);
    const char *section = "";
    char count[32] = "no";
    cgs_page_open(&page, file);
    cgs_page_head(&page, report->date);
    for (int i = 0; i < e->count; i++) {
        const struct cgs_finding *finding = &e->findings[i];
        if (strcmp(finding->section, section) == 0)
            cgs_page_more(&page);
        else
            cgs_page_section(&page, section = finding->section);
        write_finding(&page, finding);
    }
    if (problems > 0)
        snprintf(count, sizeof count, "%d", problems);
    fprintf(page.file, "%s problem%s", count, problems > 1 ? "s" : "");
    if (notes > 0)
        fprintf(page.file, ", %d note%s\n", notes, notes == 1 ? "" : "s");
    else
        fprintf(page.file, "%s\n", problems == 0 ? " found" : "");
    cgs_page_close(context, &page);
}

/* findings[]{section, name, verdict, value, costs, mend}, problems, notes. */
static enum cgs_status write_json(struct cgs_context *context, FILE *file,
                                  const struct cgs_report *report, const struct cgs_examination *e)
{
    json_t *root = cgs_json_head(report), *list = json_array();
    for (int i = 0; i < e->count; i++) {
        const struct cgs_finding *f = &e->findings[i];
        json_t *o =
            json_pack("{s:s, s:s, s:s, s:o}", "section", f->section, "name", f->name, "verdict",
                      cgs_verdict_name(f->verdict), "value", cgs_json_text(f->value));
        if (f->verdict != CGS_FINE) {
            json_object_set_new(o, "costs", cgs_json_text(f->costs));
            json_object_set_new(o, "mend", cgs_json_text(f->mend));
        }
        json_array_append_new(list, o);
    }
    json_object_set_new(root, "findings", list);
    json_object_set_new(root, "problems", json_integer(cgs_verdict_count(e, CGS_PROBLEM)));
    json_object_set_new(root, "notes", json_integer(cgs_verdict_count(e, CGS_NOTE)));
    return cgs_json_end(context, file, root);
}

static void examine(struct cgs_examination *e)
{
    cgs_examine_build(e);
    cgs_examine_openmp(e); /* first of the machine: it settles how many threads there are */
    cgs_examine_processor(e);
    cgs_examine_memory(e);
    cgs_examine_gpu(e);
    cgs_examine_parts(e);
    cgs_examine_files(e);
}

enum cgs_status cgs_doctor(struct cgs_context *context, const struct cgs_call *call)
{
    const struct cgs_report report =
        cgs_report_start(context, &call->options->settings, call->argc, call->argv);
    struct cgs_examination *e;
    struct cgs_output json;
    CGS_TRY(cgs_output_open(context, "the JSON report", call->files.json, 1, &json));
    if (cgs_alloc(context, 1, sizeof *e, "findings", (void **)&e) != CGS_OK) {
        cgs_output_discard(&json);
        return context->status;
    }
    const struct cgs_options *o = call->options;
    cgs_examination_start(e, context,
                          o->settings.given[CGS_OPTION_threads] ? (int)o->settings.threads : 0,
                          o->settings.given[CGS_OPTION_device] ? (int)o->settings.device : -1);
    examine(e);
    if (json.target && cgs_output_begin(context, &json) == CGS_OK) {
        write_json(context, json.file, &report, e);
        cgs_output_commit(context, &json);
    }
    cgs_output_discard(&json);
    if (!(call->files.json && strcmp(call->files.json, "-") == 0))
        write_page(context, call->text, &report, e);
    cgs_free(context, e);
    return context->status;
}
