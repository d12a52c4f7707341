#!/usr/bin/env bash
# tests/foreign_cuda.sh: tests/foreign.sh with kernels in CUDA; 77 (skipped) without a device.
exec bash "$(dirname "$0")/foreign.sh" cuda
