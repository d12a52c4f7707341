#include "src/hdf5_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "src/hdf5_library.h"

struct cgs_hdf5 {
    struct cgs_hdf5_library library;
    struct cgs_context *context;
    hid_t file;
    int error; /* errno of the first failure; 0: none yet */
    int count; /* of arrays, open until the end */
    hid_t arrays[CGS_HDF5_ARRAYS];
    enum cgs_hdf5_number numbers[CGS_HDF5_ARRAYS];
};

enum { LEVEL = 1 }; /* of zlib */

enum cgs_status cgs_hdf5_load(struct cgs_context *context)
{
    struct cgs_hdf5_library library;
    return cgs_hdf5_library_load(context, &library);
}

/* As measured (1.10.8, N = 7 ... 128): the library once it writes; of each array a cache of 1 MiB, as
 * far as it is filled; what a chunk is shuffled and compressed in. */
int64_t cgs_hdf5_bytes(int arrays, const int64_t *bytes)
{
    const int64_t library = 1792 << 10, cache = 1 << 20;
    int64_t sum = library, chunk = 0;
    for (int i = 0; i < arrays; i++) {
        const int64_t cached = bytes[i] < cache ? bytes[i] : cache;
        sum += cached;
        chunk = cached > chunk ? cached : chunk;
    }
    return sum + 3 * (chunk < CGS_HDF5_CHUNK_BYTES ? chunk : CGS_HDF5_CHUNK_BYTES);
}

/* ---- errors ---- */

/* The innermost message that names an errno ("..., errno = 28, error message = ..."). */
static herr_t look_for_errno(unsigned place, const H5E_error2_t *error, void *number)
{
    const char *at = error->desc ? strstr(error->desc, "errno = ") : NULL;
    (void)place;
    if (at)
        *(int *)number = atoi(at + strlen("errno = "));
    return 0;
}

/* Whether a call went well; the first that did not is kept. */
static bool good(struct cgs_hdf5 *file, hid_t result)
{
    int number = 0;
    if (result >= 0 || file->error != 0)
        return file->error == 0;
    file->library.walk(H5E_DEFAULT, H5E_WALK_DOWNWARD, look_for_errno, &number);
    file->error = number > 0 ? number : EIO;
    return false;
}

/* ---- the file ---- */

enum cgs_status cgs_hdf5_create(struct cgs_context *context, const char *path,
                                struct cgs_hdf5 **file)
{
    const unsigned anew = 0x2; /* H5F_ACC_TRUNC, a macro that would want to be linked */
    struct cgs_hdf5_library library;
    struct cgs_hdf5 *f;
    CGS_TRY(cgs_hdf5_library_load(context, &library));
    CGS_TRY(cgs_alloc(context, 1, sizeof *f, "HDF5 file", (void **)&f));
    *f = (struct cgs_hdf5){.library = library, .context = context, .file = -1};
    f->file = library.file_create(path, anew, H5P_DEFAULT, H5P_DEFAULT);
    good(f, f->file);
    *file = f;
    return CGS_OK;
}

int cgs_hdf5_close(struct cgs_hdf5 *file)
{
    if (!file)
        return 0;
    const struct cgs_hdf5_library *l = &file->library;
    for (int i = 0; i < file->count; i++)
        good(file, l->array_close(file->arrays[i]));
    if (file->file >= 0)
        good(file, l->file_close(file->file));
    l->clear(H5E_DEFAULT);
    const int error = file->error;
    cgs_free(file->context, file);
    return error;
}

