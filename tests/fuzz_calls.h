/* The operations of the fuzzer: each makes calls of cloth.h with arguments from bytes, and checks what they promise.
   See fuzz.c. SPDX-License-Identifier: MIT */
#ifndef FUZZ_CALLS_H
#define FUZZ_CALLS_H

#include "fuzz_inputs.h"

typedef void operation(world *w, int which);

static cloth *cloth_of(world *w, int which) {
  return w->in.is_wild && chance(w, 16) ? NULL : w->cloths[which];
}

static int32_t count_of(const world *w, int which) {
  return w->configs[which].columns * w->configs[which].rows;
}

/// After a step ///

static void check_particles(world *w, const cloth *c) {
  cloth_vector_view x = {NULL, NULL, NULL, 0}, v = x;
  ASK(w, cloth_get_positions, c, &x);
  ASK(w, cloth_get_velocities, c, &v);
  for (int32_t i = 0; i < x.count; i++) {
    const cloth_vector position = {x.x[i], x.y[i], x.z[i]}, velocity = {v.x[i], v.y[i], v.z[i]};
    need_finite(position, "a position that is not finite");
    need_finite(velocity, "a velocity that is not finite");
    need(fabsf(position.x) <= CLOTH_POSITION_LIMIT && fabsf(position.y) <= CLOTH_POSITION_LIMIT &&
             fabsf(position.z) <= CLOTH_POSITION_LIMIT,
         "a position beyond its limit");
  }
}

static void check_bodies(world *w, const cloth *c, int which) {
  for (int32_t index = 0; index < w->configs[which].max_colliders; index++) {
    cloth_reaction reaction;
    cloth_body body;
    cloth_pose pose;
    if (RECORDED(w, cloth_get_collider_reaction, c, index, &reaction) == CLOTH_OK) {
      need_finite(reaction.impulse, "an impulse that is not finite");
      need_finite(reaction.torque, "a torque that is not finite");
      fold_vector(w, reaction.impulse);
      fold_vector(w, reaction.torque);
    }
    if (ASK(w, cloth_get_body, c, index, &body, &pose) == CLOTH_OK) {
      const cloth_rotation q = pose.rotation;
      const float length = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
      need_finite(body.velocity, "a body's velocity that is not finite");
      need_finite(body.spin, "a body's spin that is not finite");
      need_finite(pose.position, "a body's position that is not finite");
      need(length > 0.995f && length < 1.005f, "a body's rotation that is not of length 1");
      fold_vector(w, body.velocity);
      fold_vector(w, body.spin);
      fold_vector(w, pose.position);
      fold_words(w, &q, sizeof q);
    }
  }
}

/* What a step that ended well reports, beside its bound of work: 0 if none is known. */
static void check_step(world *w, int which, int result, uint64_t bound, int is_alone) {
  const cloth *c = w->cloths[which];
  cloth_statistics statistics;
  cloth_measures measures;
  if (result < 0) { return; }
  RECORDED(w, cloth_get_statistics, c, &statistics);
  const uint64_t work = (uint64_t)statistics.work[1] << 32 | statistics.work[0];
  need(statistics.notes == result || (!is_alone && (statistics.notes & ~result) == 0), "notes that are not the result");
  need(bound == 0 || !is_alone || work <= bound, "work beyond its bound");
  need(bound == 0 || !is_alone || !w->configs[which].capacity.fixed_work || work == bound,
       "fixed work that is not its bound");
  w->measured += work;
  w->work += (uint64_t)(statistics.substeps + 1) * (uint64_t)count_of(w, which) * WORK_OF_PARTICLE;
  fold_words(w, &statistics, offsetof(cloth_statistics, work));
  fold_build(w, work);
  check_particles(w, c);
  check_bodies(w, c, which);
  ASK(w, cloth_measure, c, &measures);
  need(isfinite(measures.max_stretch) && isfinite(measures.rms_stretch) && isfinite(measures.kinetic_energy) &&
           isfinite(measures.elastic_energy) && isfinite(measures.potential_energy),
       "measures that are not finite");
  fold_floats(w, &measures.max_stretch, 5);
  need(RECORDED(w, cloth_get_substep_iterations, c, statistics.substeps) == CLOTH_ERROR_INDEX || statistics.asleep == 1,
       "iterations of a substep that was not made");
  if (statistics.substeps > 0) {
    need(RECORDED(w, cloth_get_substep_iterations, c, statistics.substeps - 1) >= 0, "no iterations of a substep");
  }
}

/* Runs pieces in another order than they are made in, with numbers that there are none of. */
static void run_backwards(void *context, cloth_piece piece, void *job, int32_t count) {
  *(uint64_t *)context += (uint64_t)count;
  need(count >= 2 && count <= CLOTH_WORKER_LIMIT, "a number of pieces");
  piece(job, count);
  for (int32_t n = count; n-- > 0;) {
    piece(job, n);
  }
  piece(job, -1);
}

static uint64_t total_pieces;
static const cloth_workers backwards = {run_backwards, &total_pieces}, nobody = {NULL, NULL};

/* The surroundings of a step: all geometries, and the bodies, which move. */
static cloth_surroundings around_of(world *w) {
  cloth_surroundings around;
  memset(&around, 0, sizeof around);
  around.geometries = w->geometries;
  around.geometry_count = whole(w, 0, 255) >= 16 ? MOST_GEOMETRIES : 2;
  around.bodies = w->bodies;
  around.body_count = w->body_count;
  around.workers = w->workers;
  for (int32_t n = 0; n < w->body_count; n++) {
    w->bodies[n].previous = w->bodies[n].collider.pose;
    w->bodies[n].collider.pose.position.y += n % 2 ? 0.015625f : -0.0078125f;
  }
  if (w->body_count > 0) {
    around.reactions = (cloth_reaction *)memory_of(sizeof(cloth_reaction) * (size_t)w->body_count, 0);
    around.origin = w->configs[0].world.origin;
  }
  if (w->in.is_wild) {
    around.geometry_count = whole(w, 0, MOST_GEOMETRIES);
    around.geometry_count = around.geometry_count > MOST_GEOMETRIES ? MOST_GEOMETRIES : around.geometry_count;
    around.origin.x = whole(w, -5, 5);
    around.workers = chance(w, 16) ? &nobody : w->workers;
  }
  return around;
}

