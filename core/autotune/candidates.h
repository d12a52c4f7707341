/* Candidates of a comparison of kernels: registry kernels, each with the layouts that suit the
 * matrix, the user's own kernels, and baselines. */
#pragma once

#include "core/options/settings.h"
#include "core/setup/machine.h"

struct cgs_candidate {
    const struct cgs_kernel_entry *entry; /* borrowed from the registry or a user's kernel */
    int32_t chunk, sigma;                 /* C and sigma of SELL-C-sigma; 1 for CRS */
    int threads;                          /* CPU threads; 0: the run's number */
    bool beside;      /* baseline or vendor kernel, added for comparison without being asked for */
    bool standard;    /* what a solve takes by default: the baseline of a table */
    bool plugin;      /* a user's kernel */
    char reason[256]; /* why it cannot be tried on this machine; "" if it can */
};

struct cgs_candidates {
    struct cgs_candidate *items; /* owned, by cgs_alloc */
    int count, room;
};

/* Padding that SELL would store on a device, counted from the row lengths alone. */
struct cgs_padding {
    int32_t chunk, sigma;    /* layout to try with sorting; sigma 1: sorting is not worth trying */
    int32_t narrow;          /* smaller chunk to try as well, with the same sigma; 0: none */
    double unsorted, sorted; /* padding / stored entries with sigma 1 and with this sigma */
};

/* Picks the SELL layouts worth trying. The chunk is --chunk or the backend's default. Sorting is
 * worth it if more than a tenth of the stored entries would be padding without it; the window is
 * 512 chunks (M. Kreutzer et al., 2014, 4: wide enough to bring rows of one length together, narrow
 * enough for x to stay in a cache). --sigma overrides both. Wide chunks (32 rows or more, on a GPU)
 * add a sorted, uncompressed layout of a quarter of the chunk: several threads a row then fill a
 * warp. */
enum cgs_status cgs_padding_measure(struct cgs_context *context,
                                    const struct cgs_settings *settings,
                                    const struct cgs_backend *backend,
                                    const struct cgs_row_source *source,
                                    struct cgs_padding *padding);

/* Picks the format from the options and row lengths alone, so that every run picks the same: the
 * format of --format, SELL with --chunk or --sigma, else CRS if more than a quarter of sorted SELL
 * would be padding, else SELL. */
enum cgs_format cgs_padding_format(const struct cgs_settings *settings,
                                   const struct cgs_padding *padding);

/* Copies word `index` (from 0) of the comma-separated list of --kernel= to word[size] and returns
 * `word`; NULL, with word[] unchanged, past the last one. */
const char *cgs_kernel_word(const char *list, int index, char *word, size_t size);

/* Checks the words of --kernel= before anything is opened. CGS_USAGE: a word is neither "auto",
 * "all", a user's file nor a kernel's name, or the kernel does not take --format. */
enum cgs_status cgs_kernel_words_check(struct cgs_context *context,
                                       const struct cgs_settings *settings);

/* Adds the kernels of a device in the formats asked for: all (name NULL) or the one called `name`,
 * in each layout of `padding`. `references` and `others` select reference kernels and the rest;
 * candidates are marked `beside` unless `others` is set. */
enum cgs_status cgs_candidates_add(struct cgs_context *context, const struct cgs_settings *settings,
                                   enum cgs_device device, const char *name, bool others,
                                   bool references, const struct cgs_padding *padding,
                                   struct cgs_candidates *list);

/* Adds a copy of the candidate unless the list has one with the same kernel, layout and threads. */
enum cgs_status cgs_candidates_append(struct cgs_context *context,
                                      const struct cgs_candidate *candidate,
                                      struct cgs_candidates *list);

void cgs_candidates_release(struct cgs_context *context, struct cgs_candidates *list);

/* Writes device, name and layout, as "cuda sell_chunk, SELL-32-1". */
void cgs_candidate_name(const struct cgs_candidate *candidate, char *text, size_t size);
