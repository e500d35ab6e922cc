/* Scenes of cloth on cloth while they are played: cloths of one group, the colliders and seams of them all, and what is
   measured of them in every frame. SPDX-License-Identifier: MIT */
#ifndef FOLDS_STAGE_H
#define FOLDS_STAGE_H

#include "../scenes/bodies.h"

#include "../intersections.h"

enum { STAGE_CLOTHS = 8, STAGE_SEAMS = 10, STAGE_BODIES = 10 };

#define SHARE 0.4 /* thickness of cloth on cloth over the shorter side of a cell, where a scene names no other */

typedef struct stage {
  subject what; /* of its lines */
  int cloths;
  sheet sheets[STAGE_CLOTHS];
  cloth *handles[STAGE_CLOTHS];
  cloth_config configs[STAGE_CLOTHS];
  cloth_seam seams[STAGE_SEAMS];
  cloth_group_body bodies[STAGE_BODIES];
  int seam_count, body_count;
  unsigned char *memory, *allocation; /* of the group */
  size_t bytes;
  mesh m;
  int frames, notes;
  int crossings, most; /* in the last frame, and in any */
  double scale;        /* of energies [J] */
  double start, gain;  /* energy when the inputs came to rest [J]; by how much it was above that, over the scale */
  double late;         /* fastest particle of the last second [m/s] */
  double stretch;      /* the largest of any spring in any frame */
} stage;

/// Making ///

/* A cloth of a scene as `config` says. Its particles lie where `positions` say, which are taken over; NULL: flat. */
static inline sheet *stage_cloth(stage *s, const cloth_config *config, cloth_vector *positions) {
  cloth_config c = *config;
  double warp = length_of(c.edge_warp) / (c.columns - !c.grid.wrap), weft = length_of(c.edge_weft) / (c.rows - 1);
  if (c.self_thickness == 0.0f) c.self_thickness = (float)(SHARE * fmin(warp, weft));
  c.max_colliders = c.max_colliders > 0 ? c.max_colliders : 3;
  c.grid.positions = positions;
  sheet *made = &s->sheets[s->cloths];
  *made = sheet_make(&c);
  made->config.grid.positions = NULL;
  free(positions);
  s->configs[s->cloths] = c;
  s->handles[s->cloths++] = made->f.sheet;
  return made;
}

/* A collider that all cloths meet. Returns its index, the same in all. */
static inline int stage_collider(stage *s, const cloth_collider *body) {
  int index = 0;
  for (int i = 0; i < s->cloths; i++)
    index = add_body(&s->sheets[i], body);
  return index;
}

/* Moves it in the next step. */
static inline void stage_move(stage *s, int index, double x, double y, double z, cloth_rotation q) {
  for (int i = 0; i < s->cloths; i++)
    move_body(&s->sheets[i], index, x, y, z, q);
}

/* A body with mass that all cloths meet. */
static inline void stage_body(stage *s, const cloth_collider *shape, double mass) {
  cloth_body body = cloth_body_default(shape, (float)mass);
  int index = stage_collider(s, shape);
  for (int i = 0; i < CLOTH_GROUP_LIMIT; i++)
    s->bodies[s->body_count].colliders[i] = i < s->cloths ? index : -1;
  s->body_count++;
  for (int i = 0; i < s->cloths; i++) {
    int result = cloth_set_body(s->handles[i], index, &body);
    CHECK(result == CLOTH_OK, "cloth_set_body: %s", cloth_result_name(result));
  }
}

static inline void stage_seam(stage *s, const cloth_seam_side *a, const cloth_seam_side *b) {
  cloth_seam seam = {*a, *b, 0.0f};
  s->seams[s->seam_count++] = seam;
}

static inline cloth_group stage_group(const stage *s) {
  cloth_group group = cloth_group_default();
  group.cloths = s->handles;
  group.count = s->cloths;
  group.seams = s->seams;
  group.seam_count = s->seam_count;
  group.bodies = s->bodies;
  group.body_count = s->body_count;
  return group;
}

/// Measures ///

static inline double body_energy(const stage *s, int number) {
  const sheet *first = &s->sheets[0];
  cloth_body body;
  cloth_pose pose;
  cloth_get_body(first->f.sheet, s->bodies[number].colliders[0], &body, &pose);
  point v = point_of(body.velocity), turn = point_of(body.spin), g = point_of(first->config.gravity);
  point x = point_of(pose.position);
  double mass = (double)body.mass, moment = (double)body.inertia.x;
  return 0.5 * mass * point_dot(v, v) + 0.5 * moment * point_dot(turn, turn) - mass * point_dot(g, x);
}

static inline double stage_energy(const stage *s) {
  double sum = 0.0;
  for (int i = 0; i < s->cloths; i++)
    sum += total_energy(&s->sheets[i]);
  for (int i = 0; i < s->body_count; i++)
    sum += body_energy(s, i);
  return sum;
}

/* From now on a gain of energy counts: all inputs are at rest. What layers that press each other store is not in it, so
   that it may rise again after a clap. */
static inline void watch_energy(stage *s) {
  s->start = stage_energy(s);
}

