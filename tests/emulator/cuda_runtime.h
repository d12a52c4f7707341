/* A CUDA device of plain C++, for machines without a GPU: kernels compiled by the C++ compiler,
 * each CUDA thread a fiber (emulator.cpp has what is checked and what can't be seen). Found before
 * NVIDIA's header of this name by -I; has what kernels/ uses of it and no more. */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CUDART_VERSION 12040
#define CUDART_CB

/* ---- qualifiers ---- */

#define __global__
#define __device__
#define __host__
#define __grid_constant__
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
/* The static shared memory of all kernels is the program's thread-local storage: the runtime
 * poisons it before each block, and swaps it where several blocks are under way. */
#define __shared__ thread_local
#define CGS_DYNAMIC_SHARED(type, name) type *name = static_cast<decltype(name)>(emulator_shared())

/* ---- vectors and indices ---- */

struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c)
    {
    }
};
struct alignas(8) int2 {
    int x, y;
};
struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(16) int4 {
    int x, y, z, w;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
struct alignas(8) float2 {
    float x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(16) double2 {
    double x, y;
};
struct alignas(16) longlong2 {
    long long x, y;
};
static inline int2 make_int2(int x, int y)
{
    return {x, y};
}
static inline int4 make_int4(int x, int y, int z, int w)
{
    return {x, y, z, w};
}
static inline float2 make_float2(float x, float y)
{
    return {x, y};
}
static inline float4 make_float4(float x, float y, float z, float w)
{
    return {x, y, z, w};
}
static inline double2 make_double2(double x, double y)
{
    return {x, y};
}

/* The running thread's place. */
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;

/* ---- what threads wait for; where: for the report of a deadlock ---- */

enum emulator_vote { EMULATOR_SYNC, EMULATOR_SHUFFLE, EMULATOR_BALLOT };

void *emulator_shared();
void emulator_yield();
void emulator_sleep();
bool emulator_barrier(bool vote, const char *file, int line);
/* Waits for the lanes of `mask`; the number of the lane `from`, or the ballot, which is
 * returned. */
uint64_t emulator_warp(enum emulator_vote kind, unsigned mask, uint64_t mine, int from,
                       const char *file, int line);

#define EMULATOR_WHERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

static inline void __syncthreads(EMULATOR_WHERE)
{
    emulator_barrier(false, file, line);
}
static inline int __syncthreads_or(int vote, EMULATOR_WHERE)
{
    return emulator_barrier(vote != 0, file, line);
}
static inline void __syncwarp(unsigned mask = 0xffffffffu, EMULATOR_WHERE)
{
    emulator_warp(EMULATOR_SYNC, mask, 0, 0, file, line);
}
static inline unsigned __ballot_sync(unsigned mask, int vote, EMULATOR_WHERE)
{
    return (unsigned)emulator_warp(EMULATOR_BALLOT, mask, vote != 0, 0, file, line);
}
static inline int __any_sync(unsigned mask, int vote, EMULATOR_WHERE)
{
    return __ballot_sync(mask, vote, file, line) != 0;
}
static inline int __all_sync(unsigned mask, int vote, EMULATOR_WHERE)
{
    return __ballot_sync(mask, !vote, file, line) == 0;
}

template <class T>
static inline T emulator_shuffle(unsigned mask, T mine, int from, const char *file, int line)
{
    static_assert(sizeof(T) <= sizeof(uint64_t));
    uint64_t bits = 0;
    memcpy(&bits, &mine, sizeof mine);
    bits = emulator_warp(EMULATOR_SHUFFLE, mask, bits, from, file, line);
    memcpy(&mine, &bits, sizeof mine);
    return mine;
}
static inline int emulator_lane()
{
    return (int)(threadIdx.x % 32);
}
template <class T>
static inline T __shfl_sync(unsigned mask, T mine, int from, int width = 32, EMULATOR_WHERE)
{
    const int lane = emulator_lane(), first = lane & ~(width - 1);
    return emulator_shuffle(mask, mine, first + (from & (width - 1)), file, line);
}
template <class T>
static inline T __shfl_xor_sync(unsigned mask, T mine, int bits, int width = 32, EMULATOR_WHERE)
{
    const int lane = emulator_lane(), from = lane ^ bits;
    return emulator_shuffle(mask, mine, from / width > lane / width ? lane : from, file, line);
}
template <class T>
static inline T __shfl_up_sync(unsigned mask, T mine, unsigned by, int width = 32, EMULATOR_WHERE)
{
    const int lane = emulator_lane(), from = lane - (int)by;
    return emulator_shuffle(mask, mine, from < (lane & ~(width - 1)) ? lane : from, file, line);
}
template <class T>
static inline T __shfl_down_sync(unsigned mask, T mine, unsigned by, int width = 32, EMULATOR_WHERE)
{
    const int lane = emulator_lane(), from = lane + (int)by;
    return emulator_shuffle(mask, mine, from > (lane | (width - 1)) ? lane : from, file, line);
}

/* Sleeps where there is a time: for another process, which needs the processor. */
static inline void __nanosleep(unsigned nanoseconds)
{
    if (nanoseconds > 0)
        emulator_sleep();
    emulator_yield();
}
static inline void __threadfence()
{
}
static inline void __threadfence_block()
{
}
static inline void __threadfence_system()
{
}

/* ---- memory: a thread runs until it waits, so that every access is atomic ---- */

template <class T> static inline T __ldg(const T *p)
{
    return *p;
}
template <class T> static inline T __ldcs(const T *p)
{
    return *p;
}
template <class T> static inline T __ldcg(const T *p)
{
    return *p;
}
template <class T, class V> static inline void __stcg(T *p, V v)
{
    *p = v;
}
template <class T, class V> static inline void __stcs(T *p, V v)
{
    *p = v;
}
template <class T, class V> static inline T atomicAdd(T *p, V v)
{
    const T before = *p;
    *p = before + (T)v;
    return before;
}
template <class T, class V> static inline T atomicMax(T *p, V v)
{
    const T before = *p;
    *p = before < (T)v ? (T)v : before;
    return before;
}
template <class T, class V> static inline T atomicMin(T *p, V v)
{
    const T before = *p;
    *p = (T)v < before ? (T)v : before;
    return before;
}
template <class T, class V> static inline T atomicOr(T *p, V v)
{
    const T before = *p;
    *p = before | (T)v;
    return before;
}
template <class T, class U, class V> static inline T atomicCAS(T *p, U expected, V v)
{
    const T before = *p;
    if (before == (T)expected)
        *p = (T)v;
    return before;
}

/* ---- numbers ---- */

template <class A, class B> static inline auto min(A a, B b) -> decltype(a + b)
{
    return (decltype(a + b))b < (decltype(a + b))a ? b : a;
}
template <class A, class B> static inline auto max(A a, B b) -> decltype(a + b)
{
    return (decltype(a + b))a < (decltype(a + b))b ? b : a;
}
static inline float __fdividef(float a, float b)
{
    return a / b;
}
static inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
static inline int __ffs(int x)
{
    return __builtin_ffs(x);
}
static inline int __clz(int x)
{
    return x ? __builtin_clz((unsigned)x) : 32;
}
static inline long long __double_as_longlong(double x)
{
    return __builtin_bit_cast(long long, x);
}
static inline double __longlong_as_double(long long x)
{
    return __builtin_bit_cast(double, x);
}
static inline double __hiloint2double(int high, int low)
{
    return __longlong_as_double((long long)((uint64_t)(uint32_t)high << 32 | (uint32_t)low));
}
static inline float __int_as_float(int x)
{
    return __builtin_bit_cast(float, x);
}

/* ---- the runtime library ---- */

enum cudaError_t {
    cudaSuccess,
    cudaErrorInvalidValue,
    cudaErrorMemoryAllocation,
    cudaErrorNoDevice,
    cudaErrorNotReady,
    cudaErrorInsufficientDriver,
    cudaErrorNoKernelImageForDevice,
    cudaErrorInvalidDeviceFunction,
    cudaErrorDevicesUnavailable,
    cudaErrorIllegalAddress,
    cudaErrorLaunchFailure,
    cudaErrorCooperativeLaunchTooLarge,
    cudaErrorPeerAccessAlreadyEnabled,
    cudaErrorNotSupported
};
const char *cudaGetErrorString(cudaError_t error);
const char *cudaGetErrorName(cudaError_t error);
cudaError_t cudaGetLastError();

struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlockOptin, sharedMemPerMultiprocessor;
    int major, minor, multiProcessorCount, maxThreadsPerMultiProcessor, l2CacheSize;
    int cooperativeLaunch, ECCEnabled, memoryPoolsSupported;
    int pciDomainID, pciBusID, pciDeviceID;
};
enum { cudaComputeModeDefault, cudaComputeModeProhibited };
enum cudaDeviceAttr {
    cudaDevAttrComputeMode,
    cudaDevAttrComputeCapabilityMajor,
    cudaDevAttrComputeCapabilityMinor
};
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *index);
cudaError_t cudaSetDevice(int index);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int index);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int index);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaDeviceSynchronize();

