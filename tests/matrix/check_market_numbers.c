/* matrix/market: numbers as text and back, correctly rounded. */
#include <locale.h>

#include "matrix/market/market_number.h"
#include "matrix/market/market_write.h"
#include "tests/matrix/market.h"

static locale_t c;

static void open_numbers(void)
{
    c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    ck_assert(c != (locale_t)0);
}

static void close_numbers(void)
{
    freelocale(c);
}

/* The same bits as the C library's, which rounds correctly. */
static void check_number(const char *text)
{
    char line[64];
    double value = NAN;
    const double right = strtod(text, NULL);
    snprintf(line, sizeof line, "%s\n", text);
    const char *at = line;
    if (!cgs_market_number(&at, c, &value) || *at != '\n' ||
        memcmp(&value, &right, sizeof value) != 0)
        ck_abort_msg("%s: %.17g is not %.17g", text, value, right);
}

/* Decimal numbers of 1 ... 20 digits, with a point anywhere and exponents round the range of the
 * quick way. */
TEST(random_decimals)
{
    for (uint64_t i = 0; i < 100000; i++) {
        const uint64_t draw = cgs_splitmix64(i), other = cgs_splitmix64(~i);
        char digits[24], text[48];
        const int count = 1 + (int)(other % 20),
                  point = (int)((other >> 8) % (uint64_t)(count + 1));
        snprintf(digits, sizeof digits, "%020llu", (unsigned long long)draw);
        snprintf(text, sizeof text, "%s%.*s.%.*se%d", other >> 63 ? "-" : "", point,
                 digits + 20 - count, count - point, digits + 20 - count + point,
                 (int)((other >> 16) % 80) - 40);
        check_number(text);
    }
}

/* Half-way cases: exact middles between doubles, one digit off them. */
TEST(ties)
{
    for (uint64_t i = 0; i < 20000; i++) {
        char text[48];
        const uint64_t whole = (UINT64_C(1) << 53) + (cgs_splitmix64(i) >> 11);
        for (int off = -1; off <= 1; off++) {
            snprintf(text, sizeof text, "%llu",
                     (unsigned long long)(2 * whole + 1) + (unsigned)off);
            check_number(text);
            /* (2 m + 1) / 2^k in decimal has all its digits where k is small */
            snprintf(text, sizeof text, "%llu.%c", (unsigned long long)(whole >> 3), '4' + off);
            check_number(text);
            snprintf(text, sizeof text, "%llue%d",
                     (unsigned long long)(2 * whole + 1) + (unsigned)off, (int)(i % 55) - 27);
            check_number(text);
        }
    }
}

TEST(special_numbers)
{
    static const char *const right[] = {
        "0",
        "-0",
        "0.0",
        "-.0e5",
        "1",
        "+1",
        "1.",
        ".5",
        "1e0",
        "1E+1",
        "1e-007",
        "123456789012345678",
        "9007199254740993",
        "9007199254740992.5",
        "18446744073709551615",
        "18446744073709551616",
        "1e22",
        "1e23",
        "1e27",
        "1e28",
        "1e-27",
        "1e-28",
        "8.5e-5",
        "0.1",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "4.9406564584124654e-324",
        "2.4703282292062328e-324",
        "1e-400",
        "1.7976931348623157e308",
        "0000000000000000000000000000001.5",
        "0.00000000000000000000000015",
        "1e-99999999999999999999",
        "0e99999999999999999999",
        "179769313486231570000000000000000e276",
    };
    static const char *const wrong[] = {"",    "-",    ".",   "-.",    "e5",      "1e",  "1e+",
                                        "nan", "inf",  "0x1", "1,5",   "1.2.3",   "--1", "1e1.5",
                                        "1f",  "1e5x", "+-1", "1e400", "1.8e308", "d5"};
    static const struct {
        const char *text;
        double value;
    } fortran[] = {{"1.5D+00\n", 1.5}, {"2d3\n", 2000.0}, {"-1.25D-301\n", -1.25e-301}};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        check_number(right[i]);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char line[32];
        double value;
        snprintf(line, sizeof line, "%s\n", wrong[i]);
        const char *at = line;
        ck_assert_msg(!cgs_market_number(&at, c, &value), "%s", wrong[i]);
    }
    for (size_t i = 0; i < sizeof fortran / sizeof *fortran; i++) {
        const char *at = fortran[i].text;
        double value;
        ck_assert(cgs_market_number(&at, c, &value));
        ck_assert(value == fortran[i].value);
    }
}

/* Doubles of all sizes and near 1, written and read: the same bits, and no more room than said. */
TEST(written_and_read)
{
    for (uint64_t i = 0; i < 60000; i++) {
        const double number = i % 2   ? made_double(i)
                              : i % 4 ? cgs_random(i)
                                      : (double)(int64_t)(cgs_splitmix64(i) % 2000) - 1000.0;
        char text[CGS_MARKET_NUMBER_TEXT + 1];
        memset(text, 'x', sizeof text);
        char *end = cgs_market_put_number(text, number);
        const bool fits =
            end - text <= CGS_MARKET_NUMBER_TEXT && text[CGS_MARKET_NUMBER_TEXT] == 'x';
        *end = '\n';
        const char *at = text;
        double back = NAN;
        if (!fits || !cgs_market_number(&at, c, &back) || at != end ||
            memcmp(&back, &number, sizeof back) != 0)
            ck_abort_msg("%.17g: %.17g", number, back);
    }
}

int main(void)
{
    return bed_run(suite_of("market_numbers", 60, open_numbers, close_numbers));
}
