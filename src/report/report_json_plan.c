#include "src/report/report_json.h"

static const char *place_name(enum cgs_place place)
{
    return place == CGS_HOST ? "host" : "device";
}

static json_t *lines(const struct cgs_plan *plan)
{
    json_t *array = json_array();
    for (int i = 0; i < plan->count; i++)
        json_array_append_new(array, json_pack("{s:s, s:s, s:I}", "what", plan->lines[i].what,
                                               "place", place_name(plan->lines[i].place), "bytes",
                                               (json_int_t)plan->lines[i].bytes));
    return array;
}

static json_t *variants(const struct cgs_report *report)
{
    json_t *array = json_array();
    for (int i = 1; i < report->variant_count; i++) { /* the first one is the run as asked */
        const struct cgs_variant *v = &report->variants[i];
        json_t *o = json_pack("{s:s, s:b}", "options", v->options, "fits", (int)v->fits);
        if (!report->has_market)
            json_object_set_new(o, "largest_N", json_integer(v->largest));
        json_array_append_new(array, o);
    }
    return array;
}

json_t *cgs_json_plan(const struct cgs_report *report)
{
    const struct cgs_plan *plan = &report->plan;
    json_t *o = json_object();
    json_object_set_new(o, "lines", lines(plan));
    for (int place = 0; place < CGS_PLACES; place++)
        if (place == CGS_HOST || report->machine.backend->place == CGS_DEVICE_MEMORY)
            json_object_set_new(o, place_name((enum cgs_place)place),
                                json_pack("{s:I, s:I}", "bytes", (json_int_t)plan->total[place],
                                          "free", (json_int_t)report->room.bytes[place]));
    json_object_set_new(o, "fits", json_boolean(cgs_plan_fits(plan, &report->room)));
    if (!report->has_market)
        json_object_set_new(o, "largest_N", json_integer(report->variants[0].largest));
    json_object_set_new(o, "variants", variants(report));
    return o;
}
