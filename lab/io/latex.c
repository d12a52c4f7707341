#include "lab/io/latex.h"

#include <string.h>

/* Writes a character that LaTeX takes for something else, or its usual font has not, by name. A
 * bracket or star in braces is not an argument of the \\ before it. */
static void put_special(FILE *file, char c)
{
    static const struct {
        char c;
        const char *name;
    } named[] = {
        {'\\', "textbackslash"}, {'~', "textasciitilde"}, {'^', "textasciicircum"},
        {'<', "textless"},       {'>', "textgreater"},    {'|', "textbar"},
    };
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (c == named[i].c) {
            fprintf(file, "\\%s{}", named[i].name);
            return;
        }
    fprintf(file, strchr("[*", c) ? "{%c}" : "\\%c", c);
}

void cgs_latex_text(FILE *file, const char *text)
{
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c < 0x20 || c == 0x7f)
            fputc(' ', file);
        else if (strchr("_%&#${}[*\\~^<>|", c))
            put_special(file, *text);
        else
            fputc(c, file);
    }
}
