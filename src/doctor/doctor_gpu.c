/* The doctor on GPUs, from the metal up, since each step needs the one before:
 *
 *     hardware   an NVIDIA device on the bus, the kernel's driver, its device files
 *     build      CUDA kernels in this program
 *     driver     libcuda.so.1, and the CUDA that it offers against the one that this program has
 *     devices    one at least that is not hidden
 *     each one   code for its architecture, a context on it, free memory
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/available.h"
#include "base/probe.h"
#include "src/doctor/doctor_gpu.h"
#include "src/doctor/doctor_memory.h"

/* ---- hardware ---- */

/* A display or 3-D controller (class 0x03....) of NVIDIA's (vendor 0x10de). */
static bool is_gpu(const char *root, const char *path)
{
    char file[320], vendor[16], class[16];
    snprintf(file, sizeof file, "%.300s/vendor", path);
    if (!cgs_probe_line(root, file, vendor, sizeof vendor) || strcmp(vendor, "0x10de") != 0)
        return false;
    snprintf(file, sizeof file, "%.300s/class", path);
    return cgs_probe_line(root, file, class, sizeof class) && strncmp(class, "0x03", 4) == 0;
}

struct hardware {
    int gpus;              /* on the bus */
    bool module;           /* the kernel's driver is loaded */
    bool nodes;            /* /dev/nvidia... are there */
    const char *container; /* the command that starts a container such as this with its GPUs; "" */
};

static const char *find_container(const char *root)
{
    static const struct {
        const char *mark, *command;
    } containers[] = {
        {"/.dockerenv", "docker run --gpus=all IMAGE cgsolve doctor"},
        {"/run/.containerenv", "podman run --device=nvidia.com/gpu=all IMAGE cgsolve doctor"},
        {"/.singularity.d", "apptainer exec --nv IMAGE cgsolve doctor"},
    };
    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++)
        if (cgs_probe_exists(root, containers[i].mark))
            return containers[i].command;
    return "";
}

static struct hardware look(const char *root)
{
    return (struct hardware){
        .gpus = cgs_probe_entries(root, "/sys/bus/pci/devices", is_gpu),
        .module = cgs_probe_exists(root, "/proc/driver/nvidia/version") ||
                  cgs_probe_exists(root, "/sys/module/nvidia"),
        .nodes = cgs_probe_exists(root, "/dev/nvidiactl") ||
                 cgs_probe_exists(root, "/dev/nvidia0") ||
                 cgs_probe_exists(root, "/usr/lib/wsl/lib/libcuda.so.1"),
        .container = find_container(root),
    };
}

static bool present(const struct hardware *h)
{
    return h->gpus > 0 || h->module || h->nodes;
}

static const char no_gpu[] = "no GPU can be used: --backend=auto takes the CPU";

/* ---- this build has no CUDA ---- */

static void examine_absent_build(struct cgs_examination *e, const struct hardware *h)
{
    const bool nvcc =
        cgs_probe_program("nvcc") || cgs_probe_exists(e->root, "/usr/local/cuda/bin/nvcc");
    static const char rebuild[] = "./bootstrap build -- --with-cuda=yes";
    char toolkit[128], command[256];
    struct cgs_finding *f =
        cgs_found(e, "CUDA", "not in this build: %s", e->cuda_why ? e->cuda_why : "not asked for");
    cgs_probe_install("cuda-toolkit", "cuda-toolkit", "module load cuda", toolkit, sizeof toolkit);
    if (nvcc)
        snprintf(command, sizeof command, "%s", rebuild);
    else
        snprintf(command, sizeof command, "%s && %s", toolkit, rebuild);
    if (present(h))
        cgs_ails(f, CGS_PROBLEM,
                 "there is an NVIDIA GPU here, and it is not used: everything runs on the CPU",
                 "%s", command);
    else
        cgs_ails(f, CGS_NOTE,
                 "no GPU can be used by this program, and --backend=cuda is refused; there is none "
                 "on this machine",
                 "%s", command);
}

/* ---- the driver ---- */

static void blame_missing_driver(struct cgs_examination *e, const struct hardware *h)
{
    char command[128];
    struct cgs_finding *f =
        cgs_found(e, "driver", "libcuda.so.1 cannot be loaded%s%s",
                  h->module ? ", though the kernel's part of the driver is there"
                            : ", and the kernel has not loaded a driver",
                  h->container[0] ? " (this is a container)" : "");
    cgs_probe_install("cuda-drivers", "cuda-drivers", "module load cuda", command, sizeof command);
    cgs_ails(f, CGS_PROBLEM, no_gpu, "%s", h->container[0] ? h->container : command);
}

