/* Placeholders for what fits orders, draws figures and writes the page. */
#include "src/study.h"

void cgs_study_fit(struct cgs_study *study)
{
    for (int i = 0; i < study->series_count; i++)
        for (int norm = 0; norm < CGS_NORMS; norm++)
            study->series[i].orders[norm] = (struct cgs_order){.limited = -1, .met = true};
}

enum cgs_status cgs_study_figures(struct cgs_study *study, const char *folder)
{
    (void)folder;
    return study->context->status;
}

enum cgs_status cgs_study_page(struct cgs_study *study, const char *folder)
{
    (void)folder;
    return study->context->status;
}
