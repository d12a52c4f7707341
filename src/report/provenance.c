#include "src/report/provenance.h"

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
