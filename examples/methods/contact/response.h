#pragma once
#include "projected.h"
#include "zones.h"

/// The response of a sheet to itself ///

/*
 * Contact of the sheet with itself after the solve and after colliders (CLOTH_SELF_IMPULSES; Bridson, Fedkiw and
 * Anderson 2002; slides 48-68 of Twigg's survey). In: positions x at the start of the substep, y at its end,
 * velocities. Out: y and velocities.
 *
 *     impulses   pairs that touch on their way, and in the first pass those that end closer than self_gap, are moved
 *                apart along their normal until they end where they started, plus GAP_SHARE of the gap, but no farther
 *                apart than the gap. Friction takes up to self_friction of that from their slip
 *     zones      what still touches after IMPULSE_PASSES moves on as a rigid body (zones.h), which grows as long as it
 *                touches more, ZONE_PASSES times
 *     the sheet  if something touches even then, all of it is one zone
 *
 * Impulses and zones keep momentum. A zone with pins is led by them: the others follow as a body of the pins' mass
 * would. If pins contradict each other, they go where they are told to, and are counted.
 *
 * A displacement d changes the velocity by d / k. To BDF2 and IMEX2 that is a change of frame, as contact with
 * colliders is (projected.h). A sheet that does not cross itself at x does not at y, but for rounding of x and y,
 * contradicting pins, a search that is cut short, and what touches as the substep starts.
 */

#define IMPULSE_PASSES 8
#define IMPULSE_SWEEPS 4 /* over the touches of a pass */
#define ZONE_PASSES 8
/* Share of the gap by which a pair that is too close moves apart in a substep: more would throw layers off. */
#define GAP_SHARE 0.1f
/* Pins farther than that from where their zone would be contradict it [m]. */
#define PIN_CONTRADICTION 1.0e-6f

static sheet_search search_of(const method_work *w) {
  sheet_search s = open_search(w->floats + w->self, w->c->grid.columns, w->c->grid.rows);
  s.x = w->x;
  s.y = moved_of(w);
  return s;
}

/// Impulses ///

static cloth_vector touch_point(const found_touch *t, vector_array places) {
  cloth_vector place[4];
  for (int32_t k = 0; k < 4; k++) {
    place[k] = vector_load(places, t->particle[k]);
  }
  return weighted_sum(t->weight, place);
}

/* Adds `change` times weight and mobility to the vectors of the particles of a touch. */
static void move_touch(const method_work *w, const found_touch *t, cloth_vector change, vector_array to) {
  for (int32_t k = 0; k < 4; k++) {
    const int32_t i = t->particle[k];
    const cloth_vector moved = vector_add_scaled(vector_load(to, i), change, t->weight[k] * w->mobility[i]);
    vector_store(to, i, vector_flush(moved, STATE_QUANTUM));
  }
}

/* The distance along the normal by which a pair has to move apart: *push to the goal, of which *kept is an impulse. */
static void find_push(const found_touch *t, float gap, cloth_vector end, float *push, float *kept) {
  const float start = minimum(maximum(t->gap, 0.0f), gap), goal = minimum(start + GAP_SHARE * gap, gap);
  *push = goal - vector_dot(t->normal, end);
  *kept = maximum(*push - (goal - start), 0.0f);
}

/* Moves a pair apart, and takes from its slip what friction takes. */
static void give_impulse(const method_work *w, const found_touch *t) {
  const cloth_vector end = touch_point(t, moved_of(w)), way = vector_subtract(end, touch_point(t, w->x));
  float sum = 0.0f, push, kept;
  for (int32_t k = 0; k < 4; k++) {
    sum += t->weight[k] * t->weight[k] * w->mobility[t->particle[k]];
  }
  find_push(t, w->method->self_gap, end, &push, &kept);
  if (!(push > 0.0f) || !(sum > WORK_QUANTUM)) { return; }
  const cloth_vector slip = vector_flush_work(vector_add_scaled(way, t->normal, negate(vector_dot(way, t->normal))));
  const float speed = vector_length(slip), most = flush_small(w->method->self_friction * kept, WORK_QUANTUM);
  const cloth_vector drag = vector_scale(slip, negate((speed > most ? most / speed : 1.0f) / sum));
  move_touch(w, t, vector_flush_work(vector_add_scaled(drag, t->normal, push / sum)), moved_of(w));
  move_touch(w, t, vector_flush_work(vector_add_scaled(drag, t->normal, kept / sum)), field(w, FIELD_LEFT_OVER));
  w->report->touches++;
}

