/*
 * A hand that takes hold of the cloth by one particle.
 *
 * SPDX-License-Identifier: MIT
 */
#include "motion.h"
#include "stage.h"

static const float hand_speed = 6; /* [m/s] at most: a pointer may jump, a hand does not */

/* Beside a ray lie more particles than one: the nearer to the eye, the better, half a metre for each hand's breadth. */
int32_t stage_grab(stage *s, cloth_vector origin, cloth_vector direction, float reach) {
  float best = 1e30f;
  stage_let_go(s);
  for (int32_t i = 0; i < s->columns * s->rows; i++) {
    cloth_vector place;
    cloth_get_position(s->sheet, i, &place);
    cloth_vector way = minus(place, origin);
    float depth = dot(way, direction);
    float aside = length(minus(way, times(depth, direction)));
    float cost = aside + 0.1f * depth;
    if (depth <= 0 || aside > reach * depth || cost >= best || cloth_get_freedom(s->sheet, i) != 3) continue;
    best = cost;
    s->grabbed = i;
    s->hand = place;
  }
  if (s->grabbed >= 0 && cloth_pin(s->sheet, s->grabbed) < 0) s->grabbed = -1;
  return s->grabbed;
}

void stage_let_go(stage *s) {
  if (s->grabbed >= 0) cloth_release(s->sheet, s->grabbed);
  s->grabbed = -1;
}

void stage_pull(stage *s, cloth_vector hand) {
  s->hand = hand;
}

/* Where cloth hangs on pins, it ends at its length from each: no hand pulls threads longer. */
static cloth_vector within_reach(const stage *s, cloth_vector place) {
  for (int32_t i = 0; i < s->columns * s->rows; i++) {
    if (i == s->grabbed || cloth_get_freedom(s->sheet, i) != 0) continue;
    cloth_vector pin;
    cloth_get_position(s->sheet, i, &pin);
    float columns = (float)(i % s->columns - s->grabbed % s->columns);
    float rows = (float)(i / s->columns - s->grabbed / s->columns);
    float rest = s->spacing * root(columns * columns + rows * rows);
    cloth_vector way = minus(place, pin);
    float stretch = length(way) / rest;
    if (stretch > 1) place = plus(pin, times(1 / stretch, way));
  }
  return place;
}

int stage_move_hand(stage *s) {
  if (s->grabbed < 0) return CLOTH_OK;
  cloth_vector place;
  cloth_get_position(s->sheet, s->grabbed, &place);
  cloth_vector way = minus(within_reach(s, s->hand), place);
  float most = hand_speed * stage_frame_time, far = length(way);
  if (far > most) way = times(most / far, way);
  return cloth_move_pin(s->sheet, s->grabbed, plus(place, way));
}
