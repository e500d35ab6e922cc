/* Random cloths, and bodies that they meet where a world is to have some. A world follows from its seed alone, by
   integer hashes and + - * /, so that it is the same on every machine. Include after support.h.
   SPDX-License-Identifier: MIT */
#ifndef RANDOM_CLOTHS_H
#define RANDOM_CLOTHS_H

#include "random_bodies.h"
#include "random_numbers.h"
#include "support.h"

enum { LEAST_SIDE = 4, MOST_SIDE = 40, MOST_PARTICLES = MOST_SIDE * MOST_SIDE };

#define WEIGHT_PER_MASS 9.81 /* gravity of all worlds [m/s^2] */
#define INPUT_TIME 3.0       /* pins move, wind blows and pins are released until then [s] */
#define START_SPEED 60.0     /* a start is not so strained that its release would be faster [m/s] */

#define MOST_STRETCH 1.0 /* of a thread at which bodies stop for good: cloth has torn by then [1] */

enum { PINS_NONE, PINS_ONE, PINS_CORNERS, PINS_ROW, PINS_BORDER, PINS_SCATTERED };
enum { MOTION_NONE, MOTION_STRAIGHT, MOTION_TURN, MOTION_SHAKE, MOTION_GATHER };
enum { START_EXACT, START_NOISE, START_ACCORDION, START_CRUMPLED, START_SQUEEZED };
enum { PIN_NEVER, PIN_ALWAYS, PIN_RELEASED };

typedef struct world {
  cloth_config config; /* its maps are those below */
  int seed, pins, motion, start;
  double dt; /* of a frame, or where dt_changes of the first of them [s] */
  int dt_changes;
  double release_time;  /* of pins that are PIN_RELEASED [s] */
  point speed[3];       /* of pins in each of the first three seconds [m/s] */
  point spin;           /* of pins about their middle [rad/s] */
  point shake;          /* largest displacement of pins that shake [m] */
  double shake_period;  /* [s] */
  double gather;        /* size of the group of pins at the end over that at the start [1] */
  cloth_vector wind[3]; /* in each of the first three seconds [m/s] */
  cloth_gusts gusts;
  int has_gusts;
  double noise;                /* largest displacement of a start position along an axis, in cells [1] */
  double fold;                 /* tangent of half the angle between a folded strip and the level [1] */
  double squeeze;              /* length of a squeezed start over that at rest [1] */
  point start_speed;           /* [m/s] */
  double start_speed_noise;    /* largest along an axis [m/s] */
  double cell_warp, cell_weft; /* sides of a cell [m] */
  double size;                 /* longer edge [m] */
  uint8_t present[MOST_PARTICLES], pin[MOST_PARTICLES];
  uint8_t cells[MOST_PARTICLES]; /* grid.cell_mask, also where there is none */
  float mass_map[MOST_PARTICLES], stiffness_map[MOST_PARTICLES];
  int bodies;
  random_body body[MOST_BODIES];
} world;

static int world_columns(const world *w) {
  return (int)w->config.columns;
}

static int world_rows(const world *w) {
  return (int)w->config.rows;
}

static int world_count(const world *w) {
  return world_columns(w) * world_rows(w);
}

/* Cells in a row. */
static int world_cells(const world *w) {
  return world_columns(w) - (w->config.grid.wrap ? 0 : 1);
}

/// Drawing: grid and fabric ///

static int random_side(random_source *random) {
  const double share = random_real(random, 0.0, 1.0);
  return LEAST_SIDE + (int)((MOST_SIDE + 1 - LEAST_SIDE) * share * share * 0.9999);
}

/* Level, upright, or tilted; a tube has its axis along the weft. */
static void draw_grid(world *w, random_source *random) {
  cloth_config *config = &w->config;
  config->grid.wrap = chance(random, 15);
  config->columns = random_side(random);
  config->rows = random_side(random);
  if (config->grid.wrap && config->columns < 6) config->columns = 6;
  double warp = random_log(random, 0.1, 5.0);
  double weft = larger(0.1, smaller(5.0, warp * random_log(random, 0.25, 4.0)));
  point along_warp = {1.0, 0.0, 0.0}, along_weft = {0.0, 0.0, 1.0};
  const int kind = random_int(random, 0, 3);
  if (kind == 1 || kind == 2) along_weft = (point){0.0, -1.0, 0.0};
  if (kind == 3) {
    const point tilt = random_point(random, 1.0);
    along_warp = turned(along_warp, tilt);
    along_weft = turned(along_weft, tilt);
  }
  config->origin = vector_of(random_point(random, 1.0));
  config->edge_warp = vector_of(point_scaled(along_warp, warp));
  config->edge_weft = vector_of(point_scaled(along_weft, weft));
  config->grid.seed = (uint32_t)w->seed;
  w->cell_warp = warp / world_cells(w);
  w->cell_weft = weft / (config->rows - 1);
  w->size = larger(warp, weft);
}

