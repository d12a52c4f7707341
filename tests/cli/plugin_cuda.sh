#!/usr/bin/env bash
# tests/cli/plugin_cuda.sh: tests/cli/plugin.sh with kernels in CUDA; 77 (skipped) without a device.
exec bash "$(dirname "$0")/plugin.sh" cuda
