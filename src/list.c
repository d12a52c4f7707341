#include "src/list.h"

#include <string.h>

#include "base/spelling.h"
#include "kernels/spgemm.h"
#include "src/io/format.h"
#include "src/options/table.h"

static bool is_here(const struct cgs_kernel_entry *entry)
{
    return entry->tables[0] && !entry->tables[0]->absent;
}

static void list_spgemms(FILE *file)
{
    int count;
    const struct cgs_spgemm_entry *entries = cgs_spgemms(&count);
    fprintf(file, "Products of matrices ('cgsolve spgemm' --kernel=NAME; auto takes the first of a "
                  "backend)\n");
    for (int i = 0; i < count; i++) {
        const struct cgs_spgemm_kernel *kernel = entries[i].tables[0];
        fprintf(file, "  %-18s%-10s%s%s\n", entries[i].name, cgs_device_name(entries[i].device),
                entries[i].description,
                kernel && !kernel->absent ? "" : " (not in this build)");
        if (kernel && kernel->absent)
            fprintf(file, "  No %s here: %s\n", entries[i].name, kernel->absent);
    }
}

static void list_kernels(struct cgs_context *context, FILE *file)
{
    (void)context;
    int count;
    const struct cgs_kernel_entry *entries = cgs_kernels(&count);
    fprintf(file,
            "Kernels (--kernel=NAME; auto takes the first of a backend and format for the box "
            "in a solve,\n  and measures candidates for a matrix from a file and in 'cgsolve "
            "spmv')\n");
    for (int i = 0; i < count; i++) {
        const struct cgs_kernel_entry *entry = &entries[i];
        fprintf(file, "  %-16s%-6s%-6s%s%s\n", entry->name, cgs_device_name(entry->device),
                cgs_format_name(entry->format), entry->description,
                is_here(entry) ? "" : " (not in this build)");
    }
    for (int i = 0; i < count; i++)
        if (entries[i].tables[0] && entries[i].tables[0]->absent)
            fprintf(file, "  No %s here: %s\n", entries[i].name, entries[i].tables[0]->absent);
    list_spgemms(file);
    for (int device = 0; device < CGS_DEVICES; device++)
        if (!cgs_backend((enum cgs_device)device))
            fprintf(file, "  No %s kernels here: %s\n", cgs_device_name((enum cgs_device)device),
                    cgs_backend_reason((enum cgs_device)device));
}

static void list_choices(enum cgs_option_id id, const char *title, FILE *file)
{
    struct cgs_choice choices[CGS_CHOICES_MOST];
    const int count = cgs_option_choices(id, choices);
    fprintf(file, "%s (--%s=NAME)\n", title, cgs_option_table[id].name);
    for (int i = 0; i < count; i++)
        fprintf(file, "  %-16s%s%s\n", choices[i].name, choices[i].description,
                strcmp(choices[i].name, cgs_option_table[id].initial) == 0 ? " [default]" : "");
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
    cgs_text bytes;
    if (!backend) {
        fprintf(file, "  %-16snot in this build: %s\n", cgs_device_name(device),
                cgs_backend_reason(device));
        return;
    }
    enum cgs_status status = backend->open(context, 0, &queue);
    if (status == CGS_OK) {
        status = backend->describe(queue, &info);
        backend->close(queue);
    }
    if (status == CGS_OK) {
        fprintf(file, "  %-16s%s%s%s, %d %s", backend->name, info.name,
                info.architecture[0] ? ", " : "", info.architecture, info.processors,
                device == CGS_CPU ? "processors" : "multiprocessors");
        if (info.memory_bytes > 0)
            fprintf(file, ", %s of memory", cgs_bytes_text(info.memory_bytes, bytes));
        fputc('\n', file);
        return;
    }
    fprintf(file, "  %-16snot usable here: %s\n", backend->name, context->message);
    context->status = CGS_OK;
    context->message[0] = '\0';
}

static void list_backends(struct cgs_context *context, FILE *file)
{
    fprintf(file, "Backends (--backend=NAME; auto takes cuda where it is usable, else the CPU)\n");
    for (int device = 0; device < CGS_DEVICES; device++)
        list_backend(context, (enum cgs_device)device, file);
}

static const struct {
    const char *name;
    void (*list)(struct cgs_context *context, FILE *file);
} lists[] = {
#define CGS_LIST(name) {#name, list_##name},
#include "src/options/lists.def"
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
