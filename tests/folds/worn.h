/* Groups of cloths on bodies: garments on a figure that walks and then stands, a ball on a seam, balls in a bag.
   SPDX-License-Identifier: MIT */
#ifndef FOLDS_WORN_H
#define FOLDS_WORN_H

#include "several.h"

#include "figure.h"
#include "meander.h"
#include "shirt.h"

#define SLEEP_SPEED 0.01f /* below which cloth falls asleep [m/s] */
#define STANDING 15.0     /* how long the figure stands at the end [s] */

/// The figure ///

/* It stands for a second, walks on the spot for four, and stands. */
static inline figure_stance stance_at(double seconds) {
  double walked = fmin(fmax(seconds - 1.0, 0.0), 4.0), pace = fmin(fmin(walked, 4.0 - walked), 1.0);
  figure_stance stance = {(float)((double)figure_strides * walked), (float)pace, 0.0f};
  return stance;
}

static inline void limbs_at(double seconds, limb limbs[FIGURE_LIMBS]) {
  figure_stance stance = stance_at(seconds);
  figure_limbs(&stance, limbs);
  figure_spread_arms(limbs);
}

static inline void stage_figure(stage *s) {
  limb limbs[FIGURE_LIMBS];
  limbs_at(0.0, limbs);
  for (int n = 0; n < FIGURE_LIMBS; n++) {
    cloth_collider shape = limb_collider(&limbs[n]);
    stage_collider(s, &shape);
  }
}

static inline void move_limbs(stage *s, double seconds) {
  limb limbs[FIGURE_LIMBS];
  limbs_at(seconds, limbs);
  for (int n = 0; n < FIGURE_LIMBS; n++) {
    cloth_pose pose = limb_pose(&limbs[n]);
    stage_move(s, n, (double)pose.position.x, (double)pose.position.y, (double)pose.position.z, pose.rotation);
  }
}

/// Garments that hang from a pinned edge ///

enum { SKIRT_COLUMNS = 48, COLLAR_COLUMNS = 40, EDGE_MOST = SKIRT_COLUMNS + 1 };

/* The edges: a ring of seven folds around the waist, about the hips, so far outside of the innermost [m]; and one
   around the shoulders, about the point between them. */
static inline void lay_waist(cloth_vector *edge, double outside) {
  for (int i = 0; i <= SKIRT_COLUMNS; i++) {
    double angle = 2.0 * PI * i / SKIRT_COLUMNS, more = outside + 0.02 * cos(7.0 * angle);
    edge[i] = vector_at((0.17 + more) * cos(angle), 0.1, (0.22 + more) * sin(angle));
  }
}

static inline void lay_collar(cloth_vector *edge) {
  static const meander collar = {{-0.07f, 0.075f, -0.27f}, 1.35f, 0.23f, 0.26f, 7.0f};
  meander_lay(&collar, COLLAR_COLUMNS, edge);
}

/* Where a place of the waist is, or of the collar, in the world. */
static inline cloth_vector from_waist(cloth_vector place, const figure_stance *stance) {
  return vector_of(point_sum(point_of(figure_hips(stance)), point_of(place)));
}

static inline cloth_vector from_collar(cloth_vector place, const figure_stance *stance) {
  figure_shoulders shoulders = figure_shoulders_at(stance);
  return figure_from_shoulders(&shoulders, place);
}

/* A garment: a cape, or a skirt so far outside of the innermost; its length [m]; its iterations, 0: those by
   default. */
typedef struct garment {
  int is_cape;
  double outside, length;
  int iterations;
} garment;

static inline void lay_edge(const garment *g, cloth_vector *edge) {
  if (g->is_cape)
    lay_collar(edge);
  else
    lay_waist(edge, g->outside);
}

static inline cloth_vector garment_edge(const garment *g, const cloth_vector *edge, int column, double seconds) {
  figure_stance stance = stance_at(seconds);
  return g->is_cape ? from_collar(edge[column], &stance) : from_waist(edge[column], &stance);
}

