#include "src/io/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "src/io/version.h"

/* Jansson's calls return NULL or -1 where memory runs out, some of them look at neither (a token that is read
 * loses a letter), and an object to which nothing could be added looks like one without that key. Its allocator
 * knows, so that is what is asked. Each thread has a flag of its own: reports may be made side by side. */
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

void cgs_put_input(json_t *object, const struct cgs_options *options,
                   const struct cgs_input *input)
{
    static const char *const origins[] = {[CGS_INPUT_BOX] = "box",
                                          [CGS_INPUT_FILE] = "file",
                                          [CGS_INPUT_RANDOM] = "random",
                                          [CGS_INPUT_MEMORY] = "memory"};
    char random[96];
    cgs_put_text(object, "origin", origins[input->kind]);
    if (input->kind == CGS_INPUT_FILE)
        cgs_put_text(object, "file", input->file);
    if (input->kind == CGS_INPUT_BOX)
        cgs_put_integer(object, "N", options->n);
    if (input->kind == CGS_INPUT_RANDOM) {
        cgs_random_write(&options->random, random, sizeof random);
        cgs_put_text(object, "random", random);
    }
}

static json_t *words(const char *list)
{
    json_t *array = json_array();
    while (*list) {
        const size_t length = strcspn(list, " ");
        if (length > 0)
            json_array_append_new(array, json_stringn(list, length));
        list += length + (list[length] == ' ');
    }
    return array;
}

static json_t *provenance(void)
{
    json_t *o = json_object();
    cgs_put_text(o, "version", cgs_version());
    cgs_put_text(o, "commit", cgs_commit());
    cgs_put_text(o, "compiler", cgs_compiler());
    cgs_put_text(o, "flags", cgs_flags());
    cgs_put_text(o, "cuda", cgs_cuda());
    if (cgs_architectures())
        json_object_set_new(o, "architectures", words(cgs_architectures()));
    cgs_put_integer(o, "schema", CGS_SCHEMA);
    return o;
}

static json_t *arguments(const struct cgs_report *report)
{
    json_t *array = json_array();
    for (int i = 1; i < report->argc; i++)
        json_array_append_new(array, cgs_json_text(report->argv[i]));
    return array;
}

json_t *cgs_json_head(const struct cgs_report *report)
{
    json_t *root = json_object();
    json_object_set_new(root, "cgsolve", provenance());
    cgs_put_text(root, "date", report->date);
    json_object_set_new(root, "arguments", arguments(report));
    cgs_put_text(root, "command", cgs_command_name(report->options->command));
    if (report->injected) {
        char text[64];
        cgs_fault_write(&report->options->inject, text, sizeof text);
        cgs_put_text(root, "injected", text);
    }
    return root;
}

/* Jansson escapes control characters of ASCII alone, and DEL is none for it. What else a terminal obeys is
 * within strings, too, for nothing of JSON's own is. */
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
    fprintf(file,
            "{\n  \"exit_status\": %d,\n  \"error_message\": \"no memory for the JSON report\"\n}\n",
            cgs_status_exit(context->status));
    return CGS_MEMORY;
}
