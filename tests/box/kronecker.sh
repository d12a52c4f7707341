#!/usr/bin/env bash
# tests/box/kronecker.sh: random boxes, of all kinds of faces and quadratures, against an assembly by Kronecker products
# in NumPy (kronecker.py), where that is installed.
set -u

here=$(realpath "$(dirname "$0")")
# shellcheck source=tests/cli/cli.bash
. "$here/../cli/cli.bash"

if ! find_python numpy; then
    echo "skipped: no Python with NumPy"
    exit 77
fi
for seed in 1 2 3; do
    "$python" "$here/kronecker.py" "$cgsolve" $seed 25 >out 2>&1
    verdict "25 random boxes, seed $seed" $? "$(tail -n 1 out)"
done
count=50
[ "$instrumented" = no ] || count=5
"$python" "$here/kronecker.py" "$cgsolve" 4 $count hard >out 2>&1
verdict "$count boxes with values by penalty and jumps of kappa" $? "$(tail -n 1 out)"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
