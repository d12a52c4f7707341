/* The doctor on machines that are not this one: /proc, /sys and /dev in a folder of the test's, and
 * a backend that says what the test wants. What the environment provokes is in doctor.sh. */
#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/finding.h"
#include "src/probe.h"

static char root[64];
static struct cgs_context context;
static struct cgs_options options;
static struct cgs_examination e;

/* A file of the fake system, its folders first. */
static void put(const char *path, const char *text)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s%s", root, path);
    for (char *slash = whole + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(whole, 0777);
        *slash = '/';
    }
    FILE *file = fopen(whole, "w");
    ck_assert_msg(file != NULL, "%s", whole);
    fputs(text, file);
    fclose(file);
}

static void setup(void)
{
    snprintf(root, sizeof root, "./doctor_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(root));
    cgs_context_init(&context);
    options = (struct cgs_options){0};
    cgs_examination_start(&e, &context, &options);
    e.root = root;
    e.cuda = NULL;
    e.architectures = NULL;
    e.cuda_why = "nvcc found nowhere";
}

static void teardown(void)
{
    char command[96];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    ck_assert_int_eq(system(command), 0);
}

/* The finding of that name, of which there is exactly one. */
static const struct cgs_finding *find(const char *name)
{
    const struct cgs_finding *found = NULL;
    for (int i = 0; i < e.count; i++) {
        const struct cgs_finding *f = &e.findings[i];
        ck_assert_int_eq(f->verdict == CGS_FINE, f->costs[0] == '\0');
        ck_assert_int_eq(f->verdict == CGS_FINE, f->mend[0] == '\0');
        ck_assert_ptr_null(strchr(f->mend, '\n'));
        if (strcmp(f->name, name) == 0) {
            ck_assert_msg(found == NULL, "two findings '%s'", name);
            found = f;
        }
    }
    ck_assert_msg(found != NULL, "no finding '%s'", name);
    return found;
}

static void expect(const char *name, enum cgs_verdict verdict, const char *value, const char *mend)
{
    const struct cgs_finding *f = find(name);
    ck_assert_msg(f->verdict == verdict, "%s: %s is %s", name, f->value,
                  cgs_verdict_name(f->verdict));
    ck_assert_msg(strstr(f->value, value) != NULL, "%s: no '%s' in '%s'", name, value, f->value);
    ck_assert_msg(strstr(f->mend, mend) != NULL, "%s: no '%s' in '%s'", name, mend, f->mend);
}

/* ---- questions to the system ---- */

START_TEST(lists_and_numbers)
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
    ck_assert(!cgs_probe_number(root, "/word", &number));
    ck_assert(!cgs_probe_number(root, "/missing", &number));
    ck_assert(cgs_probe_line(root, "/word", line, sizeof line));
    ck_assert_str_eq(line, "max");
    put("/info", "MemTotalling: 1 kB\nMemTotal:  12 kB\n");
    ck_assert(cgs_probe_bytes(root, "/info", "MemTotal", &number));
    ck_assert_int_eq(number, 12 * 1024);
    ck_assert(!cgs_probe_bytes(root, "/info", "Swap", &number));
    ck_assert_int_eq(cgs_probe_entries(root, "", NULL), 3);
    ck_assert_int_eq(cgs_probe_entries(root, "/missing", NULL), 0);
}
END_TEST

START_TEST(control_groups_of_version_2)
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
END_TEST

START_TEST(control_groups_of_version_1)
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
END_TEST

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

START_TEST(sockets_load_and_governor)
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
END_TEST

START_TEST(a_calm_machine_has_nothing_to_mend)
{
    put_two_sockets();
    put("/proc/loadavg", "0.90 1.00 1.00 1/1 1\n");
    put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
    context.threads = 8;
    cgs_examine_processor(&e);
    find("load");
    ck_assert_int_eq(cgs_verdict_count(&e, CGS_NOTE) + cgs_verdict_count(&e, CGS_PROBLEM), 0);
}
END_TEST

START_TEST(a_quota_below_the_threads)
{
    put("/proc/self/cgroup", "0::/\n");
    put("/sys/fs/cgroup/cpu.max", "90000 100000\n");
    options.given[CGS_OPTION_threads] = true;
    options.threads = 2;
    cgs_examine_openmp(&e);
    expect("start", CGS_FINE, "2 threads", "");
    expect("threads", CGS_PROBLEM, "2 (--threads) on 1 processor", "cgsolve --threads=1");
}
END_TEST

START_TEST(threads_that_may_move_between_sockets)
{
    put_two_sockets();
    options.given[CGS_OPTION_threads] = true;
    options.threads = 2;
    cgs_examine_openmp(&e);
    expect("binding", CGS_NOTE, "off", "export OMP_PROC_BIND=spread OMP_PLACES=cores");
}
END_TEST

/* ---- memory ---- */

START_TEST(memory_that_is_short)
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
END_TEST

START_TEST(memory_that_is_not)
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
END_TEST

/* The largest N is the last one that the plan lets pass: more memory never means fewer. */
START_TEST(what_fits)
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
END_TEST

