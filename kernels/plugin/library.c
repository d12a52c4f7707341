#include "kernels/plugin/library.h"

#include <dlfcn.h>
#include <string.h>

/* The version whose matrix ends before `bytes`, which is the program's to give and not to get. */
enum { WITHOUT_BYTES = 1 };

/* Returns the first invalid field of the descriptor, or NULL. */
static const char *wrong_field(const struct cgsolve_kernel *k)
{
    if (k->format != CGSOLVE_CRS && k->format != CGSOLVE_SELL)
        return "format is neither CGSOLVE_CRS nor CGSOLVE_SELL";
    if (k->device != CGSOLVE_CPU && k->device != CGSOLVE_CUDA)
        return "device is neither CGSOLVE_CPU nor CGSOLVE_CUDA";
    if (k->precisions == 0 || (k->precisions & ~(CGSOLVE_DOUBLE | CGSOLVE_SINGLE)) != 0)
        return "precisions is not CGSOLVE_DOUBLE, CGSOLVE_SINGLE or both";
    if ((k->flags & ~(CGSOLVE_REPRODUCIBLE | CGSOLVE_CAPTURABLE | CGSOLVE_ENTRYLESS)) != 0)
        return "flags has a bit that does not exist";
    if (!k->name || !k->name[0] || !k->description)
        return "name or description is missing";
    return k->apply ? NULL : "apply is NULL";
}

enum cgs_status cgs_library_open(struct cgs_context *context, const char *name, const char *path,
                                 const struct cgsolve_kernel **kernel)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) {
        const char *why = dlerror();
        const size_t prefix = strlen(path);
        if (why && strncmp(why, path, prefix) == 0 && strncmp(why + prefix, ": ", 2) == 0)
            why += prefix + 2;
        return cgs_fail(context, CGS_FILE,
                        "kernel '%s' can't be loaded as a shared library: %.300s; expected is what "
                        "'cc -shared -fPIC' makes, or a .c or .cu file",
                        name, why ? why : "no reason given");
    }
    const struct cgsolve_kernel *found = dlsym(handle, "cgsolve_kernel");
    if (!found)
        return cgs_fail(context, CGS_FILE,
                        "kernel '%s' defines no symbol 'cgsolve_kernel': it has to end in 'const "
                        "struct cgsolve_kernel cgsolve_kernel = { ... };' (cgsolve/kernel.h)",
                        name);
    if (found->abi != CGSOLVE_KERNEL_ABI && found->abi != WITHOUT_BYTES)
        return cgs_fail(
            context, CGS_FILE,
            "kernel '%s' is for version %d of cgsolve/kernel.h, and this cgsolve has %d: "
            "compile it again with the header of this one",
            name, found->abi, CGSOLVE_KERNEL_ABI);
    const char *wrong = wrong_field(found);
    if (wrong)
        return cgs_fail(context, CGS_FILE,
                        "kernel '%s': in its cgsolve_kernel %s (cgsolve/kernel.h)", name, wrong);
    *kernel = found;
    return CGS_OK;
}