/* Reports in what state the first search of a step finds the sheet. */
static void report_start(const method_work *w, sheet_search *s) {
  if (s->counts_crossings) {
    w->report->crossings = s->crossings;
    w->report->standing = s->standing;
  }
  s->counts_crossings = 0;
}

/* Passes of impulses. Returns 0 if nothing touches any more, or if nothing tells what does, as a search is cut short.
 */
static int give_impulses(const method_work *w, sheet_search *s) {
  for (int32_t pass = 0; pass < IMPULSE_PASSES && !s->is_cut; pass++) {
    s->distance = pass == 0 ? w->method->self_gap : 0.0f;
    const int touches = search_touches(s);
    report_start(w, s);
    if (!touches && (pass > 0 || s->count == 0)) { return 0; }
    for (int32_t n = 0; n < IMPULSE_SWEEPS * s->count; n++) {
      give_impulse(w, &s->touch[n % s->count]);
    }
  }
  return !s->is_cut;
}

/// Zones ///

/* Roots of the union-find, then where the particles of a root start, then these particles: n, n + 1 and n words. */
typedef struct zone_list {
  int32_t *label, *start, *particle;
} zone_list;

static zone_list zones_of(const method_work *w) {
  const int32_t count = w->c->count;
  int32_t *words = (int32_t *)(void *)(w->floats + w->self) + search_words(w->c->grid.columns, w->c->grid.rows);
  const zone_list z = {words, words + count, words + 2 * count + 1};
  return z;
}

/* Sorts the particles by their zones. */
static void sort_into_zones(const zone_list *z, int32_t count) {
  for (int32_t i = 0; i <= count; i++) {
    z->start[i] = 0;
  }
  for (int32_t i = 0; i < count; i++) {
    z->start[first_of_piece(z->label, i)]++;
  }
  for (int32_t i = 0, sum = 0; i <= count; i++) {
    sum += z->start[i];
    z->start[i] = sum;
  }
  for (int32_t i = count - 1; i >= 0; i--) {
    z->particle[--z->start[first_of_piece(z->label, i)]] = i;
  }
}

/* Sets the masses of a zone: those of its pins alone, if it has any. */
static void set_zone_masses(const method_work *w, const rigid_zone *z, float *mass) {
  int has_pins = 0;
  for (int32_t n = 0; n < z->count; n++) {
    has_pins |= !(w->mobility[z->particle[n]] > 0.0f);
  }
  for (int32_t n = 0; n < z->count; n++) {
    const int32_t i = z->particle[n];
    const int is_pin = !(w->mobility[i] > 0.0f);
    mass[i] = has_pins ? (float)is_pin : mass_ratio_at(w->c, i);
  }
}

/* Puts the pins of a zone where they are told to be. */
static void keep_pins(const method_work *w, const rigid_zone *z) {
  for (int32_t n = 0; n < z->count; n++) {
    const int32_t i = z->particle[n];
    const cloth_vector told = vector_load(field(w, FIELD_DIRECTION), i);
    if (!(w->mobility[i] > 0.0f)) {
      const cloth_vector off = vector_flush_work(vector_subtract(told, vector_load(z->y, i)));
      w->report->contradictions += vector_length(off) > PIN_CONTRADICTION;
      vector_store(z->y, i, told);
    }
  }
}

/* Moves every zone of more than one particle as a rigid body. */
static void move_zones(const method_work *w, const zone_list *list) {
  const int32_t count = w->c->count;
  sort_into_zones(list, count);
  for (int32_t root = 0; root < count; root++) {
    const rigid_zone z = {.particle = list->particle + list->start[root],
                          .count = list->start[root + 1] - list->start[root],
                          .mass = terms_of(w),
                          .x = w->x,
                          .y = moved_of(w)};
    if (z.count > 1) {
      set_zone_masses(w, &z, terms_of(w));
      move_zone(&z);
      keep_pins(w, &z);
      w->report->zones++;
      w->report->largest_zone = z.count > w->report->largest_zone ? z.count : w->report->largest_zone;
    }
  }
}

