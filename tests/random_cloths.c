/*
 * A thousand random cloths: sheets and tubes of all sizes, fabrics, pins, maps, masks, winds, frames and starts,
 * without colliders and self-contact; and with `bodies` the same ones with up to three colliders of every convex shape
 * and distance grids, which go, turn, shake and pass at up to 20 m/s, jump, and begin in the cloth. Each moves for 3 s,
 * hangs for 5 s while all inputs rest, and then for 6 s with a velocity_damping of 2 /s, in a second cloth that takes
 * over positions and velocities, as a config cannot change. Each is played twice.
 *
 *     random_cloths [first [count]]            (default 0 1000)
 *     random_cloths bodies ...                 the same of cloths that meet bodies
 *     random_cloths one SEED                   the course of one world, frame by frame
 *     random_cloths --seed SEED [verbose]      the verdict of one world; verbose: after its course
 *     random_cloths energy                     compares the energy used here with what a step and cloth_measure() say
 *
 * Judged, with the limits below:
 *
 * - Finite: no value is not finite, and no particle was put back because its motion was not (CLOTH_NOTE_RECOVERED).
 * - Speed: no particle ends a frame at integration.max_speed, where the step holds what would be faster.
 * - Energy: kinetic, gravity, springs, hinges and twists, in double from positions and velocities. While inputs rest it
 *   rises over the least that it has been by at most 0.01 of the weight of the free cloth times its longer edge, 0.01
 *   of the kinetic energy at the beginning, and what rounding of positions is worth: all stiffness times the square of
 *   a unit in the last place of the largest coordinate. Air that rests only takes energy.
 * - Rest: after the drag no particle is faster than 0.05 m/s in the last quarter second. Soft, wide and light cloth may
 *   need longer by its physics: what still moves has failed if it does not with steps solved to the end. What moves
 *   with these, too, goes on for 12 s with drag, and has failed if it is then faster than that and than half of what it
 *   was. Crumpled cloth may unfold then: what moves because it loses energy, a third of which or more, but not more
 *   than all, goes into the drag, has not failed. Creep loses it without moving, and what is driven moves without
 *   losing it. Cloth that no pin holds loses its weight for this part, as it would fall on.
 * - Floating: what holds cloth up is not an unfinished solve. At 0.5 s the centre of mass of the free particles has
 *   fallen by at least half of what it falls in steps solved to the end, if that is 0.03 of the longer edge or more.
 *   After the drag the forces on all free particles together are at most 0.1 of their weight, and what rounding of
 *   positions is worth in the springs that end at pins.
 * - With bodies: the potential of contact counts as energy, and the goals are other ones. No particle is inside a body
 * by more than the thickness at the end of a frame, or near buried pins by more than where contact begins there; but
 *   between two bodies that face each other, which is counted apart. Bodies stop for good where a thread is stretched
 * to twice its length. Without pins a floor holds the cloth as well. The fall is compared of cloth that nothing has
 *   touched, and friction may bear what hangs by nothing.
 * - Replay: the same hash the second time, with the scratch filled before every step, after 8 and after 14 s.
 *
 * The exit status is 1 if a goal is missed. SPDX-License-Identifier: MIT
 */
#include "random_verdicts.h"

/// The energy itself ///

#define CHECK_FRAME (1.0 / 480.0) /* [s] */
#define CHECK_CELL 0.02           /* smaller cells bend too stiffly for such a frame [m] */

/* How far the energy is from what else is known of it, at the worst of all worlds [1]. */
typedef struct deviations {
  double slope;        /* differences of the energy from its forces */
  double measured;     /* cloth_measure() from the elastic energy */
  double acceleration; /* a step from the forces */
  double lost, gained; /* energy in a free fall, of the kinetic energy */
} deviations;

