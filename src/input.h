/* Where the matrix of a run comes from: the box, a file, random numbers. */
#ifndef CGS_SRC_INPUT_H
#define CGS_SRC_INPUT_H

#include "fem/element.h"
#include "matrix/market.h"
#include "src/options.h"

enum cgs_input_kind { CGS_INPUT_BOX, CGS_INPUT_FILE, CGS_INPUT_RANDOM };

struct cgs_input {
    enum cgs_input_kind kind;
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
void cgs_input_release(struct cgs_context *context, struct cgs_input *input);

#endif
