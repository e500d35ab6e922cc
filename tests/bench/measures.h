/*
 * Times and figures of a run, from the positions after each frame alone, so that every solver is measured alike.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_MEASURES_H
#define BENCH_MEASURES_H

#include "solver.h"

#include <stdint.h>

/* "Late" is the last second of a run, "last" its last half second. Strain is that of the edges of the grid. */
typedef struct figures {
  double us_median, us_p99; /* of the time a frame takes [us] */
  double stretch_most;      /* late: largest strain of an edge not between two pins */
  double stretch_p99;       /* late: mean of the 99th percentile of strain */
  double stretch_p01;       /* late: mean of the 1st percentile: compression */
  double stretch_ever;      /* largest of the whole run */
  double area;              /* late: smallest area; 1 is that at rest */
  double roughness;         /* late: mean rms of the checkerboard mode of the positions over the spacing: sawtooth */
  double kinetic_mean;      /* whole run: mean kinetic energy [mJ] */
  double kinetic_last;      /* last: mean kinetic energy [mJ] */
  double acceleration;      /* last: rms over particles and frames [m/s^2] */
  double energy_end;        /* kinetic and potential energy at the end [mJ] */
  double distance;          /* whole run: least from the collider's centre or axis [m]; 0 without collider */
  size_t bytes;
  uint64_t hash; /* of the final positions */
  int broken;    /* not finite, torn beyond all measure, or caught and put back by the solver */
} figures;

/* Runs a scene. */
figures measure_run(const bench_scene *scene, const solver *with, const setting *how);

int compare_doubles(const void *a, const void *b);

#endif
