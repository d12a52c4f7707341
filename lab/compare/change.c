#include "lab/compare/change.h"

#include <stdio.h>

enum cgs_change cgs_change(double ratio, double least, double most)
{
    const bool spread = least > 0.0 && most >= least,
               overlap = spread && least <= 1.0 && most >= 1.0;
    const double distance = ratio > 1.0 ? ratio - 1.0 : 1.0 / ratio - 1.0;
    if (distance <= (spread && !overlap ? CGS_NOISE_SPREAD : CGS_NOISE))
        return CGS_CHANGE_NOISE;
    if (overlap)
        return CGS_CHANGE_UNCLEAR;
    return ratio > 1.0 ? CGS_CHANGE_MORE : CGS_CHANGE_LESS;
}

const char *cgs_change_text(bool seconds, double ratio, cgs_text text)
{
    const bool fast = seconds && ratio < 1.0;
    cgs_text number;
    snprintf(text, sizeof(cgs_text), "%.20s times as %s",
             cgs_number_text(fast ? 1.0 / ratio : ratio, number),
             fast      ? "fast"
             : seconds ? "long"
                       : "much");
    return text;
}