/* What touches moves as rigid bodies, if nothing else helps the whole sheet. What touches even then, as contradicting
   pins do, is left. */
static void give_zones(const method_work *w, sheet_search *s) {
  const zone_list list = zones_of(w);
  for (int32_t i = 0; i < w->c->count; i++) {
    list.label[i] = i;
  }
  s->distance = 0.0f;
  s->label = list.label;
  for (int32_t pass = 0; pass < ZONE_PASSES; pass++) {
    if (!search_touches(s)) { return; }
    move_zones(w, &list);
  }
  if (search_touches(s)) {
    for (int32_t i = 1; i < w->c->count; i++) {
      join_pieces(list.label, 0, i);
    }
    move_zones(w, &list);
    w->report->stops++;
    search_touches(s);
    w->report->unresolved += s->touching;
  }
}

/// The response ///

/* Rounds the positions as accept_particles() does. Returns 0 if one is not finite, which accept_particles() mends. */
static int round_places(const method_work *w) {
  const vector_array y = moved_of(w);
  int are_finite = 1;
  for (int32_t i = 0; i < w->c->count; i++) {
    const cloth_vector place = vector_load(y, i);
    are_finite &= vector_in_range(place, CLOTH_POSITION_LIMIT);
    vector_store(y, i, vector_flush(place, STATE_QUANTUM));
  }
  return are_finite;
}

/* Adds what zones have done to the displacements that change velocities. */
static void keep_zone_changes(const method_work *w) {
  const vector_array sum = field(w, FIELD_LEFT_OVER);
  for (int32_t i = 0; i < w->c->count; i++) {
    const cloth_vector before = vector_load(field(w, FIELD_RESIDUAL), i);
    const cloth_vector moved = vector_subtract(vector_load(moved_of(w), i), before);
    vector_store(sum, i, vector_flush(vector_add(vector_load(sum, i), moved), STATE_QUANTUM));
  }
}

/* The displacements by impulses and zones, over the time of the substep, are velocity changes. */
static void add_response_to_velocities(const method_work *w) {
  for (int32_t i = 0; i < w->c->count; i++) {
    const cloth_vector moved = vector_load(field(w, FIELD_LEFT_OVER), i);
    if (w->mobility[i] > 0.0f) {
      const cloth_vector rate = vector_add_scaled(vector_load(w->v, i), moved, 1.0f / w->k);
      vector_store(w->v, i, vector_flush(rate, STATE_QUANTUM));
    }
  }
}

/* Begins the responses of a substep, which share the maxima of a search. Returns 0 if there are none. */
static int begin_response(const method_work *w, sheet_search *s, int32_t index) {
  if (w->method->self == CLOTH_SELF_NONE) { return 0; }
  *s = search_of(w);
  s->counts_crossings = index == 0;
  return 1;
}

static void end_response(const method_work *w, const sheet_search *s) {
  w->report->pairs_dropped += s->dropped;
  w->report->searches_cut += s->is_cut;
  w->report->tests = s->tests > w->report->tests ? s->tests : w->report->tests;
  w->report->boxes = s->boxes > w->report->boxes ? s->boxes : w->report->boxes;
}

/* Moves the sheet apart from itself. Returns 1 if there was something to move. */
static int respond_to_self(const method_work *w, sheet_search *s) {
  const int32_t before = w->report->touches + w->report->zones;
  if (!round_places(w)) { return 0; }
  s->label = NULL;
  copy_field(w, moved_of(w), field(w, FIELD_DIRECTION));
  fill_vectors(w->c, field(w, FIELD_LEFT_OVER), 0.0f);
  if (give_impulses(w, s)) {
    copy_field(w, moved_of(w), field(w, FIELD_RESIDUAL));
    give_zones(w, s);
    keep_zone_changes(w);
  }
  add_response_to_velocities(w);
  return w->report->touches + w->report->zones > before;
}