static inline void add_garment(stage *s, const garment *g, int substeps) {
  enum { ROWS = 24 };
  cloth_vector edge[EDGE_MOST];
  int is_cape = g->is_cape, columns = is_cape ? COLLAR_COLUMNS : SKIRT_COLUMNS;
  lay_edge(g, edge);
  double width = (double)meander_length(columns + !is_cape, edge);
  cloth_config config = upright_config(columns, ROWS, width, g->length, substeps);
  config.grid.wrap = !is_cape;
  config.max_colliders = FIGURE_LIMBS;
  config.sleep.speed = SLEEP_SPEED;
  if (g->iterations > 0) config.iterations = g->iterations;
  cloth_vector *positions = (cloth_vector *)must_have(malloc((size_t)(columns * ROWS) * sizeof *positions));
  for (int i = 0; i < columns * ROWS; i++) {
    double down = g->length * (i / columns) / (ROWS - 1), lean = is_cape ? 0.35 : 0.0; /* a cape starts off the back */
    cloth_vector top = garment_edge(g, edge, i % columns, 0.0);
    positions[i] = vector_at((double)top.x - lean * down / sqrt(1.0 + lean * lean),
                             (double)top.y - down / sqrt(1.0 + lean * lean), (double)top.z);
  }
  pin_row(stage_cloth(s, &config, positions), 0);
}

static inline void move_garment(stage *s, int number, const garment *g, double seconds) {
  cloth_vector edge[EDGE_MOST];
  lay_edge(g, edge);
  for (int i = 0; i < s->sheets[number].f.columns; i++)
    cloth_move_pin(s->handles[number], i, garment_edge(g, edge, i, seconds));
}

static const garment coats[] = {{0, 0.0, 0.46, 0}, {0, 0.02, 0.52, 0}, {0, 0.04, 0.58, 0}};
static const garment skirt_and_cape[] = {{0, 0.0, 0.46, 0}, {1, 0.0, 1.12, 0}};

static inline void walk_in_coats(stage *s, double seconds) {
  move_limbs(s, seconds);
  for (int k = 0; k < 3; k++)
    move_garment(s, k, &coats[k], seconds);
}

static inline void walk_in_skirt_and_cape(stage *s, double seconds) {
  move_limbs(s, seconds);
  for (int k = 0; k < 2; k++)
    move_garment(s, k, &skirt_and_cape[k], seconds);
}

/* Nothing crosses, no energy comes from nowhere, and all sleep at the end. */
static inline void asleep_lines(const stage *s) {
  int awake = 0;
  for (int k = 0; k < s->cloths; k++)
    awake += !cloth_is_asleep(s->handles[k]);
  crossing_lines(s);
  line(&s->what, trusted(s->notes, awake), 0.0, at_most(0.0), "cloths awake after %g s", STANDING);
  line(&s->what, s->late, 0.0, finite_only(), "fastest of the last second [m/s]");
  energy_line(s);
}

static inline void walk_and_stand(stage *s, stage_motion *walk) {
  stage_figure(s);
  stage_start(s);
  stage_play(s, 5.0, walk);
  watch_energy(s);
  stage_play(s, STANDING, NULL);
  asleep_lines(s);
  stage_end(s);
}

static inline void coats_scene(int substeps) {
  stage s = stage_named("coats", SKIRT_COLUMNS, 24, substeps);
  for (int k = 0; k < 3; k++)
    add_garment(&s, &coats[k], substeps);
  walk_and_stand(&s, walk_in_coats);
}

static inline void skirt_scene(int substeps) {
  stage s = stage_named("skirt", SKIRT_COLUMNS, 24, substeps);
  for (int k = 0; k < 2; k++)
    add_garment(&s, &skirt_and_cape[k], substeps);
  walk_and_stand(&s, walk_in_skirt_and_cape);
}

/* Capes alone, whose hems lean on arms and legs: no particle there may tremble for ever. */
static const garment *cape_alone;

static inline void walk_in_cape(stage *s, double seconds) {
  move_limbs(s, seconds);
  move_garment(s, 0, cape_alone, seconds);
}

static inline void capes_scene(int substeps) {
  static const garment capes[] = {{1, 0.0, 1.2, 5}, {1, 0.0, 0.95, 6}, {1, 0.0, 1.12, 0}};
  for (int k = 0; k < 3; k++) {
    stage s = stage_named("capes", COLLAR_COLUMNS, 24, substeps);
    cape_alone = &capes[k];
    add_garment(&s, cape_alone, substeps);
    walk_and_stand(&s, walk_in_cape);
  }
}

