/* Cloths that are stepped together: scenes in which they meet, with the intersections counted in double precision in
   every frame. `--table` plays all scenes and prints them with what is to be reached (make contact); `--play SCENE N
   SUBSTEPS SPEED FRICTION` plays one. SPDX-License-Identifier: MIT */
#include "self_scenes.h"

/// The table ///

/* A scene and what is to be reached: intersections a frame in the mean, and in the mean of the last 30 frames. */
typedef struct group_goal {
  self_kind kind;
  int n, substeps;
  double speed, friction; /* of the shot [m/s]; of cloth on cloth */
  double mean, rest;
  int is_asserted; /* 1 if make test plays it, too */
} group_goal;

static const group_goal goals[] = {
    {SELF_STACK, 20, 10, 0, 0.3, 0, 0, 1},  {SELF_STACK, 20, 4, 0, 0.3, 0, 0, 0},  {SELF_STACK, 20, 28, 0, 0.3, 0, 0, 0},
    {SELF_STACK, 32, 10, 0, 0.3, 0, 0, 0},  {SELF_STACK, 32, 4, 0, 0.3, 0, 0, 0},  {SELF_STACK, 32, 28, 0, 0.3, 0, 0, 0},
    {SELF_HEAP, 20, 10, 0, 0.3, 1, 0, 0},   {SELF_HEAP, 32, 10, 0, 0.3, 1, 0, 0},  {SELF_SLOPE, 24, 10, 0, 0, 0, 0, 0},
    {SELF_SLOPE, 24, 10, 0, 0.2, 0, 0, 0},  {SELF_SLOPE, 24, 10, 0, 0.3, 0, 0, 1}, {SELF_SLOPE, 24, 4, 0, 0.3, 0, 0, 0},
    {SELF_SLOPE, 24, 28, 0, 0.3, 0, 0, 0},  {SELF_SLOPE, 24, 10, 0, 0.5, 0, 0, 1}, {SELF_SHOT, 24, 4, 20, 0.3, 1, 0, 1},
    {SELF_SHOT, 24, 10, 40, 0.3, 1, 0, 1},
};

#define GOALS ((int)(sizeof goals / sizeof goals[0]))

static self_result play_goal(const group_goal *goal, double thickness) {
  self_scene s = {goal->kind, goal->n, goal->substeps, goal->speed};
  play_options o;
  memset(&o, 0, sizeof o);
  o.thickness = thickness;
  o.friction = goal->friction;
  o.pairs = 8;
  return play_self_scene(&s, &o);
}

int main(int argc, char **argv) {
  if (argc > 6 && strcmp(argv[1], "--play") == 0) {
    group_goal g = {self_kind_named(argv[2]), atoi(argv[3]), atoi(argv[4]), atof(argv[5]), atof(argv[6]), 0, 0, 0};
    self_result r = play_goal(&g, argc > 7 ? atof(argv[7]) : SELF_SHARE);
    printf("mean %.3f peak %d rest %.3f gap %.3f acc %.3f stretch %.3f pairs %.2f visits %.1f gathers %.2f dropped %ld "
           "moved %.4f passed %d notes %d hash %016llx\n",
           r.mean, r.peak, r.rest, r.gap, r.acceleration, r.stretch, r.most_pairs, r.visits, r.gathers, r.dropped,
           r.moved, r.passed, r.notes, (unsigned long long)r.hash);
  }
  return check_failed != 0;
}
