#include "matrix/names.h"
#include "src/spgemm/traffic.h"

int64_t cgs_multiply_least_bytes(const struct cgs_multiply *m)
{
    const int64_t entry = cgs_number_bytes(m->number) + (int64_t)sizeof(int32_t);
    return entry * (m->size.a + m->size.b + m->size.entries) +
           (int64_t)sizeof(int64_t) * (2 * m->size.rows + m->size.inner + 3);
}

int64_t cgs_multiply_gustavson_bytes(const struct cgs_multiply *m)
{
    const int64_t value = cgs_number_bytes(m->number), column = sizeof(int32_t);
    const int64_t pointer = sizeof(int64_t);
    return 2 * (column + 2 * pointer) * m->size.a + value * m->size.a +
           (2 * column + value) * m->size.products + (column + value) * m->size.entries +
           pointer * (m->size.rows + 1);
}
