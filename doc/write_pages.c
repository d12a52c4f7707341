/* write_pages manual|completion|zsh|fish|keys [FOLDER]: writes that page, or the keys in
 * doc/report.md, to standard output. make runs it; it is not installed. The page's date is the
 * commit's, or SOURCE_DATE_EPOCH's, so that the same sources give the same page. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/io/version.h"
#include "doc/pages.h"

static void find_date(char *date, size_t size)
{
    const char *said = getenv("SOURCE_DATE_EPOCH");
    const time_t seconds = said ? (time_t)strtoll(said, NULL, 10) : 0;
    struct tm utc;
    if (seconds > 0 && gmtime_r(&seconds, &utc))
        strftime(date, size, "%Y-%m-%d", &utc);
    else
        snprintf(date, size, "%s", cgs_commit_date());
}

int main(int argc, char **argv)
{
    char date[32];
    find_date(date, sizeof date);
    if (argc > 1 && strcmp(argv[1], "manual") == 0)
        cgs_write_manual(stdout, date, argc > 2 ? argv[2] : "");
    else if (argc > 1 && strcmp(argv[1], "completion") == 0)
        cgs_write_completion(stdout);
    else if (argc > 1 && strcmp(argv[1], "zsh") == 0)
        cgs_write_zsh(stdout);
    else if (argc > 1 && strcmp(argv[1], "fish") == 0)
        cgs_write_fish(stdout);
    else if (argc > 1 && strcmp(argv[1], "keys") == 0)
        cgs_write_keys(stdout);
    else
        fputs("usage: write_pages manual|completion|zsh|fish|keys [FOLDER]\n", stderr);
    return argc < 2 || fflush(stdout) != 0 || ferror(stdout);
}
