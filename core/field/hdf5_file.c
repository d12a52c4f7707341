#include "core/field/hdf5_file.h"

#include <errno.h>
#include <hdf5.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct cgs_hdf5 {
    struct cgs_context *context;
    hid_t file;
    int error; /* errno of the first failure; 0: none yet */
    int count; /* of arrays, open until the end */
    hid_t arrays[CGS_HDF5_ARRAYS];
    enum cgs_hdf5_number numbers[CGS_HDF5_ARRAYS];
};

enum { LEVEL = 1 }; /* of zlib */

enum cgs_status cgs_hdf5_start(struct cgs_context *context)
{
    /* Without its own end at exit, which would try again to write what could not be written. */
    H5dont_atexit(); /* fails where it was asked before */
    if (H5open() < 0)
        return cgs_fail(context, CGS_FILE,
                        "--output=FILE.vtkhdf needs HDF5, which does not start; or take "
                        "--output=FILE.mtx");
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* what it has to say we say */
    return CGS_OK;
}

static hid_t type_in_memory(enum cgs_hdf5_number number)
{
    const hid_t types[CGS_HDF5_NUMBERS] = {[CGS_HDF5_REAL] = H5T_NATIVE_DOUBLE,
                                           [CGS_HDF5_INTEGER] = H5T_NATIVE_INT64,
                                           [CGS_HDF5_BYTE] = H5T_NATIVE_UINT8};
    return types[number];
}

static hid_t type_in_file(enum cgs_hdf5_number number)
{
    const hid_t types[CGS_HDF5_NUMBERS] = {[CGS_HDF5_REAL] = H5T_IEEE_F64LE,
                                           [CGS_HDF5_INTEGER] = H5T_STD_I64LE,
                                           [CGS_HDF5_BYTE] = H5T_STD_U8LE};
    return types[number];
}

/* Returns true if the library was built with zlib. */
static bool deflates(void)
{
    return H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0 && H5Zfilter_avail(H5Z_FILTER_SHUFFLE) > 0;
}

/* Measured (1.10.8, N = 7 ... 128): the library once it writes; of each array a cache of 1 MiB, as
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

/* Returns true if a call went well; keeps the first failure. */
static bool good(struct cgs_hdf5 *file, hid_t result)
{
    int number = 0;
    if (result >= 0 || file->error != 0)
        return file->error == 0;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, look_for_errno, &number);
    file->error = number > 0 ? number : EIO;
    return false;
}

/* ---- the file ---- */

enum cgs_status cgs_hdf5_create(struct cgs_context *context, const char *path,
                                struct cgs_hdf5 **file)
{
    /* H5F_ACC_TRUNC, a macro that ends the process where headers and library differ in the last digit. */
    const unsigned anew = 0x2;
    struct cgs_hdf5 *f;
    CGS_TRY(cgs_hdf5_start(context));
    CGS_TRY(cgs_alloc(context, 1, sizeof *f, "HDF5 file", (void **)&f));
    *f = (struct cgs_hdf5){.context = context, .file = -1};
    f->file = H5Fcreate(path, anew, H5P_DEFAULT, H5P_DEFAULT);
    good(f, f->file);
    *file = f;
    return CGS_OK;
}

int cgs_hdf5_close(struct cgs_hdf5 *file)
{
    if (!file)
        return 0;
    for (int i = 0; i < file->count; i++)
        good(file, H5Dclose(file->arrays[i]));
    if (file->file >= 0)
        good(file, H5Fclose(file->file));
    H5Eclear2(H5E_DEFAULT);
    const int error = file->error;
    cgs_free(file->context, file);
    return error;
}

void cgs_hdf5_group(struct cgs_hdf5 *file, const char *path)
{
    if (file->error != 0)
        return;
    const hid_t group = H5Gcreate2(file->file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (good(file, group))
        good(file, H5Gclose(group));
}

static void put_attribute(struct cgs_hdf5 *file, const char *path, const char *name, hid_t stored,
                          hid_t memory, hid_t space, const void *values)
{
    if (!good(file, space))
        return;
    const hid_t attribute = H5Acreate_by_name(file->file, path, name, stored, space, H5P_DEFAULT,
                                              H5P_DEFAULT, H5P_DEFAULT);
    if (good(file, attribute)) {
        good(file, H5Awrite(attribute, memory, values));
        good(file, H5Aclose(attribute));
    }
    H5Sclose(space);
}

void cgs_hdf5_put_numbers(struct cgs_hdf5 *file, const char *path, const char *name,
                          enum cgs_hdf5_number number, int count, const void *values)
{
    const hsize_t extent = (hsize_t)count;
    if (file->error != 0)
        return;
    const hid_t space = count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &extent, NULL);
    put_attribute(file, path, name, type_in_file(number), type_in_memory(number), space, values);
}

