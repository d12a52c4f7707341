#include "src/report/sections.h"

#include <inttypes.h>
#include <omp.h>
#include <string.h>

#include "base/plain.h"
#include "core/facts/choice.h"
#include "core/io/array_file.h"
#include "core/io/format.h"
#include "core/options/option_table.h"
#include "matrix/market/market_header.h"

void cgs_page_crowd(const struct cgs_page *page, int threads)
{
    const int processors = omp_get_num_procs();
    if (threads <= processors)
        return;
    cgs_page_more(page);
    fprintf(page->file,
            "%d threads take turns on %d processor%s, and a run takes several times as long: "
            "--threads=%d\n",
            threads, processors, processors == 1 ? "" : "s", processors);
}

void cgs_page_machine(const struct cgs_page *page, const struct cgs_machine *m, int threads,
                      const struct cgs_bandwidth bandwidth[CGS_DEVICES])
{
    cgs_text cache, read, copy, triad;
    cgs_page_section(page, "Machine");
    for (int device = CGS_DEVICES - 1; device >= 0; device--) {
        const struct cgs_bandwidth *b = &bandwidth[device];
        const bool known = b->read_gbs > 0.0;
        if (!known && device != (int)m->device)
            continue;
        const struct cgs_device_info *info = device == CGS_CPU ? &m->host : &m->info;
        if (device == CGS_CPU && m->device != CGS_CPU)
            cgs_page_more(page);
        fprintf(page->file, "%s", info->name);
        if (device == CGS_CPU)
            fprintf(page->file, ", %d thread%s", threads, threads == 1 ? "" : "s");
        fprintf(page->file, ", %s of cache%s\n", cgs_bytes_text(info->cache_bytes, cache),
                known ? ";" : "");
        if (!known)
            continue;
        cgs_page_more(page);
        fprintf(page->file, "reaches read %s, copy %s, triad %s GB/s\n",
                cgs_number_text(b->read_gbs, read), cgs_number_text(b->copy_gbs, copy),
                cgs_number_text(b->triad_gbs, triad));
    }
    cgs_page_crowd(page, threads);
    if (m->why[0]) {
        cgs_page_more(page);
        fprintf(page->file, "%s: using the CPU\n", m->why);
    }
    cgs_page_disturbed(page, m, threads);
}

void cgs_page_disturbed(const struct cgs_page *page, const struct cgs_machine *machine, int threads)
{
    cgs_text share;
    if (!cgs_machine_disturbed(machine, threads))
        return;
    cgs_page_section(page, "DISTURBED");
    fprintf(page->file,
            "other processes used the CPUs for %s of this run; do not rely on its times\n",
            cgs_percent_text(cgs_contention_share(&machine->contention), 1.0, share));
}

/* A problem of the user's own, as it was given. */
static void write_user_problem(const struct cgs_page *page, const struct cgs_settings *o)
{
    const struct {
        const char *name, *text;
    } given[] = {{"f", o->source},
                 {"load vector", o->rhs},
                 {"u", o->exact},
                 {"kappa", o->kappa.kind == CGS_KAPPA_CELLS ? o->kappa.text : NULL},
                 {"c", o->reaction}};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i].text) {
            cgs_page_more(page);
            fprintf(page->file, "%s = %s\n", given[i].name, given[i].text);
        }
    for (const char *line = o->grade; line; line = cgs_line_after(line)) {
        cgs_page_more(page);
        fprintf(page->file, "cells graded %.*s\n", cgs_line_length(line), line);
    }
    if (o->grid) {
        cgs_page_more(page);
        fprintf(page->file, "coordinates of '%s'\n", o->grid);
    }
    for (const char *line = o->face; line; line = cgs_line_after(line)) {
        cgs_page_more(page);
        fprintf(page->file, "face %.*s\n", cgs_line_length(line), line);
    }
}

/* ---- a matrix from a file ---- */

/* Writes where b comes from. */
static void write_rhs(const struct cgs_page *page, const struct cgs_settings *settings)
{
    cgs_page_more(page);
    if (cgs_rhs_file(settings))
        fprintf(page->file, "b from '%s'\n", cgs_plain(settings->rhs, (cgs_name){0}));
    else if (strcmp(settings->rhs, "ones") == 0)
        fprintf(page->file, "b = 1\n");
    else
        fprintf(page->file, "b = A u with a random u, so that the error is known\n");
}

/* A matrix from a file: the section Problem, and a line on its rows. */
static void write_file(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_market *m = &report->market;
    cgs_text rows, stored, seconds, rate;
    cgs_page_section(page, "Problem");
    fprintf(page->file, "A x = b, A from '%s'%s%s\n",
            cgs_plain(report->settings->matrix, (cgs_name){0}), m->member[0] ? ", member " : "",
            cgs_plain(m->member, (cgs_name){0}));
    cgs_page_more(page);
    fprintf(page->file, "%s unknown%s; %s %s, %s, %s%s\n", cgs_count_text(m->rows, rows),
            m->rows == 1 ? "" : "s", cgs_short_count_text(m->stored, stored),
            m->array ? "values of an array" : "entries in the file", cgs_market_field_name(m),
            cgs_market_symmetry_name(m),
            m->symmetry == CGS_MARKET_GENERAL ? "" : " (one triangle)");
    if (m->seconds > 0.0) {
        cgs_page_more(page);
        fprintf(page->file, "read in %s, %s MB/s\n", cgs_seconds_text(m->seconds, seconds),
                cgs_number_text(cgs_report_reading_mbs(report), rate));
    }
    write_rhs(page, report->settings);
}

