/* How random worlds are measured and judged: random_cloths.c says by what. Include after support.h.
   SPDX-License-Identifier: MIT */
#ifndef RANDOM_VERDICTS_H
#define RANDOM_VERDICTS_H

#include "random_contact.h"

#include <inttypes.h>
#include <stdio.h>

#define REST_TIME 5.0    /* all inputs rest [s] */
#define STOP_TIME 0.2    /* after which nothing is left of the stop of moving pins [s] */
#define DRAG_TIME 6.0    /* they rest, with drag [s] */
#define MORE_TIME 12.0   /* for cloth that then still moves [s] */
#define STILL_TIME 0.25  /* of the end in which speeds count [s] */
#define STILL_SPEED 0.05 /* [m/s] */
#define DRAG 2.0         /* velocity_damping of that part [1/s] */
#define DRAG_SHARE 0.33  /* least share of the loss of energy that drag takes from what moves by itself [1] */
#define RISE_SHARE 0.01  /* of weight times size and kinetic energy that energy may rise by [1] */
#define MUCH 5.0         /* rises over the allowance that are gross [1] */
#define MUCH_WITH_BODIES 10.0
#define FALL_TIME 0.5        /* [s] */
#define FALL_SHARE 0.5       /* of the solved fall [1] */
#define FALL_NOTICED 0.03    /* solved fall over the size that is compared [1] */
#define UNBALANCED_SHARE 0.1 /* of their weight that may act on free particles at the end [1] */
#define SOLVED_ITERATIONS 80

/* What has been measured of a world. */
typedef struct outcome {
  const char *broken; /* NULL, or what was not as it must be */
  double broken_time;
  double fastest, fastest_time; /* of free particles at ends of frames */
  double rise, rise_time;       /* of energy */
  double late_rise;             /* of energy later than STOP_TIME after the inputs */
  double allowance;
  double end_speed, late_speed; /* after DRAG_TIME, and MORE_TIME later */
  double solved_end_speed;      /* after DRAG_TIME with solved steps, of what moves then; otherwise 0 */
  double drag_work, loss;       /* of energy, by the drag and in all, in MORE_TIME */
  double fall, solved_fall;     /* at FALL_TIME; solved: NAN if nothing is free */
  double unbalanced;            /* force on free particles at the end over what it may be */
  double deepest,
      deepest_time;     /* how far a particle is inside a body, or farther than buried pins leave [thicknesses] */
  double between;       /* the same between two bodies */
  double born;          /* the same at the end of rest, of what has not come out since a body was put there */
  int is_touched;       /* a particle is at a body at the end of a frame ... */
  int is_touched_early; /* ... before FALL_TIME: the body holds or flings it, whatever the solve */
  uint64_t hash[2];
  int is_replayed, notes; /* notes: of all steps until then */
} outcome;

static world drawn;
static elasticity elastics;

/// Measuring ///

/* Sums over free particles. */
typedef struct sums {
  double mass, kinetic, height; /* height: of the centre of mass [m] */
  double fastest, farthest;     /* speed; coordinate of any particle */
  contact_sums contact;
} sums;

static sums measure_sums(player *p) {
  sums s;
  cloth_vector_view x, v;
  memset(&s, 0, sizeof s);
  cloth_get_positions(p->f.sheet, &x);
  cloth_get_velocities(p->f.sheet, &v);
  s.contact = measure_contact(p, NULL);
  for (int i = 0; i < p->f.count; i++) {
    const point at = viewed(&x, i), speed = viewed(&v, i);
    s.farthest = larger(s.farthest, larger(fabs(at.x), larger(fabs(at.y), fabs(at.z))));
    if (!is_free(p, i)) continue;
    const double square = point_dot(speed, speed);
    s.mass += elastics.mass[i];
    s.kinetic += 0.5 * elastics.mass[i] * square;
    s.height += elastics.mass[i] * at.y;
    s.fastest = larger(s.fastest, square);
  }
  s.fastest = sqrt(s.fastest);
  s.height /= s.mass > 0.0 ? s.mass : 1.0;
  return s;
}

