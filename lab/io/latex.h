/* Texts in files for LaTeX. */
#ifndef CGS_LAB_IO_LATEX_H
#define CGS_LAB_IO_LATEX_H

#include <stdio.h>

/* Writes a text so that LaTeX shows it as it is; control characters become spaces. */
void cgs_latex_text(FILE *file, const char *text);

#endif
