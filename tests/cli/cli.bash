# tests/cli/cli.bash: what cli.sh and cli_*.sh share; sourced by them. The program is $CGSOLVE (./cgsolve
# where that is not set). Nothing is written but in a folder of its own under $TMPDIR. Runs are on the
# CPU unless a case is about choosing the backend.

# shellcheck source=tests/support/verdicts.bash
. "$(dirname "$0")/../support/verdicts.bash"

# shellcheck disable=SC2034 # for who sources this
if "$cgsolve" list backends | grep -Eq '^  cuda +not '; then device=no; else device=yes; fi
# shellcheck disable=SC2034
if "$cgsolve" --version | grep -q -- -fsanitize; then instrumented=yes; else instrumented=no; fi

# refuses STATUS PATTERN ARGUMENT...: ends with STATUS, and standard error matches PATTERN.
refuses() {
    local status=$1 pattern=$2 got
    shift 2
    timeout 120 "$cgsolve" "$@" >out 2>err
    got=$?
    if [ $got != "$status" ]; then
        verdict "$*" 1 "exit status $got, not $status; $(head -n 1 err)"
    elif ! grep -Eq -- "$pattern" err; then
        verdict "$*" 1 "no '$pattern' in: $(head -n 1 err)"
    else
        verdict "$* -> $status" 0
    fi
}

# accepts ARGUMENT...: ends with status 0; what it printed is in out.
accepts() {
    timeout 120 "$cgsolve" "$@" >out 2>err
    verdict "$*" $? "$(<err)"
}

# solves FILE ARGUMENT...: runs on the CPU with the JSON report in FILE; returns the exit status.
solves() {
    local file=$1
    shift
    timeout 300 "$cgsolve" --backend=cpu --json="$file" "$@" >out 2>err
}

# without_drawing: from here on a figure is the script of it, so that gnuplot need not be there.
without_drawing() {
    mkdir stand-in && printf '#!/bin/sh\nexec cat\n' >stand-in/gnuplot && chmod +x stand-in/gnuplot
    PATH=$PWD/stand-in:$PATH
}

# near_arrays A.npy B.npy RELATIVE: as many doubles in both, apart by RELATIVE of the largest at most, which is above 0.
near_arrays() {
    python3 - "$@" <<'PYTHON'
import struct, sys
a, b = (open(f, "rb").read()[128:] for f in sys.argv[1:3])
a, b = (struct.unpack("<%dd" % (len(c) // 8), c) for c in (a, b))
sys.exit(len(a) != len(b) or max(b) <= 0 or max(abs(p - q) for p, q in zip(a, b)) > float(sys.argv[3]) * max(b))
PYTHON
}
