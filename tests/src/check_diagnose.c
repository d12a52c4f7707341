/* Descriptions of wrong rows (core/autotune/diagnose.h). */
#include <string.h>

#include "core/autotune/diagnose.h"
#include "tests/support/check.h"

enum { ROWS = 96 };

/* Rows of 27 entries, of 8 every seventh, empty ones at 5 and 40, one of 60 at 11. */
static int64_t length_of(int64_t i)
{
    return i == 5 || i == 40 ? 0 : i == 11 ? 60 : i % 7 == 0 ? 8 : 27;
}

static const struct {
    const char *wrong; /* the rule by a and b (is_wrong) */
    int a, b;
    bool narrow, unwritten;
    const char *text;
} cases[] = {
    {"all", 0, 0, false, false, "all 96 rows are wrong"},
    {"all", 2, 0, false, false, "all 96 rows are wrong: 2 times what they should be"},
    {"all", 0, 0, true, false, "all 96 rows are wrong, but right to single precision"},
    {"longer", 27, 0, false, false, "1 of 96 rows is wrong: all with more than 27 entries"},
    {"longer", 8, 0, false, false, "80 of 96 rows are wrong: all with more than 8 entries"},
    {"shorter", 1, 0, false, true, "2 of 96 rows are wrong: all empty ones, not written"},
    {"shorter", 27, 0, false, false, "16 of 96 rows are wrong: all with fewer than 27 entries"},
    {"range", 93, 95, false, true, "3 of 96 rows are wrong: the last ones, not written"},
    {"range", 95, 95, false, true, "1 of 96 rows is wrong: the last one, not written"},
    {"range", 0, 30, false, false, "31 of 96 rows are wrong: the first ones"},
    {"range", 20, 29, false, false, "10 of 96 rows are wrong: rows 20 to 29"},
    {"range", 20, 20, false, false, "1 of 96 rows is wrong"},
    {"step", 32, 31, false, false, "3 of 96 rows are wrong: every 32nd from row 31 on"},
    {"step", 2, 1, false, false, "48 of 96 rows are wrong: every 2nd from row 1 on"},
    {"step", 3, 0, true, false,
     "32 of 96 rows are wrong: every 3rd from row 0 on, but right to single precision"},
    {"step", 16, 3, false, false, "6 of 96 rows are wrong: every 16th from row 3 on"},
    {"part", 32, 3, false, false, "2 of 96 rows are wrong"},
};

static bool is_wrong(int which, int64_t i)
{
    const char *rule = cases[which].wrong;
    const int a = cases[which].a, b = cases[which].b;
    if (strcmp(rule, "longer") == 0)
        return length_of(i) > a;
    if (strcmp(rule, "shorter") == 0)
        return length_of(i) < a;
    if (strcmp(rule, "range") == 0)
        return i >= a && i <= b;
    if (strcmp(rule, "step") == 0)
        return i % a == b;
    if (strcmp(rule, "part") == 0) /* of the steps only the first two */
        return i % a == b && i < 2 * a;
    return true;
}

LOOP_TEST(words, sizeof cases / sizeof *cases)
{
    int64_t pointers[ROWS + 1] = {0};
    bool wrong[ROWS];
    char text[160];
    for (int64_t i = 0; i < ROWS; i++) {
        pointers[i + 1] = pointers[i] + length_of(i);
        wrong[i] = is_wrong(_i, i);
    }
    const double factor = strcmp(cases[_i].wrong, "all") == 0 ? cases[_i].a : 0.0;
    const struct cgs_wrong_rows w = {ROWS,   wrong, pointers, cases[_i].narrow, cases[_i].unwritten,
                                     factor};
    cgs_diagnose(&w, text, sizeof text);
    ck_assert_str_eq(text, cases[_i].text);
}

int main(void)
{
    return run_tests("diagnose", 60, NULL, NULL);
}
