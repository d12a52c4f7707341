/* Shared by the tests of the doctor: /proc, /sys and /dev in a folder of the test's, an
 * examination of them, and the findings expected. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/probe.h"
#include "src/doctor/finding.h"
#include "tests/support/check.h"

static char root[64];
static struct cgs_context context;
static struct cgs_examination e;

/* A file of the fake system, its folders first. */
static inline void put(const char *path, const char *text)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s%s", root, path);
    for (char *slash = whole + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(whole, 0777);
        *slash = '/';
    }
    FILE *file = fopen(whole, "w");
    ck_assert_msg(file != NULL, "%s", whole);
    fputs(text, file);
    fclose(file);
}

static inline void setup(void)
{
    snprintf(root, sizeof root, "./doctor_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(root));
    cgs_context_init(&context);
    cgs_examination_start(&e, &context, 0, -1);
    e.root = root;
    e.cuda = NULL;
    e.architectures = NULL;
    e.cuda_why = "nvcc found nowhere";
}

static inline void teardown(void)
{
    char command[96];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    ck_assert_int_eq(system(command), 0);
}

/* The finding of that name, of which there is exactly one. */
static inline const struct cgs_finding *find(const char *name)
{
    const struct cgs_finding *found = NULL;
    for (int i = 0; i < e.count; i++) {
        const struct cgs_finding *f = &e.findings[i];
        ck_assert_int_eq(f->verdict == CGS_FINE, f->costs[0] == '\0');
        ck_assert_int_eq(f->verdict == CGS_FINE, f->mend[0] == '\0');
        ck_assert_ptr_null(strchr(f->mend, '\n'));
        if (strcmp(f->name, name) == 0) {
            ck_assert_msg(found == NULL, "two findings '%s'", name);
            found = f;
        }
    }
    ck_assert_msg(found != NULL, "no finding '%s'", name);
    return found;
}

static inline void expect(const char *name, enum cgs_verdict verdict, const char *value,
                          const char *mend)
{
    const struct cgs_finding *f = find(name);
    ck_assert_msg(f->verdict == verdict, "%s: %s is %s", name, f->value,
                  cgs_verdict_name(f->verdict));
    ck_assert_msg(strstr(f->value, value) != NULL, "%s: no '%s' in '%s'", name, value, f->value);
    ck_assert_msg(strstr(f->mend, mend) != NULL, "%s: no '%s' in '%s'", name, mend, f->mend);
}