/* Of particles, springs, gravity and contact. */
static double energy_of(const player *p, const sums *s) {
  cloth_vector_view x;
  cloth_get_positions(p->f.sheet, &x);
  return s->kinetic + WEIGHT_PER_MASS * s->mass * s->height + elastic_energy(&elastics, &x, NULL) + s->contact.energy;
}

/* What energy may change by rounding of positions: a unit in the last place of a coordinate in every element. */
static double rounding_of(double farthest) {
  const double unit = farthest * (1.0 / 8388608.0);
  double sum = 0.0;
  for (int n = 0; n < elastics.elements; n++) {
    const elastic *s = &elastics.element[n];
    sum += s->stiffness * unit * unit * (s->count == 2 ? 1.0 : 6.0);
  }
  return sum;
}

static point sum_of_free(const player *p, const point *force) {
  point sum = {0.0, 0.0, 0.0};
  for (int i = 0; i < p->f.count; i++) {
    if (is_free(p, i)) sum = point_sum(sum, force[i]);
  }
  return sum;
}

/* The force on all free particles together over what it may be. What cells between particles are pressed with is known
   as the difference of what bodies say that they have received and the law of particles; pins bear a part of it. */
static double unbalanced_share(player *p) {
  static point force[MOST_PARTICLES];
  const sums s = measure_sums(p);
  const double unit = s.farthest * (1.0 / 8388608.0);
  cloth_vector_view x;
  memset(force, 0, sizeof force);
  cloth_get_positions(p->f.sheet, &x);
  const contact_sums contact = measure_contact(p, force);
  point pressed = sum_of_free(p, force), told = pressed;
  for (int n = 0; n < p->w->bodies; n++) {
    cloth_reaction r;
    cloth_get_collider_reaction(p->f.sheet, n, &r);
    told = point_sum(told, point_scaled(point_of(r.impulse), 1.0 / (p->time - p->frame_start)));
  }
  memset(force, 0, sizeof force);
  elastic_energy(&elastics, &x, force);
  const point weight = {0.0, -WEIGHT_PER_MASS * s.mass, 0.0};
  const point sum = point_sum(weight, point_sum(pressed, sum_of_free(p, force)));
  double rounding = 0.0;
  for (int n = 0; n < elastics.elements; n++) {
    const elastic *e = &elastics.element[n];
    const int is_held_spring = is_free(p, e->particle[0]) != is_free(p, e->particle[1]);
    if (e->count == 2 && is_held_spring) rounding += e->stiffness * e->stiffness * unit * unit;
  }
  const double most =
      UNBALANCED_SHARE * WEIGHT_PER_MASS * s.mass + 4.0 * sqrt(rounding) + contact.friction + point_length(told);
  return point_length(sum) / (most + 1e-30);
}

static void print_head(const world *w) {
  printf("world %d: %d particles, size %g m; energies in double\n", w->seed, world_count(w), w->size);
  printf("     t [s]     dt [s]   energy [J]  kinetic [J]  elastic [J]   height [m] fastest [m/s] stretch notes\n");
}

static void print_frame(const player *p, const sums *s) {
  cloth_vector_view x;
  cloth_measures measures;
  memset(&measures, 0, sizeof measures);
  cloth_get_positions(p->f.sheet, &x);
  cloth_measure(p->f.sheet, &measures);
  printf("%10.4f %10.5f %12.6g %12.6g %12.6g %12.6g %13.6g %7.3f %5d\n", p->time,
         (double)frame_time(p->w, p->frame - 1), energy_of(p, s), s->kinetic, elastic_energy(&elastics, &x, NULL),
         s->height, s->fastest, (double)measures.max_stretch, p->notes);
}

/// Judging ///

/* What a pass over a world is to do. */
enum { MEASURED, SHOWN, REPLAYED };

