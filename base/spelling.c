#include "base/spelling.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/integers.h"

enum { LONGEST = 63 };

static bool same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Edit distance with swaps (optimal string alignment) on at most LONGEST characters, ignoring case;
 * three rows of the usual table suffice. */
static int distance(const char *a, const char *b)
{
    const int m = cgs_least((int)strlen(a), LONGEST), n = cgs_least((int)strlen(b), LONGEST);
    int rows[3][LONGEST + 1];
    for (int j = 0; j <= n; j++)
        rows[0][j] = j;
    for (int i = 1; i <= m; i++) {
        int *now = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= n; j++) {
            const int other = !same(a[i - 1], b[j - 1]);
            now[j] = cgs_least(cgs_least(before[j], now[j - 1]) + 1, before[j - 1] + other);
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                now[j] = cgs_least(now[j], earlier[j - 2] + 1);
        }
    }
    return rows[m % 3][n];
}

/* Returns the only candidate that begins with the word; -1: none, or several. */
static int abbreviated(const char *word, const char *const *candidates, int count)
{
    int found = -1;
    for (int i = 0; i < count; i++)
        if (strncasecmp(word, candidates[i], strlen(word)) == 0) {
            if (found >= 0)
                return -1;
            found = i;
        }
    return found;
}

int cgs_nearest(const char *word, const char *const *candidates, int count)
{
    const int length = (int)strlen(word);
    const int whole = length > 1 ? abbreviated(word, candidates, count) : -1;
    int best = cgs_least((length + 1) / 3, length - 1), found = -1;
    if (whole >= 0)
        return whole;
    for (int i = 0; i < count; i++) {
        const int d = distance(word, candidates[i]);
        if (d < best || (d == best && found < 0)) {
            best = d;
            found = i;
        }
    }
    return found;
}
