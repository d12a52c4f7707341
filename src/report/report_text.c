/* The report for people: one screen, from the machine to the seconds.
 *
 *     Machine    what computed, and what its memory reaches
 *     Problem    what was solved
 *     ...        a label, then lines that start in the same column
 */
#include <math.h>

#include "base/plain.h"
#include "core/facts/notes.h"
#include "core/io/format.h"
#include "core/options/option_table.h"
#include "lab/command_line/help.h"
#include "matrix/names.h"
#include "solver/cg/cg_result.h"
#include "src/report/report_materials.h"
#include "src/report/report_outcome.h"
#include "src/report/report_plan.h"
#include "src/report/report_precond.h"
#include "src/report/report_text.h"
#include "src/report/sections.h"

static void write_machine(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_machine *m = &report->machine;
    const struct cgs_bandwidth *b = &report->bandwidth;
    cgs_text memory, cache, measured, read, copy, triad;
    cgs_page_section(page, "Machine");
    if (m->device == CGS_CUDA) {
        fprintf(page->file, "%s (%s), %s of memory, driver %s; host: %s, %d thread%s\n",
                m->info.name, m->info.architecture, cgs_bytes_text(m->info.memory_bytes, memory),
                m->info.driver, m->host.name, report->context->threads,
                report->context->threads == 1 ? "" : "s");
    } else {
        fprintf(page->file, "%s, %d thread%s", m->host.name, report->context->threads,
                report->context->threads == 1 ? "" : "s");
        if (m->host.cache_bytes > 0)
            fprintf(page->file, ", %s of cache", cgs_bytes_text(m->host.cache_bytes, cache));
        fputc('\n', page->file);
    }
    cgs_page_crowd(page, report->context->threads);
    if (m->why[0]) {
        cgs_page_more(page);
        fprintf(page->file, "%s: using the CPU\n", m->why);
    }
    if (report->has_bandwidth) {
        cgs_page_more(page);
        fprintf(page->file,
                "reaches read %s, copy %s, triad %s GB/s (measured in this run on %s%s)\n",
                cgs_number_text(b->read_gbs, read), cgs_number_text(b->copy_gbs, copy),
                cgs_number_text(b->triad_gbs, triad), cgs_bytes_text(b->bytes, measured),
                b->cached ? ", in cache" : "");
    }
}

/* Writes the padding that chunks add to the entries, and what they would add to unsorted rows. */
static void write_padding(const struct cgs_page *page, const struct cgs_matrix *m)
{
    const double nonzeros = (double)m->nonzeros;
    cgs_text stored;
    if (m->unsorted == m->nonzeros)
        return;
    fprintf(page->file, ", %s stored (%.1f %% padding", cgs_short_count_text(m->stored, stored),
            100.0 * (1.0 - nonzeros / (double)m->stored));
    if (m->sigma > 1)
        fprintf(page->file, "; %.1f %% at sigma = 1",
                100.0 * (1.0 - nonzeros / (double)m->unsorted));
    fputc(')', page->file);
}

/* Writes which of host and device computed the parts of the box, where either could have. */
static void write_assembly(const struct cgs_page *page, const struct cgs_report *report)
{
    cgs_page_more(page);
    if (report->matrix.format != CGS_NONE)
        fprintf(page->file, "computed %s; ",
                report->matrix.on_device ? "on the device" : "on the host, and sent");
    fprintf(page->file, "load vector: %s", report->load_on_device ? "device" : "host");
    if (report->has_errors)
        fprintf(page->file, "; errors: %s", report->errors_on_device ? "device" : "host");
    fputc('\n', page->file);
}

