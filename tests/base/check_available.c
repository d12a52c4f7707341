/* base/available: what the process may still take, with made-up /proc and /sys: control groups of
 * both versions, nested, unlimited, of a container, missing; resource limits. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/available.h"
#include "base/memory.h"
#include "tests/support/check.h"
#include "tests/support/root.h"

#define MEMINFO                                                                                    \
    "MemTotal:       16000000 kB\nMemFree:         1000000 kB\nMemAvailable:   8000000 kB\n"

static const int64_t SYSTEM = INT64_C(1024) * 8000000;

static void expect(int64_t bytes, const char *limit)
{
    const struct cgs_available found = cgs_available_below(root());
    ck_assert_int_eq(found.bytes, bytes);
    ck_assert_str_eq(found.limit, limit);
}

TEST(without_files_nobody_says)
{
    expect(INT64_MAX, "the system");
    root_put("/proc/meminfo", "MemTotal:       16000000 kB\n"); /* Linux before 3.14 */
    expect(INT64_MAX, "the system");
    root_put("/proc/meminfo", MEMINFO);
    expect(SYSTEM, "the system");
    root_put("/proc/self/cgroup", ""); /* a kernel without control groups */
    expect(SYSTEM, "the system");
    root_put("/proc/self/cgroup", "no colon\none:colon\n");
    expect(SYSTEM, "the system");
}

TEST(version_2)
{
    root_put("/proc/meminfo", MEMINFO);
    root_put("/proc/self/cgroup", "0::/user.slice/job\n");
    expect(SYSTEM, "the system"); /* not mounted */
    root_put("/sys/fs/cgroup/user.slice/job/memory.max", "max\n");
    root_put("/sys/fs/cgroup/user.slice/job/memory.current", "500\n");
    expect(SYSTEM, "the system");
    root_put("/sys/fs/cgroup/user.slice/job/memory.max", "1000000\n");
    expect(999500, "a control group");
    /* file pages that go when memory is short do not count as taken */
    root_put("/sys/fs/cgroup/user.slice/job/memory.stat",
             "anon 100\ninactive_file 300\nfile 400\n");
    expect(999800, "a control group");
    root_put("/sys/fs/cgroup/user.slice/job/memory.stat",
             "total_inactive_file 300\n"); /* version 1's */
    expect(999500, "a control group");
    root_put("/sys/fs/cgroup/user.slice/job/memory.current", "1000001\n"); /* over it */
    expect(0, "a control group");
    root_put("/sys/fs/cgroup/user.slice/job/memory.current", "500\n");
    root_put("/sys/fs/cgroup/user.slice/job/memory.high", "600000\n"); /* where it is slowed down */
    expect(599500, "a control group");
    root_put("/sys/fs/cgroup/user.slice/job/memory.high", "max\n");
    expect(999500, "a control group");
    root_put("/sys/fs/cgroup/user.slice/job/memory.max", "");
    expect(SYSTEM, "the system");
}

TEST(the_least_of_all_ancestors)
{
    root_put("/proc/meminfo", MEMINFO);
    root_put("/proc/self/cgroup", "0::/a/b/c\n");
    root_put("/sys/fs/cgroup/a/b/c/memory.max", "7000000\n");
    root_put("/sys/fs/cgroup/a/b/c/memory.current", "1\n");
    root_put("/sys/fs/cgroup/a/b/memory.max", "max\n");
    root_put("/sys/fs/cgroup/a/b/memory.current", "2\n");
    root_put("/sys/fs/cgroup/a/memory.max", "5000000\n");
    root_put("/sys/fs/cgroup/a/memory.current", "3000000\n"); /* others of a have taken of it */
    expect(2000000, "a control group");
    root_put("/sys/fs/cgroup/a/other/memory.max", "1\n"); /* no ancestor */
    root_put("/sys/fs/cgroup/a/other/memory.current", "0\n");
    expect(2000000, "a control group");
    root_put("/sys/fs/cgroup/a/b/memory.max", "1000\n");
    expect(998, "a control group");
    root_put("/sys/fs/memory.max", "1\n"); /* above the mount point */
    root_put("/sys/fs/memory.current", "0\n");
    expect(998, "a control group");
}

