#pragma once
#include "types.h"

/// Cloths that are solved together ///

/*
 * Cloths that seams or bodies join are solved as one, see joints.h: each keeps its own arrays and its own scaling, m0 /
 * (s h^2), and what it adds to sums over all of them counts by its weight.
 */

typedef struct solve_member {
  const cloth *c;
  const substep_terms *t;
  float weight;         /* its m0 / s over that of the first member */
  int32_t number;       /* its place in the group */
  cloth_vector noted;   /* sum of the reactions of its pins before, where they are noted [N s] */
  int32_t has_solution; /* of a solve: 1 if the solution is y + last_step p, 0 if it is the last part alone */
} solve_member;

/* What joins the members, see joints.h. */
typedef struct group_joints group_joints;
/* Cloths that feel each other, see self/candidates.h. */
typedef struct self_group self_group;

typedef struct solve_group {
  solve_member *members;
  int32_t count;
  group_joints *joints;    /* NULL for one alone */
  const self_group *pairs; /* that may touch; NULL without */
} solve_group;

/* Runs statements for each member `m` of `s`. */
#define EACH_MEMBER(s, m, ...)                                                                                         \
  for (solve_member *m = (s)->members, *m##_end = m + (s)->count; m < m##_end; m++) {                                  \
    __VA_ARGS__;                                                                                                       \
  }

/* Cloths that step together, one alone among them: sets, each of which is solved as one. */
typedef struct stepped_cloths {
  solve_group *set;
  int32_t sets;
  float shortest;  /* part of a substep, as a share */
  step_plan *plan; /* of the first of them */
  /* Makes the sets anew after a search for candidates; `is_first`: of the step. NULL for one alone. */
  void (*regroup)(struct stepped_cloths *s, int32_t is_first);
  void (*after)(struct stepped_cloths *s); /* each substep; NULL without */
} stepped_cloths;

/* Runs statements for each set `g` of cloths that step together, and for each cloth `m` of them. */
#define EACH_SET(s, g, ...)                                                                                            \
  for (const solve_group *g = (s)->set, *g##_end = g + (s)->sets; g < g##_end; g++) {                                  \
    __VA_ARGS__;                                                                                                       \
  }
#define EACH_STEPPED(s, m, ...) EACH_SET(s, m##_set, EACH_MEMBER(m##_set, m, __VA_ARGS__))

/* A cloth that steps alone, the only one of the only set. */
typedef struct lone_cloth {
  stepped_cloths stepped;
  solve_group set;
  solve_member member;
} lone_cloth;

/* Makes the parts of two cloths one. */
static void join_parts(uint8_t *part, int32_t count, int32_t a, int32_t b) {
  const uint8_t one = part[a], other = part[b], first = one < other ? one : other;
  for (int32_t n = 0; n < count; n++) {
    part[n] = part[n] == one || part[n] == other ? first : part[n];
  }
}
