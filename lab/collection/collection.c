#include "lab/collection/collection.h"

#include <string.h>

#include "lab/io/folder.h"

int cgs_collection_done(const struct cgs_collection *c)
{
    int done = 0;
    for (int i = 0; i < c->count; i++)
        done += c->items[i].done;
    return done;
}

bool cgs_collection_owns(const struct cgs_collection_item *item, const json_t *row)
{
    return strcmp(item->file, cgs_row_text(row, "file")) == 0 &&
           strcmp(item->member ? item->member : "", cgs_row_text(row, "member")) == 0;
}

bool cgs_row_begins(const json_t *row, const json_t *before)
{
    return !before || strcmp(cgs_row_text(row, "file"), cgs_row_text(before, "file")) != 0 ||
           strcmp(cgs_row_text(row, "member"), cgs_row_text(before, "member")) != 0;
}

bool cgs_row_disturbed(const json_t *row)
{
    return json_is_true(json_object_get(row, "disturbed"));
}

int cgs_collection_disturbed(const struct cgs_collection *c)
{
    int count = 0;
    size_t index;
    const json_t *row, *before = NULL;
    json_array_foreach(c->rows, index, row)
    {
        count += cgs_row_disturbed(row) && cgs_row_begins(row, before);
        before = row;
    }
    return count;
}

void cgs_collection_say_disturbed(const struct cgs_collection *c, char *text, size_t size)
{
    const int count = cgs_collection_disturbed(c);
    text[0] = '\0';
    if (count > 0)
        snprintf(text, size,
                 "other processes used the CPUs while %d of the matrices ran; do not rely on %s "
                 "times, --resume measures again",
                 count, count == 1 ? "its" : "their");
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
