/* File names of METIS and of Scotch, for dlopen; also read by configure
 * (m4/cgs_check_loaded.m4), which only says whether they are there. */
#pragma once

#define CGS_METIS_NAMES "libmetis.so.5", "libmetis.so"
#define CGS_METIS_SYMBOL "METIS_PartGraphKway"

#define CGS_SCOTCH_NAMES "libscotch-7.0.so", "libscotch.so.7.0", "libscotch-6.1.so", "libscotch.so"
#define CGS_SCOTCH_SYMBOL "SCOTCH_graphPart"