/* ---- GPUs ---- */

static struct cgs_survey said;       /* by the fake driver */
static int64_t memory_free;          /* of its devices, of 80 GB; negative: they cannot be opened */
static struct cgs_backend fake_cuda; /* the CPU's otherwise */

static void fake_survey(struct cgs_survey *survey)
{
    *survey = said;
}

static enum cgs_status fake_open(struct cgs_context *c, int index, struct cgs_queue **queue)
{
    if (memory_free < 0)
        return cgs_fail(c, CGS_DEVICE, "device %d is busy", index);
    return cgs_backend(CGS_CPU)->open(c, 0, queue);
}

static enum cgs_status fake_describe(struct cgs_queue *queue, struct cgs_device_info *info)
{
    (void)queue;
    *info = (struct cgs_device_info){.memory_bytes = 80000000000, .memory_free = memory_free};
    return CGS_OK;
}

/* A build for sm_80 and PTX of it, on a machine with a GPU, its driver, and one device. */
static void put_gpu(const char *architecture)
{
    put("/proc/driver/nvidia/version", "NVRM version\n");
    put("/sys/module/nvidia/version", "550.1\n");
    put("/dev/nvidiactl", "");
    put("/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
    put("/sys/bus/pci/devices/0000:01:00.0/class", "0x030200\n");
    put("/sys/bus/pci/devices/0000:02:00.0/vendor", "0x15b3\n");
    put("/sys/bus/pci/devices/0000:02:00.0/class", "0x020000\n");
    fake_cuda = *cgs_backend(CGS_CPU);
    fake_cuda.survey = fake_survey;
    fake_cuda.open = fake_open;
    fake_cuda.describe = fake_describe;
    said = (struct cgs_survey){.driver = 12040, .runtime = 12040, .devices = 1};
    snprintf(said.device[0].name, sizeof said.device[0].name, "Fake GPU");
    snprintf(said.device[0].architecture, sizeof said.device[0].architecture, "%s", architecture);
    memory_free = 79000000000;
    e.cuda = &fake_cuda;
    e.architectures = "sm_80 compute_80";
    e.cuda_why = NULL;
    unsetenv("CUDA_VISIBLE_DEVICES");
}

START_TEST(code_for_a_device)
{
    static const struct {
        const char *architectures, *device;
        enum cgs_code code;
    } cases[] = {
        {"sm_80 sm_90 compute_90", "sm_80", CGS_CODE_NATIVE},
        {"sm_80 sm_90 compute_90", "sm_86", CGS_CODE_NATIVE},
        {"sm_80 sm_90 compute_90", "sm_90", CGS_CODE_NATIVE},
        {"sm_80 sm_90 compute_90", "sm_100", CGS_CODE_PTX},
        {"sm_80 sm_90 compute_90", "sm_75", CGS_CODE_NONE},
        {"sm_86 compute_86", "sm_80", CGS_CODE_NONE},
        {"sm_80", "sm_90", CGS_CODE_NONE},
        {"sm_90a compute_90a", "sm_90", CGS_CODE_NATIVE},
        {"sm_90a compute_90a", "sm_100", CGS_CODE_NONE},
        {"sm_100f", "sm_103", CGS_CODE_NATIVE},
        {"sm_100a", "sm_103", CGS_CODE_NONE},
        {"sm_100 sm_120 compute_120", "sm_121", CGS_CODE_NATIVE},
        {"", "sm_90", CGS_CODE_NONE},
        {NULL, "sm_90", CGS_CODE_NONE},
        {"sm_90", "", CGS_CODE_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_msg(cgs_code_for(cases[i].architectures, cases[i].device) == cases[i].code,
                      "%s on %s", cases[i].architectures, cases[i].device);
}
END_TEST

START_TEST(a_build_without_cuda)
{
    cgs_examine_gpu(&e);
    expect("hardware", CGS_FINE, "0 NVIDIA devices", "");
    expect("CUDA", CGS_NOTE, "nvcc found nowhere", "./bootstrap build -- --with-cuda=yes");
    e.count = 0;
    put_gpu("sm_80");
    e.cuda = NULL;
    cgs_examine_gpu(&e);
    expect("hardware", CGS_FINE, "1 NVIDIA device on the bus, the kernel's driver is loaded", "");
    expect("CUDA", CGS_PROBLEM, "not in this build", "./bootstrap build -- --with-cuda=yes");
}
END_TEST

START_TEST(a_device_that_serves)
{
    put_gpu("sm_86");
    cgs_examine_gpu(&e);
    expect("driver", CGS_FINE, "550.1 offers CUDA 12.4", "");
    expect("devices", CGS_FINE, "1", "");
    expect("code", CGS_FINE, "machine code", "");
    expect("device", CGS_FINE, "Fake GPU, ECC off", "");
    expect("memory", CGS_FINE, "80.0 GB, 79.0 GB free", "");
}
END_TEST

START_TEST(no_driver)
{
    put_gpu("sm_80");
    said = (struct cgs_survey){.runtime = 12040};
    cgs_examine_gpu(&e);
    expect("driver", CGS_PROBLEM, "libcuda.so.1 cannot be loaded, though", "cuda");
    e.count = 0;
    put("/.dockerenv", "");
    cgs_examine_gpu(&e);
    expect("driver", CGS_PROBLEM, "container", "docker run --gpus=all");
    e.count = 0;
    e.root = "/nonexistent";
    cgs_examine_gpu(&e);
    expect("driver", CGS_FINE, "runs are on the CPU", "");
}
END_TEST

START_TEST(a_driver_that_is_old)
{
    put_gpu("sm_80");
    said.driver = 12020;
    cgs_examine_gpu(&e);
    expect("driver", CGS_NOTE, "offers CUDA 12.2, this program has 12.4", "cuda");
    find("device");
    e.count = 0;
    said.driver = 11080;
    said.devices = 0;
    cgs_examine_gpu(&e);
    expect("driver", CGS_PROBLEM, "offers CUDA 11.8", "cuda");
}
END_TEST

START_TEST(no_device)
{
    put_gpu("sm_80");
    said.devices = 0;
    snprintf(said.trouble, sizeof said.trouble, "no device (cudaErrorNoDevice)");
    cgs_examine_gpu(&e);
    expect("devices", CGS_PROBLEM, "none: no device (cudaErrorNoDevice)", "nvidia-smi");
    e.count = 0;
    snprintf(said.trouble, sizeof said.trouble, "wait (cudaErrorSystemNotReady)");
    cgs_examine_gpu(&e);
    expect("devices", CGS_PROBLEM, "wait", "nvidia-fabricmanager");
    e.count = 0;
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    cgs_examine_gpu(&e);
    expect("devices", CGS_PROBLEM, "CUDA_VISIBLE_DEVICES=''", "unset CUDA_VISIBLE_DEVICES");
}
END_TEST

START_TEST(code_that_does_not_fit)
{
    put_gpu("sm_90");
    cgs_examine_gpu(&e);
    expect("code", CGS_NOTE, "PTX, which the driver compiles", "CUDA_ARCH=90");
    find("device");
    e.count = 0;
    snprintf(said.device[0].architecture, sizeof said.device[0].architecture, "sm_75");
    cgs_examine_gpu(&e);
    expect("code", CGS_PROBLEM, "no code that runs", "CUDA_ARCH=75");
}
END_TEST

START_TEST(a_device_that_others_use)
{
    put_gpu("sm_80");
    memory_free = 20000000000;
    cgs_examine_gpu(&e);
    expect("memory", CGS_NOTE, "20.0 GB free", "nvidia-smi --query-compute-apps");
    e.count = 0;
    memory_free = -1;
    said.device[0].sharing = CGS_SHARING_ONE;
    cgs_examine_gpu(&e);
    expect("device", CGS_PROBLEM, "one process at a time; device 0 is busy",
           "sudo nvidia-smi -i 0 -c DEFAULT");
    ck_assert_int_eq(context.status, CGS_OK);
    e.count = 0;
    options.given[CGS_OPTION_device] = true;
    options.device = 3;
    cgs_examine_gpu(&e);
    expect("devices", CGS_PROBLEM, "1", "cgsolve --device=0");
}
END_TEST

/* ---- all of it ---- */

START_TEST(a_system_that_says_nothing)
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
END_TEST

START_TEST(findings_are_bounded_and_clean)
{
    e.section = "Test";
    for (int i = 0; i < CGS_FINDINGS_MOST + 5; i++)
        cgs_found(&e, "name", "%d\033[31m\n", i);
    ck_assert_int_eq(e.count, CGS_FINDINGS_MOST);
    ck_assert_ptr_null(strpbrk(e.findings[0].value, "\033\n"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("doctor");
    TCase *all = tcase_create("doctor");
    tcase_set_timeout(all, 60); /* for sanitizers */
    tcase_add_checked_fixture(all, setup, teardown);
    tcase_add_test(all, lists_and_numbers);
    tcase_add_test(all, control_groups_of_version_2);
    tcase_add_test(all, control_groups_of_version_1);
    tcase_add_test(all, sockets_load_and_governor);
    tcase_add_test(all, a_calm_machine_has_nothing_to_mend);
    tcase_add_test(all, a_quota_below_the_threads);
    tcase_add_test(all, threads_that_may_move_between_sockets);
    tcase_add_test(all, memory_that_is_short);
    tcase_add_test(all, memory_that_is_not);
    tcase_add_test(all, what_fits);
    tcase_add_test(all, code_for_a_device);
    tcase_add_test(all, a_build_without_cuda);
    tcase_add_test(all, a_device_that_serves);
    tcase_add_test(all, no_driver);
    tcase_add_test(all, a_driver_that_is_old);
    tcase_add_test(all, no_device);
    tcase_add_test(all, code_that_does_not_fit);
    tcase_add_test(all, a_device_that_others_use);
    tcase_add_test(all, a_system_that_says_nothing);
    tcase_add_test(all, findings_are_bounded_and_clean);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