static void write_matrix(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_matrix *m = &report->matrix;
    cgs_text nonzeros, bytes;
    cgs_page_section(page, "Matrix");
    if (cgs_format_chunked(m->format))
        fprintf(page->file, "%s-%d-%d%s", cgs_format_word(m->format), m->chunk, m->sigma,
                m->sigma > 1 ? " (rows sorted)" : "");
    else
        fprintf(page->file, "%s", m->format == CGS_NONE ? "matrix-free" : "CRS");
    fprintf(page->file, ", %s, %s entries",
            cgs_option_choice(report->settings, CGS_OPTION_precision),
            cgs_short_count_text(m->nonzeros, nonzeros));
    if (m->format == CGS_NONE)
        fprintf(page->file, ", none of them stored");
    else
        write_padding(page, m);
    fprintf(page->file, ", %s\n", cgs_bytes_text(cgs_report_matrix_bytes(report), bytes));
    if (m->format == CGS_SELLC && m->nonzeros > 0) {
        cgs_page_more(page);
        fprintf(page->file, "compressed: %.3g bytes an entry, %.3g in SELL\n",
                (double)cgs_report_matrix_bytes(report) / (double)m->nonzeros,
                (double)cgs_report_plain_bytes(report) / (double)m->nonzeros);
    }
    if (report->has_market)
        cgs_page_row_lengths(page, &m->statistics);
    cgs_page_more(page);
    fprintf(page->file, "kernel %s: %s\n", cgs_plain(report->machine.entry->name, (cgs_name){0}),
            cgs_plain(report->machine.entry->description, (cgs_name){0}));
    if (report->machine.backend->box && !report->settings->matrix)
        write_assembly(page, report);
    if (!report->machine.kernel->reproducible) {
        cgs_page_more(page);
        fprintf(page->file, "its results may differ in the last bits from run to run "
                            "(--reproducible refuses it)\n");
    }
}

/* Writes what mixed precision keeps in which precision. */
static void write_mixed(const struct cgs_page *page, const struct cgs_report *report)
{
    const int updates = report->result.updates;
    cgs_text inner, outer;
    cgs_page_more(page);
    if (report->traffic.matrix == 0) { /* neither stands anywhere */
        fprintf(page->file,
                "in single: the iterations and their vectors; in double: x, b and b - A x,\n"
                "%*sfor %d reliable update%s\n",
                CGS_PAGE_COLUMN, "", updates, updates == 1 ? "" : "s");
        return;
    }
    fprintf(page->file,
            "in single: the iterations, their vectors and a matrix (%s); in double: x, b,\n"
            "%*sb - A x and a matrix (%s), for %d reliable update%s\n",
            cgs_bytes_text(report->traffic.matrix, inner), CGS_PAGE_COLUMN, "",
            cgs_bytes_text(report->outer_traffic.matrix, outer), updates, updates == 1 ? "" : "s");
}

/* The start vector of --guess=fmg. */
static void write_start(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_start *start = &report->start;
    cgs_text setup, seconds;
    cgs_page_more(page);
    fprintf(page->file, "start: full multigrid, %s (its grids: %s): relative residual %.2e",
            cgs_seconds_text(start->seconds, seconds),
            cgs_seconds_text(start->setup_seconds, setup), report->result.history[0]);
    if (start->has_errors) {
        fprintf(page->file, ",\n%*s", CGS_PAGE_COLUMN, "");
        if (start->errors.integral)
            fprintf(page->file, "L2 error %.4e, ", start->errors.l2);
        fprintf(page->file, "nodal L2 %.4e", start->errors.nodal_l2);
    }
    fputc('\n', page->file);
}

/* Writes how the solves of several right-hand sides ended. */
static void write_columns(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_columns *columns = &report->columns;
    long long least = INT64_MAX, most = 0;
    double residual = 0.0;
    if (columns->solved == 0)
        return;
    for (int64_t c = 0; c < columns->solved; c++) {
        const struct cgs_column *column = &columns->list[c];
        least = column->iterations < least ? column->iterations : least;
        most = column->iterations > most ? column->iterations : most;
        residual = fmax(residual, column->true_relative_residual);
        if (!report->settings->verbose)
            continue;
        cgs_page_more(page);
        fprintf(page->file, "right-hand side %lld: %s, %lld iterations, true residual %.3e\n",
                (long long)c + 1, cgs_outcome_name(column->outcome), (long long)column->iterations,
                column->true_relative_residual);
    }
    cgs_page_more(page);
    fprintf(page->file, "%lld of %lld right-hand sides, one set-up: %lld to %lld iterations,\n",
            (long long)columns->solved, (long long)columns->count, least, most);
    cgs_page_more(page);
    fprintf(page->file, "true residuals up to %.3e; what follows is of the last\n", residual);
}

