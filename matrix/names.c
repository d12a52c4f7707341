#include "matrix/names.h"

const char *cgs_format_name(enum cgs_format format)
{
    static const char *const names[CGS_FORMATS] = {
        [CGS_CRS] = "crs", [CGS_SELL] = "sell", [CGS_SELLC] = "sellc", [CGS_NONE] = "none"};
    return names[format];
}

int64_t cgs_number_bytes(enum cgs_number number)
{
    static const int64_t bytes[CGS_NUMBERS] = {[CGS_F64] = 8, [CGS_F32] = 4};
    return bytes[number];
}

const char *cgs_number_name(enum cgs_number number)
{
    return number == CGS_F64 ? "double" : "single";
}

const char *cgs_format_word(enum cgs_format format)
{
    static const char *const words[CGS_FORMATS] = {
        [CGS_CRS] = "CRS", [CGS_SELL] = "SELL", [CGS_SELLC] = "SELLC", [CGS_NONE] = "none"};
    return words[format];
}
