#!/usr/bin/env bash
# tests/python/python.sh: python/cgsolve.py over this build's libcgsolve.so (test_cgsolve.py), by the python3 that has
# most of NumPy, SciPy, CuPy and PyTorch; the problems of doc/own.md by it, by the library and by the program
# (user_problem_doors.py); and its wheel, where there are the sources: unpacked, and by pip in a clean
# environment. CGSOLVE_LIBRARY is another library.
set -u

# shellcheck source=tests/support/verdicts.bash
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdicts.bash"
sources=$(cd "${CGS_SRCDIR:-$(dirname "${BASH_SOURCE[0]}")/../..}" && pwd)
library=${CGSOLVE_LIBRARY:-$build/.libs/libcgsolve.so.1}
if [ ! -f "$library" ]; then
    echo "skipped: this build has no shared library"
    exit 77
fi
if grep -q '^CGS_INSTRUMENT = .*-f' "$build/Makefile" 2>/dev/null; then
    echo "skipped: a library that watches itself needs a program that does, too"
    exit 77
fi
most=-1
for candidate in python3 /usr/bin/python3; do
    found=$($candidate -c 'import importlib.util as u
print(sum(u.find_spec(name) is not None for name in ("numpy", "scipy", "cupy", "torch")))' 2>/dev/null) || continue
    if [ "$found" -gt "$most" ]; then
        python=$candidate most=$found
    fi
done
if [ "$most" -lt 0 ]; then
    echo "skipped: no python3 here"
    exit 77
fi
unset PYTHONPATH
export PYTHONDONTWRITEBYTECODE=1

# One thread: the interface is the same with several, which wait for each other on a busy machine.
export OMP_NUM_THREADS=1
CGSOLVE_LIBRARY=$library CGSOLVE=$cgsolve PYTHONPATH=$sources/python "$python" \
    "$sources/tests/python/test_cgsolve.py" >log 2>&1
status=$?
sed -n 's/^\(test_.*\) \.\.\. /\1: /p' log
verdict "test_cgsolve.py by $("$python" --version)" $status "$(tail -n 30 log)"
if [ -f "$sources/doc/own.md" ]; then
    mkdir own
    (cd own && CGSOLVE_LIBRARY=$library PYTHONPATH=$sources/python "$python" "$sources/tests/python/user_problem_doors.py" \
        "$cgsolve" "$sources") >log 2>&1
    verdict "doc/own.md by program, library and Python" $? "$(grep -v '^ok:' log)"
fi
if [ -f "$sources/examples/heat.py" ] && "$python" -c 'import numpy' 2>/dev/null; then
    CGSOLVE_LIBRARY=$library PYTHONPATH=$sources/python "$python" "$sources/examples/heat.py" 7 5 0.02 >out 2>err &&
        [ "$(grep -c '^t = ' out)" = 5 ] && [ "$(wc -c <heat.pgm)" = $((11 + 49)) ]
    verdict "examples/heat.py" $? "$(cat out err)"
fi

# Ten lines that need nothing but Python.
cat >ten.py <<'END'
import array
import cgsolve
pointers, columns, values = array.array("q", [0]), array.array("i"), array.array("d")
for i in range(99):
    for j in range(max(i - 1, 0), min(i + 2, 99)):
        columns.append(j)
        values.append(2.0 if i == j else -1.0)
    pointers.append(len(columns))
x = cgsolve.solve((pointers, columns, values), array.array("d", [1e-4] * 99), precond="amg", backend="cpu", tol=1e-10)
print(cgsolve.__file__, "%.6f" % x[49])
END
if [ -f "$sources/python/backend.py" ]; then
    python3 "$sources/python/backend.py" "$library" "$work" >wheel 2>err
    verdict "the wheel is written" $? "$(cat err)"
    mkdir unpacked
    python3 -m zipfile -e cgsolve-*.whl unpacked
    env -u LD_LIBRARY_PATH PYTHONPATH=unpacked python3 ten.py >out 2>err
    [ "$(cat out)" = "$work/unpacked/cgsolve.py 0.125000" ]
    verdict "... solves, unpacked" $? "$(cat out err)"
    # What pip install . builds: CUDA for the GPUs of this machine alone; after each tenth of the files a line is told.
    mkdir fake
    printf '#!/bin/sh\nprintf "9.0\\n8.0\\n9.0\\n"\n' >fake/nvidia-smi
    chmod +x fake/nvidia-smi
    printf 'all: %s; @:\n%%.o:\n\t@echo "  CC  $@"; : --mode=compile\n' "$(printf '%s.o ' {1..20})" >fake/Makefile
    cat >build.py <<'END'
import os
import backend
for path in ("fake", "/nowhere"):
    os.environ["PATH"] = path + ":/usr/bin:/bin" if path == "fake" else path
    print(*backend.options_of_cuda())
os.environ["PATH"] = "/usr/bin:/bin"
told = []
backend.tell = told.append
backend.make("fake", "all")
print(*told[::9], len(told))
END
    # not as part of the make that runs this test, which would say folders and jobs
    env -u MAKEFLAGS -u MAKELEVEL PYTHONPATH="$sources/python" python3 build.py 2>err | grep -v '^  CC' >out
    printf '%s\n' CUDA_ARCH=80,90 --without-cuda '2 of 20 files compiled 20 of 20 files compiled 10' | cmp -s - out
    verdict "pip install builds for this machine, and tells how far it is" $? "$(cat out err)"
    # That it needs nothing else shows in the names of what is not of every system.
    missing=$(ldd unpacked/cgsolve.libs/libcgsolve.so.1 | awk '$2 == "=>" { print $1 }' |
        grep -v -E '^(linux-vdso|ld-linux|libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s)[.-]' |
        while read -r name; do [ -f "unpacked/cgsolve.libs/$name" ] || echo "$name"; done)
    [ -z "$missing" ]
    verdict "... has the libraries that it needs" $? "$missing"
    if python3 -m venv clean >err 2>&1; then
        clean/bin/pip install --no-index --disable-pip-version-check --config-settings=library="$library" "$sources" >err 2>&1
        verdict "pip install from the tree" $? "$(tail -n 5 err)"
        clean/bin/pip uninstall -y cgsolve >err 2>&1
        clean/bin/pip install --no-index --disable-pip-version-check cgsolve-*.whl >err 2>&1
        verdict "pip install of the wheel" $? "$(tail -n 5 err)"
        clean/bin/python ten.py >out 2>err
        [ "$(cut -d' ' -f2 out)" = 0.125000 ] && grep -q site-packages out
        verdict "... solves in a clean environment" $? "$(cat out err)"
    else
        echo "skipped: pip, no environment can be made here (package python3-venv)"
    fi
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
