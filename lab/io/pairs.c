#include "lab/io/pairs.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Returns the text without blanks at its ends, which are cut off. */
static char *trim(char *text)
{
    size_t length;
    text += strspn(text, " \t");
    length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    text[length] = '\0';
    return text;
}

static enum cgs_status read_line(struct cgs_context *context, char *line, int number,
                                 const char *name, struct cgs_pairs *pairs)
{
    line = trim(line);
    if (line[0] == '\0' || line[0] == '#')
        return CGS_OK;
    if (pairs->count == CGS_PAIRS_MOST)
        return cgs_fail(context, CGS_FILE, "%s, line %d: there are %d lines NAME = VALUE already",
                        name, number, pairs->count);
    char *sign = strchr(line, '=');
    if (!sign || sign == line)
        return cgs_fail(context, CGS_FILE,
                        "%s, line %d: expected is NAME = VALUE, or # and a comment", name, number);
    *sign = '\0';
    const char *key = trim(line), *value = trim(sign + 1);
    if (cgs_pairs_get(pairs, key))
        return cgs_fail(context, CGS_FILE, "%s, line %d: there is a %s already", name, number, key);
    struct cgs_pair *pair = &pairs->items[pairs->count];
    *pair = (struct cgs_pair){strdup(key), strdup(value), number};
    pairs->count++;
    return pair->key && pair->value
               ? CGS_OK
               : cgs_fail(context, CGS_MEMORY, "no memory for the lines of %s", name);
}

enum cgs_status cgs_pairs_read(struct cgs_context *context, FILE *file, const char *name,
                               struct cgs_pairs *pairs)
{
    static const char mark[] = "\xef\xbb\xbf"; /* what Windows puts before UTF-8 */
    const size_t length = sizeof mark - 1;
    enum cgs_status status = CGS_OK;
    char *line = NULL;
    size_t room = 0;
    pairs->count = 0;
    for (int number = 1; status == CGS_OK && getline(&line, &room, file) > 0; number++) {
        const bool marked = number == 1 && strncmp(line, mark, length) == 0;
        status = read_line(context, line + (marked ? length : 0), number, name, pairs);
    }
    free(line);
    return status;
}

const char *cgs_pairs_get(const struct cgs_pairs *pairs, const char *key)
{
    for (int i = 0; i < pairs->count; i++)
        if (strcmp(pairs->items[i].key, key) == 0)
            return pairs->items[i].value;
    return NULL;
}

void cgs_pairs_release(struct cgs_pairs *pairs)
{
    for (int i = 0; i < pairs->count; i++) {
        free(pairs->items[i].key);
        free(pairs->items[i].value);
    }
    pairs->count = 0;
}
