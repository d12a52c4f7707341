/* A build without HDF5: nothing can be written, and that is said before any work. */
#include "core/field/hdf5_file.h"

enum cgs_status cgs_hdf5_start(struct cgs_context *context)
{
    return cgs_fail(context, CGS_FILE,
                    "--output=FILE.vtkhdf needs HDF5, which this cgsolve was built without: install "
                    "libhdf5-dev (Debian) or hdf5-devel (Fedora) and run ./bootstrap build, or take "
                    "--output=FILE.vtu, which ParaView reads as well");
}

enum cgs_status cgs_hdf5_create(struct cgs_context *context, const char *path,
                                struct cgs_hdf5 **file)
{
    (void)path, (void)file;
    return cgs_hdf5_start(context);
}

int64_t cgs_hdf5_bytes(int arrays, const int64_t *bytes)
{
    (void)arrays, (void)bytes;
    return 0;
}

int cgs_hdf5_close(struct cgs_hdf5 *file)
{
    (void)file;
    return 0;
}

void cgs_hdf5_group(struct cgs_hdf5 *file, const char *path)
{
    (void)file, (void)path;
}

void cgs_hdf5_put_numbers(struct cgs_hdf5 *file, const char *path, const char *name,
                          enum cgs_hdf5_number number, int count, const void *values)
{
    (void)file, (void)path, (void)name, (void)number, (void)count, (void)values;
}

void cgs_hdf5_put_text(struct cgs_hdf5 *file, const char *path, const char *name, const char *text)
{
    (void)file, (void)path, (void)name, (void)text;
}

int cgs_hdf5_array(struct cgs_hdf5 *file, const char *path, enum cgs_hdf5_number number,
                   const struct cgs_hdf5_shape *shape, const struct cgs_hdf5_shape *chunk)
{
    (void)file, (void)path, (void)number, (void)shape, (void)chunk;
    return 0;
}

void cgs_hdf5_write(struct cgs_hdf5 *file, int array, const int64_t *first,
                    const struct cgs_hdf5_shape *piece, const void *numbers)
{
    (void)file, (void)array, (void)first, (void)piece, (void)numbers;
}

void cgs_hdf5_put_array(struct cgs_hdf5 *file, const char *path, enum cgs_hdf5_number number,
                        int64_t count, const void *numbers)
{
    (void)file, (void)path, (void)number, (void)count, (void)numbers;
}
