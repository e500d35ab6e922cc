/* Scenes of matrix.c by the step of one equation: every term, every kind of level, and what changes during a step.
   Sizes are those of the full set. SPDX-License-Identifier: MIT */
#ifndef MATRIX_EQUATION_H
#define MATRIX_EQUATION_H

/* Springs so stiff that the energy of every substep is compared. */
static void like_paper(cloth_config *config) {
  cloth_fabric_preset(CLOTH_FABRIC_PAPER, &config->fabric);
}

/* Soft enough for families of springs to leave the operator. */
static void soft(cloth_config *config) {
  config->fabric.stretch_warp = 20.0f;
  config->fabric.stretch_weft = 15.0f;
  config->fabric.shear = 6.0f;
  config->substeps = 12;
}

/* Both halves of second order, and dampings of every kind. */
static void blended(cloth_config *config) {
  config->integration.bdf2_blend = 0.75f;
  config->fabric.stretch_damping = 0.25f;
  config->fabric.shear_damping = 0.125f;
  config->fabric.bend_damping = 0.0625f;
  config->fabric.compression = 0.25f;
  config->substeps = 4;
}

static void limited_softly(cloth_config *config) {
  config->gravity = vector(1.0f, -30.0f, 2.0f);
  config->fabric.stretch_warp = 100.0f;
  config->strain_limit.max_extension = 0.03125f;
}

static void to_tolerance(cloth_config *config) {
  config->solver.tolerance = 0.0078125f;
  config->solver.max_iterations = 40;
}

static void in_two_iterations(cloth_config *config) {
  config->iterations = 2;
  config->substeps = 1;
}

static void with_collider(cloth_config *config) {
  config->max_colliders = 1;
}

static void upright_with_collider(cloth_config *config) {
  upright(config);
  with_collider(config);
}

static void slow_with_collider(cloth_config *config) {
  slow(config);
  with_collider(config);
}

static void with_knots(cloth_config *config) {
  with_masses(config);
  config->capacity.max_attachments = 6;
}

static void with_free_knots(cloth_config *config) {
  with_knots(config);
  config->gravity = vector(0.0f, 0.0f, 0.0f);
}

static void tethered(cloth_config *config) {
  config->tethers.count = 2;
  config->fabric.stretch_weft = 50.0f;
}

static void with_targets(cloth_config *config) {
  windy(config);
  config->capacity.targets = 1;
}

/* As everything is done, whatever is needed. */
static void with_fixed_work(cloth_config *config) {
  uneven(config);
  config->capacity.fixed_work = 1;
  config->capacity.pin_reactions = 1;
}

static void with_reactions(cloth_config *config) {
  windy(config);
  config->capacity.pin_reactions = 1;
}

static void hold_and_drive(cloth *sheet) {
  hold_loosely(sheet);
  for (int particle = 1; particle < scene_config.columns * scene_config.rows; particle += 3) {
    cloth_motion_constraint constraint = cloth_motion_constraint_default();
    constraint.drive = 0.5f * (float)particle;
    checked(cloth_set_motion_constraint(sheet, particle, &constraint));
  }
}

/* A body of unequal moments that spins, and a collider without mass, each tied to three particles. */
static void tie_masses(cloth *sheet) {
  cloth_collider shape = collider_at(CLOTH_SHAPE_BOX, 0.0f, -0.25f, 0.0f);
  shape.half_extents = vector(0.0625f, 0.125f, 0.09375f);
  cloth_body body = cloth_body_default(&shape, 0.5f);
  body.velocity = vector(0.5f, 1.0f, -0.25f);
  body.spin = vector(3.0f, 1.0f, 2.0f);
  add(sheet, shape);
  checked(cloth_set_body(sheet, 0, &body));
  const int32_t middle = scene_config.columns * (scene_config.rows / 2) + scene_config.columns / 2;
  for (int n = 0; n < 3; n++)
    checked(cloth_attach(sheet, middle + n * scene_config.columns, 0, NULL));
}

static void tie_all_masses(cloth *sheet) {
  tie_masses(sheet);
  add(sheet, collider_at(CLOTH_SHAPE_SPHERE, 0.5f, 0.25f, 0.0f));
  for (int n = 0; n < 3; n++)
    checked(cloth_attach(sheet, 2 * n, 1, NULL));
}

/* Where with_holes() leaves cloth. */
static void pin_beside_notch(cloth *sheet) {
  pin_at(sheet, 2, 0);
  pin_at(sheet, scene_config.columns - 1, 0);
}

/* Rows that stand in a wall. */
static void clamp_two_rows(cloth *sheet) {
  for (int particle = 0; particle < 2 * scene_config.columns; particle++)
    checked(cloth_pin(sheet, particle));
}