/* Plays a frame; unless it is a replay, measures it and returns 1. */
static int play_measured(player *p, outcome *o, int purpose, sums *s) {
  play_frame(p);
  if (purpose == REPLAYED) return 0;
  *s = measure_sums(p);
  if (!(s->fastest <= o->fastest)) {
    o->fastest = s->fastest;
    o->fastest_time = p->time;
  }
  if (s->contact.deepest > o->deepest) {
    o->deepest = s->contact.deepest;
    o->deepest_time = p->time;
  }
  o->between = larger(o->between, s->contact.between);
  o->is_touched |= s->contact.is_touched;
  if (purpose == SHOWN) print_frame(p, s);
  return 1;
}

/* Plays while inputs act, and notes how far the free particles have fallen at FALL_TIME. */
static void play_inputs(player *p, outcome *o, int purpose) {
  const double start = measure_sums(p).height;
  int has_fallen = 0;
  sums s;
  while (p->time < INPUT_TIME && p->broken == NULL) {
    if (play_measured(p, o, purpose, &s) && !has_fallen && p->time >= FALL_TIME) {
      o->fall = start - s.height;
      o->is_touched_early = o->is_touched;
      has_fallen = 1;
    }
  }
}

/* Plays while inputs rest, and notes by how much energy rises. */
static void play_rest(player *p, outcome *o, int purpose) {
  const sums first = measure_sums(p);
  double least = energy_of(p, &first), farthest = first.farthest;
  sums s;
  while (p->time < INPUT_TIME + REST_TIME && p->broken == NULL) {
    if (!play_measured(p, o, purpose, &s)) continue;
    const double energy = energy_of(p, &s);
    if (!(energy - least <= o->rise)) {
      o->rise = energy - least;
      o->rise_time = p->time;
    }
    if (p->time > INPUT_TIME + STOP_TIME) o->late_rise = larger(o->late_rise, energy - least);
    least = smaller(least, energy);
    farthest = larger(farthest, s.farthest);
  }
  o->born = measure_sums(p).contact.born;
  o->allowance = RISE_SHARE * (WEIGHT_PER_MASS * first.mass * p->w->size + first.kinetic) + rounding_of(farthest);
}

/* The energy of cloth with drag: without that of gravity where it has lost its weight. */
static double energy_in_drag(const player *p, const sums *s) {
  return energy_of(p, s) - (is_held(p->w) ? 0.0 : WEIGHT_PER_MASS * s->mass * s->height);
}

/* Plays on with drag; returns the fastest speed in the last STILL_TIME of it. */
static double play_drag(player *p, outcome *o, double end, int purpose) {
  double fastest = 0.0, last = p->time;
  sums s = measure_sums(p);
  const double start = energy_in_drag(p, &s);
  o->drag_work = 0.0;
  while (p->time < end && p->broken == NULL) {
    if (!play_measured(p, o, purpose, &s)) continue;
    o->drag_work += 2.0 * DRAG * s.kinetic * (p->time - last);
    last = p->time;
    if (p->time >= end - STILL_TIME) fastest = larger(fastest, s.fastest);
  }
  o->loss = start - energy_in_drag(p, &s);
  return fastest;
}

static void play_world(const world *w, outcome *o, int purpose) {
  static player p;
  memset(o, 0, sizeof *o);
  player_make(&p, w, &w->config);
  p.fills_scratch = purpose == REPLAYED;
  if (purpose == SHOWN) print_head(w);
  play_inputs(&p, o, purpose);
  play_rest(&p, o, purpose);
  o->hash[0] = read_hash(p.f.sheet);
  add_drag(&p, (float)DRAG);
  const double end = INPUT_TIME + REST_TIME + DRAG_TIME;
  o->end_speed = o->late_speed = play_drag(&p, o, end, purpose);
  o->hash[1] = read_hash(p.f.sheet);
  o->notes = p.notes;
  if (o->end_speed > STILL_SPEED) o->late_speed = play_drag(&p, o, end + MORE_TIME, purpose);
  o->unbalanced = is_held(w) && purpose != REPLAYED ? unbalanced_share(&p) : 0.0;
  o->broken = p.broken;
  o->broken_time = p.broken_time;
  fixture_free(&p.f);
}

