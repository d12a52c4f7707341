# shellcheck shell=bash
# tests/cli/body.bash: files of an elastic body, for scripts that source it: body.mtx, points.mtx with its nodes, and
# shifts.mtx with its three translations.
#
# An elastic body: springs between each of 9 x 9 x 9 nodes and its 26 neighbours, d d' / d'd along d; the first
# plane is held
awk 'BEGIN {
    n = 9
    for (i = 0; i < n * n * n; i++) {
        at[0] = i % n; at[1] = int(i / n) % n; at[2] = int(i / n / n)
        for (k = 0; k < 3; k++) {
            print at[k] >"points.txt"
            for (e = 0; e <= k; e++)
                sum[k, e] = k == e && at[2] == 0
        }
        for (s = 0; s < 27; s++) {
            d[0] = s % 3 - 1; d[1] = int(s / 3) % 3 - 1; d[2] = int(s / 9) - 1
            for (k = square = 0; k < 3; k++)
                square = at[k] + d[k] < 0 || at[k] + d[k] >= n || square < 0 ? -1 : square + d[k] * d[k]
            j = i + d[0] + n * (d[1] + n * d[2])
            for (k = 0; k < 3 && square > 0; k++)
                for (e = 0; e < 3; e++) {
                    sum[k, e] += d[k] * d[e] / square
                    if (j < i && d[k] * d[e] != 0)
                        print 3 * i + k + 1, 3 * j + e + 1, -d[k] * d[e] / square
                }
        }
        for (k = 0; k < 3; k++)
            for (e = 0; e <= k; e++)
                print 3 * i + k + 1, 3 * i + e + 1, sum[k, e]
    }
}' >entries.txt
{
    echo '%%MatrixMarket matrix coordinate real symmetric'
    echo "2187 2187 $(wc -l <entries.txt)"
    cat entries.txt
} >body.mtx
{
    printf '%%%%MatrixMarket matrix array real general\n729 3\n'
    for k in 1 2 3; do
        awk -v k=$k 'NR % 3 == k % 3' points.txt
    done
} >points.mtx
{
    printf '%%%%MatrixMarket matrix array real general\n2187 3\n'
    awk 'BEGIN { for (k = 0; k < 3; k++) for (i = 0; i < 2187; i++) print i % 3 == k }'
} >shifts.mtx