static void tell_pins(cloth *sheet, int frame) {
  change_wind(sheet, frame);
  for (int column = 0; frame > 0 && column < scene_config.columns; column++) {
    cloth_vector impulse = vector(0.0f, 0.0f, 0.0f);
    checked(cloth_get_pin_reaction(sheet, column, &impulse));
    fold_vector(impulse);
  }
}

static void settle_late(cloth *sheet, int frame) {
  cloth_settle_report report = {0};
  if (frame != 2) return;
  checked(cloth_settle(sheet, FRAME_SECONDS, 0.015625f, 6, &report));
  fold((uint32_t)report.steps, 4);
  fold_float(report.speed);
}

static const scene equation_scenes[] = {
    {"hang", 11, 8, NULL, pin_corners, NULL},
    {"square", 17, 17, NULL, pin_corners, NULL},
    {"flag", 13, 6, windy, pin_edge, change_wind},
    {"maps", 12, 6, uneven, pin_corners, pull},
    {"tube", 8, 9, tube, pin_edge, change_wind},
    {"tube-short", 7, 9, tube, pin_edge, NULL},
    {"tube-long", 9, 11, tube, pin_edge, NULL},
    {"tube-5", 5, 6, tube, pin_edge, NULL},
    {"bending", 9, 9, stiff_bending, clamp_two_rows, NULL},
    {"paper", 9, 8, like_paper, pin_corners, pull},
    {"blended", 10, 7, blended, pin_corners, NULL},
    {"free", 7, 6, NULL, thrown_apart, NULL},
    {"speed-limit", 11, 9, speed_limited, thrown_apart, NULL},
    {"limits", 10, 7, limited_softly, pin_corners, NULL},
    {"confined", 9, 10, NULL, hem_on_line, NULL},
    {"tethers", 9, 8, tethered, pin_corners, pull},
    {"led", 11, 9, with_targets, hold_and_drive, lead},
    {"explicit-only", 11, 9, explicit_only, pin_corners, NULL},
    {"families", 10, 6, soft, pin_corners, NULL},
    {"tolerance", 9, 7, to_tolerance, pin_corners, NULL},
    {"two-iterations", 10, 9, in_two_iterations, pin_corners, NULL},
    {"diagonal", 9, 8, diagonal, pin_corners, NULL},
    {"save", 9, 9, uneven, pin_corners, go_back},
    {"image", 13, 5, windy, pin_corners, begin_anew},
    {"recover", 5, 6, far_away, thrown_out, NULL},
    {"fixed-work", 9, 7, with_fixed_work, pin_corners, NULL},
    {"reactions", 9, 7, with_reactions, pin_edge, tell_pins},
    {"settled", 8, 7, NULL, pin_corners, settle_late},
    {"drape", 10, 8, with_collider, on_sphere, NULL},
    {"capsule", 9, 8, upright_with_collider, before_capsule, push_through},
    {"box", 8, 8, with_collider, on_box, NULL},
    {"cylinder", 7, 9, with_collider, on_cylinder, NULL},
    {"slope", 9, 7, slow_with_collider, on_slope, NULL},
    {"hull", 9, 10, with_geometry, on_hull, NULL},
    {"height-field", 13, 9, with_geometry, on_field, NULL},
    {"mesh", 13, 9, with_geometry, on_mesh, NULL},
    {"moving-mesh", 11, 10, with_geometry, on_mesh, lift_ground},
    {"at-mesh", 10, 11, with_geometry, thrown_at_mesh, NULL},
    {"at-field", 10, 11, with_geometry, thrown_at_field, NULL},
    {"distance-grid", 10, 9, with_geometry, on_distances, NULL},
    {"masses", 9, 9, with_masses, bear_masses, NULL},
    {"masses-on-tube", 10, 8, with_masses_on_tube, bear_masses, NULL},
    {"knots", 11, 9, with_knots, tie_all_masses, NULL},
    {"free-knots", 9, 10, with_free_knots, tie_masses, NULL},
    {"mask", 12, 11, with_holes, pin_beside_notch, NULL},
    {"shaped", 8, 11, that_flares, pin_edge, NULL},
    {"torn", 10, 9, that_tears, pin_corners, cut_and_pull},
    {"grid-2x2", 2, 2, NULL, pin_corners, NULL},
    {"grid-3x5", 3, 5, NULL, pin_corners, NULL},
    {"grid-33x2", 33, 2, NULL, pin_corners, NULL},
    {"grid-2x31", 2, 31, NULL, pin_corners, NULL},
};
#define EQUATION_SCENES ((int)(sizeof equation_scenes / sizeof equation_scenes[0]))

#endif /* MATRIX_EQUATION_H */
