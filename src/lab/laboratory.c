#include "src/lab/laboratory.h"

#include "src/figure/plot.h"

enum cgs_status cgs_lab_open_machine(struct cgs_context *context, struct cgs_options *options,
                                     int devices, struct cgs_machine *machine,
                                     struct cgs_room *room)
{
    enum cgs_backend_choice backend = (enum cgs_backend_choice)options->backend;
    if (backend == CGS_BACKEND_AUTO && devices == 1 << CGS_CPU &&
        !options->given[CGS_OPTION_device])
        backend = CGS_BACKEND_CPU;
    if (backend == CGS_BACKEND_AUTO && devices == 1 << CGS_CUDA)
        backend = CGS_BACKEND_CUDA;
    CGS_TRY(cgs_machine_open_device(context, options, backend, machine));
    CGS_DECIDE(options, backend, (int)machine->device);
    CGS_DECIDE(options, threads, context->threads);
    if (machine->device == CGS_CUDA)
        CGS_DECIDE(options, device, options->device);
    return cgs_room_measure(options, machine, room);
}

enum cgs_status cgs_lab_outputs_open(struct cgs_context *context, const struct cgs_options *options,
                                     const char *what, const char *path,
                                     struct cgs_lab_outputs *outputs)
{
    *outputs = (struct cgs_lab_outputs){0};
    CGS_TRY(cgs_output_open(context, "the JSON report", options->json, 1, &outputs->json));
    CGS_TRY(cgs_output_open(context, "the table", options->csv, 0, &outputs->csv));
    CGS_TRY(cgs_plot_check(context, options->plot));
    return cgs_output_open(context, what, path, 0, &outputs->matrix);
}