void cgs_hdf5_group(struct cgs_hdf5 *file, const char *path)
{
    const struct cgs_hdf5_library *l = &file->library;
    if (file->error != 0)
        return;
    const hid_t group = l->group_create(file->file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (good(file, group))
        good(file, l->group_close(group));
}

static void put_attribute(struct cgs_hdf5 *file, const char *path, const char *name, hid_t stored,
                          hid_t memory, hid_t space, const void *values)
{
    const struct cgs_hdf5_library *l = &file->library;
    if (!good(file, space))
        return;
    const hid_t attribute = l->attribute_create(file->file, path, name, stored, space, H5P_DEFAULT,
                                                H5P_DEFAULT, H5P_DEFAULT);
    if (good(file, attribute)) {
        good(file, l->attribute_write(attribute, memory, values));
        good(file, l->attribute_close(attribute));
    }
    l->space_close(space);
}

void cgs_hdf5_put_numbers(struct cgs_hdf5 *file, const char *path, const char *name,
                          enum cgs_hdf5_number number, int count, const void *values)
{
    const struct cgs_hdf5_library *l = &file->library;
    const hsize_t extent = (hsize_t)count;
    if (file->error != 0)
        return;
    const hid_t space =
        count == 1 ? l->space_scalar(H5S_SCALAR) : l->space_simple(1, &extent, NULL);
    put_attribute(file, path, name, l->stored[number], l->memory[number], space, values);
}

void cgs_hdf5_put_text(struct cgs_hdf5 *file, const char *path, const char *name, const char *text)
{
    const struct cgs_hdf5_library *l = &file->library;
    const size_t length = strlen(text);
    if (file->error != 0)
        return;
    const hid_t type = l->type_copy(l->text);
    if (!good(file, type))
        return;
    if (good(file, l->type_size(type, length > 0 ? length : 1)) &&
        good(file, l->type_padding(type, H5T_STR_NULLPAD)))
        put_attribute(file, path, name, type, type, l->space_scalar(H5S_SCALAR), text);
    l->type_close(type);
}

/* ---- arrays ---- */

static hid_t space_of(const struct cgs_hdf5_library *l, const struct cgs_hdf5_shape *shape)
{
    hsize_t extent[CGS_HDF5_RANK];
    for (int k = 0; k < shape->rank; k++)
        extent[k] = (hsize_t)shape->extent[k];
    return l->space_simple(shape->rank, extent, NULL);
}

/* How an array lies in the file: NULL, as it is. */
static hid_t make_list(struct cgs_hdf5 *file, const struct cgs_hdf5_shape *chunk)
{
    const struct cgs_hdf5_library *l = &file->library;
    hsize_t extent[CGS_HDF5_RANK];
    const hid_t list = l->list_create(l->list_class);
    if (!chunk || !good(file, list))
        return list;
    for (int k = 0; k < chunk->rank; k++)
        extent[k] = (hsize_t)chunk->extent[k];
    good(file, l->list_chunk(list, chunk->rank, extent));
    if (l->deflates)
        good(file, l->list_shuffle(list)), good(file, l->list_deflate(list, LEVEL));
    return list;
}

int cgs_hdf5_array(struct cgs_hdf5 *file, const char *path, enum cgs_hdf5_number number,
                   const struct cgs_hdf5_shape *shape, const struct cgs_hdf5_shape *chunk)
{
    const struct cgs_hdf5_library *l = &file->library;
    if (file->error != 0 || file->count == CGS_HDF5_ARRAYS)
        return -1;
    const hid_t space = space_of(l, shape), list = make_list(file, chunk);
    hid_t array = -1;
    if (good(file, space) && good(file, list))
        array = l->array_create(file->file, path, l->stored[number], space, H5P_DEFAULT, list,
                                H5P_DEFAULT);
    l->list_close(list);
    l->space_close(space);
    if (!good(file, array))
        return -1;
    file->arrays[file->count] = array;
    file->numbers[file->count] = number;
    return file->count++;
}

void cgs_hdf5_write(struct cgs_hdf5 *file, int array, const int64_t *first,
                    const struct cgs_hdf5_shape *piece, const void *numbers)
{
    const struct cgs_hdf5_library *l = &file->library;
    hsize_t begin[CGS_HDF5_RANK], extent[CGS_HDF5_RANK];
    if (file->error != 0 || array < 0)
        return;
    for (int k = 0; k < piece->rank; k++) {
        begin[k] = (hsize_t)first[k];
        extent[k] = (hsize_t)piece->extent[k];
    }
    const hid_t there = l->array_space(file->arrays[array]), here = space_of(l, piece);
    if (good(file, there) && good(file, here) &&
        good(file, l->space_select(there, H5S_SELECT_SET, begin, NULL, extent, NULL)))
        good(file, l->array_write(file->arrays[array], l->memory[file->numbers[array]], here, there,
                                  H5P_DEFAULT, numbers));
    l->space_close(here);
    l->space_close(there);
}

void cgs_hdf5_put_array(struct cgs_hdf5 *file, const char *path, enum cgs_hdf5_number number,
                        int64_t count, const void *numbers)
{
    const int64_t first[CGS_HDF5_RANK] = {0};
    const struct cgs_hdf5_shape shape = {1, {count}};
    const int array = cgs_hdf5_array(file, path, number, &shape, NULL);
    cgs_hdf5_write(file, array, first, &shape, numbers);
    if (array >= 0)
        good(file, file->library.array_close(file->arrays[--file->count]));
}