/* Within a major version an older driver runs machine code, but compiles no newer PTX (CUDA
 * Compatibility, "Minor Version Compatibility"). */
static bool examine_driver(struct cgs_examination *e, const struct cgs_survey *s)
{
    char version[64] = "", command[128];
    cgs_probe_line(e->root, "/sys/module/nvidia/version", version, sizeof version);
    struct cgs_finding *f =
        cgs_found(e, "driver", "%s%soffers CUDA %d.%d, this program has %d.%d", version,
                  version[0] ? " " : "", s->driver / 1000, s->driver % 1000 / 10, s->runtime / 1000,
                  s->runtime % 1000 / 10);
    cgs_probe_install("cuda-drivers", "cuda-drivers",
                      "./bootstrap build -- --with-cuda=/usr/local/cuda-12.4", command,
                      sizeof command);
    if (s->driver >= s->runtime)
        return true;
    if (s->driver / 1000 == s->runtime / 1000) {
        cgs_ails(f, CGS_NOTE,
                 "the driver is older than the toolkit: machine code runs, but for a GPU newer "
                 "than that code the kernels cannot be compiled",
                 "%s", command);
        return true;
    }
    cgs_ails(f, CGS_PROBLEM, no_gpu, "%s", command);
    return false;
}

/* Driver and library are there, and yet no device. */
static void blame_no_device(struct cgs_examination *e, const struct hardware *h,
                            const struct cgs_survey *s)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    struct cgs_finding *f = cgs_found(e, "devices", "none%s%s%s%s%s", s->trouble[0] ? ": " : "",
                                      s->trouble, visible ? ", CUDA_VISIBLE_DEVICES='" : "",
                                      visible ? visible : "", visible ? "'" : "");
    if (visible)
        cgs_ails(f, CGS_PROBLEM, no_gpu, "unset CUDA_VISIBLE_DEVICES");
    else if (strstr(s->trouble, "SystemNotReady"))
        cgs_ails(f, CGS_PROBLEM, no_gpu, "sudo systemctl restart nvidia-fabricmanager");
    else if (!h->nodes && h->container[0])
        cgs_ails(f, CGS_PROBLEM, no_gpu, "%s", h->container);
    else if (!h->nodes)
        cgs_ails(f, CGS_PROBLEM, no_gpu, "sudo nvidia-modprobe -u -c=0");
    else
        cgs_ails(f, CGS_PROBLEM, no_gpu, "nvidia-smi");
}

/* ---- devices: code for each, a context on it, its memory; and the ways between them ---- */

enum cgs_code cgs_code_for(const char *architectures, const char *architecture)
{
    enum cgs_code best = CGS_CODE_NONE;
    int device, number, used;
    if (!architectures || sscanf(architecture, "sm_%d", &device) != 1)
        return CGS_CODE_NONE;
    for (const char *at = architectures; *at; at += strcspn(at, " "), at += strspn(at, " ")) {
        const bool ptx = strncmp(at, "compute_", 8) == 0;
        if (sscanf(at, ptx ? "compute_%d%n" : "sm_%d%n", &number, &used) != 1)
            continue;
        const char suffix = at[used];
        bool serves = ptx ? number <= device : number / 10 == device / 10 && number <= device;
        if (suffix == 'a')
            serves = number == device;
        else if (suffix == 'f')
            serves = number / 10 == device / 10 && number <= device;
        if (serves && !ptx)
            return CGS_CODE_NATIVE;
        if (serves)
            best = CGS_CODE_PTX;
    }
    return best;
}

/* Finds how this program's code runs on the device; returns false if none does. */
static bool examine_code(struct cgs_examination *e, int index, const char *architecture)
{
    const enum cgs_code code = cgs_code_for(e->architectures, architecture);
    static const char *const how[] = {
        [CGS_CODE_NONE] = "has no code that runs",
        [CGS_CODE_PTX] = "has PTX, which the driver compiles",
        [CGS_CODE_NATIVE] = "has machine code",
    };
    struct cgs_finding *f =
        cgs_found(e, "code", "device %d is %s: this program %s on it (built for %s)", index,
                  architecture, how[code], e->architectures ? e->architectures : "nothing");
    if (code == CGS_CODE_PTX)
        cgs_ails(f, CGS_NOTE,
                 "the first start takes up to a minute longer (the result is kept in "
                 "~/.nv/ComputeCache), and the code is not tuned for the device",
                 "./bootstrap build -- CUDA_ARCH=%s", architecture + 3);
    if (code == CGS_CODE_NONE)
        cgs_ails(f, CGS_PROBLEM, "this device cannot be used", "./bootstrap build -- CUDA_ARCH=%s",
                 architecture + 3);
    return code != CGS_CODE_NONE;
}

