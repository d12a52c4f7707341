/* Candidates of cgsolve spmv: the kernels of --kernel=, vendor kernels for comparison, and the best
 * and the single-threaded CPU kernel as baselines of break-even and speed-up. */
#include <string.h>

#include "core/setup/machine_kernel.h"
#include "src/spmv/lab_candidates.h"

/* Context of a search for candidates. */
struct search {
    struct cgs_context *context;
    struct cgs_lab *lab;
    const struct cgs_testbed *stands;
    const struct cgs_row_source *source;
    const struct cgs_room *room;
    struct cgs_padding padding[CGS_DEVICES];
    struct cgs_candidates *list;
};

/* Adds all kernels of one name (NULL: any) on one device. */
static enum cgs_status add(struct search *search, enum cgs_device device, const char *name,
                           bool others)
{
    return cgs_candidates_add(search->context, &search->lab->options->settings, device, name,
                              others, true, &search->padding[device], search->list);
}

/* Adds a user's kernel; for SELL both unsorted and, if worth trying, sorted. */
static enum cgs_status add_plugin(struct search *search, const struct cgs_plugin *plugin)
{
    const struct cgs_lab *lab = search->lab;
    const struct cgs_padding *padding = &search->padding[cgs_plugin_isolated(plugin)->device];
    const int32_t sigmas[] = {lab->options->settings.given[CGS_OPTION_sigma] ? padding->sigma : 1,
                              padding->sigma};
    for (int i = 0; i < 2; i++) {
        const struct cgs_candidate candidate = cgs_user_kernels_candidate(
            plugin, lab->machine->device, lab->precision, padding->chunk, sigmas[i]);
        CGS_TRY(cgs_candidates_append(search->context, &candidate, search->list));
    }
    return CGS_OK;
}

/* Adds the kernel of that name on the run's device, or on the other one if the run's has none. */
static enum cgs_status add_named(struct search *search, const char *name)
{
    const enum cgs_device device = search->lab->machine->device;
    const enum cgs_device other = device == CGS_CPU ? CGS_CUDA : CGS_CPU;
    const int before = search->list->count;
    int formats, devices;
    CGS_TRY(cgs_machine_look_up(search->context, name, &formats, &devices));
    CGS_TRY(add(search, devices & 1 << device ? device : other, name, true));
    for (int i = before; !(devices & 1 << device) && i < search->list->count; i++)
        if (other == CGS_CUDA && search->list->items[i].reason[0] == '\0')
            snprintf(search->list->items[i].reason, sizeof search->list->items[i].reason,
                     "it is of CUDA, but this run is on the CPU");
    return CGS_OK;
}

static enum cgs_status add_choice(struct search *search)
{
    struct cgs_lab *lab = search->lab;
    CGS_TRY(cgs_choose_on(&search->stands[lab->machine->device], &lab->options->settings,
                          search->source, search->room, &lab->choice));
    lab->has_choice = true;
    return cgs_candidates_append(search->context, &lab->choice.items[lab->choice.chosen].candidate,
                                 search->list);
}

static enum cgs_status add_words(struct search *search)
{
    char word[4096];
    for (int i = 0; cgs_kernel_word(search->lab->options->settings.kernel, i, word, sizeof word);
         i++) {
        const bool all = strcmp(word, "all") == 0;
        const struct cgs_plugin *plugin = cgs_user_kernels_find(&search->lab->user_kernels, word);
        if (plugin)
            CGS_TRY(add_plugin(search, plugin));
        else if (!all && strcmp(word, "auto") != 0)
            CGS_TRY(add_named(search, word));
        if (all)
            CGS_TRY(add(search, search->lab->machine->device, NULL, true));
        if ((all || strcmp(word, "auto") == 0) && !search->lab->has_choice)
            CGS_TRY(add_choice(search));
    }
    return CGS_OK;
}

/* Adds the baselines: the default kernel of CRS, the best CPU kernel (CUDA runs only), and CRS on
 * one thread of the CPU, which is the default kernel where the run has one thread. */
static enum cgs_status add_baselines(struct search *search)
{
    struct cgs_lab *lab = search->lab;
    struct cgs_candidate baseline = {.chunk = 1, .sigma = 1, .beside = true, .standard = true};
    CGS_TRY(
        cgs_kernel_find(search->context, "auto", lab->machine->device, CGS_CRS, &baseline.entry));
    CGS_TRY(cgs_candidates_append(search->context, &baseline, search->list));
    if (lab->machine->device == CGS_CPU && lab->context->threads == 1)
        return CGS_OK;
    baseline.threads = 1;
    baseline.standard = false;
    if (lab->machine->device != CGS_CPU) {
        struct cgs_selection choice;
        CGS_TRY(cgs_choose_on(&search->stands[CGS_CPU], &lab->options->settings, search->source,
                              search->room, &choice));
        struct cgs_candidate best = choice.items[choice.chosen].candidate;
        best.beside = true;
        CGS_TRY(cgs_candidates_append(search->context, &best, search->list));
    }
    CGS_TRY(cgs_kernel_find(search->context, "auto", CGS_CPU, CGS_CRS, &baseline.entry));
    return cgs_candidates_append(search->context, &baseline, search->list);
}

enum cgs_status cgs_lab_candidates(struct cgs_context *context, struct cgs_lab *lab,
                                   const struct cgs_testbed stands[CGS_DEVICES],
                                   const struct cgs_row_source *source, const struct cgs_room *room,
                                   struct cgs_candidates *list)
{
    struct search search = {.context = context,
                            .lab = lab,
                            .stands = stands,
                            .source = source,
                            .room = room,
                            .list = list};
    for (int device = 0; device < CGS_DEVICES; device++) {
        search.padding[device] = (struct cgs_padding){.chunk = 1, .sigma = 1};
        if (stands[device].backend)
            CGS_TRY(cgs_padding_measure(context, &lab->options->settings, stands[device].backend,
                                        source, &search.padding[device]));
    }
    CGS_TRY(add_words(&search));
    CGS_TRY(add(&search, lab->machine->device, NULL, false));
    return add_baselines(&search);
}