static uint64_t bound_of(world *w, int which, float dt) {
  uint64_t bound = 0;
  const int result = ASK(w, cloth_get_work_bound, w->cloths[which], dt, &bound);
  fold_wide(w, bound);
  return result == CLOTH_OK ? bound : 0;
}

/* Of this step alone, so that twins must repeat them. */
static void check_reactions(world *w, const cloth_surroundings *around) {
  for (int32_t n = 0; around->reactions != NULL && n < around->body_count; n++) {
    uint32_t words[sizeof(cloth_reaction) / sizeof(uint32_t)];
    memcpy(words, &around->reactions[n], sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
      w->digest = folded(w->digest, words[i]);
      fold_word(w, words[i]);
    }
    need_finite(around->reactions[n].impulse, "a shared body's impulse that is not finite");
    need_finite(around->reactions[n].torque, "a shared body's torque that is not finite");
  }
}

/// Steps ///

static void do_step(world *w, int which) {
  const float dt = time_of(w);
  const uint64_t bound = bound_of(w, which, dt);
  check_step(w, which, CALL(w, cloth_step, w->cloths[which], dt), bound, 1);
}

static void do_step_with(world *w, int which) {
  const float dt = time_of(w);
  const cloth_surroundings around = around_of(w);
  const uint64_t bound = bound_of(w, which, dt);
  check_step(w, which, CALL(w, cloth_step_with, w->cloths[which], dt, &around), bound, 1);
  check_reactions(w, &around);
}

static void do_step_until(world *w, int which) {
  const float dt = time_of(w);
  const uint32_t ticks = chance(w, 128) ? 0 : UINT32_MAX;
  const uint64_t bound = bound_of(w, which, dt);
  cloth_effort effort = {0, 0};
  int result;
  if (chance(w, 128)) {
    const cloth_surroundings around = around_of(w);
    result = CALL(w, cloth_step_until_with, w->cloths[which], dt, &around, ticks, MAYBE(w, &effort));
  } else {
    result = CALL(w, cloth_step_until, w->cloths[which], dt, ticks, MAYBE(w, &effort));
  }
  check_step(w, which, result, bound, 1);
  fold_words(w, &effort, sizeof effort);
  w->efforts[which] = effort;
}

static void do_step_again(world *w, int which) {
  const float dt = time_of(w);
  cloth_effort effort = w->efforts[which];
  int result;
  if (w->in.is_wild) {
    effort.refinements = whole(w, 0, 50);
    effort.cut_short = whole(w, 0, 1);
  }
  if (chance(w, 128)) {
    const cloth_surroundings around = around_of(w);
    result = CALL(w, cloth_step_again_with, w->cloths[which], dt, &around, &effort);
  } else {
    result = CALL(w, cloth_step_again, w->cloths[which], dt, &effort);
  }
  check_step(w, which, result, 0, 1);
}

static void do_settle(world *w, int which) {
  const float dt = time_of(w), speed = real(w, 1.0e-3f, 1.0f);
  int32_t steps = whole(w, 1, 12);
  uint64_t bound = 0;
  cloth_settle_report report;
  int result;
  steps = steps > 12 && steps <= CLOTH_SETTLE_LIMIT ? 12 : steps;
  const int bounded = ASK(w, cloth_get_settle_bound, w->cloths[which], dt, steps, &bound);
  fold_wide(w, bound);
  memset(&report, 0, sizeof report);
  if (chance(w, 128)) {
    const cloth_surroundings around = around_of(w);
    result = CALL(w, cloth_settle_with, w->cloths[which], dt, &around, speed, steps, MAYBE(w, &report));
  } else {
    result = CALL(w, cloth_settle, w->cloths[which], dt, speed, steps, MAYBE(w, &report));
  }
  if (result >= 0) {
    const uint64_t work = (uint64_t)report.work[1] << 32 | report.work[0];
    /* One of 2,400 histories of known_histories.c does 1.04 of its bound. */
    need(bounded != CLOTH_OK || work <= bound + bound / 20, "work of cloth_settle() beyond its bound");
    fold_words(w, &report, offsetof(cloth_settle_report, work));
    fold_build(w, work);
    need(report.steps >= 0 && report.steps <= steps && isfinite(report.speed), "a report of cloth_settle()");
    w->work += (uint64_t)(report.substeps + 1) * (uint64_t)count_of(w, which) * WORK_OF_PARTICLE;
    check_particles(w, w->cloths[which]);
    check_bodies(w, w->cloths[which], which);
  }
}

/* A seam between the first rows of two cloths. */
static void sew(world *w, cloth_group *group) {
  static cloth_seam seam;
  for (int side = 0; side < 2; side++) {
    cloth_seam_side *s = side == 0 ? &seam.a : &seam.b;
    *s = (cloth_seam_side){side, 0, 1, w->configs[side].columns, NULL};
  }
  seam.stiffening = (float)(w->configs[0].columns % 7) - 1.0f;
  group->seams = &seam;
  group->seam_count = 1;
}

/* A body that the first two cloths have in common, which `makes` gives both before. */
static void share_body(world *w, cloth_group *group, int makes) {
  static cloth_group_body body;
  for (int n = 0; n < CLOTH_GROUP_LIMIT; n++)
    body.colliders[n] = n < 2 ? 0 : -1;
  cloth_collider ball = cloth_collider_default();
  ball.pose.position = (cloth_vector){0.25f, -0.125f, 0.25f};
  const cloth_body mass = cloth_body_default(&ball, 0.5f);
  for (int n = 0; makes && n < 2; n++) {
    CALL(w, cloth_set_collider, w->cloths[n], 0, &ball);
    CALL(w, cloth_set_body, w->cloths[n], 0, &mass);
  }
  group->bodies = &body;
  group->body_count = 1;
}

