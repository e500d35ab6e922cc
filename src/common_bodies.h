#pragma once
#include "access.h"
#include "bearing.h"
#include "bodies.h"
#include "bodies/list.h"
#include "compiler.h"
#include "costs.h"
#include "hash.h"
#include "plan.h"
#include "scalar.h"
#include "types.h"

/// Bodies of several cloths ///

/*
 * Bodies with mass that several cloths of a group touch. In each of these cloths a collider is the body. The first of
 * them leads: there a substep of the body begins and ends, and there its motion is kept while the cloths pass through a
 * stage one after the other. Before its stage a cloth gets the motion that those before it have left, and hands on what
 * it has made of it. So all of them act on one momentum, and each sees the body go where the others have sent it.
 *
 * In solves along lines the particles of all cloths bear the body, each by its share of what springs of all cloths pull
 * into it (bearing.h): no cloth bears more of it for coming first. Particles that are attached to the body in several
 * cloths count with their masses and points in each of them.
 *
 * In: the bodies of the group. Out: bodies and poses of their colliders in all cloths. Scratch: own.attached.
 */

/* Stages of a substep of a group: all cloths run each of them before one runs the next. */
typedef enum group_stage {
  GROUP_ADVANCE,
  GROUP_PREPARE,
  GROUP_HOLD,
  GROUP_MEET,
  GROUP_LEAVE,
  GROUP_ACCEPT
} group_stage;

#if WITH_COMMON_BODIES

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
  const cloth_vector place = vector_flush(vector_add(pose->position, way_between(to, from)), STATE_QUANTUM);
  const cloth_pose moved = {limited_vector(place, CLOTH_POSITION_LIMIT), pose->rotation};
  return moved;
}

/// A step ///

/* Makes a body of a cloth that of the one that leads, which wakes it if something differs but for the pose: what moves
   that of the leader wakes the leader, and all with it, and the origins of cloths may move while they sleep, which
   rounds it. */
static void adopt_body(const cloth_group *group, int32_t k, int32_t leader, int32_t n) {
  const cloth *from = group->cloths[leader], *to = group->cloths[n];
  rigid_body adopted = *common_body(group, k, leader);
  collider_slot *slot = common_slot(group, k, n);
  const cloth_pose pose = pose_for(from, to, &common_slot(group, k, leader)->body.pose);
  adopted.collider = group->bodies[k].colliders[n];
  set_input(to, common_body(group, k, n), &adopted, sizeof adopted);
  slot->previous = slot->body.pose = pose;
}

/* Adds to what the other cloths have attached to a body what one of them has. */
static void add_attached(const cloth_group *group, int32_t k, int32_t other, body_share *share) {
  const cloth *c = group->cloths[other];
  for (int32_t n = 0; n < inputs_of(c)->attachment_count; n++) {
    const attachment *a = &attachments_of(c)[n];
    if (a->collider == group->bodies[k].colliders[other]) {
      const float mass = mass_of_particle(c, a->particle);
      share->other_attached++;
      share->other_mass += mass;
      share->other_moment = vector_add_scaled(share->other_moment, vector_flush(a->point, STATE_QUANTUM), mass);
      share->other_inertia = vector_add(share->other_inertia, inertia_at(a->point, mass));
    }
  }
}

/* Before a step: makes each body one in all cloths that have it, as it is in the first of them. */
CLOTH_SEPARATE void join_bodies(const cloth_group *group) {
  for (int32_t n = 0; n < group->count; n++) {
    clear_body_shares(group->cloths[n]);
  }
  for (int32_t k = 0; k < group->body_count; k++) {
    const uint32_t cloths = cloths_of_body(group, k);
    for (int32_t n = 0; n < group->count; n++) {
      if (!(cloths >> n & 1u)) {
        continue;
      }
      const int32_t leader = leader_of_body(group, k);
      body_share *share = body_share_of(group->cloths[n], common_body(group, k, n));
      share->follows = n != leader;
      if (n != leader) {
        adopt_body(group, k, leader, n);
      }
      for (int32_t other = 0; other < group->count; other++) {
        if (other != n && (cloths >> other & 1u)) {
          add_attached(group, k, other, share);
        }
      }
    }
  }
}

/* The hash of the bodies that cloth n has in common with others, which like that of seams does not depend on the order
   of the group; 0 if it has none. */
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

/* Work of the common bodies of a group in a step: for each cloth, what it and the leader have attached is gone
   through. */
static uint64_t common_bodies_work(const cloth_group *group, int32_t substeps) {
  uint64_t work = 0;
  for (int32_t k = 0; k < group->body_count; k++) {
    const uint32_t cloths = cloths_of_body(group, k);
    for (int32_t n = 0; n < group->count; n++) {
      if (cloths >> n & 1u) {
        const cloth *leader = group->cloths[leader_of_body(group, k)];
        const int32_t attached = inputs_of(group->cloths[n])->attachment_count + inputs_of(leader)->attachment_count;
        work += COST_COMMON_BODY + (uint64_t)(uint32_t)attached * COST_COMMON_ATTACHED;
      }
    }
  }
  return work * (uint32_t)substeps;
}

