/* SPDX-License-Identifier: MIT */
#include "record.h"
#include "pose.h"
#include "probe.h"

#include <inttypes.h>
#include <stdio.h>

enum { SECOND = 60, HASH_EVERY = 4 * SECOND }; /* steps */

static void keep_most(float *most, float value) {
  *most = value > *most ? value : *most;
}

static void note_sleep(piece_record *r, int is_asleep, int was_asleep) {
  r->asleep += is_asleep;
  r->falls += is_asleep && !was_asleep;
  r->wakes += !is_asleep && was_asleep;
}

static void note_depth(piece_record *r, const world *w, int which) {
  const cloth_collider *bodies = world_bodies_near(w, which);
  probe_depth depth;
  if (!bodies) return;
  probe_piece(world_piece(w, which), bodies, FIGURE_LIMBS, &depth);
  keep_most(&r->particles, depth.particles);
  keep_most(&r->between, depth.between);
}

/* What no sewn or hanging cloth should show for long. */
#define LONG_STRETCH 0.25f

static int note_piece(piece_record *r, const world *w, int which) {
  const piece *p = world_piece(w, which);
  cloth_statistics statistics;
  cloth_measures measures;
  int was_asleep = r->falls > r->wakes;
  int result = cloth_get_statistics(p->sheet, &statistics);
  if (result >= 0) result = cloth_measure(p->sheet, &measures);
  if (result < 0) return result;
  r->microseconds += p->microseconds;
  keep_most(&r->microseconds_most, p->microseconds);
  keep_most(&r->stretch, measures.max_stretch);
  r->long_steps += measures.max_stretch > LONG_STRETCH;
  r->contacts = statistics.contacts > r->contacts ? statistics.contacts : r->contacts;
  note_sleep(r, statistics.asleep, was_asleep);
  note_depth(r, w, which);
  return CLOTH_OK;
}

static void note_collar(record *r, const world *w) {
  const cape *c = &w->cape;
  for (int32_t i = 0; i < CAPE_COLUMNS; i++) {
    keep_most(&r->collar, length(minus(c->cloth.later[i].position, c->skin[i].position)));
  }
}

static void note_reach(record *r, const world *w) {
  const render_vertex *vertices = w->cape.cloth.later;
  for (int32_t i = CAPE_COLUMNS; i < CAPE_COLUMNS * CAPE_ROWS; i++) {
    float rest = cape_length * (float)(i / CAPE_COLUMNS) / (float)(CAPE_ROWS - 1);
    keep_most(&r->reach, length(minus(vertices[i].position, vertices[i % CAPE_COLUMNS].position)) / rest);
    keep_most(&r->beyond,
              length(minus(vertices[i].position, w->cape.skin[i].position)) - cape_leeway(i / CAPE_COLUMNS));
  }
}

/* The mesh as it is drawn where the last step has ended. */
static int note_shirt(record *r, const world *w) {
  static render_vertex vertices[TEE_VERTICES_MOST];
  float gap = 0, depth = -1;
  int result = group_gap(&w->cloths, &gap);
  if (result >= 0) result = tee_blend(&w->tee, 1, vertices);
  if (result < 0) return result;
  probe_vertices(vertices, w->tee.vertex_count, w->hero.bodies, FIGURE_LIMBS, &depth);
  keep_most(&r->gap, gap);
  keep_most(&r->mesh, depth);
  return CLOTH_OK;
}

static void note_leap(record *r, const world *w, int has_leapt) {
  const cape *c = &w->cape;
  cloth_measures measures;
  r->since_leap = has_leapt ? 0 : r->since_leap + 1;
  if (r->since_leap >= SECOND || r->steps < SECOND || cloth_measure(c->cloth.sheet, &measures) < 0) return;
  keep_most(&r->leap_stretch, measures.max_stretch);
  cloth_vector pace = times(1 / world_step_time, minus(w->hero.root.position, w->hero.root_before.position));
  for (int32_t i = 0; i < CAPE_COLUMNS * CAPE_ROWS; i++) {
    cloth_vector velocity = {0, 0, 0};
    cloth_get_velocity(c->cloth.sheet, i, &velocity);
    keep_most(&r->leap_speed, length(minus(velocity, pace)));
  }
}

static void print_hash(const record *r) {
  printf("hash after %d steps: %016" PRIx64 "\n", r->steps, r->hash);
}

static int note_hash(record *r, const world *w) {
  int result = world_hash(w, &r->hash);
  if (r->steps % HASH_EVERY == 0) print_hash(r);
  return result;
}

int record_step(record *r, const world *w, int has_leapt) {
  int result = CLOTH_OK;
  if (r->steps++ == 0) {
    r->mesh = -1;
    for (int i = 0; i < WORLD_PIECES; i++)
      r->pieces[i].particles = r->pieces[i].between = -1;
  }
  for (int i = 0; i < WORLD_PIECES && result >= 0; i++)
    result = note_piece(&r->pieces[i], w, i);
  note_collar(r, w);
  note_reach(r, w);
  note_leap(r, w, has_leapt);
  if (result >= 0) result = note_shirt(r, w);
  return result < 0 ? result : note_hash(r, w);
}

static void print_depth(float depth) {
  if (depth > -1)
    printf("  %9.1f", 1000 * (double)depth);
  else
    printf("  %9s", "-");
}

static void print_piece(const piece_record *r, const piece *p, int32_t steps) {
  printf("%-14s  %2d x %2d  %7.0f  %7.0f  %7.1f  %8d", p->name, p->columns, p->rows,
         (double)(r->microseconds / (float)steps), (double)r->microseconds_most, 100 * (double)r->stretch, r->contacts);
  print_depth(r->particles);
  print_depth(r->between);
  printf("  %6d  %5d  %5d  %5d\n", r->asleep, r->falls, r->wakes, r->long_steps);
}

void record_print(const record *r, const world *w) {
  float sum = 0;
  printf("                        us a step           stretch            deepest in a body [mm]   steps  falls         "
         "steps\n");
  printf("                 grid     mean     most        %%  contacts  particles    between  asleep asleep  wakes   "
         "long\n");
  for (int i = 0; i < WORLD_PIECES; i++) {
    print_piece(&r->pieces[i], world_piece(w, i), r->steps);
    sum += r->pieces[i].microseconds;
  }
  printf("all cloth, mean: %.0f us a step, %.1f %% of it\n", (double)(sum / (float)r->steps),
         (double)(sum / (float)r->steps * 1e-4f / world_step_time));
  printf("collar from the shoulders, most: %.4f mm\n", 1000 * (double)r->collar);
  printf("cape from its pins over its length, most: %.3f\n", (double)r->reach);
  printf("cape beyond its leeway, most: %.1f mm\n", 1000 * (double)r->beyond);
  printf("cape in the second after a leap: stretch %.1f %%, fastest %.1f m/s\n", 100 * (double)r->leap_stretch,
         (double)r->leap_speed);
  printf("seams of the shirt open by %.3f %% of a cell, most; its mesh is %.1f mm clear of bodies, least\n",
         100 * (double)(r->gap / tee_spacing()), -1000 * (double)r->mesh);
  printf("flag: level %d, switches %d, outline moved by %.1f mm, %.2f mrad of the picture\n", w->flag.level,
         w->flag.switches, 1000 * (double)w->flag.jump, 1000 * (double)w->flag.angle);
  printf("memory: %zu bytes\n", w->memory.used);
  if (r->steps % HASH_EVERY != 0) print_hash(r);
}
