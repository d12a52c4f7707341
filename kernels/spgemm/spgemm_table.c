/* spgemm.def as a table: cgs_<device>_<name>_<f64|f32>. Lines of a device that this build lacks
 * keep name and description and have NULL tables. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#include "kernels/spgemm/spgemm_table.h"
#endif

#include <stdbool.h>
#include <stddef.h>

#define DEVICE_cpu CGS_CPU
#define DEVICE_cuda CGS_CUDA

#define SPGEMM_DECLARE_cpu(name)                                                                   \
    extern const struct cgs_spgemm_kernel cgs_cpu_##name##_f64, cgs_cpu_##name##_f32;
#define SPGEMM_TABLES_cpu(name)                                                                    \
    {                                                                                              \
        &cgs_cpu_##name##_f64, &cgs_cpu_##name##_f32                                               \
    }
#ifdef HAVE_CUDA
#define SPGEMM_DECLARE_cuda(name)                                                                  \
    extern const struct cgs_spgemm_kernel cgs_cuda_##name##_f64, cgs_cuda_##name##_f32;
#define SPGEMM_TABLES_cuda(name)                                                                   \
    {                                                                                              \
        &cgs_cuda_##name##_f64, &cgs_cuda_##name##_f32                                             \
    }
#else
#define SPGEMM_DECLARE_cuda(name)
#define SPGEMM_TABLES_cuda(name)                                                                   \
    {                                                                                              \
        NULL, NULL                                                                                 \
    }
#endif

#define CGS_SPGEMM(device, name, ...) SPGEMM_DECLARE_##device(name)
#include "kernels/spgemm.def"
#undef CGS_SPGEMM

#define CHOICE_AUTO true
#define CHOICE_NAMED false
#define CGS_SPGEMM(device, name, choice, description)                                              \
    {#name, DEVICE_##device, CHOICE_##choice, description, SPGEMM_TABLES_##device(name)},
static const struct cgs_spgemm_entry spgemms[] = {
#include "kernels/spgemm.def"
};
#undef CGS_SPGEMM

const struct cgs_spgemm_entry *cgs_spgemms(int *count)
{
    *count = (int)(sizeof spgemms / sizeof *spgemms);
    return spgemms;
}
