#!/usr/bin/env bash
# tests/emulator/own_emulated.sh: tests/box/own_cuda.sh by the emulator.
set -u

# shellcheck source=tests/emulator/emulated.bash
. "$(dirname "$0")/emulated.bash" box/own_cuda.sh
