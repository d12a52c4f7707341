/* libhdf5 as it is loaded at run time: nothing is linked, since Debian's brings thirty libraries more.
 * The functions have the types of its headers. For hdf5_file.c alone.
 */
#ifndef CGS_SRC_HDF5_LIBRARY_H
#define CGS_SRC_HDF5_LIBRARY_H

#include <hdf5.h>
#include <stdbool.h>

#include "src/hdf5_file.h"

/* All that is called: X(member, function). */
#define CGS_HDF5_FUNCTIONS(X)                                                                      \
    X(no_exit, H5dont_atexit)                                                                      \
    X(open, H5open)                                                                                \
    X(version, H5get_libversion)                                                                   \
    X(quiet, H5Eset_auto2)                                                                         \
    X(walk, H5Ewalk2)                                                                              \
    X(clear, H5Eclear2)                                                                            \
    X(file_create, H5Fcreate)                                                                      \
    X(file_close, H5Fclose)                                                                        \
    X(group_create, H5Gcreate2)                                                                    \
    X(group_close, H5Gclose)                                                                       \
    X(space_scalar, H5Screate)                                                                     \
    X(space_simple, H5Screate_simple)                                                              \
    X(space_select, H5Sselect_hyperslab)                                                           \
    X(space_close, H5Sclose)                                                                       \
    X(attribute_create, H5Acreate_by_name)                                                         \
    X(attribute_write, H5Awrite)                                                                   \
    X(attribute_close, H5Aclose)                                                                   \
    X(type_copy, H5Tcopy)                                                                          \
    X(type_size, H5Tset_size)                                                                      \
    X(type_padding, H5Tset_strpad)                                                                 \
    X(type_close, H5Tclose)                                                                        \
    X(list_create, H5Pcreate)                                                                      \
    X(list_chunk, H5Pset_chunk)                                                                    \
    X(list_shuffle, H5Pset_shuffle)                                                                \
    X(list_deflate, H5Pset_deflate)                                                                \
    X(list_close, H5Pclose)                                                                        \
    X(filter_there, H5Zfilter_avail)                                                               \
    X(array_create, H5Dcreate2)                                                                    \
    X(array_space, H5Dget_space)                                                                   \
    X(array_write, H5Dwrite)                                                                       \
    X(array_close, H5Dclose)

struct cgs_hdf5_library {
#define X(member, function) __typeof__(&function) member;
    CGS_HDF5_FUNCTIONS(X)
#undef X
    /* Types of numbers, of a character; of lists of an array's properties. */
    hid_t memory[CGS_HDF5_NUMBERS], stored[CGS_HDF5_NUMBERS], text, list_class;
    bool deflates; /* has zlib */
};

/* Loads the library, or finds it loaded; it stays. CGS_FILE: says what is missing, and its package. */
enum cgs_status cgs_hdf5_library_load(struct cgs_context *context,
                                      struct cgs_hdf5_library *library);

#endif