typedef struct emulator_stream *cudaStream_t;
typedef struct emulator_event *cudaEvent_t;
typedef struct emulator_pool *cudaMemPool_t;
typedef struct emulator_graph *cudaGraph_t, *cudaGraphExec_t;

enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
enum cudaMemoryType {
    cudaMemoryTypeUnregistered,
    cudaMemoryTypeHost,
    cudaMemoryTypeDevice,
    cudaMemoryTypeManaged
};
struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
};
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *address);
cudaError_t cudaMalloc(void **block, size_t bytes);
cudaError_t cudaFree(void *block);
cudaError_t cudaHostAlloc(void **block, size_t bytes, unsigned flags);
cudaError_t cudaFreeHost(void *block);
cudaError_t cudaHostRegister(void *block, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void *block);
cudaError_t cudaMemGetInfo(size_t *available, size_t *all);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t bytes, size_t lines, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemset(void *to, int byte, size_t bytes);
cudaError_t cudaMemsetAsync(void *to, int byte, size_t bytes, cudaStream_t stream);
cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int byte, size_t bytes, size_t lines,
                              cudaStream_t stream);
enum { cudaHostAllocDefault, cudaHostAllocPortable, cudaHostRegisterDefault = 0 };

enum { cudaIpcMemLazyEnablePeerAccess = 1 };
struct cudaIpcMemHandle_t {
    char reserved[64];
};
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *block);
cudaError_t cudaIpcOpenMemHandle(void **block, cudaIpcMemHandle_t handle, unsigned flags);
cudaError_t cudaIpcCloseMemHandle(void *block);
cudaError_t cudaDeviceEnablePeerAccess(int index, unsigned flags);
cudaError_t cudaDeviceCanAccessPeer(int *can, int from, int to);
enum cudaDeviceP2PAttr { cudaDevP2PAttrNativeAtomicSupported };
cudaError_t cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr which, int from, int to);