static inline double stage_fastest(const stage *s) {
  double most = 0.0;
  for (int i = 0; i < s->cloths; i++)
    most = largest(most, fastest_speed(&s->sheets[i]));
  for (int i = 0; i < s->body_count; i++) {
    cloth_body body;
    cloth_pose pose;
    cloth_get_body(s->handles[0], s->bodies[i].colliders[0], &body, &pose);
    most = largest(most, point_length(point_of(body.velocity)));
  }
  return most;
}

/* Momentum of all particles, linear and angular about the origin, and the sums of their amounts. */
typedef struct momentum {
  point linear, angular;
  double linear_scale, angular_scale;
} momentum;

static inline momentum stage_momentum(const stage *s) {
  momentum sum = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, 0.0, 0.0};
  for (int i = 0; i < s->cloths; i++) {
    for (int k = 0; k < s->sheets[i].f.count; k++) {
      point p = point_scaled(velocity_of(s->handles[i], k), s->sheets[i].mass);
      point turn = point_cross(position_of(s->handles[i], k), p);
      sum.linear = point_sum(sum.linear, p);
      sum.angular = point_sum(sum.angular, turn);
      sum.linear_scale += point_length(p);
      sum.angular_scale += point_length(turn);
    }
  }
  return sum;
}

/// Playing ///

/* To be called when all cloths, colliders and seams are there. */
static inline void stage_start(stage *s) {
  cloth_group group = stage_group(s);
  int result = cloth_group_bytes(&group, &s->bytes);
  CHECK(result == CLOTH_OK, "cloth_group_bytes: %s", cloth_result_name(result));
  s->memory = guarded_buffer(s->bytes, 0, &s->allocation);
  s->m = mesh_make(s->cloths, s->handles, s->configs);
  for (int i = 0; i < s->seam_count; i++) {
    const cloth_seam_side *a = &s->seams[i].a, *b = &s->seams[i].b;
    for (int k = 0; k < a->count; k++)
      mesh_sew(&s->m, a->cloth, a->first + k * a->next, b->cloth, b->first + k * b->next);
  }
  s->crossings = s->most = count_intersections(&s->m);
  s->start = NO_VALUE;
  for (int i = 0; i < s->cloths; i++)
    s->scale += energy_scale(&s->sheets[i]) + kinetic_energy(&s->sheets[i]);
  for (int i = 0; i < s->body_count; i++)
    s->scale += fabs(body_energy(s, i));
}

static inline void stage_end(stage *s) {
  mesh_free(&s->m);
  free(s->allocation);
  for (int i = 0; i < s->cloths; i++)
    sheet_free(&s->sheets[i]);
}

/* One cloth without seams is stepped alone, as a caller would. */
static inline void stage_step(stage *s) {
  cloth_group group = stage_group(s);
  int is_alone = s->cloths == 1 && s->seam_count == 0;
  int result = is_alone ? cloth_step(s->handles[0], FRAME) : cloth_step_together(&group, FRAME, s->memory, s->bytes);
  if (result < 0) {
    printf("%s: %s\n", s->what.scene, cloth_result_name(result));
    exit(2);
  }
  s->notes |= result;
}

/* What moves pins and colliders before a frame; `seconds`: at its end. */
typedef void stage_motion(stage *s, double seconds);

/* Goes on for so many seconds. */
static inline void stage_play(stage *s, double seconds, stage_motion *move) {
  int end = s->frames + (int)(60.0 * seconds + 0.5);
  s->late = 0.0;
  while (s->frames < end) {
    if (move != NULL) move(s, (s->frames + 1) / 60.0);
    stage_step(s);
    s->frames++;
    s->crossings = count_intersections(&s->m);
    s->most = s->crossings > s->most ? s->crossings : s->most;
    for (int i = 0; i < s->cloths; i++)
      s->stretch = largest(s->stretch, most_stretched(&s->sheets[i]));
    if (s->frames > end - 60) s->late = largest(s->late, stage_fastest(s));
    if (!isnan(s->start)) s->gain = largest(s->gain, (stage_energy(s) - s->start) / s->scale);
  }
}

/// Lines ///

/* Of a scene that begins without a crossing and has to keep so. */
static inline void crossing_lines(const stage *s) {
  line(&s->what, s->most, 0.0, at_most(0.0), "crossings, most of any frame");
  line(&s->what, s->crossings, 0.0, at_most(0.0), "crossings, at the end");
}

static inline void rest_line(const stage *s, double speed) {
  line(&s->what, trusted(s->notes, s->late), 0.0, at_most(speed), "fastest of the last second [m/s]");
}

static inline void energy_line(const stage *s) {
  if (!isnan(s->start)) line(&s->what, s->gain, 0.0, at_most(0.001), "gain of energy with all inputs at rest");
}

/* Goes on with all inputs at rest, prints how that ends, and ends the scene. `speed`: of its last second, at most
   [m/s]; HUGE_VAL: it need not rest. */
static inline void play_to_rest(stage *s, double seconds, double speed) {
  watch_energy(s);
  stage_play(s, seconds, NULL);
  crossing_lines(s);
  if (speed < HUGE_VAL) rest_line(s, speed);
  energy_line(s);
  stage_end(s);
}

#endif /* FOLDS_STAGE_H */