static void write_solver(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_settings *o = report->settings;
    const struct cgs_cg_result *r = &report->result;
    cgs_page_section(page, "Solver");
    if (o->cg != CGS_CG_STANDARD)
        fprintf(page->file, "%s ", cgs_option_choice(o, CGS_OPTION_cg));
    fprintf(page->file, "conjugate gradients, preconditioner %s",
            cgs_option_choice(o, CGS_OPTION_precond));
    if (o->verbose)
        fprintf(page->file, ", launch %s", cgs_option_choice(o, CGS_OPTION_launch));
    if (o->cg != CGS_CG_STANDARD && r->updates > 0)
        fprintf(page->file, ", %d residual replacement%s", r->updates, r->updates == 1 ? "" : "s");
    if (r->restarts > 0)
        fprintf(page->file, ", %d restart%s", r->restarts, r->restarts == 1 ? "" : "s");
    fputc('\n', page->file);
    if (o->verbose && o->precision == CGS_PRECISION_MIXED)
        write_mixed(page, report);
    if (r->restarts > 0)
        cgs_page_parting(page, r);
    if (report->has_start)
        write_start(page, report);
    cgs_page_outcome(page, report);
    write_columns(page, report);
    if (!o->verbose)
        return;
    if (r->outcome != CGS_OUTCOME_DISCRETIZATION && cgs_report_energy_error(report) > 0.0) {
        cgs_page_more(page);
        fprintf(page->file, "algebraic error about %.1e in the energy norm\n",
                cgs_report_energy_error(report));
    }
    const double worst = cgs_cg_rows_worst(&r->rows);
    if (!isnan(worst)) {
        cgs_row_name row;
        cgs_page_more(page);
        fprintf(page->file, "worst row: the residual is %s%.1e of its own terms%s%s\n",
                r->rows.looked ? "" : "at most ", worst, r->rows.row < 0 ? "" : ", in ",
                r->rows.row < 0 ? "" : cgs_report_row_name(report, r->rows.row, row));
    }
    if (r->condition_estimate > 0.0) {
        cgs_page_more(page);
        fprintf(page->file, "condition number about %.3g (eigenvalues %.3e ... %.3e)\n",
                r->condition_estimate, r->lambda_min, r->lambda_max);
    }
}

static void write_accuracy(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_errors *e = &report->errors;
    cgs_page_section(page, "Accuracy");
    if (report->has_known) {
        fprintf(page->file, "max |x - u| %.4e, ||x - u|| / ||u|| %.4e\n", report->known.max,
                report->known.relative);
        return;
    }
    if (e->integral)
        fprintf(page->file, "L2 error %.4e, H1 %.4e, ", e->l2, e->h1);
    if (e->integral && report->mesh.kappa.kind != CGS_KAPPA_ONE)
        fprintf(page->file, "energy %.4e, ", e->energy);
    fprintf(page->file, "nodal L2 %.4e, max %.4e", e->nodal_l2, e->max);
    if (report->has_consistency)
        fprintf(page->file, ", consistency %.6g", report->consistency);
    fputc('\n', page->file);
    if (report->settings->verbose)
        cgs_page_mesh_accuracy(page, report);
}

static void write_balance(const struct cgs_page *page, const struct cgs_report *report)
{
    static const char *const faces[3][2] = {{"x0", "x1"}, {"y0", "y1"}, {"z0", "z1"}};
    const struct cgs_balance *b = &report->balance;
    const char *between = "; out through ";
    if (!report->has_balance)
        return;
    cgs_page_section(page, "Balance");
    fprintf(page->file, "source %.6g in", b->source);
    if (report->settings->reaction)
        fprintf(page->file, ", reaction %.6g out", b->reaction);
    for (int f = 0; f < 6; f++) {
        const int k = f >> 1, side = f & 1;
        if (report->settings->problem->user->face[k][side].condition == CGS_FACE_PERIODIC)
            continue;
        const double flux = b->flux[k][side];
        fprintf(page->file, flux == 0.0 ? "%s%s %g" : "%s%s %#.6g", between, faces[k][side], flux);
        between = ", ";
    }
    fputc('\n', page->file);
    cgs_page_more(page);
    fprintf(page->file, "not balanced: %.2e\n", b->imbalance);
    if (!report->free_constant)
        return;
    cgs_page_more(page);
    fprintf(page->file,
            "no face holds u: its mean is set, and the load's, %.2e of it, was taken off\n",
            report->compatibility);
}

static void write_notes(const struct cgs_page *page, const struct cgs_report *report)
{
    cgs_note notes[CGS_NOTES_MOST];
    const int count = cgs_report_notes(report, notes);
    for (int i = 0; i < count; i++) {
        if (i == 0)
            cgs_page_section(page, count == 1 ? "Note" : "Notes");
        else
            cgs_page_more(page);
        cgs_page_wrap(page->file, notes[i], CGS_PAGE_COLUMN);
    }
}