void cgs_page_row_lengths(const struct cgs_page *page, const struct cgs_row_statistics *s)
{
    cgs_text empty;
    cgs_page_more(page);
    fprintf(page->file,
            "entries in a row: %" PRId32 " ... %" PRId32 ", %.1f on average (deviation "
            "%.1f)",
            s->shortest, s->longest, s->mean, s->deviation);
    if (s->empty > 0)
        fprintf(page->file, ", %s row%s without any", cgs_count_text(s->empty, empty),
                s->empty == 1 ? "" : "s");
    fputc('\n', page->file);
}

/* ---- any problem ---- */

void cgs_page_problem(const struct cgs_page *page, const struct cgs_report *report)
{
    const struct cgs_settings *o = report->settings;
    const struct cgs_mesh *mesh = &report->mesh;
    cgs_text unknowns;
    char cut[64], h[128], size[128] = "";
    if (report->has_market) {
        write_file(page, report);
        return;
    }
    cgs_page_section(page, "Problem");
    fprintf(page->file, "%s: %s\n", o->problem->name, o->problem->description);
    cgs_page_more(page);
    const int64_t rows = cgs_mesh_rows(mesh);
    cgs_settings_name_box(o, cut, sizeof cut);
    if (cgs_settings_unit_cube(o)) {
        snprintf(h, sizeof h, "h = 1/%lld", (long long)((mesh->n[0] + 1) / o->order));
    } else {
        char lengths[96];
        cgs_lengths_write(&o->size, lengths, sizeof lengths);
        snprintf(size, sizeof size, " of a box %s", lengths);
        const double p = (double)o->order;
        snprintf(h, sizeof h, "h = %.4g, %.4g, %.4g", p * mesh->h[0], p * mesh->h[1],
                 p * mesh->h[2]);
    }
    if (o->grade || o->grid)
        snprintf(h, sizeof h, "graded");
    fprintf(page->file, "%s%s: %s unknown%s, %s, ", cut, size, cgs_count_text(rows, unknowns),
            rows == 1 ? "" : "s", h);
    if (o->order > 1)
        fprintf(page->file, "hexahedra of order %lld", (long long)o->order);
    else
        fputs("trilinear hexahedra", page->file);
    fprintf(page->file, ", %s quadrature\n", cgs_option_choice(o, CGS_OPTION_quadrature));
    if (o->model)
        write_user_problem(page, o);
    if (o->model || (o->deform == 0.0 && o->kappa.kind == CGS_KAPPA_ONE))
        return;
    cgs_page_more(page);
    if (o->deform != 0.0)
        fprintf(page->file, "nodes moved by %g sin(pi x) sin(pi y) sin(pi z) in each direction%s",
                o->deform, o->kappa.kind == CGS_KAPPA_ONE ? "\n" : "; ");
    if (o->kappa.kind == CGS_KAPPA_SMOOTH)
        fprintf(page->file, "kappa = 1 + x + 2 y z at cell centres\n");
    if (o->kappa.kind == CGS_KAPPA_CELLS)
        fprintf(page->file, "kappa %s %s\n", cgs_array_file(o->kappa.text) ? "of" : "=",
                cgs_plain(o->kappa.text, (cgs_name){0}));
    if (o->kappa.kind == CGS_KAPPA_JUMP)
        fprintf(page->file, "kappa = %g in every second octant, else 1\n", o->kappa.ratio);
}

void cgs_page_choice(const struct cgs_page *page, const struct cgs_selection *choice)
{
    char lines[CGS_CHOICE_LINES][CGS_CHOICE_WIDTH];
    cgs_choice_explain(choice, lines);
    cgs_page_section(page, "Auto");
    for (int i = 0; i < CGS_CHOICE_LINES; i++) {
        if (i > 0)
            cgs_page_more(page);
        cgs_page_wrap(page->file, lines[i], CGS_PAGE_COLUMN);
    }
}

void cgs_page_shared(const struct cgs_page *page, const struct cgs_precond_facts *p)
{
    int shared = 0;
    while (shared < p->count && p->grid[shared].ranks > 1)
        shared++;
    if (shared == 0)
        return;
    cgs_page_more(page);
    fprintf(page->file, "%d ranks share the grids down to ", p->grid[0].ranks);
    if (p->algebraic)
        fprintf(page->file, "grid %d", shared - 1);
    else
        fprintf(page->file, "%s", cgs_grid_text(p->grid[shared - 1].n, (cgs_text){0}));
    fprintf(page->file, shared < p->count ? "; each has all of the others\n" : "\n");
}
