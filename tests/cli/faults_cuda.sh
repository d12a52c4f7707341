#!/usr/bin/env bash
# tests/cli/faults_cuda.sh: tests/cli/faults.sh on the CUDA device; 77 (skipped) without one.
exec bash "$(dirname "$0")/faults.sh" cuda