/* Writes the nearer limit of a product, where both are known. */
static void write_limit(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_nearer limit = cgs_report_nearer(report);
    cgs_text rate, most, share;
    if (!limit.name)
        return;
    cgs_page_more(page);
    fprintf(page->file, "%s GFLOP/s of %s in registers: %s is the nearer limit, %s of it reached\n",
            cgs_number_text(cgs_report_operator_gflops(report), rate),
            cgs_number_text(report->arithmetic_gflops, most), limit.name,
            cgs_percent_text(limit.share, 1.0, share));
}

static void write_product(const struct cgs_page *page, const struct cgs_report *report)
{
    const char *kind;
    const double spmv = cgs_report_spmv_gbs(report);
    const double attainable = cgs_report_attainable(report, &kind);
    cgs_text seconds, set, kept, rate, share, bandwidth;
    cgs_page_more(page);
    fprintf(page->file, "product A x: %s, %s GB/s",
            cgs_seconds_text(report->product.seconds, seconds), cgs_number_text(spmv, rate));
    if (attainable > 0.0)
        fprintf(page->file, " = %s of %s %s bandwidth (%s GB/s)",
                cgs_percent_text(spmv, attainable, share),
                attainable == report->product.read_gbs ? "the same memory's" : "this run's", kind,
                cgs_number_text(attainable, bandwidth));
    fputc('\n', page->file);
    write_limit(page, report);
    const int64_t working_set = report->plan.total[report->machine.backend->place];
    const int64_t cache = report->machine.info.cache_bytes;
    if (working_set <= cache) {
        cgs_page_more(page);
        fprintf(page->file,
                "all data (%s) fit in the cache, so these figures do not measure main memory\n",
                cgs_bytes_text(working_set, set));
    } else if (working_set <= 4 * cache) {
        cgs_page_more(page);
        fprintf(page->file, "up to %s of %s of data stay in the cache, so the memory moves less\n",
                cgs_bytes_text(cache, kept), cgs_bytes_text(working_set, set));
    }
}

static void write_speed(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_cg_result *r = &report->result;
    const double mups = cgs_report_mups(report);
    cgs_text seconds, rate;
    cgs_page_section(page, "Speed");
    if (mups > 0.0) {
        cgs_page_loud(page);
        fprintf(page->file, "%s MUPS", cgs_number_text(mups, rate));
        cgs_page_calm(page);
        fprintf(page->file,
                " (million unknown updates a second)\n"
                "%*siteration: %s, %s GB/s, %.0f bytes an unknown\n",
                CGS_PAGE_COLUMN, "", cgs_seconds_text(r->seconds / (double)r->iterations, seconds),
                cgs_number_text(1e-3 * mups * report->bytes_per_unknown, rate),
                report->bytes_per_unknown);
    } else {
        fprintf(page->file, "no iteration, so nothing to time\n");
    }
    if (report->has_product)
        write_product(page, report);
    cgs_page_solution(page, report);
}

static void write_memory(const struct cgs_page *page, const struct cgs_report *report)
{
    cgs_text planned, peak, rate;
    cgs_page_section(page, "Memory");
    fprintf(page->file, "host %s planned, %s taken",
            cgs_bytes_text(report->plan.total[CGS_HOST], planned),
            cgs_bytes_text(report->host_peak, peak));
    if (report->machine.backend->place == CGS_DEVICE_MEMORY)
        fprintf(page->file, "; device %s planned, %s taken",
                cgs_bytes_text(report->plan.total[CGS_DEVICE_MEMORY], planned),
                cgs_bytes_text(report->device_peak, peak));
    const double link = cgs_report_transfer_gbs(report);
    if (link > 0.0)
        fprintf(page->file, "; transfers at %s GB/s", cgs_number_text(link, rate));
    fputc('\n', page->file);
}

static void write_time(const struct cgs_page *page, const struct cgs_report *report)
{
    enum { WIDTH = 10 };
    const int most = (cgs_page_width() - CGS_PAGE_COLUMN) / WIDTH; /* in a line */
    for (int from = 0; from <= CGS_PHASES; from += most) {
        const int to = from + most < CGS_PHASES + 1 ? from + most : CGS_PHASES + 1;
        cgs_page_section(page, from == 0 ? "Seconds" : "");
        for (int phase = from; phase < to; phase++)
            fprintf(page->file, "%*s", WIDTH,
                    phase < CGS_PHASES ? cgs_phase_name((enum cgs_phase)phase) : "total");
        fputc('\n', page->file);
        cgs_page_more(page);
        for (int phase = from; phase < to; phase++)
            fprintf(page->file, "%*.3f", WIDTH,
                    phase < CGS_PHASES ? report->context->watch.seconds[phase]
                                       : cgs_report_total_seconds(report));
        fputc('\n', page->file);
    }
}