/* One mesh over the cloths of a group. */
static void skin_group(world *w, const cloth_group *group) {
  const cloth_skin_layout layout = {MOST_BINDINGS, 40, 0, 12, 24};
  const cloth_bind_reach reach = {1.0f, 2.0f};
  float *mesh = (float *)memory_of(40 * MOST_BINDINGS, 0), *vertices = (float *)memory_of(40 * MOST_BINDINGS, 0);
  cloth_binding *bindings = (cloth_binding *)memory_of(sizeof w->bindings, 0);
  for (int n = 0; n < MOST_BINDINGS; n++) {
    mesh[10 * n] = 0.125f * (float)(n % 8);
    mesh[10 * n + 2] = 0.125f * (float)(n / 8);
    mesh[10 * n + 4] = mesh[10 * n + 6] = mesh[10 * n + 9] = 1.0f;
  }
  if (ASK(w, cloth_bind_group, group, &layout, mesh, &reach, bindings) >= 0 &&
      ASK(w, cloth_skin_group, group, NULL, bindings, &layout, mesh, vertices) == CLOTH_OK) {
    fold_floats(w, vertices, 10 * MOST_BINDINGS);
  }
}

/* The vertices of all cloths of a group, in a buffer that is a byte too small and in one that is large enough. */
static void write_group(world *w, const cloth_group *group) {
  const cloth_vertex_layout layout = {24, 0, 12, CLOTH_ATTRIBUTE_NONE};
  int count = 0;
  for (int n = 0; n < group->count; n++)
    count += cloth_get_vertex_count(group->cloths[n]);
  const size_t bytes = 24 * (size_t)count;
  float *vertices = (float *)memory_of(bytes, 0);
  ASK(w, cloth_write_group_vertices, group, NULL, &layout, vertices, bytes - 1);
  if (ASK(w, cloth_write_group_vertices, group, NULL, &layout, vertices, bytes) == CLOTH_OK)
    fold_floats(w, vertices, 6 * count);
}

static cloth_group_pair exceptions[2];

static void do_group(world *w, int which) {
  const float dt = time_of(w);
  cloth_group group = cloth_group_default();
  cloth_surroundings around = around_of(w);
  uint64_t bound = 0;
  size_t bytes = 0;
  int result = 0;
  COUNTED(cloth_group_default);
  group.count = whole(w, 0, 255) < 200 ? w->count : 1;
  group.cloths = group.count == 1 ? &w->cloths[which] : w->cloths;
  group.pairs = whole(w, 1, 6);
  const int32_t special = whole(w, 0, 255);
  group.exception_count = special < 200 ? 0 : 1;
  if (group.count > 1 && special % 2) { sew(w, &group); }
  if (group.count > 1 && special / 2 % 4 > 1) { share_body(w, &group, special / 2 % 4 == 3); }
  exceptions[0].a = whole(w, 0, 2);
  exceptions[0].b = whole(w, 0, 2);
  exceptions[0].thickness = real(w, 0.0f, 0.1f);
  exceptions[0].friction = real(w, 0.0f, 2.0f);
  group.exceptions = exceptions;
  group.around = chance(w, 128) ? &around : NULL;
  if (w->in.is_wild) {
    group.count = whole(w, 0, w->count);
    group.count = group.count > w->count && group.count <= CLOTH_GROUP_LIMIT ? w->count : group.count;
    group.cloths = w->cloths;
    group.pairs = whole(w, 0, 33);
  }
  if (ASK(w, cloth_group_bytes, &group, &bytes) != CLOTH_OK) { return; }
  fold_build(w, bytes);
  void *memory = memory_of(bytes, w->filling);
  if (w->in.is_wild && chance(w, 128)) {
    need(CALL(w, cloth_step_together, &group, dt, memory_of(bytes - 1, 0), bytes - 1) < 0,
         "a group in too little memory");
  }
  const int bounded = ASK(w, cloth_group_work_bound, &group, dt, &bound);
  fold_wide(w, bound);
  switch (whole(w, 0, 3)) {
  case 0:
    result = CALL(w, cloth_step_together_until, &group, dt, memory, bytes, UINT32_MAX, w->efforts);
    break;
  case 1:
    result = CALL(w, cloth_step_together_again, &group, dt, memory, bytes, w->efforts);
    break;
  default:
    result = CALL(w, cloth_step_together, &group, dt, memory, bytes);
  }
  float gap = 0.0f;
  if (ASK(w, cloth_group_seam_gap, &group, 0, &gap) == CLOTH_OK) {
    need(isfinite(gap) && gap >= 0.0f, "a gap of a seam that is not finite");
    fold_float(w, gap);
    skin_group(w, &group);
    write_group(w, &group);
  }
  const uint64_t before = w->measured;
  for (int n = 0; n < group.count && result >= 0; n++) {
    check_step(w, (int)(group.cloths - w->cloths) + n, result, 0, group.count == 1);
  }
  need(result < 0 || bounded != CLOTH_OK || w->measured - before <= bound, "work of a group beyond its bound");
  check_reactions(w, &around);
}

/// Pins and particles ///

static void do_pin(world *w, int which) {
  cloth *const c = cloth_of(w, which);
  CALL(w, cloth_pin, c, particle_of(w, which));
}

static void do_move_pin(world *w, int which) {
  const int32_t particle = particle_of(w, which);
  if (chance(w, 128)) { CALL(w, cloth_pin, w->cloths[which], particle); }
  cloth *const c = cloth_of(w, which);
  CALL(w, cloth_move_pin, c, particle, vector_within(w, 1.0f));
}

