#include "src/list.h"

#include <string.h>

#include "base/plain.h"
#include "base/spelling.h"
#include "core/io/format.h"
#include "core/io/page.h"
#include "core/options/option_table.h"
#include "core/options/table.h"
#include "kernels/spgemm.h"
#include "kernels/spgemm/spgemm_table.h"
#include "matrix/names.h"

static bool is_here(const struct cgs_kernel_entry *entry)
{
    return entry->tables[0] && !entry->tables[0]->absent;
}

/* Writes "  NAME  DEVICE  FORMAT  DESCRIPTION". */
static void write_kernel(FILE *file, const char *name, enum cgs_device device, const char *format,
                         const char *description, bool here)
{
    enum { COLUMN = 30 };
    char head[64], text[256];
    snprintf(head, sizeof head, "  %-16s%-6s%s", name, cgs_device_name(device), format);
    snprintf(text, sizeof text, "%s%s", description, here ? "" : " (not in this build)");
    cgs_page_entry(file, head, COLUMN, text);
}

static void write_absence(FILE *file, const char *name, const char *what, const char *reason)
{
    char text[512];
    snprintf(text, sizeof text, "No %s%s here: %s", name, what, reason);
    fputs("  ", file);
    cgs_page_wrap(file, text, 2);
}

static void list_spgemms(FILE *file)
{
    int count;
    const struct cgs_spgemm_entry *entries = cgs_spgemms(&count);
    cgs_page_wrap(file,
                  "Products of matrices ('cgsolve spgemm' --kernel=NAME; auto takes the first of a "
                  "backend)",
                  0);
    for (int i = 0; i < count; i++) {
        const struct cgs_spgemm_kernel *kernel = entries[i].tables[0];
        write_kernel(file, entries[i].name, entries[i].device, "", entries[i].description,
                     kernel && !kernel->absent);
        if (kernel && kernel->absent)
            write_absence(file, entries[i].name, "", kernel->absent);
    }
}

static void list_kernels(struct cgs_context *context, FILE *file)
{
    (void)context;
    int count;
    const struct cgs_kernel_entry *entries = cgs_kernels(&count);
    cgs_page_wrap(
        file,
        "Kernels (--kernel=NAME; auto takes the first of a backend and format for the box "
        "in a solve, and measures candidates for a matrix from a file and in 'cgsolve "
        "spmv')",
        0);
    for (int i = 0; i < count; i++) {
        const struct cgs_kernel_entry *entry = &entries[i];
        write_kernel(file, entry->name, entry->device, cgs_format_name(entry->format),
                     entry->description, is_here(entry));
    }
    for (int i = 0; i < count; i++)
        if (entries[i].tables[0] && entries[i].tables[0]->absent)
            write_absence(file, entries[i].name, "", entries[i].tables[0]->absent);
    list_spgemms(file);
    for (int device = 0; device < CGS_DEVICES; device++)
        if (!cgs_backend((enum cgs_device)device))
            write_absence(file, cgs_device_name((enum cgs_device)device), " kernels",
                          cgs_backend_reason((enum cgs_device)device));
}

/* Writes "  NAME  TEXT". */
static void write_entry(FILE *file, const char *name, const char *text)
{
    enum { COLUMN = 18 };
    char head[64];
    snprintf(head, sizeof head, "  %s", name);
    cgs_page_entry(file, head, COLUMN, text);
}

static void list_choices(enum cgs_option_id id, const char *title, FILE *file)
{
    struct cgs_choice choices[CGS_CHOICES_MOST];
    const int count = cgs_option_choices(id, choices);
    fprintf(file, "%s (--%s=NAME)\n", title, cgs_option_table[id].name);
    for (int i = 0; i < count; i++) {
        const bool usual = strcmp(choices[i].name, cgs_option_table[id].initial) == 0;
        char text[256];
        snprintf(text, sizeof text, "%s%s", choices[i].description, usual ? " [default]" : "");
        write_entry(file, choices[i].name, text);
    }
}

static void list_preconditioners(struct cgs_context *context, FILE *file)
{
    (void)context;
    list_choices(CGS_OPTION_precond, "Preconditioners", file);
}

static void list_problems(struct cgs_context *context, FILE *file)
{
    (void)context;
    list_choices(CGS_OPTION_problem, "Problems", file);
}

/* Opens device 0 to see whether it can be used; what is wrong is for the list to say. */
static void list_backend(struct cgs_context *context, enum cgs_device device, FILE *file)
{
    const struct cgs_backend *backend = cgs_backend(device);
    struct cgs_device_info info;
    struct cgs_queue *queue;
    char text[sizeof context->message + 64];
    cgs_text bytes;
    if (!backend) {
        snprintf(text, sizeof text, "not in this build: %s", cgs_backend_reason(device));
        write_entry(file, cgs_device_name(device), text);
        return;
    }
    enum cgs_status status = backend->open(context, 0, &queue);
    if (status == CGS_OK) {
        status = backend->describe(queue, &info);
        backend->close(queue);
    }
    if (status == CGS_OK) {
        snprintf(text, sizeof text, "%s%s%s, %d %s", info.name, info.architecture[0] ? ", " : "",
                 info.architecture, info.processors,
                 device == CGS_CPU ? "processors" : "multiprocessors");
        if (info.memory_bytes > 0)
            cgs_append(text, sizeof text, ", %s of memory",
                       cgs_bytes_text(info.memory_bytes, bytes));
        write_entry(file, backend->name, text);
        return;
    }
    snprintf(text, sizeof text, "not usable here: %s", context->message);
    write_entry(file, backend->name, text);
    context->status = CGS_OK;
    context->message[0] = '\0';
}

static void list_backends(struct cgs_context *context, FILE *file)
{
    cgs_page_wrap(file,
                  "Backends (--backend=NAME; auto takes cuda where it is usable, else the CPU)", 0);
    for (int device = 0; device < CGS_DEVICES; device++)
        list_backend(context, (enum cgs_device)device, file);
}

static const struct {
    const char *name;
    void (*list)(struct cgs_context *context, FILE *file);
} lists[] = {
#define CGS_LIST(name) {#name, list_##name},
    CGS_LISTS(CGS_LIST)
#undef CGS_LIST
};

enum { LISTS = sizeof lists / sizeof lists[0] };

static enum cgs_status find(struct cgs_context *context, const char *word, int *which)
{
    const char *names[LISTS];
    for (int i = 0; i < LISTS; i++) {
        names[i] = lists[i].name;
        if (strcmp(word, names[i]) == 0) {
            *which = i;
            return CGS_OK;
        }
    }
    const int nearest = cgs_nearest(word, names, LISTS);
    return cgs_fail(context, CGS_USAGE,
                    "nothing to list by the name '%s': kernels, preconditioners, problems or "
                    "backends%s%s%s",
                    word, nearest < 0 ? "" : "; did you mean '", nearest < 0 ? "" : names[nearest],
                    nearest < 0 ? "" : "'?");
}

enum cgs_status cgs_list(struct cgs_context *context, const struct cgs_call *call)
{
    int which = 0;
    for (int i = 0; i < call->word_count; i++)
        CGS_TRY(find(context, call->words[i], &which));
    for (int i = 0; i < call->word_count; i++) {
        find(context, call->words[i], &which);
        fputs(i > 0 ? "\n" : "", call->text);
        lists[which].list(context, call->text);
    }
    for (int i = 0; i < LISTS && call->word_count == 0; i++) {
        fputs(i > 0 ? "\n" : "", call->text);
        lists[i].list(context, call->text);
    }
    return CGS_OK;
}
