/* The emulator itself: what it computes, and that it sees what is wrong on purpose. */
#include <cuda_runtime.h>

#include "tests/support/check.h"

enum { THREADS = 96 };

static int *numbers;

static cudaError_t launch(void (*kernel)(int *), unsigned grid, size_t shared = 0,
                          bool together = false)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = together;
    config.gridDim = dim3(grid);
    config.blockDim = dim3(THREADS);
    config.dynamicSmemBytes = shared;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, numbers);
}

/* In how many of nine launches, of each order three, a thread finds what another wrote. */
static int right(void (*kernel)(int *))
{
    int count = 0;
    for (int time = 0; time < 9; time++) {
        bool all = true;
        ck_assert_int_eq(launch(kernel, 1), cudaSuccess);
        for (int i = 0; i < THREADS; i++)
            all = all && numbers[i] == (i + 1) % THREADS;
        count += all;
    }
    return count;
}

static void from_neighbour(int *to)
{
    __shared__ int mine[THREADS];
    mine[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    to[threadIdx.x] = mine[(threadIdx.x + 1) % THREADS];
}

static void without_barrier(int *to)
{
    __shared__ int mine[THREADS];
    mine[threadIdx.x] = (int)threadIdx.x;
    to[threadIdx.x] = mine[(threadIdx.x + 1) % THREADS];
}

/* A warp does not wait for the others; the last lane's neighbour is in the next warp. */
static void with_warps_barrier(int *to)
{
    __shared__ int mine[THREADS];
    mine[threadIdx.x] = (int)threadIdx.x;
    __syncwarp();
    to[threadIdx.x] = mine[(threadIdx.x + 1) % THREADS];
}

static void barrier_too_late(int *to)
{
    __shared__ int mine[THREADS];
    mine[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    const int next = mine[(threadIdx.x + 1) % THREADS];
    mine[threadIdx.x] = -1; /* others may still read it */
    __syncthreads();
    to[threadIdx.x] = next;
}

START_TEST(barriers)
{
    ck_assert_int_eq(right(from_neighbour), 9);
}
END_TEST

START_TEST(missing_barriers_show)
{
    ck_assert_int_lt(right(without_barrier), 9);
    ck_assert_int_lt(right(with_warps_barrier), 9);
    ck_assert_int_lt(right(barrier_too_late), 9);
}
END_TEST

static void shuffles(int *to)
{
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    int sum = lane;
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    const int left = __shfl_up_sync(0xffffffffu, lane, 1),
              right = __shfl_down_sync(0xffffffffu, lane, 1);
    const int first = __shfl_sync(0xffffffffu, lane, 0, 8);
    const unsigned odd = __ballot_sync(0xffffffffu, lane % 2);
    const bool good = sum == 496 && left == (lane ? lane - 1 : 0) &&
                      right == (lane < 31 ? lane + 1 : 31) && first == lane / 8 * 8 &&
                      odd == 0xaaaaaaaau && __syncthreads_or(threadIdx.x == 95) == 1 &&
                      __syncthreads_or(0) == 0;
    atomicAdd(&to[warp], good);
}

START_TEST(shuffles_and_votes)
{
    for (int time = 0; time < 3; time++) {
        memset(numbers, 0, 3 * sizeof *numbers);
        ck_assert_int_eq(launch(shuffles, 5), cudaSuccess);
        for (int warp = 0; warp < 3; warp++)
            ck_assert_int_eq(numbers[warp], 5 * 32);
    }
}
END_TEST

static void never_written(int *to)
{
    __shared__ int block[THREADS];
    to[threadIdx.x] = block[threadIdx.x];
    block[threadIdx.x] = 7; /* the next block must not see it */
}

START_TEST(shared_memory_is_poisoned)
{
    for (int time = 0; time < 3; time++) {
        ck_assert_int_eq(launch(never_written, 3), cudaSuccess);
        for (int i = 0; i < THREADS; i++)
            ck_assert_int_eq(numbers[i], -1);
    }
}
END_TEST

enum { FOUND = 10, LATE = 20, LATER = THREADS - 1 };

/* Each block waits for all others, and keeps its own shared memory meanwhile: what each launch writes,
 * and what one writes later than others. */
static void meet(int *to)
{
    __shared__ int own, late[2 * THREADS];
    if (threadIdx.x == 0) {
        to[FOUND + blockIdx.x] = late[LATER];
        own = (int)blockIdx.x;
        if (to[LATER])
            late[LATER] = 100 + (int)blockIdx.x;
        atomicAdd(to, 1);
        while (*to % (int)gridDim.x != 0)
            __nanosleep(0);
        to[1 + blockIdx.x] = own;
        to[LATE + blockIdx.x] = late[LATER];
    }
}

START_TEST(blocks_wait_for_each_other)
{
    numbers[0] = 0;
    for (int time = 0; time < 9; time++) {
        numbers[LATER] = time % 3 == 2;
        ck_assert_int_eq(launch(meet, 6, 0, true), cudaSuccess);
        for (int block = 0; block < 6; block++) {
            ck_assert_int_eq(numbers[1 + block], block);
            ck_assert_int_eq(numbers[FOUND + block], -1);
            ck_assert_int_eq(numbers[LATE + block], numbers[LATER] ? 100 + block : -1);
        }
    }
    numbers[0] = 0; /* not launched together they may wait for ever */
    ck_assert_int_eq(launch(meet, 6), cudaErrorLaunchFailure);
    cudaGetLastError();
}
END_TEST

static void two_barriers(int *to)
{
    if (threadIdx.x < 50)
        __syncthreads();
    else
        __syncthreads();
    *to = 1;
}

static void missing_lane(int *to)
{
    if (threadIdx.x % 32 != 3)
        *to = __shfl_sync(0xffffffffu, 1, 0);
    else
        __syncthreads();
}

static void plugin_mask(int *to)
{
    *to = __shfl_sync(1u, 1, 0);
}

static void past_shared(int *)
{
    CGS_DYNAMIC_SHARED(char, shared);
    shared[100] = 1;
}

static void past_memory(int *to)
{
    to[THREADS] = 1;
}

START_TEST(wrong_waits_are_reported)
{
    ck_assert_int_eq(launch(two_barriers, 1), cudaErrorLaunchFailure);
    ck_assert_ptr_nonnull(strstr(cudaGetErrorString(cudaErrorLaunchFailure), "different barriers"));
    ck_assert_int_eq(launch(missing_lane, 1), cudaErrorLaunchFailure);
    ck_assert_ptr_nonnull(strstr(cudaGetErrorString(cudaErrorLaunchFailure), "in vain"));
    ck_assert_int_eq(launch(plugin_mask, 1), cudaErrorLaunchFailure);
    ck_assert_ptr_nonnull(strstr(cudaGetErrorString(cudaErrorLaunchFailure), "its own mask"));
}
END_TEST

START_TEST(wrong_writes_are_reported)
{
    ck_assert_int_eq(launch(past_shared, 1, 101), cudaSuccess);
    ck_assert_int_eq(launch(past_shared, 1, 100), cudaErrorLaunchFailure);
    ck_assert_ptr_nonnull(
        strstr(cudaGetErrorString(cudaErrorLaunchFailure), "100 bytes of shared memory"));
    ck_assert_int_eq(launch(past_memory, 1), cudaErrorIllegalAddress);
    memset(numbers + THREADS, 0xff, sizeof *numbers);
}
END_TEST

static void set_up()
{
    ck_assert_int_eq(cudaMalloc((void **)&numbers, THREADS * sizeof *numbers), cudaSuccess);
}

static void take_down()
{
    ck_assert_int_eq(cudaFree(numbers), cudaSuccess);
}

int main()
{
    Suite *suite = suite_create("emulator");
    TCase *tcase = tcase_create("kernels");
    SRunner *runner = srunner_create(suite);
    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, set_up, take_down);
    tcase_add_test(tcase, barriers);
    tcase_add_test(tcase, missing_barriers_show);
    tcase_add_test(tcase, shuffles_and_votes);
    tcase_add_test(tcase, shared_memory_is_poisoned);
    tcase_add_test(tcase, blocks_wait_for_each_other);
    tcase_add_test(tcase, wrong_waits_are_reported);
    tcase_add_test(tcase, wrong_writes_are_reported);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}
