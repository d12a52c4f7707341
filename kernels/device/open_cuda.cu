/* Selection of a CUDA device, with a remedy for everything that can be missing. */
#include <cstdio>
#include <cstring>

#include "config.h"

#include "base/comm.h"
#include "kernels/device/open_cuda.cuh"

/* Any kernel: it can be loaded if this program has code for the device. */
static __global__ void probe()
{
}

void cgs_cuda_driver_version(char *text, size_t size)
{
    int version = 0;
    FILE *file = fopen("/sys/module/nvidia/version", "r");
    text[0] = '\0';
    if (file) {
        if (fgets(text, (int)size, file))
            text[strcspn(text, "\n")] = '\0';
        fclose(file);
    }
    if (!text[0] && cudaDriverGetVersion(&version) == cudaSuccess && version > 0)
        snprintf(text, size, "CUDA %d.%d", version / 1000, version % 1000 / 10);
}

void cgs_cuda_survey(struct cgs_survey *survey)
{
    memset(survey, 0, sizeof *survey);
    cudaDriverGetVersion(&survey->driver);
    cudaRuntimeGetVersion(&survey->runtime);
    const cudaError_t counted = cudaGetDeviceCount(&survey->devices);
    if (counted != cudaSuccess) {
        survey->devices = 0;
        snprintf(survey->trouble, sizeof survey->trouble, "%s (%s)", cudaGetErrorString(counted),
                 cudaGetErrorName(counted));
    }
    for (int i = 0; i < survey->devices && i < CGS_SURVEYED; i++) {
        auto *device = &survey->device[i];
        cudaDeviceProp properties;
        int mode = cudaComputeModeDefault;
        if (cudaGetDeviceProperties(&properties, i) != cudaSuccess ||
            cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, i) != cudaSuccess)
            continue; /* opening it gives the reason */
        snprintf(device->name, sizeof device->name, "%.127s", properties.name);
        snprintf(device->architecture, sizeof device->architecture, "sm_%d%d", properties.major,
                 properties.minor);
        device->sharing = mode == cudaComputeModeDefault      ? CGS_SHARING_ALL
                          : mode == cudaComputeModeProhibited ? CGS_SHARING_NONE
                                                              : CGS_SHARING_ONE;
        device->ecc = properties.ECCEnabled != 0;
    }
    cudaGetLastError(); /* these errors have been reported */
}

/* Fails because no device can be used: driver missing or too old, or no device. */
static enum cgs_status nothing_there(struct cgs_context *context, cudaError_t error)
{
    int driver = 0, runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    cudaGetLastError();
    if (driver == 0)
        return cgs_fail(context, CGS_DEVICE,
                        "no NVIDIA driver on this machine (libcuda.so.1 not found): install the "
                        "driver, or use \1backend=cpu");
    if (error == cudaErrorInsufficientDriver)
        return cgs_fail(context, CGS_DEVICE,
                        "the NVIDIA driver offers CUDA %d.%d, this program needs %d.%d: update the "
                        "driver, build with an older toolkit, or use \1backend=cpu",
                        driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
    if (error == cudaErrorNoDevice)
        return cgs_fail(context, CGS_DEVICE,
                        "the NVIDIA driver finds no CUDA device (CUDA_VISIBLE_DEVICES? nvidia-smi "
                        "shows what there is); use \1backend=cpu");
    return cgs_cuda_fail(context, __FILE__, __LINE__, "cudaGetDeviceCount", error);
}

enum cgs_status cgs_cuda_select(struct cgs_context *context, int index)
{
    int count = 0, major = 0, minor = 0;
    cudaFuncAttributes attributes;

    const cudaError_t counted = cudaGetDeviceCount(&count);
    if (counted != cudaSuccess || count == 0)
        return nothing_there(context, counted == cudaSuccess ? cudaErrorNoDevice : counted);
    if (index < 0 || index >= count)
        return cgs_fail(context, CGS_DEVICE,
                        "there is no CUDA device %d: this machine has 0 ... %d", index, count - 1);
    CGS_CUDA_TRY(context, cudaSetDevice(index));
    CGS_CUDA_TRY(context, cudaFree(NULL)); /* creates the context */
    CGS_CUDA_TRY(context, cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, index));
    CGS_CUDA_TRY(context, cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, index));
    const cudaError_t loaded = cudaFuncGetAttributes(&attributes, probe);
    if (loaded != cudaSuccess) {
        cudaGetLastError();
        return cgs_fail(
            context, CGS_DEVICE,
            "device %d has architecture sm_%d%d, but this program was built for %s (%s): "
            "configure with CUDA_ARCH=%d%d and build again, or use \1backend=cpu",
            index, major, minor, CGS_CUDA_ARCHITECTURES, cudaGetErrorName(loaded), major, minor);
    }
    return CGS_OK;
}
