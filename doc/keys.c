/* The table of keys in doc/report.md, from the rows of core/facts/facts.h. */
#include <stdbool.h>
#include <string.h>

#include "core/facts/facts.h"
#include "doc/pages.h"

static void write_key(FILE *file, const struct cgs_report_fact *fact, bool first)
{
    fprintf(file, "%s`%s`", first ? "" : ", ", fact->key);
    if (fact->meaning[0])
        fprintf(file, " (%s)", fact->meaning);
}

void cgs_write_keys(FILE *file)
{
    const char *place = "", *after = "";
    bool first = true;
    fputs("| key | what it is |\n|---|---|\n", file);
    for (int i = 0; i < cgs_report_fact_count; i++) {
        const struct cgs_report_fact *fact = &cgs_report_facts[i];
        if (fact->place) {
            if (fact->place[0] == '\0')
                fputs(after, file), after = "";
            else if (strcmp(fact->place, place) == 0)
                fprintf(file, "; %s", fact->meaning);
            else
                fprintf(file, "%s| `%s` | %s", after, fact->place, fact->meaning), after = " |\n";
            place = fact->place;
            first = true;
        } else if (place[0] == '\0') {
            fprintf(file, "| `%s` | %s |\n", fact->key, fact->meaning);
        } else {
            write_key(file, fact, first);
            first = false;
        }
    }
    fputs(after, file);
}
