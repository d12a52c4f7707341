#!/usr/bin/env bash
# tests/emulator/user_problem_emulated.sh: tests/box/user_problem_cuda.sh by the emulator.
set -u

# shellcheck source=tests/emulator/emulated.bash
. "$(dirname "$0")/emulated.bash" box/user_problem_cuda.sh
