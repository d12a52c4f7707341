#include "core/io/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"

/* Jansson's calls return NULL or -1 where memory runs out, some of them look at neither (a token
 * that is read loses a letter), and an object to which nothing could be added looks like one
 * without that key. Its allocator knows, so that is what is asked. Each thread has a flag of its
 * own: reports may be made side by side. */
static _Thread_local bool starved;
static json_malloc_t allocate = malloc; /* what was Jansson's before */

static void *allocate_or_note(size_t size)
{
    void *memory = allocate(size);
    starved |= !memory;
    return memory;
}

void cgs_json_watch(void)
{
    json_malloc_t before;
    json_free_t release;
    json_get_alloc_funcs(&before, &release);
    if (before == allocate_or_note)
        return;
    allocate = before;
    json_set_alloc_funcs(allocate_or_note, release);
}

void cgs_json_watch_end(void)
{
    json_malloc_t now;
    json_free_t release;
    json_get_alloc_funcs(&now, &release);
    if (now == allocate_or_note)
        json_set_alloc_funcs(allocate, release);
}

bool cgs_json_starved(void)
{
    const bool was = starved;
    starved = false;
    return was;
}

void cgs_put_real(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, isfinite(value) ? json_real(value) : json_null());
}

void cgs_put_some(json_t *object, const char *key, double value)
{
    if (value != 0.0)
        cgs_put_real(object, key, value);
}

void cgs_put_integer(json_t *object, const char *key, int64_t value)
{
    json_object_set_new(object, key, json_integer(value));
}

void cgs_put_yes(json_t *object, const char *key, bool value)
{
    json_object_set_new(object, key, json_boolean(value));
}

void cgs_put_part(json_t *object, const char *key, json_t *part)
{
    json_object_set_new(object, key, part);
}

void cgs_put_text(json_t *object, const char *key, const char *value)
{
    if (value && value[0])
        json_object_set_new(object, key, cgs_json_text(value));
}

json_t *cgs_json_text(const char *value)
{
    json_t *string = json_string(value);
    if (string)
        return string;
    char *copy = strdup(value);
    if (!copy)
        return NULL;
    for (char *c = copy; *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    string = json_string(copy);
    free(copy);
    return string;
}

/* Jansson escapes control characters of ASCII alone, and DEL is none for it. What else a
 * terminal obeys is within strings, too, for nothing of JSON's own is. */
static void write_plain(FILE *file, const char *text)
{
    const char *const end = text + strlen(text);
    while (text < end) {
        uint32_t code;
        const int length = cgs_character(text, (size_t)(end - text), &code);
        if (code == '\n' || cgs_printable(code))
            fwrite(text, 1, (size_t)length, file);
        else
            fprintf(file, "\\u%04x", (unsigned)code);
        text += length;
    }
    fputc('\n', file);
}

enum cgs_status cgs_json_end(struct cgs_context *context, FILE *file, json_t *root)
{
    cgs_put_integer(root, "exit_status", cgs_status_exit(context->status));
    if (context->status != CGS_OK)
        cgs_put_text(root, "error_message", context->message);

    json_malloc_t unused;
    json_free_t release;
    json_get_alloc_funcs(&unused, &release);
    char *dumped = root ? json_dumps(root, JSON_INDENT(2)) : NULL;
    const bool whole = !cgs_json_starved() && dumped;
    json_decref(root);
    if (whole)
        write_plain(file, dumped);
    if (dumped)
        release(dumped);
    if (whole)
        return CGS_OK;
    cgs_fail(context, CGS_MEMORY, "no memory for the JSON report");
    fprintf(
        file,
        "{\n  \"exit_status\": %d,\n  \"error_message\": \"no memory for the JSON report\"\n}\n",
        cgs_status_exit(context->status));
    return CGS_MEMORY;
}