/* Springs come to rest within a fiftieth of a second whatever damps them: slower creep would be no fault of a step. */
static double random_damping(random_source *random, double stiffness, double usual) {
  const double most = 0.02 * stiffness, drawn = smaller(10.0, stiffness * random_log(random, 1e-5, 0.02));
  const int kind = random_int(random, 1, 10);
  return kind == 1 ? 0.0 : kind <= 6 ? smaller(usual, most) : drawn;
}

static void draw_fabric(world *w, random_source *random) {
  cloth_fabric *f = &w->config.fabric;
  f->density = (float)random_log(random, 0.02, 2.0);
  const double warp = random_log(random, 10.0, 1e6), other = random_log(random, 10.0, 1e6);
  const double weft = chance(random, 60) ? warp : other;
  double shear = random_log(random, 0.1, 1e5);
  shear = chance(random, 50) ? smaller(1e5, warp * random_log(random, 0.01, 1.0)) : shear;
  shear = chance(random, 8) ? 0.0 : shear;
  const double bend = random_log(random, 1e-8, 1e-2);
  f->stretch_warp = (float)warp;
  f->stretch_weft = (float)weft;
  f->shear = (float)shear;
  f->bend = chance(random, 10) ? 0.0f : (float)bend;
  f->stretch_damping = (float)random_damping(random, smaller(warp, weft), 0.05);
  f->shear_damping = (float)random_damping(random, shear, 0.05);
  const double compression = random_real(random, -0.2, 1.0), across = random_real(random, -0.2, 1.0);
  f->compression = chance(random, 25) ? (float)larger(0.0, compression) : 1.0f;
  f->shear_compression = chance(random, 25) ? (float)larger(0.0, across) : 1.0f;
  const double time = random_log(random, 1e-4, 0.05);
  f->bend_damping = chance(random, 70) ? f->bend_damping : chance(random, 30) ? 0.0f : (float)time;
  w->config.grid.min_bending_length = chance(random, 85) ? 1.0f : (float)random_int(random, 0, 2);
}

/// Drawing: maps and masks ///

/* A map of factors from 1 to `most`: scattered, rising from row to row, or a heavy border row. */
static void draw_map(const world *w, random_source *random, double most, float *map) {
  const int kind = random_int(random, 0, 2), columns = world_columns(w), rows = world_rows(w);
  const double top = random_log(random, 2.0, most);
  for (int i = 0; i < world_count(w); i++) {
    const int row = i / columns, hit = chance(random, 10);
    const double scattered = hit ? random_log(random, 1.0, top) : 1.0;
    const double rising = 1.0 + (top - 1.0) * row / (rows - 1), hem = row == rows - 1 ? top : 1.0;
    map[i] = (float)(kind == 0 ? scattered : kind == 1 ? rising : hem);
  }
}

static int is_cell_here(const world *w, int column, int row) {
  const int cells = world_cells(w);
  if (w->config.grid.wrap) column = (column + cells) % cells;
  return column >= 0 && column < cells && row >= 0 && row < world_rows(w) - 1 && w->cells[row * cells + column];
}

/* Gives the cells that hang together with one the mark; returns how many they are. */
static int mark_piece(const world *w, int first, uint8_t mark, uint8_t *marks) {
  static int stack[MOST_PARTICLES];
  const int cells = world_cells(w);
  int depth = 0, found = 0;
  marks[first] = mark;
  stack[depth++] = first;
  while (depth > 0) {
    const int cell = stack[--depth];
    found++;
    for (int side = 0; side < 4; side++) {
      const int row = cell / cells + (side == 2) - (side == 3);
      int column = cell % cells + (side == 0) - (side == 1);
      if (!is_cell_here(w, column, row)) continue;
      column = (column + cells) % cells;
      if (!marks[row * cells + column]) {
        marks[row * cells + column] = mark;
        stack[depth++] = row * cells + column;
      }
    }
  }
  return found;
}

