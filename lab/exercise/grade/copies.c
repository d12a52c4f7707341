#include "lab/exercise/grade/copies.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/plain.h"

static const uint64_t FNV_BASIS = UINT64_C(0xcbf29ce484222325);

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
    bool untouched = false, model = false; /* many hand in what they began with */
    text[0] = '\0';
    for (int i = 0; i < grade->exercises.count; i++) {
        untouched = untouched || grade->exercises.items[i].start == s->tokens;
        model = model || grade->exercises.items[i].model == s->tokens;
    }
    if (!s->hash[0] || untouched)
        return;
    if (model)
        snprintf(text, size, "the model solution");
    else if (!find_same(grade, s, true, text, size))
        find_same(grade, s, false, text, size);
}
