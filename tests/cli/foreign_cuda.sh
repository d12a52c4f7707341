#!/usr/bin/env bash
# tests/cli/foreign_cuda.sh: tests/cli/foreign.sh with kernels in CUDA; 77 (skipped) without a device.
exec bash "$(dirname "$0")/foreign.sh" cuda
