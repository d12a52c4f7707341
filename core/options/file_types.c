/* Types of files by the endings of their names. */
#include "core/options/file_types.h"

#include <string.h>
#include <strings.h>

#include "base/plain.h"

const char *cgs_file_ending(const char *path)
{
    const char *name = cgs_base_name(path);
    const char *dot = strrchr(name, '.');
    return dot && dot > name ? dot : "";
}

bool cgs_file_ends_in(const char *path, const char *const *endings)
{
    const char *ending = cgs_file_ending(path);
    while (*endings && strcasecmp(ending, *endings) != 0)
        endings++;
    return *endings != NULL;
}

const struct cgs_file_type cgs_file_type_table[CGS_FILE_TYPES] = {
#define CGS_FILE_TYPE(code, writer, ...)                                                           \
    [CGS_FILE_TYPE_##code] = {.id = CGS_FILE_TYPE_##code, __VA_ARGS__},
#include "core/options/file_types.def"
#undef CGS_FILE_TYPE
};

const struct cgs_file_type *cgs_file_type_of(const char *path)
{
    for (int i = 0; i < CGS_FILE_TYPES; i++)
        if (cgs_file_ends_in(path, cgs_file_type_table[i].endings))
            return &cgs_file_type_table[i];
    return NULL;
}
