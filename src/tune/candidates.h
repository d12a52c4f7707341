/* What is tried against each other: kernels of the registry with the layouts that suit the matrix,
 * the person's own, and those that the others are held against. */
#ifndef CGS_SRC_TUNE_CANDIDATES_H
#define CGS_SRC_TUNE_CANDIDATES_H

#include "src/options/options.h"
#include "src/setup/machine.h"

struct cgs_candidate {
    const struct cgs_kernel_entry *entry; /* borrowed: the registry's, or a foreign kernel's */
    int32_t chunk, sigma;                 /* of SELL; 1 for CRS */
    int threads;                          /* of the host; 0: as the run has */
    bool beside;      /* not asked for: a vendor's, or a baseline, to hold the others against */
    bool foreign;     /* the person's own */
    char reason[256]; /* why it cannot be tried on this machine; "": it can */
};

struct cgs_candidates {
    struct cgs_candidate *items; /* owned, by cgs_alloc */
    int count, room;
};

/* What SELL costs on a device: counted from the row lengths, without entries. */
struct cgs_padding {
    int32_t chunk, sigma;    /* the sorted one that is worth trying; sigma 1: sorting is not */
    int32_t narrow;          /* a smaller chunk, sorted alike, that is worth trying, too; 0: none */
    double unsorted, sorted; /* share of the stored entries that is padding: sigma 1; this sigma */
};

/* Chunk as asked for or the backend's own. Sorting is tried where more than a tenth of what is
 * stored were padding without it: in windows of 512 chunks (M. Kreutzer et al., 2014, 4: wide
 * enough to bring rows of one length together, narrow enough for x to stay in a cache). --sigma
 * settles it. Where chunks are wide (a device's), sorted ones of a quarter of that are tried as
 * well, but not compressed: several threads a row then fill a warp. */
enum cgs_status cgs_padding_measure(struct cgs_context *context, const struct cgs_options *options,
                                    const struct cgs_backend *backend,
                                    const struct cgs_row_source *source,
                                    struct cgs_padding *padding);

/* The format that the lengths of rows alone ask for, so that every run takes the same: the one of --format,
 * --chunk and --sigma, else SELL, or CRS where too much of what it stores were padding even sorted. */
enum cgs_format cgs_padding_format(const struct cgs_options *options,
                                   const struct cgs_padding *padding);

/* The words of --kernel=: NULL, with their text left where it is, at the end. Words are separated
 * by commas. */
const char *cgs_kernel_word(const char *list, int index, char *word, size_t size);

/* CGS_USAGE, before anything is opened, where a word of --kernel= is no kernel, "auto" or "all". */
enum cgs_status cgs_kernel_words_check(struct cgs_context *context,
                                       const struct cgs_options *options);

/* Adds every kernel of a device in the formats asked for, or the one of that name (NULL: all): SELL
 * once more where sorting is worth trying. References only where `references` is; these alone where
 * `others` is not. */
enum cgs_status cgs_candidates_add(struct cgs_context *context, const struct cgs_options *options,
                                   enum cgs_device device, const char *name, bool others,
                                   bool references, const struct cgs_padding *padding,
                                   struct cgs_candidates *list);

/* Adds one candidate as it is, unless the same is there already. */
enum cgs_status cgs_candidates_append(struct cgs_context *context,
                                      const struct cgs_candidate *candidate,
                                      struct cgs_candidates *list);

void cgs_candidates_release(struct cgs_context *context, struct cgs_candidates *list);

/* "cuda sell_chunk, SELL-32-1" */
void cgs_candidate_name(const struct cgs_candidate *candidate, char *text, size_t size);

#endif
