/* The matrices on which users' kernels are tried (core/autotune/battery.h): well formed, and with
 * what they are named for. */
#include <math.h>
#include <string.h>

#include "core/autotune/battery.h"
#include "tests/support/support.h"

LOOP_TEST(well_formed, 2 * cgs_battery_count())
{
    const enum cgs_number number = _i % 2 ? CGS_F32 : CGS_F64;
    const int which = _i / 2;
    struct cgs_crs crs;
    must(cgs_battery_make(&bed.context, which, number, &crs));
    ck_assert(crs.rows > 0 && crs.columns > 0 && crs.pointers[0] == 0);
    for (int64_t i = 0; i < crs.rows; i++) {
        ck_assert(crs.pointers[i] <= crs.pointers[i + 1]);
        for (int64_t k = crs.pointers[i]; k < crs.pointers[i + 1]; k++) {
            ck_assert(crs.column[k] >= 0 && crs.column[k] < crs.columns);
            ck_assert(k == crs.pointers[i] || crs.column[k] > crs.column[k - 1]);
            ck_assert(isfinite(crs.value[k]) && (number == CGS_F64 || fabs(crs.value[k]) < 1e31));
        }
    }
    cgs_crs_release(&bed.context, &crs);
}

/* Facts that one of them at least has. */
struct facts {
    bool wide, tall, empty_row, empty_end, empty, full_row, beyond_27, odd, large, small;
};

static void note(const struct cgs_crs *crs, struct facts *f)
{
    const int64_t *p = crs->pointers;
    f->wide = f->wide || crs->columns > crs->rows;
    f->tall = f->tall || crs->columns < crs->rows;
    f->empty = f->empty || p[crs->rows] == 0;
    f->empty_end = f->empty_end || (p[crs->rows] > 0 && p[crs->rows] == p[crs->rows - 1]);
    f->odd = f->odd || crs->rows % 32 == 1;
    for (int64_t i = 0; i < crs->rows; i++) {
        f->empty_row = f->empty_row || p[i] == p[i + 1];
        f->full_row = f->full_row || (crs->columns > 100 && p[i + 1] - p[i] == crs->columns);
        f->beyond_27 = f->beyond_27 || p[i + 1] - p[i] > 27;
    }
    for (int64_t k = 0; k < p[crs->rows]; k++) {
        f->large = f->large || fabs(crs->value[k]) > 1e290;
        f->small = f->small || (crs->value[k] != 0.0 && fabs(crs->value[k]) < 0x1p-1022);
    }
}

TEST(of_each_kind)
{
    struct facts f = {0};
    for (int which = 0; which < cgs_battery_count(); which++) {
        struct cgs_crs crs;
        must(cgs_battery_make(&bed.context, which, CGS_F64, &crs));
        note(&crs, &f);
        cgs_crs_release(&bed.context, &crs);
        ck_assert_ptr_nonnull(strstr(cgs_battery_name(which), " x "));
    }
    ck_assert(f.wide && f.tall && f.odd && f.large && f.small);
    ck_assert(f.empty && f.empty_row && f.empty_end && f.full_row && f.beyond_27);
}

int main(void)
{
    return bed_tests("battery", 60);
}
