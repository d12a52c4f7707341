# shellcheck shell=bash
# tests/emulator/emulated.bash: runs a test of tests/, named as an argument, by the program of the emulator, for the
# scripts that source this. Skipped where that program has not been built.
program=$(dirname "${CGSOLVE:-./cgsolve}")/tests/emulator/cgsolve_emulated
if [ ! -x "$program" ]; then
    echo "skipped: there is no $program"
    exit 77
fi
# Bandwidths are measured beyond its cache of 1 MB, not on a GPU's gigabyte, which took most of the time.
CGSOLVE_TEST=${CGSOLVE_TEST:+$CGSOLVE_TEST,}bytes=4e6
export CGSOLVE_TEST
CGSOLVE=$(realpath "$program") EMULATED=yes exec bash "$(dirname "${BASH_SOURCE[0]}")/../$1"
