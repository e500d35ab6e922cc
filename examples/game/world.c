/* SPDX-License-Identifier: MIT */
#include "world.h"
#include "pose.h"

const float world_step_time = 1.0f / 60.0f;

static const cloth_vector eye_offset = {-3.2f, 2.1f, 1.5f}; /* behind the hero, who looks along x [m] */
static const float eye_rate = 4;                            /* a second */

static cloth_vector eye_wanted(const world *w) {
  return point_within(&w->hero.root, eye_offset);
}

/* Pieces by their places in the group. A curtain keeps off the limbs under shirt and skirt, so that it does not touch
   these as well. */
enum {
  GROUP_SHIRT,
  GROUP_SKIRT = GROUP_SHIRT + SHIRT_PANELS,
  GROUP_CAPE,
  GROUP_CURTAIN,
  GROUP_PIECES = GROUP_CURTAIN + CURTAIN_PANELS
};

static void separate_curtain(world *w) {
  cloth_group_pair *pair = w->exceptions;
  for (int panel = 0; panel < CURTAIN_PANELS; panel++)
    for (int worn = GROUP_SHIRT; worn <= GROUP_SKIRT; worn++)
      *pair++ = (cloth_group_pair){.a = worn, .b = GROUP_CURTAIN + panel};
}

static int open_group(world *w) {
  piece_group *g = &w->cloths;
  separate_curtain(w);
  *g = (piece_group){.count = GROUP_PIECES,
                     .exceptions = w->exceptions,
                     .exception_count = sizeof w->exceptions / sizeof *w->exceptions,
                     .seams = w->tee.seams,
                     .seam_count = SHIRT_SEAMS};
  g->pieces[GROUP_CAPE] = &w->cape.cloth;
  g->pieces[GROUP_SKIRT] = &w->skirt.cloth;
  for (int i = 0; i < SHIRT_PANELS; i++)
    g->pieces[GROUP_SHIRT + i] = &w->tee.panels[i];
  for (int i = 0; i < CURTAIN_PANELS; i++)
    g->pieces[GROUP_CURTAIN + i] = &w->curtain.panels[i];
  return group_reserve(g, &w->memory);
}

int world_open(world *w) {
  w->memory = (store){.bytes = w->bytes, .size = sizeof w->bytes};
  walker_open(&w->hero);
  w->eye = w->eye_before = eye_wanted(w);
  int result = cape_open(&w->cape, &w->memory, &w->hero);
  if (result >= 0) result = skirt_open(&w->skirt, &w->memory, &w->hero);
  if (result >= 0) result = tee_open(&w->tee, &w->memory, &w->hero);
  if (result >= 0) result = curtain_open(&w->curtain, &w->memory);
  if (result >= 0) result = flag_open(&w->flag, &w->memory);
  if (result >= 0) result = open_group(w);
  w->memory.scratch = store_take(&w->memory, w->memory.scratch_bytes);
  return result >= 0 && !w->memory.scratch ? CLOTH_ERROR_ARENA : result;
}

/* Cloth that belongs to the hero comes along as it is; cloth that stays feels nothing. */
static int teleport(world *w, const spot *to) {
  cloth_pose from = w->hero.root;
  walker_teleport(&w->hero, to);
  w->eye = eye_wanted(w);
  int result = cape_teleport(&w->cape, &w->hero, &from, world_step_time);
  if (result >= 0) result = skirt_teleport(&w->skirt, &w->hero, &from, world_step_time);
  if (result >= 0) result = tee_teleport(&w->tee, &w->hero, &from, world_step_time);
  return result < 0 ? result : curtain_leave(&w->curtain);
}

static void follow(world *w) {
  w->eye_before = w->eye;
  w->eye = mixed(w->eye, eye_wanted(w), eye_rate * world_step_time);
}

int world_step(world *w, const controls *asked) {
  int result = asked->leap ? teleport(w, asked->leap) : CLOTH_OK;
  walker_step(&w->hero, asked, world_step_time);
  follow(w);
  w->steps++;
  if (result >= 0) result = cape_move(&w->cape, &w->hero, world_step_time);
  if (result >= 0) result = skirt_move(&w->skirt, &w->hero, world_step_time);
  if (result >= 0) result = tee_move(&w->tee, &w->hero, world_step_time);
  if (result >= 0) result = curtain_move(&w->curtain, &w->hero);
  if (result >= 0) result = group_step(&w->cloths, world_step_time);
  return result < 0 ? result : flag_step(&w->flag, w->eye, world_step_time);
}

const piece *world_piece(const world *w, int which) {
  const piece *const pieces[WORLD_GRIDS] = {&w->cape.cloth, &w->curtain.panels[0], &w->curtain.panels[1],
                                            &w->flag.cloth, &w->skirt.cloth};
  return which < WORLD_GRIDS ? pieces[which] : &w->tee.panels[which - WORLD_GRIDS];
}

const cloth_collider *world_bodies_near(const world *w, int which) {
  const touch *const touches[WORLD_GRIDS] = {&w->cape.wearer, &w->curtain.visitor[0], &w->curtain.visitor[1], NULL,
                                             &w->skirt.wearer};
  const touch *wearer = which < WORLD_GRIDS ? touches[which] : &w->tee.wearer[which - WORLD_GRIDS];
  return wearer && wearer->is_on ? w->hero.bodies : NULL;
}

int world_hash(const world *w, uint64_t *hash) {
  int result = CLOTH_OK;
  for (int i = 0; i < WORLD_PIECES && result >= 0; i++) {
    uint64_t of_piece = 0;
    result = cloth_hash(world_piece(w, i)->sheet, &of_piece);
    *hash = (*hash ^ of_piece) * UINT64_C(0x100000001b3);
  }
  return result;
}