/* Leaves of the cells only the largest piece, so that nothing unheld falls away. */
static void keep_largest_piece(world *w) {
  static uint8_t marks[MOST_PARTICLES];
  const int count = world_cells(w) * (world_rows(w) - 1);
  int best = -1, most = 0;
  memset(marks, 0, sizeof marks);
  for (int i = 0; i < count; i++) {
    const int found = w->cells[i] && !marks[i] ? mark_piece(w, i, 1, marks) : 0;
    if (found > most) {
      most = found;
      best = i;
    }
  }
  memset(marks, 0, sizeof marks);
  mark_piece(w, best, 1, marks);
  memcpy(w->cells, marks, (size_t)count);
}

/* A round cloth, one with a hole, or one that lacks cells here and there. */
static void draw_mask(world *w, random_source *random) {
  const int kind = random_int(random, 0, 2), cells = world_cells(w), rows = world_rows(w) - 1;
  for (int i = 0; i < cells * rows; i++) {
    const double x = (2.0 * (i % cells) + 1.0) / cells - 1.0, y = (2.0 * (i / cells) + 1.0) / rows - 1.0;
    const double away = x * x + y * y;
    const int whole = chance(random, 88);
    w->cells[i] = (uint8_t)(kind == 0 ? away < 1.0 : kind == 1 ? away > 0.2 : whole);
  }
  w->cells[cells * (rows / 2)] = 1; /* at least one */
  keep_largest_piece(w);
}

static void draw_maps(world *w, random_source *random) {
  const int has_masses = chance(random, 30), has_stiffness = chance(random, 30);
  const int columns = world_columns(w), has_mask = chance(random, 15);
  memset(w->cells, 1, sizeof w->cells);
  memset(w->present, 0, sizeof w->present);
  for (int i = 0; i < MOST_PARTICLES; i++)
    w->mass_map[i] = w->stiffness_map[i] = 1.0f;
  if (has_masses) draw_map(w, random, 50.0, w->mass_map);
  if (has_stiffness) draw_map(w, random, 100.0, w->stiffness_map);
  if (has_mask) draw_mask(w, random);
  for (int i = 0; i < world_count(w); i++) {
    const int column = i % columns, row = i / columns;
    w->present[i] = (uint8_t)(is_cell_here(w, column, row) || is_cell_here(w, column - 1, row) ||
                              is_cell_here(w, column, row - 1) || is_cell_here(w, column - 1, row - 1));
  }
  w->config.grid.mass_map = has_masses ? w->mass_map : NULL;
  w->config.grid.stiffness_map = has_stiffness ? w->stiffness_map : NULL;
  w->config.grid.cell_mask = has_mask ? w->cells : NULL;
}

static void scale_edges(world *w, double factor) {
  w->config.edge_warp = vector_of(point_scaled(point_of(w->config.edge_warp), factor));
  w->config.edge_weft = vector_of(point_scaled(point_of(w->config.edge_weft), factor));
  w->cell_warp *= factor;
  w->cell_weft *= factor;
  w->size *= factor;
}

/* Makes cloth lighter, then smaller, until its weight strains it by less than 100 % where it hangs by a whole side:
   what is softer swings for longer than a world lasts. */
static void bound_weight(world *w) {
  cloth_fabric *f = &w->config.fabric;
  double mean = 0.0;
  for (int i = 0; i < world_count(w); i++)
    mean += (double)w->mass_map[i] / world_count(w);
  const double least = smaller((double)f->stretch_warp, (double)f->stretch_weft);
  while (mean * (double)f->density * WEIGHT_PER_MASS * w->size > least) {
    if (f->density > 0.04f)
      f->density *= 0.5f;
    else
      scale_edges(w, 0.5);
  }
}

/// Drawing: pins and their motion ///

static int is_in_pins(const world *w, random_source *random, int i, int chosen) {
  const int columns = world_columns(w), rows = world_rows(w), column = i % columns, row = i / columns;
  const int drawn = chance(random, 6), is_end = row == 0 || row == rows - 1;
  switch (w->pins) {
  case PINS_NONE:
    return 0;
  case PINS_ONE:
    return i == chosen;
  case PINS_CORNERS:
    return row == 0 && (column == 0 || column == (w->config.grid.wrap ? columns / 2 : columns - 1));
  case PINS_ROW:
    return row == 0;
  case PINS_BORDER:
    return is_end || (!w->config.grid.wrap && (column == 0 || column == columns - 1));
  default:
    return drawn;
  }
}

