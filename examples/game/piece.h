/*
 * A piece of cloth in the game: its arena, and its last two states as vertices, between which the pictures are.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GAME_PIECE_H
#define GAME_PIECE_H

#include "cloth.h"
#include "render.h"
#include "store.h"

typedef struct piece {
  const char *name;
  cloth *sheet;
  int32_t columns, rows;
  int32_t across;                 /* vertices in a row: a tube's first column comes twice */
  render_vertex *earlier, *later; /* as the graphics card wants them: interleaved, one buffer for each state */
  const store *memory;
  void *arena;
  size_t arena_bytes;
  int32_t vertex_limit;
  float microseconds; /* what the last step took; of a group each takes a share by its particles */
} piece;

/* Takes memory for a cloth of this config, or of any that needs no more, and notes how much scratch its steps need; the
   level takes that once for all. Returns CLOTH_OK or an error. */
int piece_reserve(piece *p, store *memory, const cloth_config *largest);

/* Makes the cloth, in place of the one there was. Returns CLOTH_OK or an error. */
int piece_make(piece *p, const cloth_config *config);

/* Forgets the earlier state: the cloth is shown where it is now, and not on its way there. */
int piece_snap(piece *p);

/* Takes a step, and writes its vertices. Returns what cloth_step() does. */
int piece_step(piece *p, float dt);

/* Pieces that touch each other, and memory for their group. */
typedef struct piece_group {
  piece *pieces[CLOTH_GROUP_LIMIT];
  int32_t count;
  const cloth_group_pair *exceptions; /* those that touch in another way than their configs say */
  int32_t exception_count;
  const cloth_seam *seams; /* or NULL */
  int32_t seam_count;
  void *room;
  size_t bytes;
} piece_group;

/* Takes the memory for a group. Returns CLOTH_OK or an error. */
int group_reserve(piece_group *g, store *memory);

/* Writes the largest gap of any seam [m]. Returns CLOTH_OK or an error. */
int group_gap(const piece_group *g, float *gap);

/* Takes a step of all pieces of a group, and writes their vertices. Returns what cloth_step_together() does. */
int group_step(piece_group *g, float dt);

/* Writes the vertices as they are at a share of the way from the earlier state to the later one. */
void piece_blend(const piece *p, float share, render_vertex *vertices);

#endif /* GAME_PIECE_H */