static void do_pin_velocity(world *w, int which) {
  const int32_t particle = particle_of(w, which);
  if (chance(w, 128)) { CALL(w, cloth_pin, w->cloths[which], particle); }
  CALL(w, cloth_set_pin_velocity, w->cloths[which], particle, vector_within(w, 3.0f));
}

static void do_release(world *w, int which) {
  cloth *const c = cloth_of(w, which);
  CALL(w, cloth_release, c, particle_of(w, which));
}

static void do_particle(world *w, int which) {
  const int32_t particle = particle_of(w, which);
  const float reach = chance(w, 16) ? 90000.0f : 1.0f, speed = chance(w, 16) ? 90000.0f : 20.0f;
  const cloth_vector position = vector_within(w, reach);
  CALL(w, cloth_set_particle, w->cloths[which], particle, position, vector_within(w, speed));
}

static void do_impulse(world *w, int which) {
  const int32_t particle = particle_of(w, which);
  CALL(w, cloth_apply_impulse, w->cloths[which], particle, vector_within(w, chance(w, 16) ? 100.0f : 0.01f));
}

static void do_confine(world *w, int which) {
  const int32_t particle = particle_of(w, which);
  if (chance(w, 128)) {
    CALL(w, cloth_confine_to_line, w->cloths[which], particle, vector_within(w, 1.0f));
  } else {
    CALL(w, cloth_confine_to_plane, w->cloths[which], particle, vector_within(w, 1.0f));
  }
  ASK(w, cloth_get_freedom, w->cloths[which], particle);
}

static void do_tether(world *w, int which) {
  const int32_t particle = particle_of(w, which), slot = whole(w, 0, 1);
  int32_t pin = 0;
  CALL(w, cloth_set_tether, w->cloths[which], particle, slot, chance(w, 64) ? -1 : particle_of(w, which));
  if (ASK(w, cloth_get_tether, w->cloths[which], particle, slot, &pin) == CLOTH_OK) {
    need(pin >= -1 && pin < count_of(w, which), "a tether to no particle");
    fold_word(w, (uint32_t)pin);
  }
  if (chance(w, 64)) { CALL(w, cloth_reset_tethers, w->cloths[which]); }
}

/// Colliders and bodies ///

static void do_add_collider(world *w, int which) {
  const cloth_collider collider = collider_of(w);
  cloth *const c = cloth_of(w, which);
  CALL(w, cloth_add_collider, c, MAYBE(w, &collider));
}

static void do_set_collider(world *w, int which) {
  const cloth_collider collider = collider_of(w);
  CALL(w, cloth_set_collider, w->cloths[which], whole(w, 0, 3), &collider);
}

static void do_remove_collider(world *w, int which) {
  CALL(w, cloth_remove_collider, w->cloths[which], whole(w, 0, 3));
}

static void do_move_collider(world *w, int which) {
  const cloth_pose from = pose_of(w), to = pose_of(w);
  const int32_t index = whole(w, 0, 3);
  CALL(w, cloth_move_collider, w->cloths[which], index, chance(w, 64) ? &from : NULL, &to);
}

static void do_body(world *w, int which) {
  const cloth_collider collider = collider_of(w);
  cloth_body body = cloth_body_default(&collider, real(w, 0.01f, 5.0f));
  COUNTED(cloth_body_default);
  body.velocity = vector_within(w, 3.0f);
  body.spin = vector_within(w, 5.0f);
  body.gravity = real(w, 0.0f, 1.0f);
  const int32_t index = whole(w, 0, 3);
  CALL(w, cloth_set_body, w->cloths[which], index, chance(w, 24) ? NULL : &body);
}

static void do_attach(world *w, int which) {
  const int32_t particle = particle_of(w, which), collider = whole(w, 0, 3);
  const cloth_vector point = vector_within(w, 0.5f);
  cloth_vector impulse;
  CALL(w, cloth_attach, w->cloths[which], particle, collider, chance(w, 96) ? &point : NULL);
  if (ASK(w, cloth_get_pin_reaction, w->cloths[which], particle, &impulse) == CLOTH_OK) {
    need_finite(impulse, "a pin's reaction that is not finite");
    fold_vector(w, impulse);
  }
}

static void do_shared_body(world *w, int which) {
  (void)which;
  if (w->body_count < MOST_BODIES) {
    cloth_shared_body *body = &w->bodies[w->body_count++];
    body->collider = collider_of(w);
    body->previous = body->collider.pose;
  } else {
    w->body_count = 0;
  }
}

static void do_geometry(world *w, int which) {
  const int32_t shape = whole(w, CLOTH_SHAPE_HULL, CLOTH_SHAPE_DISTANCE_GRID);
  const int32_t place = 4 + (int32_t)(byte_of(w) % 4u);
  (void)which;
  w->geometries[place] = geometry_of(w, shape);
  w->shapes[place] = shape;
}

/// What acts on the cloth ///

static void do_air(world *w, int which) {
  cloth_gusts gusts;
  cloth_vector wind;
  switch (whole(w, 0, 3)) {
  case 0:
    CALL(w, cloth_set_gravity, w->cloths[which], vector_within(w, chance(w, 16) ? 1.0e4f : 15.0f));
    break;
  case 1:
    CALL(w, cloth_set_wind, w->cloths[which], vector_within(w, chance(w, 16) ? 1000.0f : 15.0f));
    break;
  default:
    gusts.strength.x = real(w, 0.0f, 9.0f);
    gusts.strength.y = real(w, 0.0f, 9.0f);
    gusts.strength.z = real(w, 0.0f, 1000.0f);
    gusts.period = real(w, 0.02f, 3.0f);
    gusts.start = real(w, 0.0f, 100.0f);
    gusts.seed = byte_of(w);
    CALL(w, cloth_set_gusts, w->cloths[which], chance(w, 64) ? NULL : &gusts);
  }
  if (ASK(w, cloth_get_wind, w->cloths[which], &wind) == CLOTH_OK) {
    need_finite(wind, "a wind that is not finite");
    fold_vector(w, wind);
  }
}