/* The fall of the same world where every substep is solved to the end. */
static double solved_fall(const world *w) {
  static player p;
  cloth_config config = w->config;
  config.iterations = SOLVED_ITERATIONS;
  player_make(&p, w, &config);
  const sums first = measure_sums(&p);
  while (p.time < FALL_TIME && p.broken == NULL)
    play_frame(&p);
  const double fall = first.mass > 0.0 ? first.height - measure_sums(&p).height : (double)NAN;
  fixture_free(&p.f);
  return fall;
}

/* How fast the same world is after DRAG_TIME where every substep is solved to the end. */
static double solved_end_speed(const world *w) {
  static player p;
  outcome o;
  cloth_config config = w->config;
  memset(&o, 0, sizeof o);
  config.iterations = SOLVED_ITERATIONS;
  player_make(&p, w, &config);
  play_inputs(&p, &o, MEASURED);
  play_rest(&p, &o, MEASURED);
  add_drag(&p, (float)DRAG);
  const double speed = play_drag(&p, &o, INPUT_TIME + REST_TIME + DRAG_TIME, MEASURED);
  fixture_free(&p.f);
  return p.broken == NULL ? speed : 0.0;
}

/* Draws, plays and measures a world. */
static void try_world(int seed, int has_bodies, outcome *o, int is_shown) {
  outcome again;
  draw_world(&drawn, seed, has_bodies);
  make_elasticity(&elastics, &drawn);
  play_world(&drawn, o, is_shown ? SHOWN : MEASURED);
  play_world(&drawn, &again, REPLAYED);
  o->is_replayed = o->hash[0] == again.hash[0] && o->hash[1] == again.hash[1] && o->notes == again.notes;
  o->solved_fall = solved_fall(&drawn);
  o->solved_end_speed = o->end_speed > STILL_SPEED ? solved_end_speed(&drawn) : 0.0;
}

/// Verdicts ///

enum { NOT_FINITE, TOO_FAST, INSIDE, RISING, RISING_MUCH, MOVING, SLOW_FALL, UNBALANCED, NOT_REPLAYED, VERDICTS };

/* Does cloth move after DRAG_TIME where solved steps do not, or after all time, and not because it unfolds? */
static int moves_on(const outcome *o) {
  const int unfolds = o->drag_work >= DRAG_SHARE * o->loss && o->drag_work <= o->loss;
  const int is_late = !(o->late_speed <= larger(STILL_SPEED, 0.5 * o->end_speed)) && !unfolds;
  return is_late || (!(o->end_speed <= STILL_SPEED) && !(o->solved_end_speed > STILL_SPEED));
}

/* Rises over the allowance that are gross [1]. */
static double much_of(const world *w) {
  return w->bodies > 0 ? MUCH_WITH_BODIES : MUCH;
}

static int has_failed(const world *w, const outcome *o, int verdict) {
  switch (verdict) {
  case NOT_FINITE:
    return o->broken != NULL;
  case TOO_FAST:
    return !(o->fastest < 0.999 * (double)w->config.integration.max_speed);
  case INSIDE:
    return !(o->deepest <= 1.0);
  case RISING:
    return !(o->rise <= o->allowance);
  case RISING_MUCH:
    return !(o->rise <= much_of(w) * o->allowance);
  case MOVING:
    return moves_on(o);
  case SLOW_FALL:
    return !o->is_touched_early && o->solved_fall >= FALL_NOTICED * w->size &&
           !(o->fall >= FALL_SHARE * o->solved_fall);
  case UNBALANCED:
    return !(o->unbalanced <= 1.0);
  default:
    return !o->is_replayed;
  }
}

/* The largest scaled stiffness k' of a spring in a substep, by which hard worlds are told from easy ones. No substep is
   longer than 1/60 s. */
static double scaled_stiffness(const world *w) {
  const cloth_fabric *f = &w->config.fabric;
  const double h = smaller(w->dt / w->config.substeps, 1.0 / 60.0), u = w->cell_warp, v = w->cell_weft;
  const double warp = (double)f->stretch_warp * v / u, weft = (double)f->stretch_weft * u / v;
  double most = 1.0;
  for (int i = 0; i < world_count(w); i++)
    most = larger(most, (double)w->stiffness_map[i]);
  return h * h * most * larger(larger(warp, weft), (double)f->shear) / ((double)f->density * u * v);
}