/* A shirt of four panels; nothing is pinned. Its springs have lengths of their own, so its energy is not watched. */
static inline void shirt_scene(int substeps) {
  static const shirt_cut cut = {23, 28, 10, 6, 9};
  static shirt_panel panels[SHIRT_PANELS];
  stage s = stage_named("shirt", cut.columns, cut.rows, substeps);
  limb limbs[FIGURE_LIMBS];
  limbs_at(0.0, limbs);
  for (int k = 0; k < SHIRT_PANELS; k++) {
    cloth_config config = sheet_config(4, 4, 0.1, 0.1, substeps);
    shirt_describe(&cut, k, limbs, &panels[k], &config);
    config.self_thickness = 0.3f * shirt_spacing(&cut);
    config.max_colliders = FIGURE_LIMBS;
    config.thickness = 0.008f;
    config.sleep.speed = SLEEP_SPEED;
    size_t bytes = (size_t)(config.columns * config.rows) * sizeof(cloth_vector);
    cloth_vector *positions = (cloth_vector *)must_have(malloc(bytes));
    memcpy(positions, panels[k].places, bytes);
    stage_cloth(&s, &config, positions);
  }
  shirt_sew(&cut, 0, s.seams);
  s.seam_count = SHIRT_SEAMS;
  stage_figure(&s);
  stage_start(&s);
  stage_play(&s, 5.0, move_limbs);
  stage_play(&s, STANDING, NULL);
  asleep_lines(&s);
  stage_end(&s);
}

/// Bodies ///

/* Two sheets of .5 m x .5 m, sewn along x = 0, held by the other three sides of each. A ball of 1 kg rolls over the
   seam and back, and stays. */
static inline void seam_ball_scene(int substeps) {
  enum { N = 20 };
  stage s = stage_named("rolled", N, N, substeps);
  for (int k = 0; k < 2; k++) {
    cloth_config config = sheet_config(N, N, 0.5, 0.5, substeps);
    config.origin = vector_at(k == 0 ? -0.5 : 0.0, 0.0, -0.25);
    config.capacity.max_bodies = 1;
    config.sleep.speed = SLEEP_SPEED;
    sheet *made = stage_cloth(&s, &config, NULL);
    for (int i = 0; i < N * N; i++) {
      int is_side = i / N == 0 || i / N == N - 1 || i % N == (k == 0 ? 0 : N - 1);
      if (is_side) pin_particle(made, i % N, i / N);
    }
  }
  const cloth_seam_side left = {0, N - 1, N, N, NULL}, right = {1, 0, N, N, NULL};
  stage_seam(&s, &left, &right);
  cloth_collider ball = body_at(CLOTH_SHAPE_SPHERE, -0.2, 0.06 + THICKNESS, 0.03, 0.06);
  stage_body(&s, &ball, 1.0);
  stage_start(&s);
  watch_energy(&s);
  stage_play(&s, STANDING, NULL);
  asleep_lines(&s);
  cloth_body body;
  cloth_pose pose;
  cloth_get_body(s.handles[0], s.bodies[0].colliders[0], &body, &pose);
  line(&s.what, (double)pose.position.y, NO_VALUE, at_least(-0.1), "height of the ball [m]");
  stage_end(&s);
}

/* The bag of before with ten balls of .1 kg. */
static inline void balls_scene(int substeps) {
  stage s = stage_named("balls", BAG_SIDE, BAG_SIDE, substeps);
  cloth_config config = bag_config(substeps);
  config.capacity.max_bodies = config.max_colliders = STAGE_BODIES;
  config.sleep.speed = SLEEP_SPEED;
  add_bag(&s, &config, open_bag);
  for (int k = 0; k < STAGE_BODIES; k++) {
    double along = k % 3 - 1.0, up = k / 3;
    cloth_collider ball =
        body_at(CLOTH_SHAPE_SPHERE, 0.07 * along, -0.2 + 0.07 * up, 0.004 * (k % 2 ? 1.0 : -1.0), 0.03);
    stage_body(&s, &ball, 0.1);
  }
  stage_start(&s);
  watch_energy(&s);
  stage_play(&s, STANDING, NULL);
  asleep_lines(&s);
  double lowest = 0.0;
  for (int k = 0; k < STAGE_BODIES; k++) {
    cloth_body body;
    cloth_pose pose;
    cloth_get_body(s.handles[0], s.bodies[k].colliders[0], &body, &pose);
    lowest = fmin(lowest, (double)pose.position.y);
  }
  line(&s.what, lowest, NO_VALUE, at_least(-0.55), "height of the lowest ball [m]");
  stage_end(&s);
}

#endif /* FOLDS_WORN_H */
