/* The doctor on GPUs, from the metal up, since each step needs the one before; the devices
 * themselves are in doctor_device.c:
 *
 *     hardware   an NVIDIA device on the bus, the kernel's driver, its device files
 *     build      CUDA kernels in this program
 *     driver     libcuda.so.1, and the CUDA that it offers against the one that this program has
 *     devices    one at least that is not hidden
 *     each one   code for its architecture, a context on it, free memory
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/probe.h"
#include "src/doctor/finding.h"

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
        cgs_examine_devices(e, &survey);
}
