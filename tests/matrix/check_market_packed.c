/* matrix/market: what is packed is checked to its end. Every change of one byte and every cut of
 * small .gz, .xz and tar files leads to an error, or to the very same matrix. */
#include <fcntl.h>
#include <zlib.h>

#include "matrix/market/market_read.h"
#include "tests/matrix/market.h"

static const char text[] = "%%MatrixMarket matrix coordinate real symmetric\n"
                           "% small\n3 3 5\n1 1 4.25\n2 1 -1\n2 2 4.5\n3 2 -1.125\n3 3 4.75\n";

struct packed {
    unsigned char bytes[1 << 14];
    size_t size;
};

/* Adds a gzip member of that text; with a name in its header. */
static void add_member(struct packed *packed, const char *begin, size_t size)
{
    unsigned char name[] = "small.mtx";
    gz_header header = {.name = name, .os = 3};
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)begin,
                  .avail_in = (unsigned)size,
                  .next_out = packed->bytes + packed->size,
                  .avail_out = (unsigned)(sizeof packed->bytes - packed->size)};
    ck_assert_int_eq(deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    ck_assert_int_eq(deflateSetHeader(&z, &header), Z_OK);
    ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    packed->size = sizeof packed->bytes - z.avail_out;
    deflateEnd(&z);
}

/* Fills *packed with a file of tests/matrices, or where `name` begins with '+' packs `text` into
 * that many members. */
static void make(const char *name, struct packed *packed)
{
    packed->size = 0;
    if (*name == '+') {
        const size_t length = strlen(text);
        const int members = (int)strlen(name);
        for (int i = 0; i < members; i++) {
            const size_t begin = length * (size_t)i / (size_t)members;
            add_member(packed, text + begin, length * (size_t)(i + 1) / (size_t)members - begin);
        }
        return;
    }
    const char *folder = getenv("CGS_SRCDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/matrices/%s", folder ? folder : ".", name);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    packed->size = fread(packed->bytes, 1, sizeof packed->bytes, file);
    ck_assert_uint_lt(packed->size, sizeof packed->bytes);
    fclose(file);
}

static const char *const names[] = {
    "+",           "+++",         "small.mtx.xz", "small_sha256.mtx.xz", "small.tar.gz",
    "only.tar.xz", "small.tar.xz"};
enum { NAMES = sizeof names / sizeof *names };

static enum cgs_status read_again(const struct made *made, struct cgs_crs *crs)
{
    struct cgs_market market;
    const enum cgs_status status = cgs_market_read(&bed.context, made->path, NULL, crs, &market);
    if (status != CGS_OK) {
        ck_assert_msg(status == CGS_FILE, "%s", bed.context.message);
        bed_forgive();
    }
    return status;
}

static void put(int file, size_t at, unsigned char byte)
{
    ck_assert_int_eq(pwrite(file, &byte, 1, (off_t)at), 1);
}

LOOP_TEST(one_byte, NAMES)
{
    struct packed packed;
    struct cgs_crs right, crs;
    size_t refused = 0, tried = 0;
    make(names[_i], &packed);
    const struct made made = made_file((const char *)packed.bytes, packed.size);
    const int file = open(made.path, O_WRONLY | O_CLOEXEC);
    ck_assert_int_eq(read_again(&made, &right), CGS_OK);
    for (size_t at = 0; at < packed.size; at++) {
        /* Each bit, all, none: one of these for each byte in a small test. */
        for (int bit = CHECK_SMALL ? (int)(at % 10) : 0; bit < 10; bit += CHECK_SMALL ? 10 : 1) {
            const unsigned char byte = packed.bytes[at];
            const unsigned char other = bit < 8    ? (unsigned char)(byte ^ (1 << bit))
                                        : bit == 8 ? (unsigned char)~byte
                                                   : 0;
            put(file, at, other);
            if (other == byte)
                continue;
            tried++;
            if (read_again(&made, &crs) != CGS_OK) {
                refused++;
                continue;
            }
            check_same(&crs, &right);
            cgs_crs_release(&bed.context, &crs);
        }
        put(file, at, packed.bytes[at]);
    }
    /* Harmless are a gzip header's name and date, which no checksum covers. */
    ck_assert_msg(10 * refused > 7 * tried, "%s: refused %zu of %zu changes", names[_i],
                  refused, tried);
    cgs_crs_release(&bed.context, &right);
    close(file);
    made_end(&made);
}

LOOP_TEST(every_cut, NAMES)
{
    struct packed packed;
    struct cgs_crs crs;
    make(names[_i], &packed);
    const struct made made = made_file((const char *)packed.bytes, packed.size);
    while (packed.size-- > 0) {
        ck_assert_int_eq(truncate(made.path, (off_t)packed.size), 0);
        ck_assert_msg(read_again(&made, &crs) == CGS_FILE, "%s cut to %zu bytes", names[_i],
                      packed.size);
    }
    made_end(&made);
}

/* Behind the last member zeros may stand, and nothing else. */
LOOP_TEST(what_follows, NAMES)
{
    struct packed packed;
    struct cgs_crs crs;
    make(names[_i], &packed);
    memset(packed.bytes + packed.size, 0, 512);
    const struct made padded = made_file((const char *)packed.bytes, packed.size + 512);
    ck_assert_int_eq(read_again(&padded, &crs), CGS_OK);
    cgs_crs_release(&bed.context, &crs);
    made_end(&padded);
    for (int i = 0; i < 2; i++) { /* at once, and behind the zeros */
        packed.bytes[packed.size + (i == 0 ? 0 : 511)] = 'x';
        const struct made followed =
            made_file((const char *)packed.bytes, packed.size + (i == 0 ? 1 : 512));
        ck_assert_int_eq(read_again(&followed, &crs), CGS_FILE);
        made_end(&followed);
        packed.bytes[packed.size] = 0;
    }
}

TEST(says_what_is_wrong)
{
    static const struct {
        size_t from_end;
        const char *said;
    } wrong[] = {{8, "damaged gzip input (incorrect data check)"},
                 {4, "damaged gzip input (incorrect length check)"}};
    struct packed packed;
    struct cgs_crs crs;
    struct cgs_market market;
    make("+", &packed);
    for (int i = 0; i < 2; i++) {
        unsigned char *byte = &packed.bytes[packed.size - wrong[i].from_end];
        *byte ^= 1;
        const struct made made = made_file((const char *)packed.bytes, packed.size);
        ck_assert_int_eq(cgs_market_read(&bed.context, made.path, NULL, &crs, &market), CGS_FILE);
        ck_assert_msg(strstr(bed.context.message, wrong[i].said), "%s", bed.context.message);
        bed_forgive();
        made_end(&made);
        *byte ^= 1;
    }
}

int main(void)
{
    return market_tests("market_packed", 120);
}