/* ---- ten lines ---- */

static void write_short_machine(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_machine *m = &report->machine;
    const int threads = report->context->threads;
    cgs_page_section(page, "Machine");
    if (m->device == CGS_CUDA)
        fprintf(page->file, "%s; host: ", m->info.name);
    fprintf(page->file, "%s, %d thread%s", m->host.name, threads, threads == 1 ? "" : "s");
    if (m->why[0])
        fprintf(page->file, "; %s: using the CPU", m->why);
    fputc('\n', page->file);
    cgs_page_crowd(page, threads);
}

static void write_short_problem(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_settings *o = report->settings;
    cgs_text unknowns;
    char cut[64];
    cgs_settings_name_box(o, cut, sizeof cut);
    cgs_page_section(page, "Problem");
    if (report->has_market)
        fprintf(page->file, "A x = b, A from '%s'%s%s: ", cgs_plain(o->matrix, (cgs_name){0}),
                report->market.member[0] ? ", member " : "",
                cgs_plain(report->market.member, (cgs_name){0}));
    else
        fprintf(page->file, "%s, %s: ", o->problem->name, cut);
    fprintf(page->file, "%s unknown%s", cgs_count_text(report->matrix.rows, unknowns),
            report->matrix.rows == 1 ? "" : "s");
    if (!report->has_market && o->order > 1)
        fprintf(page->file, ", order %lld", (long long)o->order);
    if (!report->has_market)
        fprintf(page->file, ", %s quadrature", cgs_option_choice(o, CGS_OPTION_quadrature));
    if (o->deform != 0.0)
        fprintf(page->file, ", deformed by %g", o->deform);
    if (!report->has_market && o->kappa.kind != CGS_KAPPA_ONE)
        fputs(o->kappa.kind == CGS_KAPPA_SMOOTH ? ", smooth kappa"
              : o->kappa.kind == CGS_KAPPA_JUMP ? ", kappa jumps"
                                                : ", kappa as given",
              page->file);
    fputc('\n', page->file);
}

/* How the rows are cut among ranks. */
static void write_ranks(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_rank_facts *ranks = &report->ranks;
    const int threads = report->context->threads;
    static const char *const between[CGS_WAYS] = {[CGS_WAY_STORES] = "",
                                                  [CGS_WAY_NCCL] = ", NCCL between them",
                                                  [CGS_WAY_HOST] = ", the host between them"};
    cgs_text least, most, halo, edges, seconds;
    if (ranks->count == 0)
        return;
    cgs_page_section(page, "Ranks");
    if (ranks->gpus > 0)
        fprintf(page->file, "%d ranks on %d GPU%s%s: ", ranks->count, ranks->gpus,
                ranks->gpus == 1 ? "" : "s", between[ranks->way]);
    else
        fprintf(page->file, "%d ranks of %d thread%s: ", ranks->count, threads,
                threads == 1 ? "" : "s");
    fprintf(page->file, "rows a rank %s to %s, halo %s\n", cgs_count_text(ranks->rows_least, least),
            cgs_count_text(ranks->rows_most, most),
            cgs_bytes_text(cgs_report_halo_bytes(report, &ranks->cost), halo));
    cgs_page_rank_devices(page, report);
    if (!ranks->renumbered)
        return;
    cgs_page_more(page);
    fprintf(page->file, "cut by %s in %s: %s edges, fullest rank %.3f of the mean;",
            ranks->partitioner, cgs_seconds_text(ranks->partition_seconds, seconds),
            cgs_count_text(ranks->cost.edges, edges), ranks->cost.imbalance);
    fprintf(page->file, " in the file's order %s edges, %.3f, halo %s\n",
            cgs_count_text(ranks->contiguous.edges, edges), ranks->contiguous.imbalance,
            cgs_bytes_text(cgs_report_halo_bytes(report, &ranks->contiguous), halo));
}

