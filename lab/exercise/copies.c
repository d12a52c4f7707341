#include "lab/exercise/copies.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "lab/exercise/exercises.h"

static const uint64_t FNV_BASIS = UINT64_C(0xcbf29ce484222325);

/* cgs_copies_tokens of exercises/NAME/model.*, which are not in the program. */
static const uint64_t models[] = {
    UINT64_C(0x4a9ec851859524fc), /* cg/model.c */
    UINT64_C(0x1cb1db3fa7bef1e3), /* fourth-order/model.c */
    UINT64_C(0xfa83c8e5358c091c), /* fuse/model.c */
    UINT64_C(0xd24d7d8b8aa86030), /* matrix-free/model.c */
    UINT64_C(0xb3ee701bb646f368), /* product/model.c */
    UINT64_C(0x9d4aa2d9f14cd3e1), /* sort/model.c */
    UINT64_C(0x5c48406c947479bf), /* vcycle/model.c */
    UINT64_C(0xea677215ca659484), /* sell/model.cu */
    UINT64_C(0x921e672e1ca0ada7), /* warp-a-row/model.cu */
};
enum { MODELS = sizeof models / sizeof *models };

static uint64_t add(uint64_t sum, char c)
{
    return (sum ^ (unsigned char)c) * UINT64_C(0x100000001b3);
}

/* Returns the end of a blank or a comment at `at`; `at` where there is none. */
static const char *skip(const char *at, const char *end)
{
    if (isspace((unsigned char)*at))
        return at + 1;
    if (end - at < 2 || at[0] != '/')
        return at;
    if (at[1] == '/')
        while (at < end && *at != '\n')
            at++;
    else if (at[1] == '*')
        for (at += 3; at < end && !(at[-1] == '*' && *at == '/');)
            at++;
    else
        return at;
    return at < end ? at + 1 : end;
}

/* Returns the end of the token at `at`: a word or number, a text in quotes, another character. */
static const char *token_end(const char *at, const char *end)
{
    const char first = *at++;
    if (isalnum((unsigned char)first) || first == '_')
        while (at < end && (isalnum((unsigned char)*at) || *at == '_'))
            at++;
    else if (first == '"' || first == '\'')
        for (; at < end && *at != '\n'; at++) {
            if (*at == first)
                return at + 1;
            at += *at == '\\' && at + 1 < end;
        }
    return at;
}

uint64_t cgs_copies_tokens(const char *text, size_t size)
{
    uint64_t sum = FNV_BASIS;
    const char *end = text + size;
    for (const char *at = text; at < end;) {
        const char *next = skip(at, end);
        if (next == at) {
            for (next = token_end(at, end); at < next; at++)
                sum = add(sum, *at);
            sum = add(sum, ' ');
        }
        at = next;
    }
    return sum;
}

/* Returns true for what an exercise begins with: many hand that in, who copied from nobody. */
static bool is_untouched(uint64_t tokens)
{
    const struct cgs_exercise *exercise;
    bool found = false;
    for (int i = 0; !found && (exercise = cgs_exercise_at(i)) != NULL; i++) {
        char *text = NULL;
        size_t size;
        FILE *file = open_memstream(&text, &size);
        for (const char *const *line = exercise->start; file && *line; line++)
            fputs(*line, file);
        if (file && fclose(file) == 0)
            found = cgs_copies_tokens(text, size) == tokens;
        free(text);
    }
    return found;
}

static bool is_model(uint64_t tokens)
{
    for (int i = 0; i < MODELS; i++)
        if (models[i] == tokens)
            return true;
    return false;
}

/* Writes of whom it is a copy, as far as hash (true) or tokens are the same. */
static bool find_same(const struct cgs_grade *grade, const struct cgs_submission *s, bool hash,
                      char *text, size_t size)
{
    int more = 0;
    for (int i = 0; i < grade->count; i++) {
        const struct cgs_submission *other = &grade->submissions[i];
        if (!other->hash[0] || strcmp(s->student, other->student) == 0 ||
            (hash ? strcmp(s->hash, other->hash) != 0 : s->tokens != other->tokens))
            continue;
        if (more++ == 0)
            snprintf(text, size, "the same %s as %.200s", hash ? "file" : "tokens", other->file);
    }
    if (more > 1)
        cgs_append(text, size, " and %d more", more - 1);
    return more > 0;
}

void cgs_copies_of(const struct cgs_grade *grade, int which, char *text, size_t size)
{
    const struct cgs_submission *s = &grade->submissions[which];
    text[0] = '\0';
    if (!s->hash[0] || is_untouched(s->tokens))
        return;
    if (is_model(s->tokens))
        snprintf(text, size, "the model solution");
    else if (!find_same(grade, s, true, text, size))
        find_same(grade, s, false, text, size);
}
