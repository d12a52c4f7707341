#include "src/hdf5_library.h"

#include <dlfcn.h>
#include <string.h>

#include "src/hdf5_names.h"

static enum cgs_status missing(struct cgs_context *context, const char *what)
{
    return cgs_fail(context, CGS_FILE,
                    "--output=FILE.vtkhdf needs HDF5: %s; its package is libhdf5-103-1 or libhdf5-310 "
                    "(Debian), hdf5 (Fedora); or take --output=FILE.mtx",
                    what);
}

static bool find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

/* Types and classes are numbers that the library keeps, known once it is open. */
static bool find_number(void *library, const char *name, hid_t *number)
{
    const hid_t *kept = NULL;
    if (!find(library, name, &kept))
        return false;
    *number = *kept;
    return true;
}

static bool find_types(void *loaded, struct cgs_hdf5_library *l)
{
    return find_number(loaded, "H5T_NATIVE_DOUBLE_g", &l->memory[CGS_HDF5_REAL]) &&
           find_number(loaded, "H5T_NATIVE_INT64_g", &l->memory[CGS_HDF5_INTEGER]) &&
           find_number(loaded, "H5T_NATIVE_UINT8_g", &l->memory[CGS_HDF5_BYTE]) &&
           find_number(loaded, "H5T_IEEE_F64LE_g", &l->stored[CGS_HDF5_REAL]) &&
           find_number(loaded, "H5T_STD_I64LE_g", &l->stored[CGS_HDF5_INTEGER]) &&
           find_number(loaded, "H5T_STD_U8LE_g", &l->stored[CGS_HDF5_BYTE]) &&
           find_number(loaded, "H5T_C_S1_g", &l->text) &&
           find_number(loaded, "H5P_CLS_DATASET_CREATE_ID_g", &l->list_class);
}

enum cgs_status cgs_hdf5_library_load(struct cgs_context *context, struct cgs_hdf5_library *library)
{
    static const char *const names[] = {CGS_HDF5_NAMES};
    struct cgs_hdf5_library l = {.deflates = false};
    void *loaded = NULL;
    unsigned major, minor, release;
    for (size_t i = 0; i < sizeof names / sizeof *names && !loaded; i++)
        loaded = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!loaded)
        return missing(context, "libhdf5 was not found");
    bool whole = true;
#define X(member, function) whole = whole && find(loaded, #function, &l.member);
    CGS_HDF5_FUNCTIONS(X)
#undef X
    /* Without its own end at exit, which would try again to write what could not be written. */
    if (whole)
        l.no_exit(); /* fails where it was asked before */
    whole = whole && l.open() >= 0 && find_types(loaded, &l);
    dlclose(loaded); /* stays where it is (RTLD_NODELETE) */
    if (!whole || l.version(&major, &minor, &release) < 0 || (major == 1 && minor < 10))
        return missing(context, "the library found is older than 1.10");
    l.quiet(H5E_DEFAULT, NULL, NULL); /* what it has to say we say */
    l.deflates = l.filter_there(H5Z_FILTER_DEFLATE) > 0 && l.filter_there(H5Z_FILTER_SHUFFLE) > 0;
    *library = l;
    return CGS_OK;
}