static void print_bodies(const world *w) {
  static const char *const kinds[] = {"sphere", "capsule", "tapered", "box", "plane", "cylinder", "hull", "grid"};
  static const char *const motions[] = {"rests",  "drifts", "goes with the pins", "passes",
                                        "shakes", "jumps",  "teleports"};
  for (int n = 0; n < w->bodies; n++) {
    const random_body *b = &w->body[n];
    printf("    %s%s of %.3g m %s at %.3g m/s%s, jumps %.3g m at %.2f s, friction %.2f %.2f%s",
           b->is_floor ? "floor " : "", kinds[b->kind], (double)b->collider.radius, motions[b->motion],
           point_length(b->speed), point_dot(b->spin, b->spin) > 0.0 ? ", turns" : "", point_length(b->way), b->when,
           (double)b->collider.static_friction, (double)b->collider.kinetic_friction, n + 1 < w->bodies ? "\n" : "");
  }
  if (w->bodies > 0) printf("; thickness %.3g m\n", (double)w->config.thickness);
}

static void print_world(const world *w) {
  static const char *const pins[] = {"no pins", "one pin", "two corners", "a row", "the border", "scattered pins"};
  static const char *const motions[] = {"at rest", "straight", "turning", "shaken", "gathered"};
  static const char *const starts[] = {"exact", "noise", "accordion", "crumpled", "squeezed"};
  const cloth_fabric *f = &w->config.fabric;
  const cloth_config_grid *g = &w->config.grid;
  printf("    %d x %d%s, %.3g x %.3g m, density %.3g, stretch %.3g %.3g, shear %.3g, bend %.3g (%.0f cells),",
         world_columns(w), world_rows(w), g->wrap ? " tube" : "", w->cell_warp * world_cells(w),
         w->cell_weft * (world_rows(w) - 1), (double)f->density, (double)f->stretch_warp, (double)f->stretch_weft,
         (double)f->shear, (double)f->bend, (double)g->min_bending_length);
  printf(" compression %.2f %.2f, damping %.2g %.2g %.2g, k' %.3g\n", (double)f->compression,
         (double)f->shear_compression, (double)f->stretch_damping, (double)f->shear_damping, (double)f->bend_damping,
         scaled_stiffness(w));
  const int is_released = memchr(w->pin, PIN_RELEASED, sizeof w->pin) != NULL;
  const int pin_kind = is_released || is_held(w) ? w->pins : PINS_NONE; /* absent particles take no pins */
  printf("    %s%s, %s; start %s%s; dt 1/%.0f%s, %d substeps, drag %.2g;%s%s%s%s%s\n", pins[pin_kind],
         is_released ? (is_held(w) ? " (some released)" : " (released)") : "", motions[w->motion], starts[w->start],
         w->start_speed.x != 0.0 || w->start_speed_noise > 0.0 ? " in motion" : "", 1.0 / w->dt,
         w->dt_changes ? " changing" : "", (int)w->config.substeps, (double)w->config.integration.velocity_damping,
         g->mass_map ? " masses" : "", g->stiffness_map ? " stiffness" : "", g->cell_mask ? " mask" : "",
         w->wind[0].x != 0.0f ? " wind" : "", w->has_gusts ? " gusts" : "");
  print_bodies(w);
}