static void draw_pins(world *w, random_source *random) {
  static const int kinds[] = {PINS_NONE, PINS_ONE, PINS_CORNERS, PINS_CORNERS, PINS_ROW,       PINS_ROW,
                              PINS_ROW,  PINS_ONE, PINS_BORDER,  PINS_BORDER,  PINS_SCATTERED, PINS_SCATTERED};
  w->pins = kinds[random_int(random, 0, 11)];
  const int at_corner = chance(random, 50), anywhere = random_int(random, 0, world_count(w) - 1);
  const int is_released = chance(random, 15), is_whole = chance(random, 50);
  w->release_time = random_real(random, 0.6, 2.7);
  for (int i = 0; i < world_count(w); i++) {
    const int is_pin = is_in_pins(w, random, i, at_corner ? 0 : anywhere) && w->present[i];
    const int goes = is_released && (is_whole || i % 2);
    w->pin[i] = (uint8_t)(!is_pin ? PIN_NEVER : goes ? PIN_RELEASED : PIN_ALWAYS);
  }
}

static void draw_motion(world *w, random_source *random) {
  static const int kinds[] = {MOTION_NONE, MOTION_NONE, MOTION_STRAIGHT, MOTION_STRAIGHT,
                              MOTION_TURN, MOTION_TURN, MOTION_SHAKE,    MOTION_GATHER};
  w->motion = w->pins == PINS_NONE ? MOTION_NONE : kinds[random_int(random, 0, 7)];
  for (int n = 0; n < 3; n++)
    w->speed[n] = random_point(random, 1.5);
  w->spin = random_point(random, 2.0);
  w->shake_period = random_real(random, 0.15, 1.0);
  w->shake = random_point(random, smaller(0.2 * w->size, w->shake_period));
  w->gather = random_real(random, 0.4, 1.05);
}

static void draw_air(world *w, random_source *random) {
  const int has_wind = chance(random, 45);
  const double most = random_log(random, 0.5, 10.0);
  for (int n = 0; n < 3; n++) {
    const point wind = random_point(random, has_wind ? most : 0.0);
    w->wind[n] = vector_of(wind);
  }
  w->has_gusts = has_wind && chance(random, 50);
  const point strength = random_point(random, 0.5 * most);
  w->gusts.strength =
      vector_at(strength.x * (strength.x < 0.0 ? -1.0 : 1.0), strength.y * (strength.y < 0.0 ? -1.0 : 1.0),
                strength.z * (strength.z < 0.0 ? -1.0 : 1.0));
  w->gusts.period = (float)random_real(random, 0.1, 1.0);
  w->gusts.start = 0.0f;
  w->gusts.seed = (uint32_t)w->seed;
  const double drag = random_real(random, 0.0, 1.0), lift = random_real(random, 0.0, 1.0);
  w->config.air.density = chance(random, 90) ? 1.2f : 0.0f;
  w->config.air.drag = chance(random, 20) ? (float)drag : 0.0f;
  w->config.air.lift = chance(random, 10) ? (float)lift : 0.0f;
}

/// Drawing: start and time ///

static void draw_time(world *w, random_source *random) {
  static const int rates[] = {240, 120, 90, 60, 50, 30, 20, 15, 10}, substeps[] = {1, 3, 4, 8};
  const int rate = rates[random_int(random, 0, 8)], other = substeps[random_int(random, 0, 3)];
  w->dt = 1.0 / (chance(random, 55) ? 60 : rate);
  w->dt_changes = chance(random, 25);
  w->config.substeps = chance(random, 60) ? 2 : other;
  const double damping = random_log(random, 0.01, 1.0);
  const int kind = random_int(random, 1, 10);
  w->config.integration.velocity_damping = kind <= 6 ? 0.1f : kind <= 8 ? 0.0f : (float)damping;
}

/* Strain that springs over a length release at less than START_SPEED, by the speed of waves or by what a substep can
   move. */
static double bounded_strain(const world *w, double strain, double length) {
  const cloth_fabric *f = &w->config.fabric;
  const double stiffness = larger(larger((double)f->stretch_warp, (double)f->stretch_weft), (double)f->shear);
  const double wave = (w->config.grid.stiffness_map ? 100.0 : 1.0) * stiffness / (double)f->density;
  const double travel = length * w->config.substeps / (w->dt_changes ? 1.0 / 240.0 : w->dt);
  const double most = START_SPEED;
  while (strain * strain * wave > most * most && strain * travel > most)
    strain *= 0.5;
  return strain;
}

