/* hypre's multigrid methods on our problem; usage: bench/peers/peer.h. */
#include "bench/peers/hypre.h"

static void begin(void)
{
    HYPRE_Init();
}

static void end(void)
{
    HYPRE_Finalize();
}

static const struct peer_method methods[] = {
    {.name = "cg", .description = "structured grid, CG alone", .run = hypre_struct_cg},
    {.name = "pfmg",
     .description = "structured grid, PFMG on the Q1 27-point stencil",
     .run = hypre_struct_pfmg},
    {.name = "pfmg-7",
     .description = "structured grid, PFMG on the 7-point Laplacian, as it is mostly used",
     .seven_point = true,
     .run = hypre_struct_pfmg_seven},
    {.name = "smg",
     .description = "structured grid, SMG on the Q1 27-point stencil",
     .run = hypre_struct_smg},
    {.name = "boomeramg",
     .description = "rows, BoomerAMG: HMIS, extended+i interpolation",
     .run = hypre_rows_boomeramg},
    {.name = "boomeramg-agg",
     .description = "the same, the first level coarsened aggressively",
     .run = hypre_rows_boomeramg_aggressive},
};

int main(int argc, char **argv)
{
    const struct peer_library library = {.name = "hypre",
                                         .version = HYPRE_RELEASE_VERSION,
                                         .begin = begin,
                                         .end = end,
                                         .methods = methods,
                                         .count = sizeof methods / sizeof *methods};
    return peer_main(argc, argv, &library);
}