TEST(version_1)
{
    root_put("/proc/meminfo", MEMINFO);
    root_put("/proc/self/cgroup",
             "9:name=systemd:/\n5:cpu,cpuacct:/jobs\n4:hugetlb,memory:/jobs/7\n"
             "1:notmemory:/jobs\n0::/\n");
    expect(SYSTEM, "the system");
    root_put("/sys/fs/cgroup/memory/jobs/7/memory.limit_in_bytes",
             "9223372036854771712\n"); /* none */
    root_put("/sys/fs/cgroup/memory/jobs/7/memory.usage_in_bytes", "12345\n");
    expect(SYSTEM, "the system");
    root_put("/sys/fs/cgroup/memory/jobs/memory.limit_in_bytes", "4000000000\n");
    root_put("/sys/fs/cgroup/memory/jobs/memory.usage_in_bytes", "1000000000\n");
    root_put("/sys/fs/cgroup/memory/jobs/memory.stat",
             "inactive_file 5\ntotal_inactive_file 200000000\n");
    expect(3200000000, "a control group");
    root_put("/sys/fs/cgroup/memory/jobs/7/memory.limit_in_bytes", "3000000000\n");
    expect(2999987655, "a control group");
}

/* In a container the path may be the host's, or one outside of its namespace: what it sees at the
 * mount point is its own group. */
TEST(containers)
{
    root_put("/proc/meminfo", MEMINFO);
    root_put("/proc/self/cgroup", "0::/kubepods.slice/pod1/cri-containerd-2.scope\n");
    root_put("/sys/fs/cgroup/memory.max", "2000000\n");
    root_put("/sys/fs/cgroup/memory.current", "600000\n");
    expect(1400000, "a control group");
    root_put("/proc/self/cgroup", "0::/../elsewhere\n");
    expect(1400000, "a control group");
    root_put("/proc/self/cgroup", "0::/\n");
    expect(1400000, "a control group");
    root_put("/proc/self/cgroup", "4:memory:/docker/0123456789abcdef\n");
    expect(SYSTEM, "the system");
    root_put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "3000000\n");
    root_put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "600000\n");
    expect(2400000, "a control group");
}

TEST(resource_limits)
{
    static const struct {
        int resource;
        const char *limit;
        int64_t left;
    } cases[] = {{RLIMIT_AS, "ulimit -v", 1000 * 1024}, {RLIMIT_DATA, "ulimit -d", 2000 * 1024}};
    const int64_t limit = INT64_C(1) << 50; /* above what this program takes, sanitizers too */
    char status[128];
    root_put("/proc/meminfo", MEMINFO);
    snprintf(status, sizeof status, "Name:\tx\nVmSize:\t%" PRId64 " kB\nVmData:\t%" PRId64 " kB\n",
             limit / 1024 - 1000, limit / 1024 - 2000);
    root_put("/proc/self/status", status);
    for (int i = 0; i < 2; i++) {
        struct rlimit before;
        ck_assert_int_eq(getrlimit(cases[i].resource, &before), 0);
        expect(SYSTEM, "the system");
        ck_assert_int_eq(
            setrlimit(cases[i].resource, &(struct rlimit){(rlim_t)limit, before.rlim_max}), 0);
        expect(cases[i].left, cases[i].limit);
        root_put("/proc/self/cgroup", "0::/\n"); /* less still */
        root_put("/sys/fs/cgroup/memory.max", "1000\n");
        root_put("/sys/fs/cgroup/memory.current", "0\n");
        expect(1000, "a control group");
        root_put("/sys/fs/cgroup/memory.max", "max\n");
        ck_assert_int_eq(setrlimit(cases[i].resource, &before), 0);
    }
}

TEST(this_machine)
{
    ck_assert_int_gt(cgs_memory_available(), 0);
    ck_assert_int_lt(cgs_memory_available(), INT64_MAX);
    ck_assert_ptr_nonnull(cgs_memory_limit());
}

int main(void)
{
    return run_tests("available", 60, root_make, root_remove);
}