static void draw_start(world *w, random_source *random) {
  static const int kinds[] = {START_EXACT, START_EXACT,     START_EXACT,    START_EXACT,
                              START_NOISE, START_ACCORDION, START_CRUMPLED, START_SQUEEZED};
  w->start = kinds[random_int(random, 0, 7)];
  const double cell = smaller(w->cell_warp, w->cell_weft);
  const double noise = random_real(random, 0.02, 0.3), squeeze = random_real(random, 0.7, 0.98);
  w->noise = w->start == START_EXACT ? 0.0 : bounded_strain(w, w->start == START_NOISE ? noise : 0.05, cell);
  w->squeeze = w->start == START_SQUEEZED ? 1.0 - bounded_strain(w, 1.0 - squeeze, w->size) : 1.0;
  w->fold = random_real(random, 0.1, 0.6);
  if (w->start == START_CRUMPLED) w->fold = bounded_strain(w, w->fold, w->size);
  const int moves = chance(random, 25);
  w->start_speed = random_point(random, moves ? 2.0 : 0.0);
  w->start_speed_noise = chance(random, 25) ? random_real(random, 0.0, 1.0) : 0.0;
}

/* Some particle of a sheet, in the plane in which it begins. */
static point random_place(const world *w, random_source *random) {
  const double u = random_real(random, 0.0, 1.0), v = random_real(random, 0.0, 1.0);
  return point_sum(point_of(w->config.origin), point_sum(point_scaled(point_of(w->config.edge_warp), u),
                                                         point_scaled(point_of(w->config.edge_weft), v)));
}

/* Up to three bodies; the cloth is what it is without them. */
static void draw_bodies(world *w) {
  random_source random = {(uint64_t)w->seed + UINT64_C(0x3c6ef372fe94f82b)};
  double down = smaller(0.0, (double)w->config.edge_warp.y) + smaller(0.0, (double)w->config.edge_weft.y);
  double gone = 0.0, deepest = 0.0; /* pins do not go into the floor */
  for (int n = 0; n < 3; n++) {
    gone += w->speed[n].y * (w->motion == MOTION_STRAIGHT ? 1.0 : w->motion == MOTION_NONE ? 0.0 : 0.5);
    deepest = smaller(deepest, gone);
  }
  down += deepest;
  w->bodies = random_int(&random, 1, MOST_BODIES);
  for (int n = 0; n < w->bodies; n++) {
    const point at = random_place(w, &random);
    draw_body(&w->body[n], &random, w->size, at, (double)w->config.origin.y + down, n == 0);
    w->config.capacity.geometry |= w->body[n].kind == BODY_HULL || w->body[n].kind == BODY_GRID;
  }
  const double thickness = random_log(&random, 0.002, 0.03);
  w->config.thickness = chance(&random, 60) ? 0.01f : (float)thickness;
  w->config.max_colliders = w->bodies;
}

static void free_bodies(world *w) {
  for (int n = 0; n < w->bodies; n++)
    free_body(&w->body[n]);
  w->bodies = 0;
}

static void draw_world(world *w, int seed, int has_bodies) {
  random_source seeds = {(uint64_t)seed}, random = {random_bits(&seeds)};
  free_bodies(w);
  memset(w, 0, sizeof *w);
  w->seed = seed;
  w->config = cloth_config_default();
  w->config.max_colliders = 0;
  w->config.tethers.count = 0; /* their energy is not known here */
  w->config.integration.bdf2_blend = 0.0f;
  draw_grid(w, &random);
  draw_fabric(w, &random);
  draw_maps(w, &random);
  bound_weight(w);
  draw_pins(w, &random);
  draw_motion(w, &random);
  draw_air(w, &random);
  draw_time(w, &random);
  draw_start(w, &random);
  if (has_bodies) draw_bodies(w);
}

/* Length of a frame [s]. */
static float frame_time(const world *w, int frame) {
  static const double factors[] = {0.5, 0.7, 1.0, 1.0, 1.5, 2.0};
  random_source random = {((uint64_t)w->seed << 32) + (uint64_t)frame};
  const double factor = factors[random_int(&random, 0, 5)];
  return (float)(w->dt_changes ? larger(1.0 / 240.0, smaller(0.1, w->dt * factor)) : w->dt);
}

