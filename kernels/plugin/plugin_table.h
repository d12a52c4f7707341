/* Facts of a user's kernel, and its entries. Private to kernels/plugin/. */
#pragma once

#include "kernels/plugin/note.h"
#include "kernels/registry.h"

struct cgs_plugin_table {
    struct cgs_kernel kernel; /* first member: argument of prepare_user */
    const struct cgs_plugin *plugin;
    enum cgs_number number;
};

struct cgs_plugin {
    char path[4096];    /* as given by the user */
    char library[4096]; /* as loaded by this process */
    char name[64];      /* as it names itself; "" where that could not be read */
    char description[256];
    char broken[512];
    char uncontained[64];
    char calls[160]; /* cgs_symbols_calls of a compiled C file */
    int index;       /* of the device */
    bool prepares;
    int compiled;        /* descriptor of a compiled library, else -1 */
    const char *preload; /* library to be loaded before all others in its processes; "": none */
    int said;            /* checked: descriptor of what its processes print, else -1 */
    char warnings[1200];
    const struct cgs_plugin_check *check; /* NULL: a product */
    struct cgs_plugin_note *note;         /* NULL: not wanted */
    struct cgs_pulse *pulse;
    struct cgs_kernel_entry isolated, here;
    struct cgs_plugin_table tables[2][CGS_NUMBERS];
};
