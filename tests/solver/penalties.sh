#!/usr/bin/env bash
# tests/solver/penalties.sh: systems in which a few rows rule the norm of b, against dense solves in NumPy (penalties.py),
# where that is installed.
set -u

here=$(realpath "$(dirname "$0")")
# shellcheck source=tests/cli/cli.bash
. "$here/../cli/cli.bash"

if ! find_python numpy; then
    echo "skipped: no Python with NumPy"
    exit 77
fi
count=25
[ "$instrumented" = no ] || count=4
for seed in 1 2; do
    "$python" "$here/penalties.py" "$cgsolve" $seed $count >out 2>&1
    verdict "$count systems with penalties and units, seed $seed" $? "$(tail -n 1 out)"
done

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