/// Playing ///

/* A world being played. */
typedef struct player {
  const world *w;
  cloth_config config;
  fixture f;
  double time, frame_start; /* frame_start: of the last frame */
  int frame;
  point start[MOST_PARTICLES]; /* where pins are at the beginning */
  point middle, shift;         /* middle of the pins, and how far it has moved */
  point turn[3];               /* axes of the group of pins */
  point straight;              /* how far pins that go straight have gone */
  body_state body[MOST_BODIES];
  int has_stopped;                              /* the bodies have, as the cloth would be torn */
  uint8_t is_born[MOST_BODIES][MOST_PARTICLES]; /* inside a body, and has not come out yet */
  int notes;                                    /* of all steps */
  const char *broken;                           /* NULL, or what was not as it must be */
  double broken_time;
  int fills_scratch; /* 1: with 0xA5 before every step, which reads nothing that lies there */
} player;

static int is_pin(const player *p, int i) {
  return p->w->pin[i] == PIN_ALWAYS || (p->w->pin[i] == PIN_RELEASED && p->time < p->w->release_time);
}

static int is_free(const player *p, int i) {
  return p->w->present[i] && !is_pin(p, i);
}

/* Has it been free in the last frame? */
static int was_free(const player *p, int i) {
  return is_free(p, i) && (p->w->pin[i] == PIN_NEVER || p->frame_start >= p->w->release_time);
}

/* Does a pin hold the cloth once the inputs rest? */
static int is_pinned(const world *w) {
  return memchr(w->pin, PIN_ALWAYS, (size_t)world_count(w)) != NULL;
}

/* Does a pin or a floor? */
static int is_held(const world *w) {
  return is_pinned(w) || (w->bodies > 0 && w->body[0].is_floor);
}

/* Position of a particle in a start that is folded, crumpled or squeezed along the weft. */
static point start_position(const player *p, int i, random_source *random) {
  const world *w = p->w;
  const int columns = world_columns(w), row = i / columns, column = i % columns;
  const int is_folded = w->start == START_ACCORDION || w->start == START_CRUMPLED;
  const double t = is_folded ? w->fold : 0.0, shrink = (1.0 - t * t) / (1.0 + t * t) * w->squeeze;
  const double cell = w->start == START_ACCORDION ? w->cell_weft : smaller(w->cell_warp, w->cell_weft);
  const int side = w->start == START_ACCORDION ? row % 2 : (row + column) % 2;
  const point weft = point_of(w->config.edge_weft), warp = point_of(w->config.edge_warp);
  point at = position_of(p->f.sheet, i);
  cloth_vector normal = {0.0f, 0.0f, 0.0f};
  cloth_get_normal(p->f.sheet, i, &normal);
  at = point_sum(at, point_scaled(weft, (shrink - 1.0) * row / (world_rows(w) - 1)));
  if (w->start == START_CRUMPLED && !w->config.grid.wrap)
    at = point_sum(at, point_scaled(warp, (shrink - 1.0) * column / (columns - 1)));
  at = point_sum(at, point_scaled(point_of(normal), (side ? 0.5 : -0.5) * cell * 2.0 * t / (1.0 + t * t)));
  return point_sum(at, random_point(random, w->noise * smaller(w->cell_warp, w->cell_weft)));
}

static void put_start(player *p) {
  static point places[MOST_PARTICLES];
  const world *w = p->w;
  random_source random = {(uint64_t)w->seed + UINT64_C(0x6a09e667f3bcc908)};
  for (int i = 0; i < p->f.count; i++)
    places[i] = start_position(p, i, &random);
  for (int i = 0; i < p->f.count; i++) {
    const point speed = point_sum(w->start_speed, random_point(&random, w->start_speed_noise));
    if (w->present[i])
      cloth_set_particle(p->f.sheet, i,
                         w->start == START_EXACT ? vector_of(position_of(p->f.sheet, i)) : vector_of(places[i]),
                         vector_of(speed));
  }
}

