#include "lab/collection/collection.h"

#include "lab/io/folder.h"

int cgs_collection_done(const struct cgs_collection *c)
{
    int done = 0;
    for (int i = 0; i < c->count; i++)
        done += c->items[i].done;
    return done;
}

const char *cgs_row_text(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));
    return text ? text : "";
}

double cgs_row_number(const json_t *row, const char *key)
{
    return json_number_value(json_object_get(row, key));
}

enum cgs_status cgs_collection_begin(struct cgs_collection *c, const char *name,
                                     struct cgs_output *output)
{
    char *path = cgs_folder_join(c->folder, name, "");
    if (!path)
        return cgs_fail(c->context, CGS_MEMORY, "no memory for the names of files");
    enum cgs_status status = cgs_output_open(c->context, "the report", path, 0, output);
    if (status == CGS_OK)
        status = cgs_output_begin(c->context, output);
    free(path);
    return status;
}
