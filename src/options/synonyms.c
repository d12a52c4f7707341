#include "src/options/synonyms.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *option, *word, *ours;
} synonyms[] = {
#define CGS_SYNONYM(option, word, ours) {option, word, ours},
#include "src/options/synonyms.def"
#undef CGS_SYNONYM
};

const char *cgs_synonym(const char *option, const char *word)
{
    for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++)
        if (strcmp(option, synonyms[i].option) == 0 && strcasecmp(word, synonyms[i].word) == 0)
            return synonyms[i].ours;
    return NULL;
}
