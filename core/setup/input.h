/* The origin of a run's matrix: the box, a file, random numbers, the memory of the caller of the
 * library, on the host or on a device, a function of the caller. */
#pragma once

#include "core/setup/part.h"
#include "core/setup/there.h"
#include "fem/element/element.h"
#include "matrix/market/market.h"
#include "matrix/random.h"

enum cgs_input_kind {
    CGS_INPUT_BOX,
    CGS_INPUT_FILE,
    CGS_INPUT_RANDOM,
    CGS_INPUT_MEMORY,
    CGS_INPUT_DEVICE,
    CGS_INPUT_CALLBACK
};

/* The rows that are wanted; all borrowed. */
struct cgs_input_settings {
    enum cgs_input_kind kind;
    struct cgs_mesh mesh;            /* BOX */
    const char *file;                /* FILE: its path */
    struct cgs_random_matrix random; /* RANDOM */
    const struct cgs_crs *rows;      /* MEMORY: of one process */
    const struct cgs_caller_part *part;  /* MEMORY: of ranks; rows NULL */
    const struct cgs_caller_rows *there; /* DEVICE */
    const struct cgs_machine *machine;   /* DEVICE: opened */
    const struct cgs_callback *product;  /* CALLBACK */
};

struct cgs_input {
    enum cgs_input_kind kind;
    const char *file;             /* FILE: its path; borrowed */
    struct cgs_mesh mesh;         /* BOX */
    struct cgs_random_matrix random; /* RANDOM */
    struct cgs_crs crs;              /* FILE, RANDOM, a part in MEMORY; owned */
    struct cgs_market market;     /* FILE: what was read */
    struct cgs_there there;       /* DEVICE */
    struct cgs_row_source source; /* of this very struct: it must not be moved */
};

/* Makes the source; `reading` is for a file, NULL: no limits, no progress. A part is moved to
 * the cuts of reading->cut, on all ranks at once. Charges CGS_PHASE_ASSEMBLE. CGS_USAGE: an
 * inverted cell. CGS_FILE, CGS_MEMORY, CGS_INTERRUPTED. */
enum cgs_status cgs_input_open(struct cgs_context *context,
                               const struct cgs_input_settings *settings,
                               const struct cgs_market_settings *reading, struct cgs_input *input);
/* The same for the file at `path`, which stays where it is. */
enum cgs_status cgs_input_open_file(struct cgs_context *context, const char *path,
                                    const struct cgs_market_settings *settings,
                                    struct cgs_input *input);
void cgs_input_release(struct cgs_context *context, struct cgs_input *input);

/* "a/b.mtx", "random, 100,0.1", "Q1 Laplacian of the box, N = 9". */
void cgs_input_name(const struct cgs_input *input, char *text, size_t size);
/* The same for a title: "b.mtx", "random matrix 100,0.1", "Q1 matrix, N = 9". */
void cgs_input_title(const struct cgs_input *input, char *text, size_t size);
