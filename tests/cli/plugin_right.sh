#!/usr/bin/env bash
# tests/cli/plugin_right.sh: kernels of one's own that are right, each in a way of its own, are believed: on the
# matrix that is asked for, on the small ones, and compiled for checks (core/autotune/battery.h). Those that are wrong
# are in plugin.sh. Some of them by default; all with COUNT set.
set -u

# shellcheck source=tests/support/own.bash
. "$(dirname "$0")/../support/own.bash"
export CGSOLVE_TEST=part=0.02
ln -s "$sources/examples" e
kernels="k/right/static.c k/right/columns.c k/right/declines.c k/sell.c"
[ -z "${COUNT-}" ] || kernels="$(echo k/right/*.c) k/sell.c e/crs_kernel.c"
# shellcheck disable=SC2086 # words
timeout 300 "$cgsolve" spmv --N=3 --backend=cpu --repeat=6 --csv=table.csv --kernel="$(printf '%s\n' $kernels | paste -sd,)" >out 2>err
verdict "all are right" $? "$(head -n 1 err)"
for kernel in $kernels; do # dropped: on a machine that is busy elsewhere
    grep -Eq "^\"?$kernel\"?,.*,\"?(timed|dropped)\"?," table.csv
    verdict "$kernel" $? "$(grep "$kernel" table.csv)"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