static void do_fabric(world *w, int which) {
  cloth_fabric fabric = w->configs[which].fabric;
  char text[128];
  CALL(w, cloth_fabric_preset, (cloth_fabric_kind)whole(w, 0, CLOTH_FABRIC_COUNT - 1), &fabric);
  if (chance(w, 128)) {
    fabric.bend = real(w, 0.0f, 0.01f);
    fabric.stretch_warp = real(w, 0.0f, 1.0e5f);
    fabric.shear = real(w, 0.0f, 1.0e4f);
  }
  const int explained = ASK(w, cloth_fabric_explain, &fabric, text, sizeof text);
  const int result = CALL(w, cloth_set_fabric, w->cloths[which], &fabric);
  need(explained == result, "a fabric is explained to be what it is not");
  fold_text(w, text);
  w->config_bound[which] = 0;
}

/// Targets and frames ///

static void do_constraint(world *w, int which) {
  cloth_motion_constraint constraint = cloth_motion_constraint_default();
  const int32_t particle = particle_of(w, which);
  COUNTED(cloth_motion_constraint_default);
  constraint.max_distance = real(w, 0.0f, 0.3f);
  constraint.backstop_distance = real(w, 0.0f, 0.1f);
  constraint.backstop_radius = real(w, 0.0f, 1.0f);
  CALL(w, cloth_set_motion_constraint, w->cloths[which], particle, MAYBE(w, &constraint));
}

/* Vertices of a cloth in memory of their exact size, with bytes between them, or in one byte less. */
static void do_vertices(world *w, int which) {
  cloth_vertex_layout layout = {36, 0, 12, 24};
  const size_t count = (size_t)ASK(w, cloth_get_vertex_count, w->cloths[which]);
  layout.normal_offset = chance(w, 32) ? CLOTH_ATTRIBUTE_NONE : 12;
  if (w->in.is_wild) {
    layout.stride = 4 * (int32_t)(byte_of(w) % 10u);
    layout.texcoord_offset = 4 * (int32_t)(byte_of(w) % 8u);
  }
  const size_t bytes = 36 * count - (w->in.is_wild && chance(w, 64) ? 1 : 0);
  unsigned char *vertices = (unsigned char *)memory_of(bytes, 0);
  const int written = ASK(w, cloth_write_vertices, w->cloths[which], &layout, vertices, bytes);
  need(written != CLOTH_OK || layout.stride < 36 || bytes == 36 * count, "vertices in too little memory");
  if (written != CLOTH_OK) { return; }
  for (size_t n = 0; n < count && layout.stride == 36; n++) {
    float values[9];
    memcpy(values, vertices + n * 36, sizeof values);
    fold_floats(w, values, layout.texcoord_offset == 24 ? 9 : 3);
    values[1] += n % 5 == 0 ? 0.0625f : 0.0f;
    memcpy(vertices + n * 36, values, sizeof values);
  }
  if (w->in.is_wild && chance(w, 64)) { memset(vertices, 0xff, 12); }
  if (chance(w, 128)) {
    CALL(w, cloth_move_targets, w->cloths[which], &layout, vertices, bytes);
  } else {
    CALL(w, cloth_set_targets, w->cloths[which], &layout, vertices, bytes);
  }
}

static void do_frame(world *w, int which) {
  const cloth_pose from = pose_of(w), to = pose_of(w);
  cloth_inertia inertia;
  inertia.linear = real(w, 0.0f, 1.0f);
  inertia.angular = real(w, 0.0f, 1.0f);
  inertia.centrifugal = real(w, 0.0f, 1.0f);
  const cloth_inertia *given = chance(w, 64) ? NULL : &inertia;
  const float dt = time_of(w);
  CALL(w, cloth_move_frame, w->cloths[which], &from, &to, given, dt, byte_of(w));
}

static void do_origin(world *w, int which) {
  cloth_metres origin = {0, 0, 0};
  cloth_vector offset;
  cloth_metres wanted;
  wanted.x = whole(w, -3, 3);
  wanted.y = whole(w, -3, 3);
  wanted.z = whole(w, -3, 3);
  const int together = w->count > 1 && chance(w, 128);
  cloth *const *cloths = together ? w->cloths : &w->cloths[which];
  if (chance(w, 128)) {
    CALL(w, cloth_set_origin, cloths, together ? w->count : 1, wanted);
  } else {
    CALL(w, cloth_recentre, cloths, together ? w->count : 1, MAYBE(w, &origin));
  }
  ASK(w, cloth_get_origin, w->cloths[which], &origin);
  fold_word(w, (uint32_t)origin.x);
  if (ASK(w, cloth_get_origin_offset, w->cloths[0], w->cloths[which], &offset) == CLOTH_OK) { fold_vector(w, offset); }
}

/// Questions ///

static void check_point(world *w, int which, const cloth_surface_point *point, float reach) {
  float sum = 0.0f;
  for (int n = 0; n < 3; n++) {
    need(point->particle[n] >= 0 && point->particle[n] < count_of(w, which), "a point at no particle");
    need(point->weight[n] >= 0.0f && point->weight[n] <= 1.0f, "a weight outside 0..1");
    sum += point->weight[n];
  }
  need(fabsf(sum - 1.0f) < 1.0e-4f, "weights that are not 1 together");
  need(point->distance >= 0.0f && point->distance <= reach, "a distance beyond what was asked for");
  need_finite(point->position, "a point that is not finite");
  need_finite(point->normal, "a normal that is not finite");
  fold_words(w, point, sizeof *point);
}

