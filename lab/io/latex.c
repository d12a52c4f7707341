#include "lab/io/latex.h"

#include <string.h>

void cgs_latex_text(FILE *file, const char *text)
{
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c < 0x20 || c == 0x7f)
            fputc(' ', file);
        else if (strchr("_%&#${}", c))
            fprintf(file, "\\%c", c);
        else if (strchr("\\~^", c))
            fprintf(file, "\\char%d{}", c);
        else
            fputc(c, file);
    }
}