/* Finds the device memory that others hold; a context itself takes about half a gigabyte. */
static void examine_device_memory(struct cgs_examination *e, int index,
                                  const struct cgs_device_info *info)
{
    const int64_t taken = info->memory_bytes - info->memory_free;
    const int64_t n = cgs_largest_n(e->cuda, CGS_CUDA, e->context->threads, cgs_memory_available(),
                                    info->memory_free);
    cgs_text all, left;
    char most[96] = "";
    if (n > 0)
        snprintf(most, sizeof most, ": N up to %lld in double precision, format sell",
                 (long long)n);
    struct cgs_finding *f = cgs_found(e, "memory", "device %d: %s, %s free%s", index,
                                      cgs_bytes_text(info->memory_bytes, all),
                                      cgs_bytes_text(info->memory_free, left), most);
    if (taken > info->memory_bytes / 8 && taken > 1500000000)
        cgs_ails(f, CGS_NOTE,
                 "other processes hold the rest, and may compute: larger runs are refused, figures "
                 "spread",
                 "nvidia-smi --query-compute-apps=pid,name,used_memory --format=csv");
}

static void examine_device(struct cgs_examination *e, const struct cgs_survey *s, int index)
{
    static const char *const sharing[] = {
        [CGS_SHARING_ALL] = "",
        [CGS_SHARING_ONE] = ", for one process at a time",
        [CGS_SHARING_NONE] = ", compute mode prohibited",
    };
    struct cgs_queue *queue;
    struct cgs_device_info info;
    char message[400];
    const bool code = examine_code(e, index, s->device[index].architecture);
    if (!code)
        return;
    enum cgs_status status = e->cuda->open(e->context, index, &queue);
    if (status == CGS_OK) {
        status = e->cuda->describe(queue, &info);
        e->cuda->close(queue);
    }
    snprintf(message, sizeof message, "%.300s", e->context->message);
    cgs_forgive(e->context);
    struct cgs_finding *f =
        cgs_found(e, "device", "%d: %s, ECC %s%s%s%s", index, s->device[index].name,
                  s->device[index].ecc ? "on" : "off", sharing[s->device[index].sharing],
                  status == CGS_OK ? "" : "; ", status == CGS_OK ? "" : message);
    if (status == CGS_OK)
        examine_device_memory(e, index, &info);
    else if (s->device[index].sharing != CGS_SHARING_ALL)
        cgs_ails(f, CGS_PROBLEM, "this device cannot be used", "sudo nvidia-smi -i %d -c DEFAULT",
                 index);
    else
        cgs_ails(f, CGS_PROBLEM, "this device cannot be used",
                 "nvidia-smi -q -i %d -d MEMORY,ECC,PIDS", index);
}

/* ---- links ---- */

/* Links of one kind: how many pairs of devices have it, and the range of what they cost. */
struct links {
    int count;
    struct cgs_link least, most;
};

static void take_link(struct links *links, const struct cgs_link *link)
{
    if (links->count++ == 0)
        links->least = links->most = *link;
    links->least.sum = fmin(links->least.sum, link->sum);
    links->most.sum = fmax(links->most.sum, link->sum);
    links->least.plane = fmin(links->least.plane, link->plane);
    links->most.plane = fmax(links->most.plane, link->plane);
    links->least.bandwidth = fmin(links->least.bandwidth, link->bandwidth);
}

/* A pair whose way is of no use. */
static void blame_link(struct cgs_examination *e, int from, int to, const char *why)
{
    struct cgs_finding *f = cgs_found(e, "link", "devices %d and %d: %s", from, to, why);
    cgs_ails(f, CGS_PROBLEM, "runs on both (--gpus, mpirun) fail or give wrong numbers",
             "CGSOLVE_PEERS=0 cgsolve --gpus=%d,%d", from, to);
}

