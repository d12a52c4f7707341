#!/usr/bin/env bash
# tests/emulator/ranks_emulated.sh: tests/cli/ranks_cuda.sh by the emulator, whose device all ranks share.
set -u

# shellcheck source=tests/emulator/emulated.bash
. "$(dirname "$0")/emulated.bash" cli/ranks_cuda.sh
