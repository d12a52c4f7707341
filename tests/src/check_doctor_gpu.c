/* The doctor on machines with other GPUs, drivers and builds than this one (doctor.h), and a
 * backend that says what the test wants. */
#include "src/doctor/doctor_gpu.h"
#include "tests/src/doctor.h"

static struct cgs_survey said;       /* by the fake driver */
static int64_t memory_free;          /* of its devices, of 80 GB; negative: they cannot be opened */
static struct cgs_link way;          /* between any two of them */
static bool answers;                 /* they answer each other */
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

static enum cgs_status fake_link(struct cgs_queue *from, struct cgs_queue *to,
                                 struct cgs_link *link)
{
    ck_assert_ptr_ne(from, to);
    *link = way;
    return answers ? CGS_OK : cgs_fail(from->context, CGS_DEVICE, "device 0 has waited");
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
    fake_cuda.link = fake_link;
    said = (struct cgs_survey){.driver = 12040, .runtime = 12040, .devices = 1};
    snprintf(said.device[0].name, sizeof said.device[0].name, "Fake GPU");
    snprintf(said.device[0].architecture, sizeof said.device[0].architecture, "%s", architecture);
    memory_free = 79000000000;
    e.cuda = &fake_cuda;
    e.architectures = "sm_80 compute_80";
    e.cuda_why = NULL;
    unsetenv("CUDA_VISIBLE_DEVICES");
}

TEST(code_for_a_device)
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

TEST(a_build_without_cuda)
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

TEST(a_device_that_serves)
{
    put_gpu("sm_86");
    cgs_examine_gpu(&e);
    expect("driver", CGS_FINE, "550.1 offers CUDA 12.4", "");
    expect("devices", CGS_FINE, "1", "");
    expect("code", CGS_FINE, "machine code", "");
    expect("device", CGS_FINE, "Fake GPU, ECC off", "");
    expect("memory", CGS_FINE, "80.0 GB, 79.0 GB free", "");
}

TEST(no_driver)
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

TEST(a_driver_that_is_old)
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

TEST(no_device)
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

TEST(code_that_does_not_fit)
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

TEST(a_device_that_others_use)
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
    e.device = 3;
    cgs_examine_gpu(&e);
    expect("devices", CGS_PROBLEM, "1", "cgsolve --device=0");
}

/* Three devices, and what the doctor says of their ways once. */
static void look_at_ways(void)
{
    put_gpu("sm_80");
    said.devices = 3;
    said.device[1] = said.device[2] = said.device[0];
    e.count = 0;
    cgs_examine_gpu(&e);
    ck_assert_int_eq(context.status, CGS_OK);
}

TEST(ways_between_devices)
{
    answers = true;
    way = (struct cgs_link){
        .kind = CGS_LINK_NVLINK, .right = true, .sum = 1.5e-6, .plane = 9e-6, .bandwidth = 333e9};
    look_at_ways();
    expect("link", CGS_FINE,
           "3 pairs of devices: NVLink; a sum of both 1.5 to 1.5 us, planes of 512^2 doubles both "
           "ways 9.0 to 9.0 us, 333 GB/s each way",
           "");
    way.kind = CGS_LINK_PCIE;
    look_at_ways();
    expect("link", CGS_FINE, "3 pairs of devices: PCIe;", "");
    way = (struct cgs_link){.kind = CGS_LINK_NONE};
    look_at_ways();
    expect("link", CGS_NOTE, "3 pairs of devices: no peer access", "nvidia-smi topo -p2p rw");
    answers = false; /* the first tells of all */
    look_at_ways();
    expect("link", CGS_PROBLEM, "devices 0 and 1: device 0 has waited",
           "CGSOLVE_PEERS=0 cgsolve --gpus=0,1");
    answers = true;
    way = (struct cgs_link){.kind = CGS_LINK_PCIE, .right = false};
    put_gpu("sm_80");
    said.devices = 2;
    said.device[1] = said.device[0];
    e.count = 0;
    cgs_examine_gpu(&e);
    expect("link", CGS_PROBLEM, "do not arrive", "CGSOLVE_PEERS=0 cgsolve --gpus=0,1");
}

int main(void)
{
    return run_tests("doctor of GPUs", 60, setup, teardown);
}
