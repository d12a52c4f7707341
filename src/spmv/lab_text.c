/* Text report of cgsolve spmv: the matrix, the choice of --kernel=auto with its reasons, each
 * kernel's cost before the first product, the times of a product, and the kernels that failed. */
#include <string.h>

#include "base/plain.h"
#include "src/io/format.h"
#include "src/report/sections.h"
#include "src/spmv/lab.h"

static bool several_devices(const struct cgs_lab *lab)
{
    for (int i = 1; i < lab->count; i++)
        if (lab->rows[i].device != lab->rows[0].device)
            return true;
    return false;
}

/* Writes the row's name: "crs_row", or "cpu crs_row, 1 thread" if needed to tell rows apart. */
static void name_row(const struct cgs_lab *lab, const struct cgs_lab_row *row, char *text,
                     size_t size)
{
    const bool single = row->device == CGS_CPU && row->threads == 1 && lab->context->threads > 1;
    snprintf(text, size, "%s%s%s%s", several_devices(lab) ? cgs_device_name(row->device) : "",
             several_devices(lab) ? " " : "", row->name, single ? ", 1 thread" : "");
    cgs_make_plain(text);
}

/* Widths of the first two columns. */
struct widths {
    int name, layout;
};

static struct widths widths_of(const struct cgs_lab *lab)
{
    struct widths widths = {(int)strlen("Kernel"), (int)strlen("layout")};
    for (int i = 0; i < lab->count; i++) {
        char name[96], layout[48];
        name_row(lab, &lab->rows[i], name, sizeof name);
        cgs_lab_layout_name(&lab->rows[i], layout, sizeof layout);
        if ((int)strlen(name) > widths.name)
            widths.name = (int)strlen(name);
        if ((int)strlen(layout) > widths.layout)
            widths.layout = (int)strlen(layout);
    }
    return widths;
}

static void write_name(const struct cgs_page *page, const struct cgs_lab *lab,
                       const struct cgs_lab_row *row, struct widths widths)
{
    char name[96], layout[48];
    const bool chosen = lab->chosen >= 0 && row == &lab->rows[lab->chosen];
    name_row(lab, row, name, sizeof name);
    cgs_lab_layout_name(row, layout, sizeof layout);
    fprintf(page->file, "%c %-*s %-*s", chosen ? '*' : ' ', widths.name, name, widths.layout,
            layout);
}

static void write_matrix(const struct cgs_page *page, const struct cgs_lab *lab)
{
    const struct cgs_matrix *m = &lab->crs;
    const struct cgs_row_statistics *s = &m->statistics;
    cgs_text rows, columns, nonzeros, bytes;
    char name[4096];
    cgs_page_section(page, "Matrix");
    cgs_input_name(lab->input, name, sizeof name);
    fprintf(page->file, "%s, %s\n", name, cgs_option_choice(lab->options, CGS_OPTION_precision));
    cgs_page_more(page);
    fprintf(page->file, "%s x %s, %s entries, %s as CRS\n", cgs_count_text(m->rows, rows),
            cgs_count_text(m->columns, columns), cgs_short_count_text(m->nonzeros, nonzeros),
            cgs_bytes_text(lab->rows[0].bytes_before, bytes));
    cgs_page_more(page);
    fprintf(page->file, "rows of %d to %d entries, mean %.1f, deviation %.1f, %lld empty\n",
            (int)s->shortest, (int)s->longest, s->mean, s->deviation, (long long)s->empty);
    if (lab->cached) {
        cgs_page_more(page);
        fprintf(page->file,
                "matrix and vectors fit in the cache%s: these are no figures of the memory\n",
                lab->options->cold ? ", which is flushed before each product" : "");
    }
}

/* Writes the table of bytes and seconds before the first product. */
static void write_before(const struct cgs_page *page, const struct cgs_lab *lab)
{
    const struct widths widths = widths_of(lab);
    fprintf(page->file, "\n  %-*s %-*s %10s %8s %8s %9s %9s %6s\n", widths.name, "Kernel",
            widths.layout, "layout", "matrix", "of CRS", "padding", "convert", "transfer", "GB/s");
    for (int i = 0; i < lab->count; i++) {
        const struct cgs_lab_row *row = &lab->rows[i];
        cgs_text bytes, padding, convert, transfer;
        if (row->state == CGS_TRIAL_SKIPPED)
            continue;
        write_name(page, lab, row, widths);
        fprintf(page->file, " %10s %6.0f %% %8s %9s", cgs_bytes_text(row->bytes_after, bytes),
                row->bytes_before > 0 ? 100.0 * (double)row->bytes_after / (double)row->bytes_before
                                      : 0.0,
                row->padding > 0 ? cgs_bytes_text(row->padding, padding) : "-",
                cgs_seconds_text(row->convert_seconds, convert));
        if (row->transfer_bytes > 0 && row->transfer_seconds > 0.0)
            fprintf(page->file, " %9s %6.1f", cgs_seconds_text(row->transfer_seconds, transfer),
                    1e-9 * (double)row->transfer_bytes / row->transfer_seconds);
        fputc('\n', page->file);
    }
}

