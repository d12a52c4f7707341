/* Options and machine as the program makes them from words after its name, for tests of src/. */
#pragma once

#include "core/options/options.h"
#include "core/setup/asked.h"
#include "core/setup/machine_open.h"
#include "tests/support/support.h"

struct asked {
    struct cgs_context context;
    struct cgs_options options;
    struct cgs_machine machine;
};

/* On CHECK_DEVICE, by 2 threads. words: "--N=7 --format=sell"; of an option that is there twice the
 * last one counts. Aborts the test where they are refused. */
void ask(struct asked *asked, const char *words);
/* Finds what was not given back. */
void dismiss(struct asked *asked);
