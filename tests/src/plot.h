/* Shared by the tests of figures: a folder of their own, files in it, a gnuplot that is none, and
 * a text that every quoting has to survive. */
#pragma once

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/context.h"
#include "lab/figure/gnuplot.h"
#include "tests/support/check.h"

static char folder[64];
static char was[4096];
static char *path; /* PATH, as it was */
static struct cgs_context context;

/* From here on there is no gnuplot, or that of PATH. */
static inline void hide_gnuplot(void)
{
    setenv("PATH", "/nonexistent", 1);
}

static inline void find_gnuplot(void)
{
    setenv("PATH", path, 1);
}

static inline void setup(void)
{
    snprintf(folder, sizeof folder, "/tmp/check_plot_XXXXXX");
    ck_assert_ptr_nonnull(getcwd(was, sizeof was));
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    path = strdup(getenv("PATH"));
    cgs_context_init(&context);
}

/* No temporary is left, whatever happened. */
static inline void teardown(void)
{
    DIR *listing = opendir(".");
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        ck_assert_msg(!strstr(entry->d_name, ".tmp"), "%s is left", entry->d_name);
        if (entry->d_name[0] != '.')
            unlink(entry->d_name);
    }
    closedir(listing);
    ck_assert_int_eq(chdir(was), 0);
    rmdir(folder);
    find_gnuplot();
    free(path);
    ck_assert_int_eq(context.host_bytes, 0);
}

static inline void put(const char *name, const char *text, mode_t mode)
{
    FILE *file = fopen(name, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
    chmod(name, mode);
}

/* All of a file, to be freed; NULL: not there. */
static inline char *get(const char *name)
{
    FILE *file = fopen(name, "r");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    const size_t size = (size_t)ftell(file);
    char *text = calloc(size + 1, 1);
    rewind(file);
    ck_assert_uint_eq(fread(text, 1, size, file), size);
    fclose(file);
    return text;
}

/* Lets the script be the gnuplot that is found first. */
static inline void pretend(const char *script)
{
    char text[8192];
    snprintf(text, sizeof text, "#!/bin/sh\n%s\n", script);
    put("gnuplot", text, 0755);
    snprintf(text, sizeof text, "%s:%s", folder, path);
    setenv("PATH", text, 1);
}

static inline void said(const char *what)
{
    ck_assert_msg(strstr(context.message, what) != NULL, "no '%s' in: %s", what, context.message);
}

#define NASTY "it's_a {name}^2 `touch pwned` \\\" %s <&> @x\n$y\xff"
#define NASTY_QUOTED "'it''s_a {name}^2 `touch pwned` \\\" %s <&> @x $y?'"

static inline int has_gnuplot(void)
{
    char text[256];
    const int there = cgs_gnuplot_version(text, sizeof text);
    if (!there)
        printf("skipped: %s\n", text);
    return there;
}