/* Matrix and kernel, and why this one. */
static void write_short_matrix(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_matrix *m = &report->matrix;
    const struct cgs_selection *choice = &report->choice;
    cgs_text entries, bytes, share;
    cgs_page_section(page, "Matrix");
    if (cgs_format_chunked(m->format))
        fprintf(page->file, "%s-%d-%d", cgs_format_word(m->format), m->chunk, m->sigma);
    else
        fputs(m->format == CGS_NONE ? "matrix-free" : "CRS", page->file);
    fprintf(page->file, ", %s, %s entries, %s\n",
            cgs_option_choice(report->settings, CGS_OPTION_precision),
            cgs_short_count_text(m->nonzeros, entries),
            cgs_bytes_text(cgs_report_matrix_bytes(report), bytes));
    cgs_page_section(page, "Kernel");
    fprintf(page->file, "%s: ", cgs_plain(report->machine.entry->name, (cgs_name){0}));
    if (!report->machine.automatic)
        fputs("as asked\n", page->file);
    else if (!report->has_choice || choice->by_lengths)
        fprintf(page->file, "by the lengths of rows%s%s%s\n",
                choice->others > 0.0 ? ", since other processes used the CPUs for " : "",
                choice->others > 0.0 ? cgs_percent_text(choice->others, 1.0, share) : "",
                choice->others > 0.0 ? " of its trial" : "");
    else if (choice->measured && choice->products > 0)
        fprintf(page->file, "the fastest of %d here, by %d products\n", choice->count,
                choice->products);
    else
        fputs("the default of this format; 'cgsolve spmv' compares all\n", page->file);
}

static void write_short_speed(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_cg_result *r = &report->result;
    const double mups = cgs_report_mups(report), spmv = cgs_report_spmv_gbs(report);
    const char *kind;
    const double attainable = cgs_report_attainable(report, &kind);
    cgs_text rate, solve, all, bandwidth, share;
    cgs_page_section(page, "Speed");
    if (mups > 0.0) {
        cgs_page_loud(page);
        fprintf(page->file, "%s MUPS", cgs_number_text(mups, rate));
        cgs_page_calm(page);
        fprintf(page->file, ": %lld iterations in %s, %s in all\n", (long long)r->iterations,
                cgs_seconds_text(r->seconds, solve),
                cgs_seconds_text(cgs_report_total_seconds(report), all));
    } else {
        fputs("no iteration, so nothing to time\n", page->file);
    }
    if (!report->has_product)
        return;
    cgs_page_more(page);
    fprintf(page->file, "product A x: %s GB/s", cgs_number_text(spmv, bandwidth));
    if (attainable > 0.0)
        fprintf(page->file, ", %s of what %s reaches here",
                cgs_percent_text(spmv, attainable, share), kind);
    fputc('\n', page->file);
    write_limit(page, report);
}

/* ---- both ---- */

static void write_disturbed(const struct cgs_page *page, const struct cgs_report *report)
{
    cgs_page_disturbed(page, &report->machine, report->context->threads);
}

void cgs_report_begin(const struct cgs_page *page, const struct cgs_report *report)
{
    if (!report->settings->verbose) {
        write_short_machine(page, report);
        write_short_problem(page, report);
        cgs_page_materials(page, report);
        write_short_matrix(page, report);
        write_ranks(page, report);
        return;
    }
    cgs_page_head(page, report->date);
    write_machine(page, report);
    cgs_page_problem(page, report);
    cgs_page_materials(page, report);
    write_matrix(page, report);
    write_ranks(page, report);
    if (report->has_choice)
        cgs_page_choice(page, &report->choice);
}

void cgs_report_end(const struct cgs_page *page, const struct cgs_report *report)
{
    const bool all = report->settings->verbose;
    write_solver(page, report);
    if (all && report->has_preconditioning)
        cgs_page_preconditioning(page, report);
    if (report->has_errors || report->has_known)
        write_accuracy(page, report);
    cgs_page_extremes(page, report);
    cgs_page_probes(page, report);
    write_balance(page, report);
    if (all)
        write_speed(page, report);
    else
        write_short_speed(page, report);
    write_disturbed(page, report);
    write_notes(page, report);
    if (report->solves.count > 1)
        cgs_page_solves(page, report);
    if (report->has_profile) {
        cgs_page_profile(page, report);
        if (report->ranks.timed)
            cgs_page_rank_seconds(page, report);
        cgs_page_cycle(page, report);
    }
    cgs_page_pictures(page, report);
    if (all && report->has_peak)
        write_memory(page, report);
    if (all)
        write_time(page, report);
    if (report->injected) {
        cgs_page_section(page, "Injected");
        fprintf(page->file, "%s\n", report->injection);
    }
    if (!all)
        return;
    cgs_page_section(page, "Ran with");
    cgs_print_effective(page->file, report->settings, CGS_PAGE_COLUMN, cgs_page_width());
}
