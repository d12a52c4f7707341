/* The table GATHER_TABLE of a kernel with gather loops; included last, after its list `loops`
 * (gather.h).
 */
static const char *variant(int which)
{
    const struct cgs_gather_loop *loop = cgs_gather_find(loops, which);
    return loop ? loop->name : NULL;
}

static void use_variant(void *self, int which)
{
    cgs_gather_use(self, cgs_gather_find(loops, which));
}

static enum cgs_status prepare(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                               void **self)
{
    CGS_TRY(cgs_spmv_cpu_prepare(queue, matrix, self));
    use_variant(*self, 0);
    return CGS_OK;
}

CGS_TABLE(struct cgs_kernel, GATHER_TABLE) = {
    .reproducible = true,
    .shared = true,
    .plan = cgs_spmv_cpu_plan,
    .prepare = prepare,
    .variant = variant,
    .use_variant = use_variant,
    .traffic = cgs_spmv_cpu_traffic,
    .steps = {.overlaps = true,
              .apply = cgs_spmv_cpu_apply,
              .apply_dot = cgs_spmv_cpu_apply_dot,
              .entries = cgs_spmv_cpu_entries,
              .renew = cgs_spmv_cpu_renew,
              .release = cgs_spmv_cpu_release},
};
