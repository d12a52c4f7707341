/* kernels.def as a table, the backends of this build, and the search by name.
 *
 * With spgemm/spgemm_table.c the only file that depends on whether this build has CUDA: lines of a
 * device that it lacks keep name and description and have NULL tables. */
#include "kernels/registry.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/spelling.h"
#include "matrix/names.h"

/* ---- the tables: cgs_<device>_<name>_<precision> ---- */

#define DECLARE(symbol) extern const struct cgs_kernel symbol##_f64, symbol##_f32, symbol##_f64v32;
#define TABLES(symbol, f64v32)                                                                     \
    {                                                                                              \
        &symbol##_f64, &symbol##_f32, &symbol##_##f64v32, &symbol##_f32                            \
    }

/* Without a matrix there are no entries to keep in single precision. */
#define F64V32_CRS f64v32
#define F64V32_SELL f64v32
#define F64V32_SELLC f64v32
#define F64V32_NONE f64

#define DECLARE_cpu(name) DECLARE(cgs_cpu_##name)
#define TABLES_cpu(name, f64v32) TABLES(cgs_cpu_##name, f64v32)
#define DEVICE_cpu CGS_CPU
#define DEVICE_cuda CGS_CUDA

extern const struct cgs_backend cgs_backend_cpu;

#ifdef HAVE_CUDA
#define DECLARE_cuda(name) DECLARE(cgs_cuda_##name)
#define TABLES_cuda(name, f64v32) TABLES(cgs_cuda_##name, f64v32)
#define BACKEND_CUDA &cgs_backend_cuda
extern const struct cgs_backend cgs_backend_cuda;
#else
#define DECLARE_cuda(name)
#define TABLES_cuda(name, f64v32)                                                                  \
    {                                                                                              \
        NULL, NULL, NULL, NULL                                                                     \
    }
#define BACKEND_CUDA NULL
#endif

#define CGS_KERNEL(device, name, ...) DECLARE_##device(name)
#include "kernels/kernels.def"
#undef CGS_KERNEL

#define CHOICE_AUTO true
#define CHOICE_NAMED false
#define CGS_KERNEL(device, name, format, choice, description)                                      \
    {#name,           DEVICE_##device, CGS_##format,                                               \
     CHOICE_##choice, description,     TABLES_##device(name, F64V32_##format)},
static const struct cgs_kernel_entry entries[] = {
#include "kernels/kernels.def"
};
#undef CGS_KERNEL

enum { ENTRIES = sizeof entries / sizeof *entries };

const struct cgs_kernel_entry *cgs_kernels(int *count)
{
    *count = ENTRIES;
    return entries;
}

/* ---- precisions and devices ---- */

enum cgs_number cgs_precision_real(enum cgs_precision precision)
{
    return precision == CGS_PRECISION_F32 || precision == CGS_PRECISION_MIXED ? CGS_F32 : CGS_F64;
}

enum cgs_precision cgs_number_precision(enum cgs_number number)
{
    return number == CGS_F32 ? CGS_PRECISION_F32 : CGS_PRECISION_F64;
}

enum cgs_number cgs_precision_value(enum cgs_precision precision)
{
    return precision == CGS_PRECISION_F64 ? CGS_F64 : CGS_F32;
}

const char *cgs_precision_name(enum cgs_precision precision)
{
    static const char *const names[CGS_PRECISIONS + 1] = {[CGS_PRECISION_F64] = "double",
                                                          [CGS_PRECISION_F32] = "single",
                                                          [CGS_PRECISION_F64V32] = "f64v32",
                                                          [CGS_PRECISION_MIXED] = "mixed"};
    return names[precision];
}

const struct cgs_backend *cgs_backend(enum cgs_device device)
{
    static const struct cgs_backend *const backends[CGS_DEVICES] = {
        [CGS_CPU] = &cgs_backend_cpu, [CGS_CUDA] = BACKEND_CUDA};
    return backends[device];
}

const char *cgs_device_name(enum cgs_device device)
{
    static const char *const names[CGS_DEVICES] = {[CGS_CPU] = "cpu", [CGS_CUDA] = "cuda"};
    return names[device];
}

const char *cgs_backend_reason(enum cgs_device device)
{
    if (cgs_backend(device))
        return "";
    return "this cgsolve was built without CUDA: ./bootstrap run --cuda builds it with the CUDA "
           "Toolkit >= 12.4";
}

/* ---- the search ---- */

/* Fills in the names of the device's kernels for the format (CGS_FORMATS: for any); returns their
 * number. */
static int list_names(enum cgs_device device, enum cgs_format format, const char **names)
{
    int count = 0;
    for (int i = 0; i < ENTRIES; i++)
        if (entries[i].device == device && (format == CGS_FORMATS || entries[i].format == format))
            names[count++] = entries[i].name;
    return count;
}

static void join(const char *const *names, int count, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", names[i]);
}

/* Explains why a kernel was not found: misspelt, or one of another device or format. */
static enum cgs_status not_found(struct cgs_context *context, const char *name,
                                 enum cgs_device device, enum cgs_format format)
{
    const char *names[ENTRIES];
    char list[512];
    const int count = list_names(device, format, names);
    join(names, count, list, sizeof list);
    const char *device_name = cgs_device_name(device), *format_name = cgs_format_name(format);
    for (int i = 0; i < ENTRIES; i++)
        if (strcmp(entries[i].name, name) == 0)
            return cgs_fail(context, CGS_USAGE,
                            "kernel '%s' is of backend %s and format %s; for %s on the %s: %s",
                            name, cgs_device_name(entries[i].device),
                            cgs_format_name(entries[i].format), format_name, device_name, list);
    const int nearest = cgs_nearest(name, names, count);
    if (nearest >= 0)
        return cgs_fail(context, CGS_USAGE,
                        "unknown kernel '%s'; did you mean '%s'? (for %s on the %s: %s)", name,
                        names[nearest], format_name, device_name, list);
    return cgs_fail(context, CGS_USAGE, "unknown kernel '%s'; for %s on the %s there is: %s", name,
                    format_name, device_name, list);
}

enum cgs_status cgs_kernel_find(struct cgs_context *context, const char *name,
                                enum cgs_device device, enum cgs_format format,
                                const struct cgs_kernel_entry **entry)
{
    const char *names[ENTRIES];
    if (!cgs_backend(device))
        return cgs_fail(context, CGS_DEVICE, "%s", cgs_backend_reason(device));
    if (list_names(device, format, names) == 0) {
        char list[512];
        join(names, list_names(device, CGS_FORMATS, names), list, sizeof list);
        return cgs_fail(context, CGS_USAGE,
                        "no kernel of the %s takes format %s; its kernels are: %s",
                        cgs_device_name(device), cgs_format_name(format), list);
    }
    for (int i = 0; i < ENTRIES; i++)
        if (entries[i].device == device && entries[i].format == format &&
            (strcmp(name, entries[i].name) == 0 ||
             (entries[i].automatic && strcmp(name, "auto") == 0))) {
            *entry = &entries[i];
            return CGS_OK;
        }
    return not_found(context, name, device, format);
}