/* Says why a world has failed; returns whether it has. */
static int print_failures(const world *w, const outcome *o) {
  int failed = 0;
  for (int verdict = 0; verdict < VERDICTS; verdict++)
    failed |= has_failed(w, o, verdict);
  if (!failed) return 0;
  printf("seed %d:", w->seed);
  if (has_failed(w, o, NOT_FINITE)) printf(" %s at %.2f s;", o->broken, o->broken_time);
  if (has_failed(w, o, TOO_FAST)) printf(" %.4g m/s at %.2f s;", o->fastest, o->fastest_time);
  if (has_failed(w, o, INSIDE)) printf(" inside by %.3g thicknesses at %.2f s;", o->deepest, o->deepest_time);
  if (has_failed(w, o, RISING))
    printf(" energy rises by %.3g J, %.2f times the allowance, at %.2f s;", o->rise, o->rise / o->allowance,
           o->rise_time);
  if (has_failed(w, o, MOVING))
    printf(
        " moves at %.3g m/s after %.0f s of drag, solved at %.3g m/s, at %.3g m/s after %.0f s, drag takes %.2f of its "
        "loss;",
        o->end_speed, DRAG_TIME, o->solved_end_speed, o->late_speed, DRAG_TIME + MORE_TIME, o->drag_work / o->loss);
  if (has_failed(w, o, SLOW_FALL)) printf(" falls by %.3g m in place of %.3g m;", o->fall, o->solved_fall);
  if (has_failed(w, o, UNBALANCED)) printf(" hangs by nothing: %.2f times the force that may be left;", o->unbalanced);
  if (has_failed(w, o, NOT_REPLAYED)) printf(" another course the second time;");
  printf("\n");
  print_world(w);
  return 1;
}

/// Report ///

enum { CLASSES = 6 };

typedef struct report {
  int worlds, failed[VERDICTS], unsettled; /* unsettled: moving or floating */
  int by_class[CLASSES][VERDICTS], in_class[CLASSES];
  int rising_late;  /* energy rises later than STOP_TIME */
  int slow_to_rest; /* move after DRAG_TIME, but have not failed */
  int unfolding;    /* of these, that still move after MORE_TIME */
  int above_100;    /* m/s at some time */
  int touched;      /* by a body */
  int between;      /* farther inside than the thickness between two bodies */
  int inside;       /* a body at all */
  int born;         /* in a body, and still in it after REST_TIME */
  double largest_rise, largest_end_speed, fastest, deepest;
} report;

/* By powers of ten of k': below 100, 1000, .. */
static int class_of(const world *w) {
  int class = 0;
  for (double bound = 100.0; class < CLASSES - 1 && scaled_stiffness(w) >= bound; bound *= 10.0)
    class ++;
  return class;
}

static void add_world(report *r, const world *w, const outcome *o) {
  const int class = class_of(w);
  r->worlds++;
  r->in_class[class]++;
  for (int verdict = 0; verdict < VERDICTS; verdict++) {
    r->failed[verdict] += has_failed(w, o, verdict);
    r->by_class[class][verdict] += has_failed(w, o, verdict);
  }
  r->unsettled += has_failed(w, o, MOVING) || has_failed(w, o, SLOW_FALL) || has_failed(w, o, UNBALANCED);
  r->rising_late += !(o->late_rise <= o->allowance);
  r->slow_to_rest += o->end_speed > STILL_SPEED && !has_failed(w, o, MOVING);
  r->unfolding += o->late_speed > larger(STILL_SPEED, 0.5 * o->end_speed) && !has_failed(w, o, MOVING);
  r->touched += o->is_touched;
  r->between += o->between > 1.0;
  r->inside += o->deepest > 0.0;
  r->born += o->born > 0.0;
  r->deepest = larger(r->deepest, o->deepest);
  r->above_100 += o->fastest > 100.0;
  r->fastest = larger(r->fastest, o->fastest);
  r->largest_rise = larger(r->largest_rise, o->rise / o->allowance);
  r->largest_end_speed = larger(r->largest_end_speed, o->end_speed);
}

