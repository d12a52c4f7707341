/* Text report of cgsolve spgemm: operands, product, memory, and the times of each kernel. */
#include <string.h>

#include "core/io/format.h"
#include "core/options/option_table.h"
#include "core/options/options.h"
#include "src/report/sections.h"
#include "src/spgemm/multiply_text.h"
#include "src/spgemm/traffic.h"

static const char *const stage_names[CGS_SPGEMM_STAGES] = {[CGS_SPGEMM_BEGIN] = "begin",
                                                           [CGS_SPGEMM_COUNT] = "count",
                                                           [CGS_SPGEMM_ALLOC] = "alloc",
                                                           [CGS_SPGEMM_FILL] = "fill",
                                                           [CGS_SPGEMM_SORT] = "sort"};

static void write_operand(const struct cgs_page *page, const char *label,
                          const struct cgs_operand *operand)
{
    const struct cgs_matrix *facts = &operand->facts;
    char name[4096];
    cgs_text rows, columns, entries;
    cgs_page_section(page, label);
    cgs_input_name(&operand->input, name, sizeof name);
    fprintf(page->file, "%s: %s x %s, %s entries\n", name, cgs_count_text(facts->rows, rows),
            cgs_count_text(facts->columns, columns),
            cgs_short_count_text(facts->nonzeros, entries));
    cgs_page_row_lengths(page, &facts->statistics);
}

static void write_product(const struct cgs_page *page, const struct cgs_multiply *m)
{
    const struct cgs_spgemm_size *s = &m->size;
    cgs_text rows, columns, entries, products, least, gustavson;
    cgs_page_section(page, "C = A B");
    fprintf(page->file, "%s x %s, %s entries of %s products (%.2f in one on average), %s\n",
            cgs_count_text(s->rows, rows), cgs_count_text(s->columns, columns),
            cgs_short_count_text(s->entries, entries), cgs_short_count_text(s->products, products),
            s->entries > 0 ? (double)s->products / (double)s->entries : 0.0,
            cgs_option_choice(&m->options->settings, CGS_OPTION_precision));
    cgs_page_more(page);
    fprintf(page->file, "moves at least %s (A, B, C once); row by row it reads and writes %s\n",
            cgs_bytes_text(cgs_multiply_least_bytes(m), least),
            cgs_bytes_text(cgs_multiply_gustavson_bytes(m), gustavson));
}

/* Writes the row's name, with the device if rows differ in it: "cpu spgemm_rows". */
static void name_row(const struct cgs_multiply *m, const struct cgs_multiply_row *row, char *text,
                     size_t size)
{
    bool several = false;
    for (int i = 0; i < m->count; i++)
        several = several || m->rows[i].entry->device != row->entry->device;
    snprintf(text, size, "%s%s%s", several ? cgs_device_name(row->entry->device) : "",
             several ? " " : "", row->entry->name);
}

static int widest(const struct cgs_multiply *m)
{
    int width = (int)strlen("Kernel");
    for (int i = 0; i < m->count; i++) {
        char name[96];
        name_row(m, &m->rows[i], name, sizeof name);
        width = (int)strlen(name) > width ? (int)strlen(name) : width;
    }
    return width;
}

static bool is_timed(const struct cgs_multiply_row *row)
{
    return row->state == CGS_TRIAL_OPEN && row->products > 0;
}

enum { COLUMNS = 9 };

static void write_times(const struct cgs_page *page, const struct cgs_multiply *m)
{
    static const struct cgs_page_column columns[COLUMNS] = {
        {"median", 9, 0}, {"least", 9, 3},  {"most", 9, 3},      {"first", 9, 4}, {"GFLOP/s", 8, 2},
        {"GB/s", 7, 0},   {"of max", 6, 1}, {"reference", 9, 2}, {"slabs", 6, 4},
    };
    const int width = widest(m), rank = cgs_page_ranks(columns, COLUMNS, 2 + width);
    fprintf(page->file, "\n  %-*s", width, "Kernel");
    cgs_page_cells(page->file, columns, COLUMNS, rank, NULL);
    for (int i = 0; i < m->count; i++) {
        const struct cgs_multiply_row *row = &m->rows[i];
        cgs_text texts[COLUMNS];
        char name[96];
        if (!is_timed(row))
            continue;
        const char *const cells[COLUMNS] = {
            cgs_seconds_text(row->median, texts[0]),
            cgs_seconds_text(row->least, texts[1]),
            cgs_seconds_text(row->most, texts[2]),
            cgs_seconds_text(row->first, texts[3]),
            cgs_number_text(row->gflops, texts[4]),
            cgs_number_text(row->gbs, texts[5]),
            cgs_percent_text(row->gbs, row->attainable_gbs, texts[6]),
            cgs_times_text(row->ratio, texts[7]),
            cgs_count_text(row->slabs, texts[8]),
        };
        name_row(m, row, name, sizeof name);
        fprintf(page->file, "  %-*s", width, name);
        cgs_page_cells(page->file, columns, COLUMNS, rank, cells);
    }
}

static void write_stages(const struct cgs_page *page, const struct cgs_multiply *m)
{
    const int width = widest(m);
    fprintf(page->file, "\n  %-*s", width, "Kernel");
    for (int s = 0; s < CGS_SPGEMM_STAGES; s++)
        fprintf(page->file, " %9s", stage_names[s]);
    fputc('\n', page->file);
    for (int i = 0; i < m->count; i++) {
        char name[96];
        if (!is_timed(&m->rows[i]))
            continue;
        name_row(m, &m->rows[i], name, sizeof name);
        fprintf(page->file, "  %-*s", width, name);
        for (int s = 0; s < CGS_SPGEMM_STAGES; s++) {
            cgs_text seconds;
            fprintf(page->file, " %9s", cgs_seconds_text(m->rows[i].stages[s], seconds));
        }
        fputc('\n', page->file);
    }
    fputs("\n  ", page->file);
    cgs_page_wrap(
        page->file,
        "median, least, most: of one product by the clock, the memory of C counted, in "
        "turn with the others; first: the one that was verified; of max: of the bandwidth "
        "measured beside it; reference: times as fast as the best of the vendor's or "
        "textbook's; stages: medians of products with marks between them",
        2);
}

