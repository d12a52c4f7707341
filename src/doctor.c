#include "src/doctor.h"

enum cgs_status cgs_doctor(struct cgs_context *context, FILE *file)
{
    (void)file;
    return cgs_fail(context, CGS_USAGE, "the doctor is not in");
}
