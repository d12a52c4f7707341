#include "src/report/provenance.h"

#include <stdlib.h>
#include <string.h>

#include "src/io/json.h"
#include "src/io/version.h"

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

/* A text whose characters, U+0001 ... U+00FF, are the bytes of a word. */
static json_t *bytes_of(const char *word)
{
    const size_t length = strlen(word);
    char *text = malloc(2 * length + 1), *end = text;
    if (!text)
        return NULL;
    for (; *word; word++) {
        const unsigned char byte = (unsigned char)*word;
        if (byte >= 0x80)
            *end++ = (char)(0xc0 | byte >> 6);
        *end++ = (char)(byte < 0x80 ? byte : 0x80 | (byte & 0x3f));
    }
    json_t *string = json_stringn(text, (size_t)(end - text));
    free(text);
    return string;
}

/* The arguments, and once more as bytes where '?' stands in place of one that is no UTF-8: that alone says
 * which file was meant. */
static void put_arguments(json_t *root, const struct cgs_report *report)
{
    json_t *texts = json_array(), *bytes = json_array();
    bool same = true;
    for (int i = 1; i < report->argc; i++) {
        json_t *text = cgs_json_text(report->argv[i]);
        same = same && text && strcmp(json_string_value(text), report->argv[i]) == 0;
        json_array_append_new(texts, text);
        json_array_append_new(bytes, bytes_of(report->argv[i]));
    }
    json_object_set_new(root, "arguments", texts);
    if (same)
        json_decref(bytes);
    else
        json_object_set_new(root, "arguments_bytes", bytes);
}

json_t *cgs_json_head(const struct cgs_report *report)
{
    json_t *root = json_object();
    json_object_set_new(root, "cgsolve", provenance());
    cgs_put_text(root, "date", report->date);
    put_arguments(root, report);
    cgs_put_text(root, "command", cgs_command_name(report->options->command));
    if (report->injected) {
        char text[64];
        cgs_fault_write(&report->options->inject, text, sizeof text);
        cgs_put_text(root, "injected", text);
    }
    return root;
}
