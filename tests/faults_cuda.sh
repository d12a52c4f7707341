#!/usr/bin/env bash
# tests/faults_cuda.sh: tests/faults.sh on the CUDA device; 77 (skipped) without one.
exec bash "$(dirname "$0")/faults.sh" cuda