/* Writes a number, or a dash if it is not positive. */
static void write_ratio(FILE *file, int width, int digits, double value, const char *unit)
{
    if (value > 0.0)
        fprintf(file, " %*.*f%s", width, digits, value, unit);
    else
        fprintf(file, " %*s%*s", width, "-", (int)strlen(unit), "");
}

static void write_pays(FILE *file, int64_t break_even)
{
    cgs_text count;
    fprintf(file, " %9s",
            break_even < 0    ? "never"
            : break_even == 0 ? "at once"
                              : cgs_short_count_text(break_even, count));
}

/* Writes the table of seconds of a product, bandwidths and ratios. */
static void write_products(const struct cgs_page *page, const struct cgs_lab *lab)
{
    const struct widths widths = widths_of(lab);
    fprintf(page->file, "\n  %-*s %-*s %9s %9s %9s %7s %6s %7s %8s %9s\n", widths.name, "Kernel",
            widths.layout, "layout", "median", "least", "most", "GB/s", "of max", "vendor",
            "1 thread", "pays from");
    for (int i = 0; i < lab->count; i++) {
        const struct cgs_lab_row *row = &lab->rows[i];
        cgs_text median, least, most;
        if (row->state == CGS_TRIAL_SKIPPED || row->state == CGS_TRIAL_FAILED)
            continue;
        write_name(page, lab, row, widths);
        fprintf(page->file, " %9s %9s %9s %7.1f", cgs_seconds_text(row->median, median),
                cgs_seconds_text(row->least, least), cgs_seconds_text(row->most, most), row->gbs);
        write_ratio(page->file, 4, 0,
                    row->attainable_gbs > 0.0 ? 100.0 * row->gbs / row->attainable_gbs : 0.0, " %");
        write_ratio(page->file, 5, 2, row->vendor_ratio, " x");
        write_ratio(page->file, 6, 2, row->speedup, " x");
        write_pays(page->file, row->break_even);
        fputc('\n', page->file);
    }
    fprintf(
        page->file,
        "\n  median, least, most: of one product, %lld of each in turn with the others%s; of max: "
        "of "
        "the\n  bandwidth measured beside it; vendor, 1 thread: times as fast; pays from: products "
        "after which\n  conversion and transfer are worth it against the CPU's best\n",
        (long long)lab->options->repeat, lab->options->cold ? ", caches flushed" : "");
}

static void write_others(const struct cgs_page *page, const struct cgs_lab *lab,
                         enum cgs_trial_state state, const char *label)
{
    bool first = true;
    for (int i = 0; i < lab->count; i++) {
        const struct cgs_lab_row *row = &lab->rows[i];
        char name[96], layout[48], text[768];
        if (row->state != state)
            continue;
        if (first)
            fputc('\n', page->file);
        if (first)
            cgs_page_section(page, label);
        else
            cgs_page_more(page);
        first = false;
        name_row(lab, row, name, sizeof name);
        cgs_lab_layout_name(row, layout, sizeof layout);
        snprintf(text, sizeof text, "%s (%s): %s", name, layout, row->reason);
        cgs_page_wrap(page->file, text, CGS_PAGE_COLUMN);
    }
}

void cgs_lab_text(FILE *file, const struct cgs_lab *lab, bool bold)
{
    const struct cgs_page page = {.file = file, .bold = bold};
    double worst = 0.0;
    int verified = 0;
    cgs_page_machine(&page, lab->machine, lab->context->threads, lab->bandwidth);
    write_matrix(&page, lab);
    if (lab->has_choice)
        cgs_page_choice(&page, &lab->choice);
    write_before(&page, lab);
    write_products(&page, lab);
    for (int i = 0; i < lab->count; i++) {
        const struct cgs_lab_row *row = &lab->rows[i];
        if (row->state != CGS_TRIAL_OPEN && row->state != CGS_TRIAL_DROPPED)
            continue;
        verified++;
        worst = row->worst_error > worst ? row->worst_error : worst;
    }
    fputc('\n', file);
    cgs_page_section(&page, "Verified");
    fprintf(file,
            "%d kernels by rows against long double; worst error %.2f of what rounding allows\n",
            verified, worst);
    write_others(&page, lab, CGS_TRIAL_DROPPED, "Dropped");
    write_others(&page, lab, CGS_TRIAL_SKIPPED, "Skipped");
    write_others(&page, lab, CGS_TRIAL_FAILED, "FAILED");
}
