#include "doc/roff.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* One character of a text, as roff wants it. */
static void write_character(FILE *file, char c, bool minus)
{
    switch (c) {
    case '\\':
        fputs("\\e", file);
        break;
    case '\'':
        fputs("\\(aq", file);
        break;
    case '`':
        fputs("\\(ga", file);
        break;
    case '^':
        fputs("\\(ha", file);
        break;
    case '~':
        fputs("\\(ti", file);
        break;
    case '-':
        fputs(minus ? "\\-" : "-", file);
        break;
    default:
        fputc(c, file);
        break;
    }
}

void cgs_roff_typed(FILE *file, const char *text, size_t length)
{
    fputs("\\fB", file);
    for (size_t i = 0; i < length; i++)
        write_character(file, text[i], true);
    fputs("\\fR", file);
}

/* Part of a line: --options and 'cgsolve ...' in bold. */
static void write_words(FILE *file, const char *text)
{
    static const char ends[] = " ,;:)";
    for (const char *at = text; *at; at++) {
        const bool begins = at == text || strchr(" (", at[-1]);
        const char *quote = *at == '\'' && begins ? strchr(at + 1, '\'') : NULL;
        if (quote && (strncmp(at + 1, "cgsolve", 7) == 0 || at[1] == '.')) {
            cgs_roff_typed(file, at + 1, (size_t)(quote - at - 1));
            at = quote;
        } else if (begins && at[0] == '-' && at[1] == '-') {
            size_t length = strcspn(at, ends);
            length -= at[length - 1] == '.';
            cgs_roff_typed(file, at, length);
            at += length - 1;
        } else if (at > text && at[0] == ' ' && at[-1] == '.' && isupper((unsigned char)at[1])) {
            fputc('\n', file); /* a new sentence is a new line */
        } else {
            write_character(file, *at, begins || isdigit((unsigned char)at[1]));
        }
    }
}

void cgs_roff_line(FILE *file, const char *text)
{
    if (text[0] == '\0')
        return;
    if (text[0] == '.' || text[0] == '\'')
        fputs("\\&", file);
    write_words(file, text);
    fputc('\n', file);
}

void cgs_roff_ended(FILE *file, const char *text)
{
    char sentence[2048];
    const size_t length = (size_t)snprintf(sentence, sizeof sentence - 1, "%s", text);
    if (length > 0 && length < sizeof sentence - 1 && text[length - 1] != '.')
        strcpy(sentence + length, ".");
    cgs_roff_line(file, sentence);
}

void cgs_roff_sentence(FILE *file, const char *text)
{
    char sentence[1024];
    const size_t word = strcspn(text, " ");
    snprintf(sentence, sizeof sentence, "%s", text);
    if (strcspn(text, "/.=(") > word)
        sentence[0] = (char)toupper((unsigned char)sentence[0]);
    cgs_roff_ended(file, sentence);
}