static void pin_all(player *p) {
  int pins = 0;
  p->middle = (point){0.0, 0.0, 0.0};
  for (int i = 0; i < p->f.count; i++) {
    p->start[i] = position_of(p->f.sheet, i);
    if (!is_pin(p, i)) continue;
    cloth_set_particle(p->f.sheet, i, vector_of(p->start[i]), (cloth_vector){0.0f, 0.0f, 0.0f});
    cloth_pin(p->f.sheet, i);
    p->middle = point_sum(p->middle, p->start[i]);
    pins++;
  }
  if (pins > 0) p->middle = point_scaled(p->middle, 1.0 / pins);
}

static const cloth_geometry *geometry_of_body(const random_body *b) {
  return b->geometry.geometry;
}

static cloth_collider collider_at(const player *p, int n) {
  const random_body *b = &p->w->body[n];
  cloth_collider c = b->collider;
  if (geometry_of_body(b) != NULL) cloth_collider_set_geometry(&c, geometry_of_body(b), n);
  c.pose = p->body[n].pose;
  return c;
}

static void add_bodies(player *p) {
  for (int n = 0; n < p->w->bodies; n++) {
    const cloth_collider c = collider_at(p, n);
    const int result = cloth_add_collider(p->f.sheet, &c);
    CHECK(result == n, "cloth_add_collider: %s", cloth_result_name(result));
  }
}

static void player_make(player *p, const world *w, const cloth_config *config) {
  memset(p, 0, sizeof *p);
  p->w = w;
  p->config = *config;
  p->f = fixture_make(config);
  p->turn[0].x = p->turn[1].y = p->turn[2].z = 1.0;
  put_start(p);
  pin_all(p);
  for (int n = 0; n < w->bodies; n++)
    p->body[n].pose = w->body[n].collider.pose;
  memset(p->is_born, 1, sizeof p->is_born);
  add_bodies(p);
  if (w->has_gusts) cloth_set_gusts(p->f.sheet, &w->gusts);
}

/* Where a pin is to be at a time, with the group's turn and shift at it. */
static point pin_target(const player *p, int i, double time) {
  const world *w = p->w;
  const double size = w->motion == MOTION_GATHER ? 1.0 + (w->gather - 1.0) * time / INPUT_TIME : 1.0;
  const point arm = point_difference(p->start[i], p->middle);
  point at = point_sum(point_scaled(p->turn[0], size * arm.x), point_scaled(p->turn[1], size * arm.y));
  at = point_sum(at, point_scaled(p->turn[2], size * arm.z));
  if (w->motion == MOTION_SHAKE) {
    const double phase = time / w->shake_period, part = phase - (double)(int)phase;
    at = point_sum(at, point_scaled(w->shake, part < 0.5 ? 4.0 * part - 1.0 : 3.0 - 4.0 * part));
    at = point_sum(at, w->shake); /* they begin where they are */
  }
  return point_sum(point_sum(p->middle, p->shift), at);
}

/* Moves the pins for a frame of dt that begins at p->time. Straight motion is by velocities, other by targets. */
static void move_pins(player *p, double dt) {
  const world *w = p->w;
  const double end = smaller(p->time + dt, INPUT_TIME), time = end - p->time;
  const point speed = w->speed[(int)smaller(p->time, 2.0)];
  if (w->motion == MOTION_TURN || w->motion == MOTION_GATHER) {
    for (int k = 0; k < 3; k++)
      p->turn[k] = turned(p->turn[k], point_scaled(w->spin, 0.5 * time));
    p->shift = point_sum(p->shift, point_scaled(speed, 0.5 * time));
  }
  for (int i = 0; i < p->f.count; i++) {
    if (!is_pin(p, i)) continue;
    if (w->motion == MOTION_STRAIGHT)
      cloth_set_pin_velocity(p->f.sheet, i, vector_of(speed));
    else
      cloth_move_pin(p->f.sheet, i, vector_of(pin_target(p, i, end)));
  }
}

