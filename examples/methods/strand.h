#pragma once
#include "rows.h"

/// A strand ///

/*
 * An inextensible strand that falls on a ball, in a plane: what the isometric model's figures 3.4 and 4.2 are about.
 * Lengths are rows without compliance, bending the rows of second differences. Coupled, contact is a row beside them;
 * staggered, points are moved out of the ball after the solve, which stretches the strand.
 */

#define STRAND_POINTS 64

typedef struct strand {
  row_system system;
  int32_t points;
  float length, bending; /* between two points [m]; k_b [N m^2] */
  float mass;            /* of a point [kg] */
  int32_t is_coupled;
  row_ball ball;
  cloth_vector velocity[STRAND_POINTS], start[STRAND_POINTS];
  float floats[7 * STRAND_POINTS];
  coupled_row row[5 * STRAND_POINTS];
} strand;

/* A straight strand along x with its middle at 0, at rest. */
static void strand_init(strand *s, int32_t points, float length, float mass, float bending, float k) {
  const float first = -0.5f * length;
  s->points = points;
  s->length = length / (float)(points - 1);
  s->mass = mass / (float)points;
  s->bending = bending;
  s->system.rows = s->row;
  s->system.count = 0;
  s->system.points = points;
  s->system.x = (vector_array){s->floats, s->floats + STRAND_POINTS, s->floats + 2 * STRAND_POINTS};
  s->system.work =
      (vector_array){s->floats + 3 * STRAND_POINTS, s->floats + 4 * STRAND_POINTS, s->floats + 5 * STRAND_POINTS};
  s->system.mobility = s->floats + 6 * STRAND_POINTS;
  for (int32_t i = 0; i < points; i++) {
    vector_store(s->system.x, i, vector(first + s->length * (float)i, 0.0f, 0.0f));
    s->velocity[i] = vector(0.0f, 0.0f, 0.0f);
    s->floats[6 * STRAND_POINTS + i] = 1.0f;
  }
  for (int32_t i = 0; i + 1 < points; i++) {
    coupled_row *r = add_row(&s->system, ROW_EQUAL, 0.0f);
    add_row_point(r, i, vector(1.0f, 0.0f, 0.0f));
    add_row_point(r, i + 1, vector(-1.0f, 0.0f, 0.0f));
  }
  /* Energy k_b / 2 |second difference|^2 / length^3, mobilities are masses over mass. */
  const float compliance = s->mass * s->length * s->length * s->length / (bending * k * k);
  for (int32_t i = 1; i + 1 < points; i++) {
    for (int32_t axis = 0; axis < 2; axis++) {
      const cloth_vector along = vector(axis == 0 ? 1.0f : 0.0f, axis == 1 ? 1.0f : 0.0f, 0.0f);
      coupled_row *r = add_row(&s->system, ROW_EQUAL, compliance);
      add_row_point(r, i - 1, along);
      add_row_point(r, i, vector_scale(along, -2.0f));
      add_row_point(r, i + 1, along);
    }
  }
  for (int32_t i = 0; s->is_coupled && i < points; i++) {
    add_row_point(add_row(&s->system, ROW_PUSH, 1.0e-5f), i, vector(0.0f, 1.0f, 0.0f));
  }
}

static void evaluate_strand(strand *s) {
  for (int32_t n = 0; n < s->system.count; n++) {
    coupled_row *r = &s->row[n];
    if (r->kind == ROW_PUSH) {
      evaluate_contact(&s->system, r, &s->ball, s->start[r->node[0]]);
    } else if (r->points == 2) {
      evaluate_distance(&s->system, r, s->length);
    } else {
      r->value = 0.0f;
      for (int32_t k = 0; k < 3; k++) {
        r->value += vector_dot(r->gradient[k], vector_load(s->system.x, r->node[k]));
      }
    }
  }
}

/* Largest strain of a length. */
static float strand_strain(const strand *s) {
  float most = 0.0f;
  for (int32_t i = 0; i + 1 < s->points; i++) {
    const cloth_vector e = vector_subtract(vector_load(s->system.x, i + 1), vector_load(s->system.x, i));
    most = maximum(most, absolute(vector_length(e) / s->length - 1.0f));
  }
  return most;
}

/* Largest error of the contacts, over a length: of those that push that of their rows, of others how deep they are, or
   how far they pull a point. */
static float contact_error(const strand *s) {
  float most = 0.0f;
  for (int32_t n = 0; n < s->system.count; n++) {
    const coupled_row *r = &s->row[n];
    if (r->kind == ROW_PUSH) {
      const cloth_vector from = vector_subtract(vector_load(s->system.x, r->node[0]), s->ball.centre);
      const float height = vector_length(from) - s->ball.radius;
      const float wrong = r->multiplier < 0.0f ? absolute(height - r->compliance * r->multiplier)
                                               : maximum(negate(height), r->multiplier);
      most = maximum(most, wrong / s->length);
    }
  }
  return most;
}

/* Moves points out of the ball, as contact that comes after the solve does. */
static void push_out(strand *s) {
  for (int32_t i = 0; i < s->points; i++) {
    const cloth_vector from = vector_subtract(vector_load(s->system.x, i), s->ball.centre);
    const float distance = maximum(vector_length(from), 1.0e-4f);
    if (distance < s->ball.radius) {
      vector_store(s->system.x, i, vector_add_scaled(s->ball.centre, from, s->ball.radius / distance));
    }
  }
}

/* A step of k seconds under gravity: iterations of fast projection until no length and no coupled contact is wrong by
   more than `tolerance` of a length, at most `most`. Returns how many. */
static int32_t strand_step(strand *s, float k, float tolerance, int32_t most) {
  for (int32_t i = 0; i < s->points; i++) {
    s->start[i] = vector_load(s->system.x, i);
    const cloth_vector v = vector_add_scaled(s->velocity[i], vector(0.0f, -9.81f, 0.0f), k);
    vector_store(s->system.x, i, vector_flush(vector_add_scaled(s->start[i], v, k), STATE_QUANTUM));
  }
  clear_rows(&s->system);
  int32_t n = 0;
  for (float wrong = 1.0f; n < most && wrong > tolerance; n++) {
    evaluate_strand(s);
    project_rows(&s->system, 400, 1.0e-5f);
    wrong = maximum(strand_strain(s), contact_error(s));
  }
  if (!s->is_coupled) { push_out(s); }
  for (int32_t i = 0; i < s->points; i++) {
    const cloth_vector moved = vector_subtract(vector_load(s->system.x, i), s->start[i]);
    s->velocity[i] = vector_flush(vector_scale(moved, 1.0f / k), STATE_QUANTUM);
  }
  return n;
}
