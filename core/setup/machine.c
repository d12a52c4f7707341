#include "core/setup/machine.h"

#include <stddef.h>

#include "base/testing.h"

void cgs_machine_use(enum cgs_precision precision, const struct cgs_kernel_entry *entry,
                     struct cgs_machine *machine)
{
    machine->entry = entry;
    machine->kernel = entry->tables[precision];
    machine->outer = precision == CGS_PRECISION_MIXED ? entry->tables[CGS_PRECISION_F64] : NULL;
}

bool cgs_machine_disturbed(const struct cgs_machine *machine, int threads)
{
    const bool found = cgs_contention_disturbs(&machine->contention, threads);
    return machine->device == CGS_CPU && cgs_testing("disturbed", found) != 0.0;
}

void cgs_machine_close(struct cgs_machine *machine)
{
    if (machine->host_queue && machine->host_queue != machine->queue)
        cgs_backend(CGS_CPU)->close(machine->host_queue);
    if (machine->queue)
        machine->backend->close(machine->queue);
    machine->queue = machine->host_queue = NULL;
}
