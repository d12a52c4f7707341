#!/usr/bin/env bash
# tests/emulator/ranks_emulated.sh: tests/cli/ranks_cuda.sh by the emulator, whose device all ranks share. Skipped
# where the program for it has not been built.
set -u

here=$(realpath "$(dirname "$0")")
CGSOLVE=${CGS_BUILDDIR:-.}/tests/emulator/cgsolve_emulated
if [ ! -x "$CGSOLVE" ]; then
    echo "skipped: there is no $CGSOLVE"
    exit 77
fi
CGSOLVE=$(realpath "$CGSOLVE") EMULATED=yes exec bash "$here/../cli/ranks_cuda.sh"