/* Largest h^2 / m of springs, and of hinges and twists times what neighbouring ones add. */
static double check_stiffness(const world *w, double stretch, double bend) {
  const double u = w->cell_warp, v = w->cell_weft, least = smaller(u, v), wide = larger(u, v);
  const double mass = (double)w->config.fabric.density * u * v / (CHECK_FRAME * CHECK_FRAME);
  const double map = w->config.grid.stiffness_map ? 100.0 : 1.0;
  return map / mass *
         larger(larger(stretch * wide / least, (double)w->config.fabric.shear),
                32.0 * bend * wide / (least * least * least));
}

static void soften_fabric(world *w) {
  cloth_fabric *f = &w->config.fabric;
  while (check_stiffness(w, larger((double)f->stretch_warp, (double)f->stretch_weft), 0.0) > 2e-3) {
    f->stretch_warp *= 0.5f;
    f->stretch_weft *= 0.5f;
    f->shear *= 0.5f;
  }
  while (check_stiffness(w, 0.0, world_rigidity(w)) > 0.02) {
    f->bend *= 0.5f;
    w->config.grid.min_bending_length *= 0.75f;
  }
  f->stretch_damping = f->shear_damping = f->bend_damping = 0.0f;
}

/* Makes a drawn world so soft that a substep of CHECK_FRAME is as good as explicit, and takes out what is no energy. */
static void soften(world *w) {
  soften_fabric(w);
  w->config.integration.velocity_damping = 0.0f;
  w->config.integration.rest_drag = 0.0f;
  w->config.air.density = 0.0f;
  w->config.substeps = 1;
  w->dt = CHECK_FRAME;
  w->dt_changes = 0;
  w->motion = MOTION_NONE;
  w->start = w->start == START_EXACT ? START_NOISE : w->start;
  w->noise = larger(w->noise, 0.1);
  w->start_speed = (point){0.0, 0.0, 0.0};
  w->start_speed_noise = 0.0;
  for (int i = 0; i < world_count(w); i++)
    w->pin[i] = w->pin[i] == PIN_NEVER ? PIN_NEVER : PIN_ALWAYS;
}

/* Moves single particles and compares the change of energy with the forces. */
static double slope_deviation(const player *p, const point *force, random_source *random) {
  static float places[3][MOST_PARTICLES];
  cloth_vector_view x, copy = {places[0], places[1], places[2], 0};
  double worst = 0.0, scale = 1e-30;
  cloth_get_positions(p->f.sheet, &x);
  for (int i = 0; i < p->f.count; i++) {
    places[0][i] = x.x[i];
    places[1][i] = x.y[i];
    places[2][i] = x.z[i];
    scale = larger(scale, point_length(force[i]));
  }
  for (int n = 0; n < 12; n++) {
    const int i = random_int(random, 0, p->f.count - 1), axis = n % 3;
    const float here = places[axis][i], step = (float)(smaller(p->w->cell_warp, p->w->cell_weft) / 1024.0);
    const float after = here + step, before = here - step;
    places[axis][i] = after;
    const double high = elastic_energy(&elastics, &copy, NULL);
    places[axis][i] = before;
    const double low = elastic_energy(&elastics, &copy, NULL), way = (double)after - (double)before;
    places[axis][i] = here;
    const double known = axis == 0 ? force[i].x : axis == 1 ? force[i].y : force[i].z;
    worst = larger(worst, fabs(known + (high - low) / way) / scale);
  }
  return worst;
}

/* Makes a step from rest; the root mean square of what it lacks of force over mass, over that of the latter. */
static double acceleration_deviation(player *p, const point *force) {
  double wrong = 0.0, all = 1e-30;
  play_frame(p);
  for (int i = 0; i < p->f.count; i++) {
    if (!is_free(p, i)) continue;
    point expected = point_scaled(force[i], 1.0 / elastics.mass[i]);
    expected.y -= WEIGHT_PER_MASS;
    const point is = point_scaled(velocity_of(p->f.sheet, i), 1.0 / CHECK_FRAME);
    wrong += point_dot(point_difference(is, expected), point_difference(is, expected));
    all += point_dot(expected, expected);
  }
  return sqrt(wrong / all);
}

