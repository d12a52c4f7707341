/* Finds what was meant by a word that is neither a command nor an option nor a value: a word of
 * other programs (synonyms.def, absent.def), or an option that a keyboard, an editor or a shell has
 * spoilt:
 *
 *     N=32   –N=32   "--N=32"   /N=32      no dashes, or others than ASCII's
 *     --N32   --N:32   -n32   --n_x=32     no '=', letters of the other case, '_' for '-'
 *     --jacobi   --fp32                    a value without its option
 */
#include "core/options/meant.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/options/option_table.h"
#include "core/options/table.h"

const char *cgs_synonym(const char *option, const char *word)
{
    static const struct {
        const char *option, *word, *ours;
    } synonyms[] = {
#define CGS_SYNONYM(option, word, ours) {option, word, ours},
#include "core/options/synonyms.def"
#undef CGS_SYNONYM
    };
    for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++)
        if (strcmp(option, synonyms[i].option) == 0 && strcasecmp(word, synonyms[i].word) == 0)
            return synonyms[i].ours;
    return NULL;
}

const char *cgs_closest(const char *option, const char *word)
{
    static const struct {
        const char *option, *word, *closest;
    } absent[] = {
#define CGS_ABSENT(option, word, closest) {option, word, closest},
#include "core/options/absent.def"
#undef CGS_ABSENT
    };
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
        if (strcmp(option, absent[i].option) == 0 && strcasecmp(word, absent[i].word) == 0)
            return absent[i].closest;
    return NULL;
}

/* Returns true for dashes, quotes and blanks of any alphabet (all that is not ASCII counts as
 * one of them), and the slash that begins options elsewhere. */
static bool around(char c)
{
    return (unsigned char)c >= 0x80 || (c != '\0' && strchr("-/'\"` \t", c));
}

/* Returns the length of a word's name, which ends at '=' or the end. *name: the word behind dashes,
 * quotes and blanks of any alphabet. */
static size_t bare_name(const char *word, const char **name)
{
    while (around(*word))
        word++;
    *name = word;
    return strcspn(word, "=");
}

/* Returns our name, perhaps with a value, for `length` characters that are an option's name or a
 * synonym but for case and '_'; NULL: neither. */
static const char *known_name(const char *text, size_t length)
{
    char word[64];
    if (length == 0 || length >= sizeof word)
        return NULL;
    for (size_t i = 0; i < length; i++)
        word[i] = text[i] == '_' ? '-' : text[i];
    word[length] = '\0';
    for (int i = 0; i < CGS_OPTIONS; i++)
        if (strcasecmp(word, cgs_option_table[i].name) == 0)
            return cgs_option_table[i].name;
    return cgs_synonym("", word);
}

/* Writes --NAME=VALUE without what is around the value. */
static void write_option(const char *name, const char *value, char *text, size_t size)
{
    while (*value == '=' || *value == ':' || (*value != '-' && *value != '/' && around(*value)))
        value++;
    size_t length = strlen(value);
    while (length > 0 && around(value[length - 1]))
        length--;
    const bool whole = length == 0 || strchr(name, '='); /* precision=single */
    snprintf(text, size, "--%s%s%.*s", name, whole ? "" : "=", whole ? 0 : (int)length, value);
}

/* Returns the one option that has the word as a value, or as a synonym of one; -1: none, or
 * several. *value: ours. */
static int option_of_value(const char *word, const char **value)
{
    int found = -1;
    for (int id = 0; id < CGS_OPTIONS; id++) {
        const struct cgs_option *option = &cgs_option_table[id];
        struct cgs_choice choices[CGS_CHOICES_MOST];
        if (option->kind != CGS_KIND_CHOICE && option->kind != CGS_KIND_PROBLEM)
            continue;
        const char *ours = cgs_synonym(option->name, word);
        const int count = cgs_option_choices((enum cgs_option_id)id, choices);
        for (int i = 0; i < count && !ours; i++)
            if (strcasecmp(word, choices[i].name) == 0)
                ours = choices[i].name;
        if (ours && found >= 0)
            return -1;
        if (ours) {
            found = id;
            *value = ours;
        }
    }
    return found;
}

bool cgs_meant_value(const char *word, char *text, size_t size)
{
    const char *value = NULL;
    const int id = option_of_value(word, &value);
    if (id >= 0)
        snprintf(text, size, "--%s=%s", cgs_option_table[id].name, value);
    return id >= 0;
}

bool cgs_meant_option(const char *word, bool dashes, char *text, size_t size)
{
    const char *name;
    const size_t length = bare_name(word, &name);
    size_t letters = 0;
    while (isalpha((unsigned char)name[letters]) || name[letters] == '_' || name[letters] == '-')
        letters++;
    const char *ours = known_name(name, length);
    if (ours) {
        write_option(ours, dashes ? "" : name + length, text, size);
        return true;
    }
    const char next = name[letters];
    const bool cut = next == '\0' || next == ':' || (next != '/' && around(next)) ||
                     (dashes && (next == '=' || isdigit((unsigned char)next)));
    ours = cut ? known_name(name, letters) : NULL;
    if (ours)
        write_option(ours, name + letters, text, size);
    return ours != NULL;
}
