/* Cull tests of contact, from inside: what they leave out touches no collider, however collider and particles move and
   turn. SPDX-License-Identifier: MIT */
#include "../cloth.c"

#include "check.h"

#include <math.h>
#include <stdlib.h>

/// Random scenes ///

static unsigned char arena[1 << 20] __attribute__((aligned(CLOTH_ALIGNMENT)));
static uint32_t random_state = 1;

/* A number in -1..1 from a fixed sequence. */
static double next_random(void) {
  random_state = random_state * 1664525u + 1013904223u;
  return (double)(random_state >> 8) / 8388608.0 - 1.0;
}

static cloth_vector random_vector(double size) {
  double x = next_random(), y = next_random(), z = next_random();
  return vector((float)(size * x), (float)(size * y), (float)(size * z));
}

/* From `low` to `high`, small values as often as large ones. */
static double random_size(double low, double high) {
  return low * pow(high / low, 0.5 + 0.5 * next_random());
}

static cloth *open_cloth(void) {
  cloth_config config = cloth_config_default();
  cloth *c = NULL;
  config.columns = 24;
  config.rows = 11;
  config.max_colliders = 1;
  int result = cloth_init(&config, arena, sizeof arena, &c);
  CHECK(result == CLOTH_OK, "cloth_init: %s", cloth_result_name(result));
  if (result != CLOTH_OK) {
    exit(check_report());
  }
  return c;
}

static cloth_rotation turned(cloth_rotation q, cloth_vector axis, double angle) {
  cloth_vector unit = vector_scale(axis, 1.0f / vector_length(axis));
  float sine = (float)sin(0.5 * angle);
  cloth_rotation r = {unit.x * sine, unit.y * sine, unit.z * sine, (float)cos(0.5 * angle)};
  return rotation_product(r, q);
}

/* Places a long collider that moves and turns by up to `angle` in the step. */
static void place_collider(cloth *c, double angle) {
  const int32_t shapes[] = {CLOTH_SHAPE_CAPSULE, CLOTH_SHAPE_BOX, CLOTH_SHAPE_CYLINDER};
  cloth_collider body = cloth_collider_default();
  body.shape = shapes[(int)(1.5 * (next_random() + 1.0))];
  body.half_height = (float)random_size(0.05, 1.0);
  body.radius = (float)random_size(0.01, 0.3);
  body.radius_top = body.radius * (float)(1.0 + 0.1 * next_random());
  body.half_extents =
      vector((float)random_size(0.01, 1.0), (float)random_size(0.01, 1.0), (float)random_size(0.01, 1.0));
  body.pose.position = random_vector(0.5);
  body.pose.rotation = turned((cloth_rotation){0.0f, 0.0f, 0.0f, 1.0f}, random_vector(1.0), 3.0 * next_random());
  cloth_remove_collider(c, 0);
  int index = cloth_add_collider(c, &body);
  CHECK(index == 0, "cloth_add_collider: %s", cloth_result_name(index));
  cloth_pose to = body.pose;
  to.position = vector_add(to.position, random_vector(random_size(1e-4, 0.3)));
  to.rotation = turned(to.rotation, random_vector(1.0), angle * next_random());
  int result = cloth_move_collider(c, 0, NULL, &to);
  CHECK(result == CLOTH_OK, "cloth_move_collider: %s", cloth_result_name(result));
}

/* Scatters the particles about the collider, each on its way to elsewhere. */
static void scatter(const cloth *c, double speed) {
  vector_array from = vectors_at(c, c->state.position), to = predicted_of(c);
  const cloth_collider *body = &colliders_of(c)[0].body;
  const double reach = 1.2 * (double)body_reach(body, NULL);
  for (int32_t i = 0; i < c->count; i++) {
    cloth_vector p = vector_add(body->pose.position, random_vector(reach));
    vector_store(from, i, p);
    vector_store(to, i, vector_add(p, random_vector(random_size(speed / 100.0, speed))));
  }
}

/// Capsules around colliders that turn ///

/* What one block of particles showed. */
typedef struct culling {
  int touching, missed, near, culled;
} culling;

static int count_lanes(lanes_mask mask) {
  lanes_sum sum;
  fill_zero(&sum, sizeof sum);
  lanes_sum_add(&sum, 0, lanes_keep(mask, lanes_splat(1.0f)));
  return (int)lanes_sum_total(&sum);
}