static void print_classes(const report *r) {
  static const char *const names[] = {"below 100", "below 1e3", "below 1e4", "below 1e5", "below 1e6", "above"};
  printf("\n%-12s %6s %10s %8s %8s %8s %8s %8s %8s %10s\n", "k'", "worlds", "not finite", "too fast", "inside",
         "rising", "much", "moving", "slow", "unbalanced");
  for (int n = 0; n < CLASSES; n++) {
    const int *f = r->by_class[n];
    printf("%-12s %6d %10d %8d %8d %8d %8d %8d %8d %10d\n", names[n], r->in_class[n], f[NOT_FINITE], f[TOO_FAST],
           f[INSIDE], f[RISING], f[RISING_MUCH], f[MOVING], f[SLOW_FALL], f[UNBALANCED]);
  }
  printf("\nlargest rise %.3g times the allowance, fastest %.4g m/s (%d worlds above 100), in the end %.3g m/s\n\n",
         r->largest_rise, r->fastest, r->above_100, r->largest_end_speed);
}

/* A row of the table of goals; `per_thousand` may fail of a thousand worlds, in part of fewer. Returns 1 if missed. */
static int print_goal(const report *r, const char *what, int measured, int per_thousand) {
  const int most = (per_thousand * r->worlds + 999) / 1000;
  printf("%-52s %8d   at most %3d   %s\n", what, measured, most, measured <= most ? "ok" : "missed");
  return measured > most;
}

static int print_goals(const report *r, int has_bodies) {
  int missed = 0;
  printf("%-52s %8s   %-11s\n", "goal", "measured", "goal");
  missed += print_goal(r, "not finite", r->failed[NOT_FINITE], 0);
  missed += print_goal(r, "at max_speed at the end of a frame", r->failed[TOO_FAST], 0);
  if (has_bodies) missed += print_goal(r, "inside a body by more than the thickness", r->failed[INSIDE], 0);
  missed += print_goal(r, "energy rises while inputs rest", r->failed[RISING], has_bodies ? 20 : 5);
  missed +=
      print_goal(r, has_bodies ? "energy rises by 10 times the allowance" : "energy rises by 5 times the allowance",
                 r->failed[RISING_MUCH], 0);
  missed += print_goal(r, "do not come to rest with drag 2, or float", r->unsettled, has_bodies ? 30 : 10);
  missed += print_goal(r, "another hash the second time", r->failed[NOT_REPLAYED], 0);
  printf("\nFor information:\n");
  printf("%-52s %8d\n", "energy rises later than 0.2 s after the inputs", r->rising_late);
  printf("%-52s %8d\n", "move at 0.05 m/s after 6 s of drag, solved as well", r->slow_to_rest);
  printf("%-52s %8d\n", "of these, unfold after 18 s", r->unfolding);
  if (has_bodies) {
    printf("%-52s %8d\n", "touched by a body", r->touched);
    printf("%-52s %8d\n", "inside by more than the thickness between two", r->between);
    printf("%-52s %8d\n", "inside a body at all", r->inside);
    printf("%-52s %8d\n", "born in a body, and still there after 5 s of rest", r->born);
    printf("%-52s %8.3g\n", "deepest besides, in thicknesses", r->deepest);
  }
  return missed > 0;
}

static int run_worlds(int first, int count, int has_bodies) {
  static report r;
  outcome o;
  for (int seed = first; seed < first + count; seed++) {
    try_world(seed, has_bodies, &o, 0);
    add_world(&r, &drawn, &o);
    if (print_failures(&drawn, &o)) fflush(stdout);
  }
  print_classes(&r);
  return print_goals(&r, has_bodies);
}

static int run_one(int seed, int has_bodies, int is_shown) {
  outcome o;
  try_world(seed, has_bodies, &o, is_shown);
  printf("seed %d: fastest %.4g m/s, energy rises by %.3g J of %.3g J at %.2f s, in the end %.3g m/s, falls by %.3g m, "
         "solved %.3g m,\n",
         seed, o.fastest, o.rise, o.allowance, o.rise_time, o.end_speed, o.fall, o.solved_fall);
  printf("    force left %.3g of what may be, notes %d, hashes %016" PRIx64 " %016" PRIx64 "\n", o.unbalanced, o.notes,
         o.hash[0], o.hash[1]);
  print_world(&drawn);
  const int failed = print_failures(&drawn, &o);
  printf("%s\n", failed ? "failed" : "ok");
  return failed;
}

#endif /* RANDOM_VERDICTS_H */
