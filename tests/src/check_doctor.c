/* The doctor on machines that are not this one (doctor.h): the system, processors, memory. GPUs are
 * in check_doctor_gpu.c; what the environment provokes is in doctor.sh. */
#include <stdarg.h>

#include "src/doctor/doctor_build.h"
#include "src/doctor/doctor_files.h"
#include "src/doctor/doctor_gpu.h"
#include "src/doctor/doctor_memory.h"
#include "src/doctor/doctor_processor.h"
#include "tests/src/doctor.h"

/* ---- questions to the system ---- */

TEST(lists_and_numbers)
{
    int first;
    int64_t number;
    char line[8];
    put("/list", "2-3,8,10-11\n");
    ck_assert_int_eq(cgs_probe_list(root, "/list", &first), 5);
    ck_assert_int_eq(first, 2);
    put("/list", "\n");
    ck_assert_int_eq(cgs_probe_list(root, "/list", &first), 0);
    ck_assert_int_eq(first, -1);
    ck_assert_int_eq(cgs_probe_list(root, "/missing", &first), 0);
    put("/word", "max\n");
    ck_assert(!cgs_probe_number(root, "/word", "", &number));
    ck_assert(!cgs_probe_number(root, "/missing", "", &number));
    ck_assert(cgs_probe_line(root, "/word", line, sizeof line));
    ck_assert_str_eq(line, "max");
    put("/info", "MemTotalling: 1 kB\nMemTotal:  12 kB\n");
    ck_assert(cgs_probe_number(root, "/info", "MemTotal", &number));
    ck_assert_int_eq(number, 12 * 1024);
    ck_assert(!cgs_probe_number(root, "/info", "Swap", &number));
    ck_assert_int_eq(cgs_probe_entries(root, "", NULL), 3);
    ck_assert_int_eq(cgs_probe_entries(root, "/missing", NULL), 0);
}

TEST(control_groups_of_version_2)
{
    ck_assert_double_eq(cgs_probe_quota(root), 0.0);
    put("/proc/self/cgroup", "0::/slice/job\n");
    put("/sys/fs/cgroup/slice/job/cpu.max", "max 100000\n");
    ck_assert_double_eq(cgs_probe_quota(root), 0.0);
    put("/sys/fs/cgroup/slice/cpu.max", "150000 100000\n");
    ck_assert_double_eq(cgs_probe_quota(root), 1.5);
    put("/sys/fs/cgroup/slice/job/cpu.max", "400000 100000\n");
    ck_assert_double_eq(cgs_probe_quota(root), 1.5);
    put("/sys/fs/cgroup/slice/job/memory.max", "max\n");
    ck_assert_int_eq(cgs_probe_memory_limit(root), 0);
    put("/sys/fs/cgroup/memory.max", "4096000\n");
    ck_assert_int_eq(cgs_probe_memory_limit(root), 4096000);
}

TEST(control_groups_of_version_1)
{
    put("/proc/self/cgroup", "7:cpu,cpuacct:/not/in/this/container\n4:memory:/job\n0::/\n");
    put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    ck_assert_double_eq(cgs_probe_quota(root), 0.0);
    put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n");
    ck_assert_double_eq(cgs_probe_quota(root), 0.5);
    put("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9223372036854771712\n");
    ck_assert_int_eq(cgs_probe_memory_limit(root), 0);
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "1000000\n");
    ck_assert_int_eq(cgs_probe_memory_limit(root), 1000000);
}

/* ---- processors ---- */

/* Two sockets with a node each, two cores a socket, two hardware threads a core. */
static void put_two_sockets(void)
{
    put("/sys/devices/system/cpu/online", "0-7\n");
    put("/sys/devices/system/cpu/cpufreq/x", "");
    put("/sys/devices/system/node/has_cpu", "0-1\n");
    for (int cpu = 0; cpu < 8; cpu++) {
        char path[96], text[32];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
                 cpu);
        snprintf(text, sizeof text, "%d,%d\n", cpu % 4, cpu % 4 + 4);
        put(path, text);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/core_siblings_list",
                 cpu);
        put(path, cpu % 4 < 2 ? "0-1,4-5\n" : "2-3,6-7\n");
    }
}

TEST(sockets_load_and_governor)
{
    put_two_sockets();
    put("/proc/loadavg", "6.40 1.00 1.00 1/1 1\n");
    put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    context.threads = 8;
    cgs_examine_processor(&e);
    expect("processors", CGS_FINE, "8 online: 2 sockets, 4 cores, several hardware threads", "");
    expect("load", CGS_NOTE, "6.40 on 8", "export OMP_NUM_THREADS=2");
    expect("governor", CGS_NOTE, "powersave", "echo performance | sudo tee /sys/");
}

