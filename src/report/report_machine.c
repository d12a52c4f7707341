/* The keys of a JSON report that name the machine. */
#include "src/report/report_json.h"

static void put_bandwidth(json_t *o, const struct cgs_bandwidth *bandwidth)
{
    cgs_put_real(o, "read_gbs", bandwidth->read_gbs);
    cgs_put_real(o, "copy_gbs", bandwidth->copy_gbs);
    cgs_put_real(o, "triad_gbs", bandwidth->triad_gbs);
    cgs_put_integer(o, "measured_bytes", bandwidth->bytes);
    json_object_set_new(o, "measured_in_cache", json_boolean(bandwidth->cached));
}

static json_t *host(const struct cgs_report *report)
{
    const struct cgs_device_info *info = &report->machine.host;
    json_t *o = json_object();
    cgs_put_text(o, "cpu", info->name);
    cgs_put_integer(o, "threads", report->context->threads);
    cgs_put_text(o, "architecture", info->architecture);
    if (info->memory_bytes > 0)
        cgs_put_integer(o, "memory_bytes", info->memory_bytes);
    if (info->cache_bytes > 0)
        cgs_put_integer(o, "cache_bytes", info->cache_bytes);
    if (report->has_bandwidth)
        put_bandwidth(o, &report->host_bandwidth);
    return o;
}

static json_t *device(const struct cgs_report *report)
{
    const struct cgs_device_info *info = &report->machine.info;
    json_t *o = json_object();
    cgs_put_text(o, "name", info->name);
    cgs_put_integer(o, "index", report->options->device);
    cgs_put_text(o, "driver", info->driver);
    cgs_put_text(o, "runtime", info->runtime);
    cgs_put_text(o, "architecture", info->architecture);
    cgs_put_integer(o, "memory_bytes", info->memory_bytes);
    cgs_put_integer(o, "memory_free", info->memory_free);
    cgs_put_integer(o, "cache_bytes", info->cache_bytes);
    cgs_put_integer(o, "processors", info->processors);
    if (report->has_bandwidth)
        put_bandwidth(o, &report->bandwidth);
    return o;
}

void cgs_put_machine(json_t *root, const struct cgs_report *report)
{
    const struct cgs_machine *m = &report->machine;
    json_object_set_new(root, "host", host(report));
    if (m->backend->place == CGS_DEVICE_MEMORY)
        json_object_set_new(root, "device", device(report));
    cgs_put_text(root, "backend", m->backend->name);
    cgs_put_text(root, "backend_reason", m->why);
}
