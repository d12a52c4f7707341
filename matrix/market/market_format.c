#include "matrix/market/market_format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

char *cgs_market_put_index(char *to, int64_t index)
{
    char digits[20];
    int count = 0;
    do
        digits[count++] = (char)('0' + index % 10);
    while ((index /= 10) > 0);
    while (count > 0)
        *to++ = digits[--count];
    return to;
}

char *cgs_market_put_number(char *to, double number)
{
    char text[CGS_MARKET_NUMBER_TEXT + 8];
    if (fabs(number) < 1e15 && number == floor(number) && !(number == 0.0 && signbit(number))) {
        if (number < 0.0)
            *to++ = '-';
        char *const end = cgs_market_put_index(text, (int64_t)fabs(number));
        memcpy(to, text, (size_t)(end - text));
        return to + (end - text);
    }
    int length = 0;
    for (int digits = 15; digits <= 17; digits++) {
        length = snprintf(text, sizeof text, "%.*g", digits, number);
        if (digits == 17 || strtod(text, NULL) == number)
            break;
    }
    memcpy(to, text, (size_t)length);
    return to + length;
}

void cgs_market_put_banner(FILE *file, const char *words, const char *comment)
{
    fprintf(file, "%%%%MatrixMarket matrix %s\n", words);
    while (comment && *comment) {
        const size_t length = strcspn(comment, "\n");
        fprintf(file, "%% %.*s\n", (int)length, comment);
        comment += length + (comment[length] == '\n');
    }
}
