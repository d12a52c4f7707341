/* Scaling: the time of an iteration of CG by the number of ranks, foretold.
 *
 *     T(P)       = compute(P) + halo(P) + sums(P)
 *
 *     compute(P) = b q(P) / w(P)                     b   bytes of an iteration, a row
 *                                                    q   rows of the largest rank: whole blocks
 *     w(P)       = min(w_1, h w_h / min(h, P))       w_1 bytes/s of a rank while the others of its host rest
 *                                                    w_h of each where all h ranks of a host work
 *     halo(P)    = e (m(P) l + g(P) s / B)           e   exchanges an iteration
 *                                                    l   seconds of a message, B bytes/s of a link
 *                                                    s   bytes of a number
 *     g(P)       = min(j(P) G, n - q(P))             G   numbers from each side: a plane, a line and 1 of the box
 *     m(P)       = min(j(P) ceil(G / q(P)), P - 1)   j   sides with neighbours: 0, 1, 2 of P = 1, 2, more
 *     sums(P)    = k (a ceil(log2 P) + 8 t P / B)    k   gatherings an iteration
 *                                                    t   numbers of a rank in one, a seconds of a stage
 *
 * A coarser grid of multigrid, n planes of p unknowns, adds
 *
 *     shared     b_l ceil(n / P) / (n w(P)) + e_l (m(P) l + g(P) s / B)        with G = p
 *     whole      b_l / w(P), and the largest of these (P - 1) l + n p (1 - 1 / P) s / B: its parts go to all
 *
 * A rank computes, then exchanges, then sums up: nothing overlaps, nobody waits. Hosts all have h
 * ranks and are alike, and what links do between the ranks of this run they do between more.
 * doc/clusters.md holds it against measurements.
 *
 * GPUs of one host: what is measured on P_0 of them tells the time on P,
 *
 *     T(P) = (T(P_0) - talk(P_0)) (n P_0) / (n_0 P) + talk(P)     n   unknowns on P, n_0 on P_0
 *     talk = e l + g / B + k a                                    g   bytes that a GPU receives
 *
 * where all of an iteration but halos and sums shrinks with the unknowns of a GPU: launches do
 * not. */
#pragma once

#include <stdint.h>

#include "kernels/backend.h"

/* Coarser grids at most. */
enum { CGS_SCALING_GRIDS = 36 };

/* A coarser grid in a cycle of multigrid. */
struct cgs_scaling_grid {
    int64_t planes, plane; /* planes, and unknowns of one */
    int64_t shared_from; /* ranks from which on they share it; 0: never */
    double bytes;        /* b_l: of the whole grid */
    double exchanges;    /* e_l */
};

/* An iteration of a problem. */
struct cgs_scaling_problem {
    int64_t rows, unit;           /* n; rows that ranks share are multiples of `unit` */
    double bytes;                 /* b */
    int64_t ghosts;               /* G */
    int number_bytes;             /* s */
    double exchanges, gatherings; /* e, k */
    double numbers;               /* t */
    /* Multigrid: its coarser grids, whose bytes are in `bytes`, too; exchanges of a cycle on the
     * finest grid, and bytes of its numbers. */
    int grids;
    struct cgs_scaling_grid grid[CGS_SCALING_GRIDS];
    double cycle_exchanges;
    int cycle_number_bytes;
};

/* Ranks as measured, in seconds and bytes/s. */
struct cgs_scaling_machine {
    int on_host;            /* h */
    double alone, together; /* w_1, w_h */
    double message, link;   /* l, B */
    double stage;           /* a */
};

/* Seconds of an iteration. */
struct cgs_scaling_point {
    int64_t ranks;
    double compute, halo, sums, all;
};

/* Link between GPUs of a host, in seconds and bytes/s. */
struct cgs_scaling_link {
    double exchange;  /* l: of a halo, without its numbers */
    double bandwidth; /* B: each way, both at once */
    double sum;       /* a: of all GPUs */
};

/* Two H200 with NVLink, as measured on 2026-11-25: what stands in where nothing has been
 * measured. */
extern const struct cgs_scaling_link cgs_scaling_h200;

/* Costs that GPUs have in common in an iteration. */
struct cgs_scaling_talk {
    int gpus;                      /* P */
    double unknowns;               /* n, of all */
    double exchanges, bytes, sums; /* e, g, k: of the GPU that has most */
};

/* Returns the link that the backend has measured (kernels/backend.h). */
struct cgs_scaling_link cgs_scaling_link_of(const struct cgs_link *measured);

/* Returns T(P), by `seconds` on the GPUs of `base`. */
double cgs_scaling_of_gpus(const struct cgs_scaling_talk *base, double seconds,
                           const struct cgs_scaling_talk *on, const struct cgs_scaling_link *link);

/* Most points that are listed: P / 2, P, 2 P, ... */
enum { CGS_SCALING_POINTS = 8 };

struct cgs_scaling_point cgs_scaling_foretell(const struct cgs_scaling_problem *problem,
                                              const struct cgs_scaling_machine *machine,
                                              int64_t ranks);

/* Lists points of P / 2, P, 2 P, ... ranks, P = `ranks`, as far as there is a block for each and
 * there can be so many ranks; returns their number. */
int cgs_scaling_list(const struct cgs_scaling_problem *problem,
                     const struct cgs_scaling_machine *machine, int ranks,
                     struct cgs_scaling_point points[CGS_SCALING_POINTS]);

/* Returns a: the seconds of a stage, of those of a gathering among `ranks` ranks. */
double cgs_scaling_stage(const struct cgs_scaling_problem *problem, double link, double gathering,
                         int ranks);

/* Million unknowns updated a second. */
double cgs_scaling_mups(const struct cgs_scaling_problem *problem,
                        const struct cgs_scaling_point *point);