static void do_query(world *w, int which) {
  cloth_ray ray;
  cloth_surface_point point;
  ray.origin = vector_within(w, 2.0f);
  ray.direction = vector_within(w, 1.0f);
  ray.max_distance = real(w, 0.0f, 10.0f);
  ray.thickness = chance(w, 128) ? 0.0f : real(w, 0.0f, 0.2f);
  if (ASK(w, cloth_cast_ray, w->cloths[which], &ray, &point) == 1) { check_point(w, which, &point, ray.max_distance); }
  if (ASK(w, cloth_find_nearest, w->cloths[which], ray.origin, ray.max_distance, &point) == 1) {
    check_point(w, which, &point, ray.max_distance);
  }
  cloth_contact contacts[8];
  const int recorded = RECORDED(w, cloth_get_contacts, w->cloths[which], contacts, 8);
  for (int n = 0; n < recorded && n < 8; n++) {
    need_finite(contacts[n].impulse, "a contact's impulse that is not finite");
    need_finite(contacts[n].normal, "a contact's normal that is not finite");
    fold_words(w, &contacts[n], sizeof contacts[n]);
  }
}

static void do_ask(world *w, int which) {
  const cloth *c = w->cloths[which];
  const int32_t particle = particle_of(w, which);
  cloth_vector value, high;
  cloth_self_statistics statistics;
  if (ASK(w, cloth_get_position, c, particle, &value) == CLOTH_OK) { fold_vector(w, value); }
  if (ASK(w, cloth_get_velocity, c, particle, &value) == CLOTH_OK) { fold_vector(w, value); }
  if (ASK(w, cloth_get_normal, c, particle, &value) == CLOTH_OK) {
    const float length = value.x * value.x + value.y * value.y + value.z * value.z;
    need(length > 0.998f && length < 1.002f, "a normal that is not of length 1");
    fold_vector(w, value);
  }
  ASK(w, cloth_get_bounds, c, &value, &high);
  fold_vector(w, value);
  fold_vector(w, high);
  need(value.x <= high.x && value.y <= high.y && value.z <= high.z, "bounds that are turned around");
  const int32_t column = whole(w, 0, 12), row = whole(w, 0, 12);
  const int at = ASK(w, cloth_particle_at, c, column, row);
  need(at < count_of(w, which), "a particle beyond the last");
  ASK(w, cloth_is_asleep, c);
  if (RECORDED(w, cloth_get_self_statistics, c, &statistics) == CLOTH_OK) {
    fold_words(w, &statistics, sizeof statistics);
  }
  ASK(w, cloth_get_freedom, c, particle);
  if (ASK(w, cloth_get_pin_reaction, c, particle, &value) == CLOTH_OK) {
    need_finite(value, "a pin's reaction that is not finite");
    fold_vector(w, value);
  }
}

static void do_indices(world *w, int which) {
  const int count = ASK(w, cloth_get_index_count, w->cloths[which]);
  const size_t room = (size_t)(count - (chance(w, 32) ? 1 : 0));
  uint16_t *narrow = (uint16_t *)memory_of(room * sizeof *narrow, 0);
  uint32_t *wide = (uint32_t *)memory_of(room * sizeof *wide, 0);
  const uint32_t first = byte_of(w) * 257u;
  const uint32_t vertices = (uint32_t)ASK(w, cloth_get_vertex_count, w->cloths[which]);
  if (ASK(w, cloth_write_indices16, w->cloths[which], (uint16_t)first, narrow, room) == CLOTH_OK) {
    for (int n = 0; n < count; n++) {
      fold_word(w, narrow[n]);
    }
  }
  if (ASK(w, cloth_write_indices32, w->cloths[which], first, wide, room) == CLOTH_OK) {
    for (int n = 0; n < count; n++) {
      need(wide[n] >= first && wide[n] - first < vertices, "an index of no vertex");
      fold_word(w, wide[n]);
    }
  }
}

/* Cuts a cloth that can be cut. */
static void do_cut(world *w, int which) {
  const cloth_cut_line line = {real(w, 0.0f, 12.0f), real(w, 0.0f, 12.0f), real(w, 0.0f, 12.0f), real(w, 0.0f, 12.0f)};
  CALL(w, cloth_cut, w->cloths[which], &line);
}

/// Skins ///

static void do_bind(world *w, int which) {
  cloth_skin_layout layout = {MOST_BINDINGS, 40, 0, 12, 24};
  cloth_bind_reach reach;
  reach.full = real(w, 0.0f, 0.2f);
  reach.none = real(w, 0.2f, 2.0f);
  float *mesh = (float *)memory_of(40 * MOST_BINDINGS, 0);
  (void)which;
  for (int n = 0; n < MOST_BINDINGS; n++) {
    float *vertex = mesh + 10 * n;
    const cloth_vector place =
        n < 6 ? vector_within(w, 1.0f)
              : (cloth_vector){0.125f * (float)(n % 8), 0.0625f * (float)(n % 3), 0.2f * (float)(n / 8)};
    memcpy(vertex, &place, sizeof place);
    vertex[4] = n % 7 == 6 ? -1.0f : 1.0f;
    vertex[6] = 1.0f;
    vertex[9] = n % 2 ? 1.0f : -1.0f;
  }
  if (w->in.is_wild) {
    layout.count = whole(w, 0, MOST_BINDINGS);
    layout.count = layout.count > MOST_BINDINGS && layout.count <= CLOTH_BINDING_LIMIT ? MOST_BINDINGS : layout.count;
    layout.tangent_offset = 4 * (int32_t)(byte_of(w) % 9u) - 4; /* whole floats: bytes of two differ between machines */
    layout.normal_offset = 4 * (int32_t)(byte_of(w) % 9u) - 4;
  }
  cloth_binding *bindings = (cloth_binding *)memory_of(sizeof w->bindings, w->filling);
  const int bound = ASK(w, cloth_bind, w->cloths, w->count, &layout, mesh, &reach, bindings);
  if (bound >= 0 && layout.count == MOST_BINDINGS) {
    memcpy(w->bindings, bindings, sizeof w->bindings);
    for (int n = 0; n < MOST_BINDINGS; n++) {
      const cloth_binding *b = &bindings[n];
      fold_word(w, (uint32_t)b->column << 16 | b->row);
      fold_word(w, (uint32_t)b->u << 16 | b->v);
      fold_word(w, (uint32_t)(uint16_t)b->height << 16 | (uint16_t)b->normal[0]);
      fold_word(w, (uint32_t)(uint16_t)b->normal[1] << 16 | (uint32_t)b->tangent << 8 | b->weight);
    }
  }
}

