#include "src/study.h"
enum cgs_status cgs_study_page(struct cgs_study *study, const char *folder)
{
    (void)folder;
    return study->context->status;
}