/* Lists the kernels that computed C in slabs. */
static void write_slabs(const struct cgs_page *page, const struct cgs_multiply *m)
{
    bool first = true;
    for (int i = 0; i < m->count; i++) {
        const struct cgs_multiply_row *row = &m->rows[i];
        char name[96];
        if (row->slabs <= 1)
            continue;
        cgs_page_item(page, "Memory", &first);
        name_row(m, row, name, sizeof name);
        fprintf(page->file, "%s: C in %d slabs of rows, one after the other", name, row->slabs);
        for (int place = 0; place < CGS_PLACES; place++) {
            cgs_text planned, there;
            if (row->planned[place] > 0)
                fprintf(page->file, "; %s of %s of the %s %s",
                        cgs_bytes_text(row->planned[place], planned),
                        cgs_bytes_text(m->room.bytes[place], there), cgs_place_name(place),
                        m->room.limited[place] ? "(--memory-limit)" : "that are free");
        }
        fputc('\n', page->file);
    }
}

static void write_verified(const struct cgs_page *page, const struct cgs_multiply *m)
{
    double worst = 0.0, projected = 0.0;
    int verified = 0;
    for (int i = 0; i < m->count; i++) {
        const struct cgs_multiply_row *row = &m->rows[i];
        if (row->state != CGS_TRIAL_OPEN)
            continue;
        verified++;
        worst = row->worst_error > worst ? row->worst_error : worst;
        projected = row->projected > projected ? row->projected : projected;
    }
    if (verified == 0)
        return;
    fputc('\n', page->file);
    cgs_page_section(page, "Verified");
    fprintf(page->file,
            "%d kernel%s, every entry of C: worst error %s of what rounding allows; C x = A (B x): "
            "%s\n",
            verified, verified == 1 ? "" : "s", cgs_number_text(worst, (cgs_text){0}),
            cgs_number_text(projected, (cgs_text){0}));
}

static void write_others(const struct cgs_page *page, const struct cgs_multiply *m,
                         enum cgs_trial_state state, const char *label)
{
    bool first = true;
    for (int i = 0; i < m->count; i++) {
        const struct cgs_multiply_row *row = &m->rows[i];
        char name[96], text[768];
        if (row->state != state)
            continue;
        cgs_page_item(page, label, &first);
        name_row(m, row, name, sizeof name);
        snprintf(text, sizeof text, "%s: %s", name, row->reason);
        cgs_page_wrap(page->file, text, CGS_PAGE_COLUMN);
    }
}

/* Writes consecutive arrays of one name, from line i on, as one line; returns their number. */
static int write_plan_line(const struct cgs_page *page, const struct cgs_plan *plan, int i)
{
    const struct cgs_plan_line *first = &plan->lines[i];
    int64_t bytes = 0;
    int count = 0;
    cgs_text text;
    for (; i + count < plan->count && first[count].place == first->place &&
           strcmp(first[count].what, first->what) == 0;
         count++)
        bytes += first[count].bytes;
    cgs_page_more(page);
    fprintf(page->file, "%-28s %-6s %10s\n", first->what, cgs_place_name(first->place),
            cgs_bytes_text(bytes, text));
    return count;
}

/* Writes the memory plan of --plan, instead of a table. */
static void write_plan(const struct cgs_page *page, const struct cgs_multiply *m)
{
    if (!m->planned)
        return;
    fputc('\n', page->file);
    cgs_page_section(page, "Memory");
    if (m->plan_slabs == 0) {
        fprintf(page->file, "it does not fit\n");
        return;
    }
    fprintf(page->file, "%s, in %d slab%s of rows:\n", m->planned->entry->name, m->plan_slabs,
            m->plan_slabs == 1 ? "" : "s");
    for (int i = 0; i < m->plan.count;)
        i += write_plan_line(page, &m->plan, i);
    for (int place = 0; place < CGS_PLACES; place++) {
        cgs_text all, there;
        if (m->plan.total[place] == 0)
            continue;
        cgs_page_more(page);
        fprintf(page->file, "%-28s %-6s %10s of %s %s\n", "in all", cgs_place_name(place),
                cgs_bytes_text(m->plan.total[place], all),
                cgs_bytes_text(m->room.bytes[place], there),
                m->room.limited[place] ? "(--memory-limit)" : "free");
    }
}

void cgs_multiply_text(const struct cgs_page *page, const struct cgs_multiply *m)
{
    bool timed = false;
    if (!m->options->settings.plan)
        cgs_page_machine(page, &m->machine, m->context->threads, m->bandwidth);
    write_operand(page, "A", m->a);
    if (m->b != m->a)
        write_operand(page, "B", m->b);
    write_product(page, m);
    if (m->options->settings.plan) {
        write_plan(page, m);
        return;
    }
    for (int i = 0; i < m->count; i++)
        timed = timed || is_timed(&m->rows[i]);
    if (timed) {
        write_times(page, m);
        write_stages(page, m);
    }
    write_slabs(page, m);
    write_verified(page, m);
    write_others(page, m, CGS_TRIAL_SKIPPED, "Skipped");
    write_others(page, m, CGS_TRIAL_FAILED, "FAILED");
}