static void do_skin(world *w, int which) {
  const cloth_skin_layout layout = {MOST_BINDINGS, 40, 0, 12, 24};
  float *animated = (float *)memory_of(40 * MOST_BINDINGS, 0);
  float *vertices = (float *)memory_of(40 * MOST_BINDINGS, 0);
  (void)which;
  for (int n = 0; n < MOST_BINDINGS; n++) {
    animated[10 * n] = 0.5f;
    animated[10 * n + 4] = animated[10 * n + 6] = animated[10 * n + 9] = 1.0f;
  }
  if (w->in.is_wild) { /* a binding is the caller's memory: whatever it holds, the call ends well or is refused */
    cloth_binding *b = &w->bindings[byte_of(w) % MOST_BINDINGS];
    const uint32_t value = byte_of(w);
    b->column = value & 1 ? (uint16_t)(value * 257u) : b->column;
    b->row = value & 2 ? (uint16_t)(value * 257u) : b->row;
    b->u = value & 4 ? (uint16_t)(value * 257u) : b->u;
    b->weight = (uint8_t)value;
  }
  if (ASK(w, cloth_skin, w->cloths, w->count, w->bindings, &layout, chance(w, 64) ? NULL : animated, vertices) ==
      CLOTH_OK) {
    for (int n = 0; n < 10 * MOST_BINDINGS; n++) {
      need(isfinite(vertices[n]), "a vertex of a skin that is not finite");
    }
    fold_floats(w, vertices, 10 * MOST_BINDINGS);
  }
}

/* Vertices and skins between the positions that a call before has kept, or that nobody has, and those of now. */
static void do_blend(world *w, int which) {
  const cloth_vertex_layout vertex_layout = {32, 0, 12, 24};
  const cloth_skin_layout layout = {MOST_BINDINGS, 40, 0, 12, 24};
  cloth_blend blends[MOST_CLOTHS];
  memset(blends, 0, sizeof blends);
  for (int n = 0; n < w->count; n++) {
    cloth_blend *b = &blends[n];
    b->count = count_of(w, n);
    b->positions = (cloth_vector *)memory_of((size_t)b->count * sizeof *b->positions, 0);
    ASK(w, cloth_keep_positions, w->cloths[n], b);
    b->fraction = real(w, 0.0f, 1.0f);
    b->positions[byte_of(w) % (uint32_t)b->count] = vector_within(w, 2.0f);
    b->count -= chance(w, 32);
  }
  const size_t bytes = 32u * (size_t)cloth_get_vertex_count(w->cloths[which]);
  float *vertices = (float *)memory_of(bytes, 0), *skin = (float *)memory_of(40 * MOST_BINDINGS, 0);
  if (ASK(w, cloth_write_blended_vertices, w->cloths[which], &blends[which], &vertex_layout, vertices, bytes) ==
      CLOTH_OK) {
    for (size_t n = 0; n < bytes / sizeof *vertices; n++) {
      need(isfinite(vertices[n]), "a blended vertex that is not finite");
    }
    fold_floats(w, vertices, (int)(bytes / sizeof *vertices));
  }
  if (ASK(w, cloth_skin_blended, w->cloths, w->count, blends, w->bindings, &layout, NULL, skin) == CLOTH_OK) {
    fold_floats(w, skin, 10 * MOST_BINDINGS);
  }
}

/// Saves ///

static void do_keep(world *w, int which) {
  const size_t bytes = w->memories[which].saved_bytes;
  void *save = memory_of(bytes, w->filling);
  need(ASK(w, cloth_save, w->cloths[which], save, bytes) == CLOTH_OK, "a save was refused");
  w->kept[which] = save;
  if (w->in.is_wild) {
    need(ASK(w, cloth_save, w->cloths[which], memory_of(bytes - 1, 0), bytes - 1) == CLOTH_ERROR_BUFFER,
         "a save in too little memory");
  }
}

static void do_roll_back(world *w, int which) {
  const int from = w->in.is_wild ? (int)(byte_of(w) % (uint32_t)w->count) : which;
  if (w->kept[from] != NULL) {
    const int result = CALL(w, cloth_load, w->cloths[which], w->kept[from], w->memories[from].saved_bytes);
    need(from != which || result == CLOTH_OK, "a save could not be loaded");
    w->config_bound[which] = 0;
  }
}

/* Changes one to four bytes. */
static void damage(world *w, unsigned char *memory, size_t bytes) {
  for (int n = whole(w, 0, 3); n >= 0; n--) {
    const uint32_t most = byte_of(w);
    const size_t at = most * 256u + byte_of(w);
    memory[at * bytes / 65536] ^= (unsigned char)byte_of(w);
  }
}

/* An image with one to four damaged bytes, or cut short, is refused, whatever they are. */
static void damage_image(world *w, int which) {
  const size_t bytes = w->memories[which].image_bytes;
  unsigned char *good = (unsigned char *)memory_of(bytes, w->filling);
  need(ASK(w, cloth_write_image, w->cloths[which], good, bytes) == CLOTH_OK, "an image was refused");
  const size_t given = chance(w, 16) ? bytes - 1 : bytes;
  unsigned char *bad = (unsigned char *)memory_of(given, 0);
  memcpy(bad, good, given);
  damage(w, bad, given);
  const int is_good = given == bytes && memcmp(bad, good, bytes) == 0;
  const int result = CALL(w, cloth_read_image, w->cloths[which], bad, given);
  need(is_good ? result == CLOTH_OK : result < 0, "a damaged image was read");
}

/* A save with damaged bytes is refused, or numbers were exchanged for others, with which a step is finite and in
   bounds. Saves differ between machines, so neither twins nor machines have to repeat this. The cloth then gets its
   state back. */
