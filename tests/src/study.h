/* A study made of words, with an empty folder that goes when the test ends. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/study/study_folder.h"
#include "lab/study/study_points.h"
#include "tests/support/check.h"

enum { WORDS_MOST = 12 };

static struct cgs_context context;
static struct cgs_options options;
static struct cgs_study study;
static char folder[32];

static void setup(void)
{
    cgs_context_init(&context);
    study = (struct cgs_study){.lock = -1};
    options = (struct cgs_options){0};
    snprintf(folder, sizeof folder, "studyXXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void teardown(void)
{
    char command[64];
    cgs_study_close(&study);
    cgs_study_release(&study);
    cgs_options_release(&options);
    unsetenv("TMPDIR");
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

/* "study" and these words, up to NULL. */
static enum cgs_status make(const char *const *words)
{
    const char *argv[WORDS_MOST] = {"cgsolve", "study"};
    int argc = 2;
    while (*words)
        argv[argc++] = *words++;
    CGS_TRY(cgs_options_parse(&context, argc, argv, &options));
    study = (struct cgs_study){.context = &context, .options = &options, .lock = -1};
    return cgs_study_make(&study);
}
#define MAKE(...) make((const char *const[]){__VA_ARGS__, NULL})

static void said(const char *part)
{
    ck_assert_msg(strstr(context.message, part) != NULL, "'%s' is not in: %s", part,
                  context.message);
}