/// A stage ///

/* As a substep begins: what the momentum of particles adds to the velocity and the angular momentum of a body that the
   other cloths have attached to it. */
static void find_other_lead(const cloth_group *group, int32_t k, int32_t leader) {
  const uint32_t cloths = cloths_of_body(group, k);
  body_share *share = body_share_of(group->cloths[leader], common_body(group, k, leader));
  share->other_lead = share->other_turn = vector(0.0f, 0.0f, 0.0f);
  for (int32_t n = leader + 1; n < group->count; n++) {
    if (cloths >> n & 1u) {
      const cloth *c = group->cloths[n];
      const rigid_body *b = common_body(group, k, n);
      share->other_lead = vector_add(share->other_lead, attached_lead(c, b, NULL));
      share->other_turn = vector_add(share->other_turn, attached_turn(c, b));
    }
  }
}

/* Gives a cloth the motion that a body has in the one that leads. */
static void follow_leader(const cloth_group *group, int32_t k, int32_t leader, int32_t n) {
  const cloth *from = group->cloths[leader], *to = group->cloths[n];
  const collider_slot *leading = common_slot(group, k, leader);
  const rigid_body *b = common_body(group, k, leader);
  collider_slot *slot = common_slot(group, k, n);
  common_body(group, k, n)->velocity = b->velocity;
  common_body(group, k, n)->spin = b->spin;
  slot->previous = pose_for(from, to, &leading->previous);
  slot->body.pose = pose_for(from, to, &leading->body.pose);
}

/* Before a stage of cloth n: brings its bodies to where the cloths before it have sent them. As a substep ends, the
   leader moves them for good, and the others take them from there: what changes their velocities after that moves them
   in the next substep. */
CLOTH_SEPARATE void fetch_bodies(const cloth_group *group, int32_t n, group_stage stage) {
  for (int32_t k = 0; k < group->body_count; k++) {
    const uint32_t cloths = cloths_of_body(group, k);
    if (!(cloths >> n & 1u)) {
      continue;
    }
    const int32_t leader = leader_of_body(group, k);
    const cloth *c = group->cloths[leader];
    if (stage == GROUP_ADVANCE && n == leader) {
      find_other_lead(group, k, leader);
    } else if (stage != GROUP_LEAVE && stage != GROUP_ACCEPT) {
      move_body(c, &workspace_of(c)->plan, common_body(group, k, leader), 0);
    }
    if (n != leader) {
      follow_leader(group, k, leader, n);
    }
    workspace_of(group->cloths[n])->body.index = -1; /* where it moves is not known any more */
  }
}

/* After a stage of cloth n: hands on what it has made of its bodies. */
static void hand_on_bodies(const cloth_group *group, int32_t n) {
  for (int32_t k = 0; k < group->body_count; k++) {
    if (cloths_of_body(group, k) >> n & 1u) {
      rigid_body *b = common_body(group, k, leader_of_body(group, k));
      b->velocity = common_body(group, k, n)->velocity;
      b->spin = common_body(group, k, n)->spin;
    }
  }
}

/* What springs of cloth n pull into a body [kg m]. */
static float pull_of_cloth(const cloth_group *group, int32_t k, int32_t n) {
#if WITH_BEARING
  const cloth *c = group->cloths[n];
  const step_plan *plan = &workspace_of(c)->plan;
  if (may_bear_bodies(c, plan)) {
    return body_share_of(c, common_body(group, k, n))->pull * reference_mass(c) / force_share(plan);
  }
#endif
  (void)group;
  (void)k;
  (void)n;
  return 0.0f;
}

/* Before the solves along lines: tells each cloth what springs of the others pull into its bodies. */
CLOTH_SEPARATE void share_pulls(const cloth_group *group) {
  for (int32_t k = 0; k < group->body_count; k++) {
    const uint32_t cloths = cloths_of_body(group, k);
    for (int32_t n = 0; n < group->count; n++) {
      float sum = 0.0f;
      for (int32_t other = 0; other < group->count; other++) {
        sum += other != n && (cloths >> n & cloths >> other & 1u) ? pull_of_cloth(group, k, other) : 0.0f;
      }
      if (cloths >> n & 1u) {
        body_share_of(group->cloths[n], common_body(group, k, n))->other_pull = sum;
      }
    }
  }
}

#elif WITH_GROUPS

static uint64_t common_bodies_work(const cloth_group *group, int32_t substeps) {
  (void)group;
  (void)substeps;
  return 0;
}

#endif
