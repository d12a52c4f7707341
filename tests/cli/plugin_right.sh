#!/usr/bin/env bash
# tests/cli/plugin_right.sh: kernels of one's own that are right, each in a way of its own, are believed: on the
# matrix that is asked for, on the small ones, and compiled for checks (core/autotune/battery.h). Those that are wrong
# are in plugin.sh. Some of them by default; all with COUNT set.
set -u

# shellcheck source=tests/support/user_kernels.bash
. "$(dirname "$0")/../support/user_kernels.bash"
export CGSOLVE_TEST=part=0.02
ln -s "$sources/examples" e
kernels="k/right/static.c k/right/columns.c k/right/declines.c k/sell.c"
[ -z "${COUNT-}" ] || kernels="$(echo k/right/*.c) k/sell.c e/crs_kernel.c"
# shellcheck disable=SC2086 # words
timeout 300 "$cgsolve" spmv --N=3 --backend=cpu --repeat=6 --csv=table.csv --kernel="$(printf '%s\n' $kernels | paste -sd,)" >out 2>err
verdict "all are right" $? "$(head -n 1 err)"
for kernel in $kernels; do # dropped: on a machine that is busy elsewhere
    grep -Eq "^[^,]*,\"?$kernel\"?,.*,\"?(timed|dropped)\"?," table.csv
    verdict "$kernel" $? "$(grep "$kernel" table.csv)"
done

echo "# Names"
same 'as it names itself' "$(grep -c '^"right_columns","k/right/columns.c",' table.csv) $(grep -Ec '^  right_columns +CRS ' out)" '1 2'
export CGSOLVE_TEST=part=0.02,battery=0 # what follows is no matter of products
cp -r "$sources/tests/user_kernels" twins
cp twins/right/columns.c twins/right/again.c
sed 's/"right_columns"/"crs_row"/' k/right/columns.c >twins/right/crs.c
timeout 300 "$cgsolve" spmv --N=3 --backend=cpu --repeat=6 --csv=table.csv \
    --kernel=twins/right/columns.c,twins/right/again.c,twins/right/crs.c >out 2>err
same 'its file where another has that name, or one of ours' "$(grep '"twins/' table.csv | cut -d, -f1-2 | tr -d '"' | tr '\n' ' ')" \
    'twins/right/columns.c,twins/right/columns.c twins/right/again.c,twins/right/again.c twins/right/crs.c,twins/right/crs.c '

echo "# Bytes of a layout of its own"
said() { # BYTES STATUS
    CGSOLVE_TEST=part=0.02,battery=0,says=$1 timeout 300 "$cgsolve" spmv --N=6 --backend=cpu --repeat=6 --json=said.json --kernel=k/right/layout.c >out 2>err
    same "$1 bytes -> $2" $? "$2"
    sed -n '/"foreign": true/,/}/p' said.json >row
}
read_as_crs=$((16 * 16 * 16 * 12 + 217 * 8)) # 16^3 entries
said 0 0
same 'it says none: those of CRS' "$(value bytes_after row)" $read_as_crs
said 123456 0
same 'those that it says' "$(value bytes_after row)" 123456
# same bytes over the time: x and y are 2 x 216 numbers
same 'GB/s are of these' "$(awk -v g="$(value gbs row)" -v t="$(value median_seconds row)" 'BEGIN { printf "%.0f", 1e9 * g * t }')" 126912
said -5 2
same 'a number that cannot be' "$(grep -c '"reason": .* says in its prepare that a product reads -5 bytes of the matrix' row)" 1
CGSOLVE_TEST=part=0.02,battery=0,says=123456 timeout 300 "$cgsolve" --N=6 --backend=cpu --kernel=k/right/layout.c --json=solve.json >out 2>err
same 'in CG, too' "$? $(awk -v g="$(value spmv_gbs solve.json)" -v t="$(value spmv_seconds solve.json)" 'BEGIN { printf "%.0f", 1e9 * g * t }')" '0 126912'
mkdir -p old/right && cp k/user_kernel.h old && cp k/right/right.h old/right
sed 's/CGSOLVE_KERNEL_ABI,/1,/' k/right/columns.c >old/right/one.c
timeout 300 "$cgsolve" spmv --N=3 --backend=cpu --repeat=6 --kernel=old/right/one.c >out 2>err
same 'a kernel of version 1, which knows no bytes' $? 0

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
