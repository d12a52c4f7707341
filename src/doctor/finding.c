#include "src/doctor/finding.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/plain.h"
#include "core/io/version.h"

void cgs_examination_start(struct cgs_examination *e, struct cgs_context *context, int threads,
                           int device)
{
    *e = (struct cgs_examination){
        .context = context,
        .threads = threads,
        .device = device,
        .root = "",
        .cuda = cgs_backend(CGS_CUDA),
        .architectures = cgs_architectures(),
        .cuda_why = cgs_cuda_why(),
        .section = "",
    };
}

struct cgs_finding *cgs_found(struct cgs_examination *e, const char *name, const char *format, ...)
{
    if (e->count < CGS_FINDINGS_MOST)
        e->count++;
    struct cgs_finding *finding = &e->findings[e->count - 1];
    *finding = (struct cgs_finding){.section = e->section, .name = name};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->value, sizeof finding->value, format, arguments);
    va_end(arguments);
    cgs_make_plain(finding->value);
    return finding;
}

void cgs_ails(struct cgs_finding *finding, enum cgs_verdict verdict, const char *costs,
              const char *command, ...)
{
    assert(verdict != CGS_FINE && finding->verdict == CGS_FINE);
    finding->verdict = verdict;
    snprintf(finding->costs, sizeof finding->costs, "%s", costs);
    va_list arguments;
    va_start(arguments, command);
    vsnprintf(finding->mend, sizeof finding->mend, command, arguments);
    va_end(arguments);
    cgs_make_plain(finding->mend);
}

const char *cgs_verdict_name(enum cgs_verdict verdict)
{
    static const char *const names[CGS_VERDICTS] = {
        [CGS_FINE] = "ok", [CGS_NOTE] = "note", [CGS_PROBLEM] = "problem"};
    return names[verdict];
}

int cgs_verdict_count(const struct cgs_examination *e, enum cgs_verdict verdict)
{
    int count = 0;
    for (int i = 0; i < e->count; i++)
        count += e->findings[i].verdict == verdict;
    return count;
}

void cgs_forgive(struct cgs_context *context)
{
    context->status = CGS_OK;
    context->message[0] = '\0';
}

const char *cgs_threads_command(const struct cgs_examination *e, int threads, cgs_text command)
{
    snprintf(command, sizeof(cgs_text),
             e->threads > 0 ? "cgsolve --threads=%d" : "export OMP_NUM_THREADS=%d", threads);
    return command;
}
