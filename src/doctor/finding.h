/* Findings of the doctor: facts, each with a verdict; one that is not ok says what it costs and
 * how it is mended, by exactly one command. */
#pragma once

#include "core/io/format.h"
#include "kernels/registry.h"

enum cgs_verdict {
    CGS_FINE,    /* a fact */
    CGS_NOTE,    /* costs something, or may */
    CGS_PROBLEM, /* something cannot be used, or figures cannot be trusted */
    CGS_VERDICTS
};

struct cgs_finding {
    const char *section, *name; /* literals */
    enum cgs_verdict verdict;
    char value[512];
    char costs[384]; /* and what is to be typed: both "" where all is fine */
    char mend[384];
};

enum { CGS_FINDINGS_MOST = 160 };

/* An examination: where the doctor looks, and its findings so far. */
struct cgs_examination {
    struct cgs_context *context;       /* borrowed; `threads` as they were started */
    int threads;                       /* --threads; 0: not given */
    int device;                        /* --device; -1: not given */
    const char *root;                  /* before /proc, /sys, /dev: "", or a test's folder */
    const struct cgs_backend *cuda;    /* NULL where this build has none */
    const char *architectures;         /* of its code; NULL likewise */
    const char *cuda_why;              /* why it has none; NULL where it has */

    const char *section; /* of the findings to come */
    int count;
    struct cgs_finding findings[CGS_FINDINGS_MOST];
};

/* Looks here, with this build. */
void cgs_examination_start(struct cgs_examination *e, struct cgs_context *context, int threads,
                           int device);

/* A fact of the present section, CGS_FINE so far; past CGS_FINDINGS_MOST the last is replaced.
 * Control characters of the outside become '?'. */
struct cgs_finding *cgs_found(struct cgs_examination *e, const char *name, const char *format, ...)
    CGS_PRINTF(3, 4);

/* It is not fine: `costs` in words; the command by printf. */
void cgs_ails(struct cgs_finding *finding, enum cgs_verdict verdict, const char *costs,
              const char *command, ...) CGS_PRINTF(4, 5);

const char *cgs_verdict_name(enum cgs_verdict verdict); /* "ok", "note", "problem" */
int cgs_verdict_count(const struct cgs_examination *e, enum cgs_verdict verdict);

/* Forgets a failure that is a finding, not one of the program. */
void cgs_forgive(struct cgs_context *context);

/* The command that makes a run take so many threads: it has to undo what made it take others. */
const char *cgs_threads_command(const struct cgs_examination *e, int threads, cgs_text command);
