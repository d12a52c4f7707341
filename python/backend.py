"""Makes the wheel of cgsolve: cgsolve.py, and libcgsolve with the libraries that it needs beyond the C library's,
so that `pip install` needs no compiler and no other package. The hooks of PEP 517, and for make:

    python3 backend.py LIBRARY FOLDER        writes the wheel of that libcgsolve.so into the folder

`pip install .` builds the library first, in a folder of its own: with CUDA for the GPUs of this machine, and without
CUDA where it has none. `--config-settings=configure=CUDA_ARCH=80,90` passes options to configure, which may ask for
other GPUs, `--config-settings=library=FILE` names a library that is there already.
"""

import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Libraries of every Linux system that runs this wheel.
SYSTEM = re.compile(r"^(linux-vdso|ld-linux|libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s)[.-]")


def version_of_tree():
    with open(os.path.join(ROOT, "configure.ac"), encoding="utf-8") as file:
        return re.search(r"AC_INIT\(\[cgsolve\], \[([^]]*)\]", file.read()).group(1)


def options_of_cuda():
    """configure's options for the GPUs of this machine, which need minutes less than those for all GPUs."""
    try:
        found = subprocess.check_output(["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"], text=True,
                                        stderr=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError):
        found = ""
    architectures = sorted(set(re.findall(r"^(\d+)\.(\d)\s*$", found, re.MULTILINE)))
    if not architectures:
        return ["--without-cuda"]
    return ["CUDA_ARCH=" + ",".join(major + minor for major, minor in architectures)]


def tell(text):
    """Writes a line to the terminal: pip shows what a build prints only with -v, or where it fails."""
    try:
        with open("/dev/tty", "w", encoding="utf-8") as terminal:
            terminal.write(f"\r  cgsolve: {text}\033[K\n")
    except OSError:
        pass  # there is none


def make(folder, target):
    """Makes the target, and tells after each tenth of the files how many are compiled."""
    jobs = len(os.sched_getaffinity(0))
    plan = subprocess.run(["make", "-n", target], cwd=folder, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, universal_newlines=True).stdout
    total = sum("--mode=compile" in line for line in plan.splitlines())
    with subprocess.Popen(["make", "-s", f"-j{jobs}", target], cwd=folder, stdout=subprocess.PIPE,
                          universal_newlines=True) as process:
        done = 0
        for line in process.stdout:
            print(line, end="", flush=True)
            if re.match(r"  (CC|NVCC) ", line) and done < total:
                done += 1
                if done * 10 // total > (done - 1) * 10 // total:
                    tell(f"{done} of {total} files compiled")
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, "make")


def build_library(folder, options):
    """Configures with these options and makes libcgsolve in that folder; returns its path."""
    if not os.path.exists(os.path.join(ROOT, "configure")):
        tell("autoreconf")
        subprocess.check_call(["autoreconf", "-i"], cwd=ROOT)
    if not any("cuda" in option.lower() for option in options):
        options = [*options_of_cuda(), *options]
    tell("configure " + " ".join(options))
    subprocess.check_call([os.path.join(ROOT, "configure"), "--quiet", *options], cwd=folder)
    make(folder, "libcgsolve.la")
    return os.path.join(folder, ".libs", "libcgsolve.so.1")


def needed_by(library):
    """The libraries that it needs and that a system may lack: their names and paths."""
    for line in subprocess.check_output(["ldd", library], text=True).splitlines():
        words = line.split()
        if len(words) > 2 and words[1] == "=>" and words[2].startswith("/") and not SYSTEM.match(words[0]):
            yield words[0], words[2]


def licence_of(path):
    """The licence of a library's Debian package; None where it is of none."""
    try:
        packages = subprocess.check_output(["dpkg-query", "-S", os.path.realpath(path)], text=True,
                                           stderr=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError):
        return None
    licence = f"/usr/share/doc/{packages.partition(':')[0]}/copyright"
    return licence if os.path.exists(licence) else None


def tag():
    return "py3-none-" + re.sub("[-.]", "_", sysconfig.get_platform())


def texts():
    """The wheel's own texts, by their names in its folder of metadata."""
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        readme = file.read()
    return {
        "METADATA": "Metadata-Version: 2.1\nName: cgsolve\n"
                    f"Version: {version_of_tree()}\n"
                    "Summary: Conjugate gradients on CPU and GPU for symmetric positive definite systems\n"
                    "Requires-Python: >=3.8\n"
                    "Description-Content-Type: text/markdown\n\n" + readme,
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: cgsolve\nRoot-Is-Purelib: false\nTag: {tag()}\n",
    }


class Wheel:
    """A zip file that lists what is in it."""

    def __init__(self, path):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.record = []

    def add(self, name, data):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}\n")
        self.zip.writestr(name, data)

    def add_file(self, name, path):
        with open(path, "rb") as file:
            self.add(name, file.read())

    def close(self, folder):
        self.zip.writestr(f"{folder}/RECORD", "".join(self.record) + f"{folder}/RECORD,,\n")
        self.zip.close()


def write_wheel(library, folder):
    """Writes the wheel beside its place and renames it; returns its name."""
    metadata = f"cgsolve-{version_of_tree()}.dist-info"
    name = f"cgsolve-{version_of_tree()}-{tag()}.whl"
    unfinished = os.path.join(folder, name + ".tmp")
    wheel = Wheel(unfinished)
    wheel.add_file("cgsolve.py", os.path.join(ROOT, "python", "cgsolve.py"))
    wheel.add_file("cgsolve.libs/libcgsolve.so.1", library)
    for needed, path in needed_by(library):
        wheel.add_file("cgsolve.libs/" + needed, path)
        if licence_of(path):
            wheel.add_file(f"{metadata}/licenses/{needed}.txt", licence_of(path))
    for text, content in texts().items():
        wheel.add(f"{metadata}/{text}", content.encode())
    wheel.add_file(f"{metadata}/COPYING", os.path.join(ROOT, "COPYING"))
    wheel.close(metadata)
    os.replace(unfinished, os.path.join(folder, name))
    return name


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """PEP 517; without it pip builds the library while it says that it prepares metadata."""
    del config_settings
    folder = f"cgsolve-{version_of_tree()}.dist-info"
    os.mkdir(os.path.join(metadata_directory, folder))
    for text, content in texts().items():
        with open(os.path.join(metadata_directory, folder, text), "w", encoding="utf-8") as file:
            file.write(content)
    return folder


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517."""
    settings = config_settings or {}
    if "library" in settings:
        return write_wheel(settings["library"], wheel_directory)
    with tempfile.TemporaryDirectory() as folder:
        return write_wheel(build_library(folder, settings.get("configure", "").split()), wheel_directory)


def build_sdist(sdist_directory, config_settings=None):
    """PEP 517; the sources' own tarball is make dist's."""
    raise RuntimeError("cgsolve's tarball is made by 'make dist'")


if __name__ == "__main__":
    print(os.path.join(sys.argv[2], write_wheel(sys.argv[1], sys.argv[2])))
