#pragma once
#include "../base/compiler.h"
#include "../bodies/common_bodies.h"
#include "../cloth/access.h"
#include "../step/sleep.h"
#include "stitches.h"

/// Links between cloths ///

/* What makes cloths of a group sleep and wake together: seams, and bodies that they have in common. */

#if WITH_SLEEP && (WITH_SEAMS || WITH_COMMON_BODIES)

#if WITH_SEAMS

/* 1 if a seam has a stitch. */
static int has_stitches(const cloth_group *group, const cloth_seam *seam) {
  int32_t n = 0;
  while (n < larger_count(seam) && !is_stitched(group, seam, n)) {
    n++;
  }
  return n < larger_count(seam);
}

#endif

static int32_t count_links(const cloth_group *group) {
  return group->seam_count + group->body_count;
}

/* Which cloths a seam or a body links, a bit each; 0 if it links none. */
static uint32_t linked_cloths(const cloth_group *group, int32_t link) {
#if WITH_SEAMS
  if (link < group->seam_count) {
    const cloth_seam *seam = &group->seams[link];
    return has_stitches(group, seam) ? 1u << seam->a.cloth | 1u << seam->b.cloth : 0u;
  }
#endif
#if WITH_COMMON_BODIES
  return cloths_of_body(group, link - group->seam_count);
#else
  return 0u;
#endif
}

/* Which cloths of a group are linked to others, a bit each. */
static uint32_t all_linked_cloths(const cloth_group *group) {
  uint32_t cloths = 0;
  for (int32_t n = 0; n < count_links(group); n++) {
    cloths |= linked_cloths(group, n);
  }
  return cloths;
}

/* Wakes the cloths of a set that sleep, if one does not. */
static void wake_together(const cloth_group *group, uint32_t cloths) {
  uint32_t sleeping = 0;
  for (int32_t n = 0; n < group->count; n++) {
    sleeping |= is_asleep(group->cloths[n]) ? 1u << n : 0u;
  }
  for (int32_t n = 0; (cloths & ~sleeping) && n < group->count; n++) {
    if (cloths & sleeping & 1u << n) { wake(group->cloths[n]); }
  }
}

/* Wakes the cloths that sleep and are linked to one that does not. */
static void wake_linked(const cloth_group *group) {
  for (int32_t round = 0; round < group->count; round++) {
    for (int32_t n = 0; n < count_links(group); n++) {
      wake_together(group, linked_cloths(group, n));
    }
  }
}

/* Which cloths may fall asleep at the end of a step of dt seconds, a bit each. Those that are linked do so together. */
static uint32_t find_sleepy(const cloth_group *group, float dt) {
  const uint32_t linked = all_linked_cloths(group);
  uint32_t sleepy = (1u << group->count) - 1u;
  for (int32_t n = 0; n < group->count; n++) {
    const cloth *c = group->cloths[n];
    if ((linked >> n & 1u) && !is_asleep(c) && !will_sleep(c, dt)) { sleepy &= ~(1u << n); }
  }
  for (int32_t round = 0; linked && round < group->count; round++) {
    for (int32_t n = 0; n < count_links(group); n++) {
      const uint32_t cloths = linked_cloths(group, n);
      sleepy &= (sleepy & cloths) == cloths ? UINT32_MAX : ~cloths;
    }
  }
  return sleepy;
}

#elif WITH_GROUPS

static void wake_linked(const cloth_group *group) {
  (void)group;
}

static uint32_t find_sleepy(const cloth_group *group, float dt) {
  (void)group;
  (void)dt;
  return UINT32_MAX;
}

#endif