static void cull_block(const cloth *c, const moving_body *m, int32_t i, culling *seen) {
  const path_test sphere = path_test_of(c, m, m->reach);
  lanes_mask near = lanes_both(near_body(&sphere, i), lanes_first(c->count - i)), kept = near;
  contact_block b;
  find_contacts(c, m, i, near, &b);
  lanes_mask touches = lanes_less(lanes_splat(0.0f), b.touches);
  cull_by_capsule(c, m, i, &kept);
  seen->near += count_lanes(near);
  seen->culled += count_lanes(near) - count_lanes(kept);
  seen->touching += count_lanes(touches);
  seen->missed += count_lanes(touches) - count_lanes(lanes_both(touches, kept));
}

/* The chords of turns from rest to more than the capsule is used for. */
static void test_turning_capsules(void) {
  cloth *c = open_cloth();
  step_plan plan;
  fill_zero(&plan, sizeof plan);
  plan.substeps = 1;
  culling seen = {0, 0, 0, 0};
  int used = 0, unused = 0;
  for (int scene = 0; scene < 3000; scene++) {
    place_collider(c, random_size(1e-5, 1.0));
    scatter(c, random_size(1e-3, 2.0));
    workspace_of(c)->body.index = -1;
    const moving_body *m = body_in_substep(c, &plan, 0, 0);
    used += m->inverse_squared > 0.0f;
    unused += m->inverse_squared == 0.0f;
    for (int32_t i = 0; i < c->count && m->inverse_squared > 0.0f; i += CLOTH_LANES) {
      cull_block(c, m, i, &seen);
    }
  }
  CHECK(seen.missed == 0, "%d of %d contacts are culled", seen.missed, seen.touching);
  CHECK(seen.touching > 10000 && used > 2000 && unused > 0, "%d contacts, %d scenes with and %d without a capsule",
        seen.touching, used, unused);
  CHECK(seen.culled > seen.near / 4, "only %d of %d are culled", seen.culled, seen.near);
}

/// Bounds of blocks ///

/* Gathers each block of bounds somewhere near the collider or not far from it. */
static void gather(const cloth *c, double speed) {
  vector_array from = vectors_at(c, c->state.position), to = predicted_of(c);
  const double reach = (double)body_reach(&colliders_of(c)[0].body, NULL);
  cloth_vector centre = colliders_of(c)[0].body.pose.position;
  for (int32_t i = 0; i < c->count; i++) {
    if (i % BOUND_BLOCK == 0) {
      centre = vector_add(colliders_of(c)[0].body.pose.position, random_vector(random_size(reach, 8.0 * reach)));
    }
    cloth_vector p = vector_add(centre, random_vector(0.3 * reach));
    vector_store(from, i, p);
    vector_store(to, i, vector_add(p, random_vector(random_size(speed / 10.0, speed))));
  }
}

/* No particle that passes the cull test lies in a block that fails its own. */
static void test_bounds(void) {
  cloth *c = open_cloth();
  step_plan plan;
  fill_zero(&plan, sizeof plan);
  plan.substeps = 1;
  int near_particles = 0, missed = 0, near_blocks = 0, blocks = 0;
  for (int scene = 0; scene < 3000; scene++) {
    place_collider(c, 0.1);
    gather(c, random_size(1e-3, 0.1));
    find_bounds(c);
    workspace_of(c)->body.index = -1;
    const moving_body *m = body_in_substep(c, &plan, 0, 0);
    const path_test t = path_test_of(c, m, m->reach);
    cloth_vector shift = vector_subtract(m->end.position, m->start.position);
    for (int32_t block = 0; block < bound_blocks(c); block++) {
      int is_near = lanes_first_value(
                        lanes_keep(are_blocks_near(c, block, &t, vector_dot(shift, shift)), lanes_splat(1.0f))) > 0.0f;
      near_blocks += is_near;
      blocks++;
      for (int32_t i = block * BOUND_BLOCK; i < (block + 1) * BOUND_BLOCK && i < c->count; i += CLOTH_LANES) {
        int near = count_lanes(lanes_both(near_body(&t, i), lanes_first(c->count - i)));
        near_particles += near;
        missed += is_near ? 0 : near;
      }
    }
  }
  CHECK(missed == 0, "%d of %d particles are missed", missed, near_particles);
  CHECK(near_particles > 10000, "only %d particles are near", near_particles);
  CHECK(near_blocks > blocks / 10 && near_blocks < blocks * 8 / 10, "%d of %d blocks are near", near_blocks, blocks);
}

static const test tests[] = {TEST(turning_capsules), TEST(bounds)};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