/* Returns false where devices do not answer: nothing more can be measured then. */
static bool examine_link(struct cgs_examination *e, struct cgs_queue *const *queues, int from,
                         int to, struct links kinds[CGS_LINK_KINDS])
{
    struct cgs_link link;
    char message[400];
    const enum cgs_status status = e->cuda->link(queues[from], queues[to], &link);
    snprintf(message, sizeof message, "%.300s", e->context->message);
    cgs_forgive(e->context);
    if (status != CGS_OK)
        blame_link(e, from, to, message);
    else if (link.kind != CGS_LINK_NONE && !link.right)
        blame_link(
            e, from, to,
            "numbers that one writes do not arrive at the other (PCIe access control, ACS?)");
    else
        take_link(&kinds[link.kind], &link);
    return status == CGS_OK;
}

static void say_links(struct cgs_examination *e, enum cgs_link_kind kind, const struct links *links)
{
    static const char *const names[CGS_LINK_KINDS] = {
        [CGS_LINK_NONE] = "no peer access", [CGS_LINK_PCIE] = "PCIe", [CGS_LINK_NVLINK] = "NVLink"};
    const char *pairs = links->count == 1 ? "pair of devices" : "pairs of devices";
    if (links->count == 0)
        return;
    if (kind == CGS_LINK_NONE) {
        struct cgs_finding *f = cgs_found(e, "link", "%d %s: %s", links->count, pairs, names[kind]);
        cgs_ails(f, CGS_NOTE,
                 "on these NCCL carries halos and sums or, without it, the host: some ten or "
                 "hundred microseconds an iteration more",
                 "nvidia-smi topo -p2p rw");
        return;
    }
    cgs_found(e, "link",
              "%d %s: %s; a sum of both %.1f to %.1f us, planes of 512^2 doubles both ways %.1f to "
              "%.1f us, %.0f GB/s each way",
              links->count, pairs, names[kind], 1e6 * links->least.sum, 1e6 * links->most.sum,
              1e6 * links->least.plane, 1e6 * links->most.plane, 1e-9 * links->least.bandwidth);
}

/* Measures the way between each two devices of which this program can use both. */
static void examine_links(struct cgs_examination *e, int devices)
{
    struct cgs_queue *queues[CGS_SURVEYED] = {NULL};
    struct links kinds[CGS_LINK_KINDS] = {{0}};
    bool answer = true;
    for (int i = 0; i < devices; i++)
        if (e->cuda->open(e->context, i, &queues[i]) != CGS_OK)
            cgs_forgive(e->context); /* it has its own finding */
    for (int from = 0; from < devices; from++)
        for (int to = from + 1; to < devices; to++)
            if (answer && queues[from] && queues[to])
                answer = examine_link(e, queues, from, to, kinds);
    for (int kind = 0; kind < CGS_LINK_KINDS; kind++)
        say_links(e, (enum cgs_link_kind)kind, &kinds[kind]);
    for (int i = devices - 1; i >= 0; i--)
        if (queues[i])
            e->cuda->close(queues[i]);
}

static void examine_devices(struct cgs_examination *e, const struct cgs_survey *s)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    const int device = e->device;
    struct cgs_finding *f =
        cgs_found(e, "devices", "%d%s%s", s->devices, visible ? ", CUDA_VISIBLE_DEVICES=" : "",
                  visible ? visible : "");
    if (device >= s->devices)
        cgs_ails(f, CGS_PROBLEM, "there is no such device as --device names", "cgsolve --device=%d",
                 s->devices - 1);
    for (int i = 0; i < s->devices && i < CGS_SURVEYED; i++)
        if (device < 0 || i == device)
            examine_device(e, s, i);
    if (device < 0 && s->devices > 1)
        examine_links(e, s->devices < CGS_SURVEYED ? s->devices : CGS_SURVEYED);
}

void cgs_examine_gpu(struct cgs_examination *e)
{
    const struct hardware h = look(e->root);
    struct cgs_survey survey;
    e->section = "GPU";
    cgs_found(e, "hardware", "%d NVIDIA device%s on the bus%s", h.gpus, h.gpus == 1 ? "" : "s",
              h.module ? ", the kernel's driver is loaded" : "");
    if (!e->cuda) {
        examine_absent_build(e, &h);
        return;
    }
    e->cuda->survey(&survey);
    if (survey.driver == 0 && !present(&h))
        cgs_found(e, "driver", "none, and no device that needs one: runs are on the CPU");
    else if (survey.driver == 0)
        blame_missing_driver(e, &h);
    else if (!examine_driver(e, &survey))
        return;
    else if (survey.devices == 0)
        blame_no_device(e, &h, &survey);
    else
        examine_devices(e, &survey);
}
