/* The program gnuplot, run as a process of its own, without a shell and for a limited time: the
 * first one on PATH. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Runs `script` (read from where it stands) with `drawing` as standard output. False: `why` says
 * what was wrong, gnuplot's own words included; where it is missing, what installs it. */
bool cgs_gnuplot_run(FILE *script, int drawing, double seconds, char *why, size_t size);

/* "gnuplot 5.4 patchlevel 4"; false: `text` says why there is none that serves. */
bool cgs_gnuplot_version(char *text, size_t size);
