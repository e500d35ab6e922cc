#pragma once
#include "bodies.h"

/// Bodies of several cloths ///

/* Bodies with mass that several cloths of a group touch, each as a collider. The first of them leads: its unknowns are
   those of all, with what touches it in every cloth (bodies/coupling.h); the others take pose and velocities from
   there. */

/* Which cloths of a group have a body, a bit each; 0 for one that no two have. */
static uint32_t cloths_of_body(const cloth_group *group, int32_t k) {
  uint32_t cloths = 0;
  for (int32_t n = 0; n < group->count; n++) {
    cloths |= group->bodies[k].colliders[n] >= 0 ? 1u << n : 0u;
  }
  return cloths & (cloths - 1u) ? cloths : 0u;
}

/* The first cloth that has a body, which one has. */
static int32_t leader_of_body(const cloth_group *group, int32_t k) {
  int32_t n = 0;
  while (group->bodies[k].colliders[n] < 0) {
    n++;
  }
  return n;
}

static rigid_body *common_body(const cloth_group *group, int32_t k, int32_t n) {
  return find_body(group->cloths[n], group->bodies[k].colliders[n]);
}

static collider_slot *common_slot(const cloth_group *group, int32_t k, int32_t n) {
  return &colliders_of(group->cloths[n])[group->bodies[k].colliders[n]];
}

/* A pose relative to the origin of one cloth, relative to that of another. */
static cloth_pose pose_for(const cloth *from, const cloth *to, const cloth_pose *pose) {
  const cloth_vector place = vector_flush_state(vector_add(pose->position, way_between(to, from)));
  return (cloth_pose){limited_vector(place, CLOTH_POSITION_LIMIT), pose->rotation};
}

/* Runs statements for cloths n of a group that have body k in common with the one that leads, and are not it. */
#define EACH_FOLLOWER(group, k, n, leader, ...)                                                                        \
  for (int32_t k = 0; k < (group)->body_count; k++) {                                                                  \
    for (int32_t n = 0; n < (group)->count; n++) {                                                                     \
      const int32_t leader = cloths_of_body(group, k) ? leader_of_body(group, k) : -1;                                 \
      if ((cloths_of_body(group, k) >> n & 1u) && n != leader) { __VA_ARGS__; }                                        \
    }                                                                                                                  \
  }

/// A step ///

/* Before a step: makes each body one in all cloths that have it, as it is in the first of them. Wakes cloths if
   something differs but for the pose, which origins round while cloths sleep. */
CLOTH_SEPARATE void join_bodies(const cloth_group *group) {
  EACH_FOLLOWER(group, k, n, leader, {
    const cloth *from = group->cloths[leader], *to = group->cloths[n];
    rigid_body adopted = *common_body(group, k, leader);
    collider_slot *slot = common_slot(group, k, n);
    adopted.collider = group->bodies[k].colliders[n];
    set_input(to, common_body(group, k, n), &adopted, sizeof adopted);
    slot->body.pose = pose_for(from, to, &common_slot(group, k, leader)->body.pose);
    slot->previous = slot->body.pose;
  });
}

/* The hash of the bodies that cloth n has in common with others, whatever the order of the group; 0 without. */
static uint64_t common_bodies_hash(const cloth_group *group, int32_t n) {
  uint64_t sum = 0;
  for (int32_t k = 0; k < group->body_count; k++) {
    const uint32_t cloths = cloths_of_body(group, k);
    for (int32_t other = 0; (cloths >> n & 1u) && other < group->count; other++) {
      if (other != n && (cloths >> other & 1u)) {
        hasher h;
        hash_start(&h);
        hash_words(&h, group->cloths[other]->config_hash, 2);
        hash_word(&h, (uint32_t)group->bodies[k].colliders[n]);
        hash_word(&h, (uint32_t)group->bodies[k].colliders[other]);
        hash_word(&h, 0u);
        sum += hash_end(&h);
      }
    }
  }
  return sum;
}

/// A part of a substep ///

/* Once bodies are predicted: in the cloths of a part, a bit each, the unknowns of the leader are those of all. */
CLOTH_SEPARATE void link_bodies(const cloth_group *group, uint32_t members) {
  EACH_FOLLOWER(group, k, n, leader, {
    if (members >> n & members >> leader & 1u) {
      const cloth *from = group->cloths[leader], *to = group->cloths[n];
      body_unknown *u = find_unknown(to, group->bodies[k].colliders[n]);
      u->leader = find_unknown(from, group->bodies[k].colliders[leader]);
      u->ratio = workspace_of(from)->plan.terms.scale / workspace_of(to)->plan.terms.scale;
    }
  });
}

/* Gives cloths the motion that bodies have in those that lead. */
CLOTH_SEPARATE void follow_leaders(const cloth_group *group, uint32_t members) {
  EACH_FOLLOWER(group, k, n, leader, {
    const cloth *from = group->cloths[leader], *to = group->cloths[n];
    const rigid_body *b = common_body(group, k, leader);
    if (members >> n & members >> leader & 1u) {
      common_body(group, k, n)->velocity = b->velocity;
      common_body(group, k, n)->spin = b->spin;
      common_slot(group, k, n)->previous = pose_for(from, to, &common_slot(group, k, leader)->previous);
      common_slot(group, k, n)->body.pose = pose_for(from, to, &common_slot(group, k, leader)->body.pose);
    }
  });
}
