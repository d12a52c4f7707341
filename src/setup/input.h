/* Where the matrix of a run comes from: the box, a file, random numbers, the memory of who calls the
 * library. */
#ifndef CGS_SRC_SETUP_INPUT_H
#define CGS_SRC_SETUP_INPUT_H

#include "fem/element.h"
#include "matrix/market/market.h"
#include "src/options/options.h"

enum cgs_input_kind { CGS_INPUT_BOX, CGS_INPUT_FILE, CGS_INPUT_RANDOM, CGS_INPUT_MEMORY };

struct cgs_input {
    enum cgs_input_kind kind;
    const char *file;             /* FILE: its path; borrowed */
    struct cgs_mesh mesh;         /* BOX */
    struct cgs_crs crs;           /* FILE, RANDOM; owned */
    struct cgs_market market;     /* FILE: what was read */
    struct cgs_row_source source; /* of this very struct: it must not be moved */
};

enum cgs_input_kind cgs_input_kind(const struct cgs_options *options);

/* Makes the source that the options ask for; settings are for reading a file, NULL: none. Charges
 * CGS_PHASE_ASSEMBLE. CGS_USAGE: an inverted cell. CGS_FILE, CGS_MEMORY, CGS_INTERRUPTED. */
enum cgs_status cgs_input_open(struct cgs_context *context, const struct cgs_options *options,
                               const struct cgs_market_settings *settings, struct cgs_input *input);
/* The same for the file at `path`, which stays where it is. */
enum cgs_status cgs_input_open_file(struct cgs_context *context, const char *path,
                                    const struct cgs_market_settings *settings,
                                    struct cgs_input *input);
void cgs_input_release(struct cgs_context *context, struct cgs_input *input);

/* "a/b.mtx", "random, 100,0.1", "Q1 Laplacian of the box, N = 9". */
void cgs_input_name(const struct cgs_options *options, const struct cgs_input *input, char *text,
                    size_t size);
/* The same for a title: "b.mtx", "random matrix 100,0.1", "Q1 matrix, N = 9". */
void cgs_input_title(const struct cgs_options *options, const struct cgs_input *input, char *text,
                     size_t size);

#endif