/* Energy gained in half a second of a fall, of the kinetic energy reached. */
static double fall_gain(player *p) {
  const sums first = measure_sums(p);
  const double start = energy_of(p, &first);
  while (p->time < 0.5)
    play_frame(p);
  const sums last = measure_sums(p);
  return (energy_of(p, &last) - start) / (last.kinetic + 1e-30);
}

static void compare_world(world *w, deviations *d) {
  static player p;
  static point force[MOST_PARTICLES];
  random_source random = {(uint64_t)w->seed};
  cloth_vector_view x;
  cloth_measures measures;
  soften(w);
  make_elasticity(&elastics, w);
  player_make(&p, w, &w->config);
  cloth_set_gusts(p.f.sheet, NULL);
  cloth_get_positions(p.f.sheet, &x);
  cloth_measure(p.f.sheet, &measures);
  memset(force, 0, sizeof force);
  const double elastic_part = elastic_energy(&elastics, &x, force);
  d->slope = slope_deviation(&p, force, &random);
  d->measured = fabs((double)measures.elastic_energy - elastic_part) / (elastic_part + 1e-30);
  d->acceleration = acceleration_deviation(&p, force);
  d->gained = is_held(w) ? 0.0 : fall_gain(&p);
  d->lost = -d->gained;
  fixture_free(&p.f);
}

static int compare_energies(int is_told) {
  deviations worst = {0.0, 0.0, 0.0, 0.0, 0.0}, d;
  int worlds = 0;
  for (int seed = 0; seed < 400; seed++) {
    draw_world(&drawn, seed, 0);
    if (smaller(drawn.cell_warp, drawn.cell_weft) < CHECK_CELL) continue;
    compare_world(&drawn, &d);
    if (is_told) {
      printf("seed %d: slope %.2g, measured %.2g, acceleration %.2g, lost %.2g\n", seed, d.slope, d.measured,
             d.acceleration, d.lost);
      print_world(&drawn);
    }
    worst.slope = larger(worst.slope, d.slope);
    worst.measured = larger(worst.measured, d.measured);
    worst.acceleration = larger(worst.acceleration, d.acceleration);
    worst.lost = larger(worst.lost, d.lost);
    worst.gained = larger(worst.gained, d.gained);
    worlds++;
  }
  printf(
      "%d worlds; largest deviations: slope %.2g, measured %.2g, acceleration %.2g; in a fall lost %.2g, gained %.2g\n",
      worlds, worst.slope, worst.measured, worst.acceleration, worst.lost, worst.gained);
  return !(worst.slope < 1e-3 && worst.measured < 1e-3 && worst.acceleration < 0.05 && worst.lost < 0.25 &&
           worst.gained < 1e-3);
}

/// Program ///

int main(int count, char **arguments) {
  const int has_bodies = count > 1 && strcmp(arguments[1], "bodies") == 0;
  char **rest = arguments + has_bodies;
  count -= has_bodies;
  const char *word = count > 1 ? rest[1] : "";
  const int seed = count > 2 ? atoi(rest[2]) : 0;
  int missed = 1;
  if (strcmp(word, "energy") == 0)
    missed = compare_energies(count > 2);
  else if (strcmp(word, "one") == 0 && count > 2)
    missed = run_one(seed, has_bodies, 1);
  else if (strcmp(word, "--seed") == 0 && count > 2)
    missed = run_one(seed, has_bodies, count > 3 && strcmp(rest[3], "verbose") == 0);
  else if (word[0] == '\0' || (word[0] >= '0' && word[0] <= '9'))
    missed = run_worlds(atoi(count > 1 ? word : "0"), count > 2 ? seed : 1000, has_bodies);
  else
    printf("random_cloths [bodies] [first [count]] | one SEED | --seed SEED [verbose] | energy [all]\n");
  CHECK(!missed, "a goal is missed");
  return check_report();
}