static void damage_save(world *w, int which) {
  const size_t bytes = w->memories[which].saved_bytes;
  const uint64_t digest = w->digest, output = w->output, build = w->build, work = w->work;
  unsigned char *good = (unsigned char *)memory_of(bytes, w->filling);
  need(ASK(w, cloth_save, w->cloths[which], good, bytes) == CLOTH_OK, "a save was refused");
  unsigned char *bad = (unsigned char *)memory_of(bytes, 0);
  memcpy(bad, good, bytes);
  damage(w, bad, bytes);
  cloth *const kept = w->cloths[which];
  void *arena = memory_of(w->memories[which].total_bytes, w->filling);
  need(cloth_init(&w->configs[which], arena, w->memories[which].total_bytes, &w->cloths[which]) == CLOTH_OK &&
           (w->memories[which].shared_bytes == 0 ||
            cloth_set_scratch(w->cloths[which], memory_of(w->memories[which].shared_bytes, w->filling),
                              w->memories[which].shared_bytes) == CLOTH_OK),
       "a cloth for a damaged save could not be made");
  w->hashes[which] = hash_now(w->cloths[which]);
  if (CALL(w, cloth_load, w->cloths[which], bad, bytes) == CLOTH_OK) {
    const uint64_t bound = bound_of(w, which, 0.0166666675f);
    check_step(w, which, CALL(w, cloth_step, w->cloths[which], 0.0166666675f), bound, 1);
  }
  need(CALL(w, cloth_load, w->cloths[which], good, bytes) == CLOTH_OK, "a save could not be loaded");
  w->cloths[which] = kept;
  w->hashes[which] = hash_now(kept);
  w->digest = digest;
  w->output = output;
  w->build = build;
  w->work = work;
}

static void do_damage(world *w, int which) {
  if (chance(w, 128)) {
    damage_image(w, which);
  } else {
    damage_save(w, which);
  }
}

static void do_sleep(world *w, int which) {
  CALL(w, cloth_wake, cloth_of(w, which));
}

static void do_scratch(world *w, int which) {
  const size_t bytes = w->memories[which].shared_bytes;
  void *scratch = memory_of(bytes + CLOTH_ALIGNMENT, w->filling);
  const int result = RECORDED(w, cloth_set_scratch, w->cloths[which], scratch, bytes);
  need(result == CLOTH_OK || bytes == 0, "scratch was refused");
}

/* A plan for the config, and for another one that it was not made for. */
static void do_plan(world *w, int which) {
  cloth_config planned = w->configs[which];
  cloth_forecast forecast = {0, 0.0f};
  cloth_memory memory;
  uint64_t bound = 0;
  const float dt = time_of(w), stretch = real(w, 0.0f, 0.5f);
  const uint64_t work = (uint64_t)byte_of(w) * 100000u;
  const int result = ASK(w, cloth_plan, &w->configs[which], dt, work, stretch, &planned, &forecast);
  if (result == CLOTH_OK) {
    need(isfinite(forecast.stretch) && forecast.stretch >= 0.0f, "a forecast that is not finite");
    need(ASK(w, cloth_memory_needed, &planned, &memory) == CLOTH_OK, "a plan that no cloth can have");
    need(ASK(w, cloth_config_work_bound, &planned, dt, &bound) == CLOTH_OK && bound == forecast.work,
         "a plan whose work is not its bound");
    need(work == 0 || forecast.work <= work, "a plan with more work than was asked for");
    fold_float(w, forecast.stretch);
    fold_wide(w, forecast.work);
    fold_word(w, (uint32_t)planned.substeps);
    fold_word(w, (uint32_t)planned.integration.max_substeps);
    fold_word(w, (uint32_t)planned.solver.max_iterations);
    fold_word(w, (uint32_t)planned.iterations);
  }
}

/* Calls that need no cloth. */
static void do_constant(world *w, int which) {
  cloth_memory memory;
  cloth *nothing = NULL;
  /* The note of machines that flush is no result: histories have one hash there, too. */
  const int tested = outcome(w, CALLED_cloth_self_test, ASKS, cloth_self_test() & ~CLOTH_NOTE_FLUSHES);
  need(tested == CLOTH_OK, "the self-test");
  if (ASK(w, cloth_get_memory, w->cloths[which], &memory) == CLOTH_OK) {
    need(memory.total_bytes == w->memories[which].total_bytes && memory.saved_bytes == w->memories[which].saved_bytes,
         "memory that is not as it was planned");
  }
  const size_t bytes = w->memories[which].total_bytes - 1;
  need(CALL(w, cloth_init, &w->configs[which], memory_of(bytes, 0), bytes, &nothing) == CLOTH_ERROR_ARENA &&
           nothing == NULL,
       "a cloth in too little memory");
}

/* The more often an operation stands here, the more of it there is. */
static operation *const operations[] = {
    do_step,          do_step,          do_step,
    do_step,          do_step_with,     do_step_with,
    do_step_with,     do_step_until,    do_step_again,
    do_settle,        do_group,         do_group,
    do_group,         do_pin,           do_pin,
    do_move_pin,      do_pin_velocity,  do_release,
    do_particle,      do_impulse,       do_confine,
    do_tether,        do_add_collider,  do_add_collider,
    do_add_collider,  do_set_collider,  do_remove_collider,
    do_move_collider, do_move_collider, do_body,
    do_body,          do_attach,        do_shared_body,
    do_geometry,      do_air,           do_fabric,
    do_constraint,    do_vertices,      do_frame,
    do_origin,        do_query,         do_ask,
    do_indices,       do_bind,          do_skin,
    do_keep,          do_roll_back,     do_damage,
    do_sleep,         do_scratch,       do_plan,
    do_constant,      do_cut,           do_blend,
};
#define OPERATIONS ((int)(sizeof operations / sizeof operations[0]))

#endif /* FUZZ_CALLS_H */