TEST(a_calm_machine_has_nothing_to_mend)
{
    put_two_sockets();
    put("/proc/loadavg", "0.90 1.00 1.00 1/1 1\n");
    put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
    context.threads = 8;
    cgs_examine_processor(&e);
    find("load");
    ck_assert_int_eq(cgs_verdict_count(&e, CGS_NOTE) + cgs_verdict_count(&e, CGS_PROBLEM), 0);
}

TEST(a_quota_below_the_threads)
{
    put("/proc/self/cgroup", "0::/\n");
    put("/sys/fs/cgroup/cpu.max", "90000 100000\n");
    e.threads = 2;
    cgs_examine_openmp(&e);
    expect("start", CGS_FINE, "2 threads", "");
    expect("threads", CGS_PROBLEM, "2 (--threads) on 1 processor", "cgsolve --threads=1");
}

TEST(threads_that_may_move_between_sockets)
{
    put_two_sockets();
    e.threads = 2;
    cgs_examine_openmp(&e);
    expect("binding", CGS_NOTE, "off", "export OMP_PROC_BIND=spread OMP_PLACES=cores");
}

/* ---- memory ---- */

TEST(memory_that_is_short)
{
    put("/proc/meminfo", "MemTotal: 1000000 kB\nMemAvailable: 50000 kB\nSwapTotal: 500000 kB\n"
                         "SwapFree: 100000 kB\nCommitLimit: 800000 kB\nCommitted_AS: 700000 kB\n");
    put("/proc/sys/vm/overcommit_memory", "2\n");
    put("/sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
    put("/proc/self/cgroup", "0::/\n");
    put("/sys/fs/cgroup/memory.max", "2000000000\n");
    cgs_examine_memory(&e);
    expect("total", CGS_NOTE, "1.02 GB, 51.2 MB of it", "ps -eo rss");
    expect("group", CGS_FINE, "2.00 GB", "");
    expect("swap", CGS_NOTE, "410 MB in use", "sudo swapoff -a && sudo swapon -a");
    expect("huge pages", CGS_NOTE, "never", "echo madvise | sudo tee /sys/kernel/mm/");
    expect("overcommit", CGS_NOTE, "102 MB", "sudo sysctl vm.overcommit_memory=0");
}

TEST(memory_that_is_not)
{
    put("/proc/meminfo", "MemTotal: 1000000 kB\nMemAvailable: 900000 kB\nSwapTotal: 500000 kB\n"
                         "SwapFree: 499000 kB\n");
    put("/proc/sys/vm/overcommit_memory", "0\n");
    put("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    cgs_examine_memory(&e);
    expect("total", CGS_FINE, "922 MB of it", "");
    expect("swap", CGS_FINE, "1.02 MB in use", "");
    expect("huge pages", CGS_FINE, "madvise", "");
    expect("overcommit", CGS_FINE, "allowed", "");
}

/* The largest N is the last one that the plan lets pass: more memory never means fewer. */
TEST(what_fits)
{
    const struct cgs_backend *cpu = cgs_backend(CGS_CPU);
    int64_t before = cgs_largest_n(cpu, CGS_CPU, 2, 1000, 0);
    ck_assert_int_eq(before, 0);
    for (int64_t bytes = 1000000; bytes < INT64_C(100000000000000); bytes *= 100) {
        const int64_t n = cgs_largest_n(cpu, CGS_CPU, 2, bytes, 0);
        ck_assert_int_ge(n, before);
        /* 27 entries of 12 bytes a row, and at most 11 vectors of 8 */
        ck_assert_int_le(n * n * n * 27 * 12, bytes);
        before = n;
    }
    ck_assert_int_eq(before, 1290);
}

/* ---- all of it ---- */

TEST(a_system_that_says_nothing)
{
    e.root = "/nonexistent";
    cgs_examine_build(&e);
    cgs_examine_openmp(&e);
    cgs_examine_processor(&e);
    cgs_examine_memory(&e);
    cgs_examine_gpu(&e);
    cgs_examine_parts(&e);
    cgs_examine_files(&e);
    find("threads");
    ck_assert_int_eq(context.status, CGS_OK);
}

TEST(findings_are_bounded_and_clean)
{
    e.section = "Test";
    for (int i = 0; i < CGS_FINDINGS_MOST + 5; i++)
        cgs_found(&e, "name", "%d\033[31m\n", i);
    ck_assert_int_eq(e.count, CGS_FINDINGS_MOST);
    ck_assert_ptr_null(strpbrk(e.findings[0].value, "\033\n"));
}

int main(void)
{
    return run_tests("doctor", 60, setup, teardown);
}