enum cudaMemPoolAttr {
    cudaMemPoolAttrUsedMemCurrent,
    cudaMemPoolAttrReservedMemCurrent,
    cudaMemPoolAttrReleaseThreshold
};
enum { cudaMemAllocationTypePinned, cudaMemLocationTypeDevice };
struct cudaMemPoolProps {
    int allocType;
    struct {
        int type, id;
    } location;
};
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *properties);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr which, void *value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr which, void *value);
cudaError_t cudaMallocFromPoolAsync(void **block, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream);
cudaError_t cudaFreeAsync(void *block, cudaStream_t stream);

enum { cudaStreamNonBlocking = 1, cudaEventDisableTiming = 2 };
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void *), void *data);

/* ---- graphs: what a stream would have done, in its order ---- */

enum cudaStreamCaptureMode { cudaStreamCaptureModeThreadLocal };
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive };
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status);
enum { cudaGraphCondAssignDefault, cudaGraphCondTypeWhile, cudaGraphNodeTypeConditional };
typedef struct emulator_node *cudaGraphNode_t;
typedef unsigned long long cudaGraphConditionalHandle;
struct cudaGraphNodeParams {
    int type;
    struct {
        cudaGraphConditionalHandle handle;
        int type, size;
        cudaGraph_t *phGraph_out;
    } conditional;
};
struct cudaKernelNodeParams {
    void *func;
    dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void **kernelParams, **extra;
};
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *made, cudaGraph_t graph,
                                 unsigned long long flags);
cudaError_t cudaGraphUpload(cudaGraphExec_t graph, cudaStream_t stream);
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph);
cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph,
                                             unsigned value, unsigned flags);
cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                             size_t count, cudaGraphNodeParams *params);
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *after, size_t count,
                                       cudaGraph_t child);
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *after, size_t count,
                                   const cudaKernelNodeParams *params);
void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value);

/* ---- launches ---- */

enum { cudaLaunchAttributeCooperative = 2, cudaLaunchAttributeProgrammaticStreamSerialization = 6 };
struct cudaLaunchAttribute {
    int id;
    struct {
        int cooperative, programmaticStreamSerializationAllowed;
    } val;
};
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
};

/* A kernel with its arguments. */
struct emulator_call {
    const void *kernel;
    virtual void run() const = 0;
    virtual ~emulator_call()
    {
    }
};
template <class Function> struct emulator_closure : emulator_call {
    Function function;
    emulator_closure(Function f, const void *k) : function(f)
    {
        kernel = k;
    }
    void run() const override
    {
        function();
    }
};
/* Takes the call over. */
cudaError_t emulator_launch(const cudaLaunchConfig_t *config, emulator_call *call);

template <class... Parameters, class... Arguments>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                             void (*kernel)(Parameters...), Arguments... arguments)
{
    const auto function = [kernel, arguments...]() { kernel(arguments...); };
    return emulator_launch(
        config, new emulator_closure<decltype(function)>(function, (const void *)kernel));
}

struct cudaFuncAttributes {
    int numRegs;
};
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize,
    cudaFuncAttributePreferredSharedMemoryCarveout
};
enum { cudaSharedmemCarveoutMaxShared = 100 };
cudaError_t emulator_set(const void *kernel, cudaFuncAttribute which, int value);
template <class Kernel>
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, Kernel *)
{
    *attributes = {};
    return cudaSuccess;
}
template <class Kernel>
static inline cudaError_t cudaFuncSetAttribute(Kernel *kernel, cudaFuncAttribute which, int value)
{
    return emulator_set((const void *)kernel, which, value);
}
template <class Kernel>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Kernel *, int,
                                                                        size_t)
{
    *blocks = 2;
    return cudaSuccess;
}

enum cudaDataType { CUDA_R_32F, CUDA_R_64F };