/* Moves the bodies for a frame of dt that begins at p->time, as long as they do not tear the cloth off its pins. */
static void move_bodies(player *p, double dt) {
  const world *w = p->w;
  const double end = smaller(p->time + dt, INPUT_TIME);
  cloth_measures measures;
  memset(&measures, 0, sizeof measures);
  cloth_measure(p->f.sheet, &measures);
  p->has_stopped |= (double)measures.max_stretch > MOST_STRETCH;
  if (p->has_stopped) return;
  if (w->motion == MOTION_STRAIGHT)
    p->straight = point_sum(p->straight, point_scaled(w->speed[(int)smaller(p->time, 2.0)], end - p->time));
  for (int n = 0; n < w->bodies; n++) {
    const random_body *b = &w->body[n];
    const int teleports = b->motion == BODY_TELEPORTS && p->time < b->when && end >= b->when;
    const cloth_pose before = p->body[n].pose;
    p->body[n].pose.position = vector_of(body_position(b, end, p->straight));
    p->body[n].pose.rotation = spun(before.rotation, b->spin, end - p->time);
    const cloth_collider c = collider_at(p, n);
    if (teleports) {
      cloth_set_collider(p->f.sheet, n, &c);
      memset(p->is_born[n], 1, sizeof p->is_born[n]);
    }
    if (!teleports && memcmp(&before, &p->body[n].pose, sizeof before) != 0)
      cloth_move_collider(p->f.sheet, n, NULL, &p->body[n].pose);
  }
}

static void release_pins(player *p, double before) {
  const double time = p->w->release_time;
  for (int i = 0; i < p->f.count && before < time && p->time >= time; i++) {
    for (int n = 0; n < p->w->bodies && p->w->pin[i] == PIN_RELEASED; n++)
      p->is_born[n][i] = 1;
    if (p->w->pin[i] == PIN_RELEASED) cloth_release(p->f.sheet, i);
  }
}

/* Sets what the world does in the frame that begins now; when the inputs begin to rest, ends all of it. */
static void set_inputs(player *p, double dt) {
  const world *w = p->w;
  const cloth_vector calm = {0.0f, 0.0f, 0.0f};
  if (p->time < INPUT_TIME) {
    cloth_set_wind(p->f.sheet, w->wind[(int)smaller(p->time, 2.0)]);
    if (w->motion != MOTION_NONE) move_pins(p, dt);
    move_bodies(p, dt);
    return;
  }
  cloth_set_wind(p->f.sheet, calm);
  cloth_set_gusts(p->f.sheet, NULL);
  for (int i = 0; i < p->f.count; i++) {
    if (is_pin(p, i) && w->motion == MOTION_STRAIGHT) cloth_set_pin_velocity(p->f.sheet, i, calm);
  }
}

/* Makes a step of a world. */
static void play_frame(player *p) {
  const float dt = frame_time(p->w, p->frame);
  const double before = p->time;
  p->frame_start = before;
  set_inputs(p, (double)dt);
  if (p->fills_scratch) memset(p->f.arena + p->f.memory.scratch_offset, 0xA5, p->f.memory.scratch_bytes);
  const cloth_geometry *geometries[MOST_BODIES];
  for (int n = 0; n < p->w->bodies; n++)
    geometries[n] = geometry_of_body(&p->w->body[n]);
  const cloth_surroundings around = {.geometries = geometries, .geometry_count = p->w->bodies};
  const int result = cloth_step_with(p->f.sheet, dt, p->w->bodies > 0 ? &around : NULL);
  p->time += (double)dt;
  p->frame++;
  release_pins(p, before);
  p->notes |= result > 0 ? result : 0;
  const char *broken = result < 0                        ? cloth_result_name(result)
                       : (result & CLOTH_NOTE_RECOVERED) ? "put back a particle"
                       : !all_finite(p->f.sheet)         ? "not finite"
                                                         : NULL;
  if (broken != NULL && p->broken == NULL) {
    p->broken = broken;
    p->broken_time = p->time;
  }
}

/* Goes on with a new cloth of the same config but for its velocity_damping, in the same place and motion. Where
   nothing holds it, it has no weight from then on. */
static void add_drag(player *p, float drag) {
  static point places[MOST_PARTICLES], speeds[MOST_PARTICLES];
  for (int i = 0; i < p->f.count; i++) {
    places[i] = position_of(p->f.sheet, i);
    speeds[i] = velocity_of(p->f.sheet, i);
  }
  fixture_free(&p->f);
  p->config.integration.velocity_damping = drag;
  p->f = fixture_make(&p->config);
  for (int i = 0; i < p->f.count; i++) {
    if (!p->w->present[i]) continue;
    cloth_set_particle(p->f.sheet, i, vector_of(places[i]), vector_of(speeds[i]));
    if (is_pin(p, i)) cloth_pin(p->f.sheet, i);
  }
  add_bodies(p);
  if (!is_held(p->w)) cloth_set_gravity(p->f.sheet, (cloth_vector){0.0f, 0.0f, 0.0f});
}

#endif /* RANDOM_CLOTHS_H */
