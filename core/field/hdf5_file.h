/* A file of HDF5 (https://docs.hdfgroup.org/hdf5/v1_14/) that is being written: groups, attributes,
 * arrays that are filled piece by piece, compressed. hdf5_file.c alone sees the library. Where configure
 * found none, and in libcgsolve, hdf5_absent.c stands there instead. One thread at a time; a parallel
 * HDF5 is used as a serial one, without MPI_Init.
 *
 * After the first failure of a file nothing more is written to it, and cgs_hdf5_close says so. */
#ifndef CGS_CORE_FIELD_HDF5_FILE_H
#define CGS_CORE_FIELD_HDF5_FILE_H

#include <stdint.h>

#include "base/context.h"

struct cgs_hdf5; /* opaque */

/* Types of numbers in memory and in the file, where they are little-endian. */
enum cgs_hdf5_number {
    CGS_HDF5_REAL,    /* double */
    CGS_HDF5_INTEGER, /* int64_t */
    CGS_HDF5_BYTE,    /* uint8_t */
    CGS_HDF5_NUMBERS
};

/* An array: `rank` extents, the last varies fastest; a piece of it, an extent of 1 beyond the rank. */
enum { CGS_HDF5_RANK = 3, CGS_HDF5_ARRAYS = 16 };

struct cgs_hdf5_shape {
    int rank;
    int64_t extent[CGS_HDF5_RANK];
};

/* Chunks are to be so large at most. */
enum { CGS_HDF5_CHUNK_BYTES = 512 << 10 };

/* Returns the memory in bytes that the library takes while arrays of so many bytes are filled. */
int64_t cgs_hdf5_bytes(int arrays, const int64_t *bytes);

/* Starts the library; again, does nothing. CGS_FILE: says what is missing, and its package. */
enum cgs_status cgs_hdf5_start(struct cgs_context *context);

/* Makes the file `path`, or empties it. CGS_FILE as above, or it cannot be written. To be closed. */
enum cgs_status cgs_hdf5_create(struct cgs_context *context, const char *path,
                                struct cgs_hdf5 **file);

/* Closes it: 0 where all is there, else an errno. NULL is no file. */
int cgs_hdf5_close(struct cgs_hdf5 *file);

/* A group "/VTKHDF/PointData"; those above it are there. */
void cgs_hdf5_group(struct cgs_hdf5 *file, const char *path);

/* Attributes of a group or an array: `count` numbers, or a text in ASCII. */
void cgs_hdf5_put_numbers(struct cgs_hdf5 *file, const char *path, const char *name,
                          enum cgs_hdf5_number number, int count, const void *values);
void cgs_hdf5_put_text(struct cgs_hdf5 *file, const char *path, const char *name, const char *text);

/* An array `path`, in chunks (rank, extents as those of the shape, at most as large), compressed where
 * the library can. Returns its handle for cgs_hdf5_write. At most CGS_HDF5_ARRAYS a
 * file. */
int cgs_hdf5_array(struct cgs_hdf5 *file, const char *path, enum cgs_hdf5_number number,
                   const struct cgs_hdf5_shape *shape, const struct cgs_hdf5_shape *chunk);

/* `numbers` into the piece of the array that begins at `first` (as many as its rank). */
void cgs_hdf5_write(struct cgs_hdf5 *file, int array, const int64_t *first,
                    const struct cgs_hdf5_shape *piece, const void *numbers);

/* A small array at once, of one extent, neither in chunks nor compressed. */
void cgs_hdf5_put_array(struct cgs_hdf5 *file, const char *path, enum cgs_hdf5_number number,
                        int64_t count, const void *numbers);

#endif