void cgs_hdf5_put_text(struct cgs_hdf5 *file, const char *path, const char *name, const char *text)
{
    const size_t length = strlen(text);
    if (file->error != 0)
        return;
    const hid_t type = H5Tcopy(H5T_C_S1);
    if (!good(file, type))
        return;
    if (good(file, H5Tset_size(type, length > 0 ? length : 1)) &&
        good(file, H5Tset_strpad(type, H5T_STR_NULLPAD)))
        put_attribute(file, path, name, type, type, H5Screate(H5S_SCALAR), text);
    H5Tclose(type);
}

/* ---- arrays ---- */

static hid_t space_of(const struct cgs_hdf5_shape *shape)
{
    hsize_t extent[CGS_HDF5_RANK];
    for (int k = 0; k < shape->rank; k++)
        extent[k] = (hsize_t)shape->extent[k];
    return H5Screate_simple(shape->rank, extent, NULL);
}

/* Creates the layout of an array in the file, by chunks; NULL: contiguous. */
static hid_t make_list(struct cgs_hdf5 *file, const struct cgs_hdf5_shape *chunk)
{
    hsize_t extent[CGS_HDF5_RANK];
    const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    if (!chunk || !good(file, list))
        return list;
    for (int k = 0; k < chunk->rank; k++)
        extent[k] = (hsize_t)chunk->extent[k];
    good(file, H5Pset_chunk(list, chunk->rank, extent));
    if (deflates())
        good(file, H5Pset_shuffle(list)), good(file, H5Pset_deflate(list, LEVEL));
    return list;
}

int cgs_hdf5_array(struct cgs_hdf5 *file, const char *path, enum cgs_hdf5_number number,
                   const struct cgs_hdf5_shape *shape, const struct cgs_hdf5_shape *chunk)
{
    if (file->error != 0 || file->count == CGS_HDF5_ARRAYS)
        return -1;
    const hid_t space = space_of(shape), list = make_list(file, chunk);
    hid_t array = -1;
    if (good(file, space) && good(file, list))
        array = H5Dcreate2(file->file, path, type_in_file(number), space, H5P_DEFAULT, list,
                           H5P_DEFAULT);
    H5Pclose(list);
    H5Sclose(space);
    if (!good(file, array))
        return -1;
    file->arrays[file->count] = array;
    file->numbers[file->count] = number;
    return file->count++;
}

void cgs_hdf5_write(struct cgs_hdf5 *file, int array, const int64_t *first,
                    const struct cgs_hdf5_shape *piece, const void *numbers)
{
    hsize_t begin[CGS_HDF5_RANK], extent[CGS_HDF5_RANK];
    if (file->error != 0 || array < 0)
        return;
    for (int k = 0; k < piece->rank; k++) {
        begin[k] = (hsize_t)first[k];
        extent[k] = (hsize_t)piece->extent[k];
    }
    const hid_t there = H5Dget_space(file->arrays[array]), here = space_of(piece);
    if (good(file, there) && good(file, here) &&
        good(file, H5Sselect_hyperslab(there, H5S_SELECT_SET, begin, NULL, extent, NULL)))
        good(file, H5Dwrite(file->arrays[array], type_in_memory(file->numbers[array]), here, there,
                            H5P_DEFAULT, numbers));
    H5Sclose(here);
    H5Sclose(there);
}

void cgs_hdf5_put_array(struct cgs_hdf5 *file, const char *path, enum cgs_hdf5_number number,
                        int64_t count, const void *numbers)
{
    const int64_t first[CGS_HDF5_RANK] = {0};
    const struct cgs_hdf5_shape shape = {1, {count}};
    const int array = cgs_hdf5_array(file, path, number, &shape, NULL);
    cgs_hdf5_write(file, array, first, &shape, numbers);
    if (array >= 0)
        good(file, H5Dclose(file->arrays[--file->count]));
}
