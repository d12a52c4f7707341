#!/usr/bin/env bash
# tests/exercise/exercise_cuda.sh: tests/exercise/exercise.sh of exercises that need a GPU; 77 (skipped) without a device.
exec bash "$(dirname "$0")/exercise.sh" cuda
