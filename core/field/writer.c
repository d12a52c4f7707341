#include "core/field/writer.h"

#include "matrix/market/market_vector.h"

const struct cgs_writer cgs_market_writer = {.vector = cgs_market_write_vectors};

const struct cgs_writer *cgs_writer(enum cgs_file_type_id type)
{
    static const struct cgs_writer *const writers[CGS_FILE_TYPES] = {
#define CGS_FILE_TYPE(code, writer, ...) [CGS_FILE_TYPE_##code] = &cgs_##writer##_writer,
#include "core/options/file_types.def"
#undef CGS_FILE_TYPE
    };
    return writers[type];
}
