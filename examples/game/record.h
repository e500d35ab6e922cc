/*
 * What there is to know about a run of the game: looked at after every step.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GAME_RECORD_H
#define GAME_RECORD_H

#include "world.h"

typedef struct piece_record {
  float microseconds, microseconds_most; /* of all steps; of the dearest */
  float stretch;                         /* the largest of any step */
  int32_t long_steps;                    /* steps at whose end a spring was stretched by more than a quarter */
  int32_t contacts;                      /* most particles that touched a body */
  float particles, between;              /* see probe.h; the deepest of any step [m] */
  int32_t asleep, falls, wakes;          /* steps asleep; times it fell asleep and woke */
} piece_record;

typedef struct record {
  piece_record pieces[WORLD_PIECES];
  int32_t steps;
  float collar;       /* how far the cape's collar was from where the shoulders hold it, at most [m] */
  float reach;        /* distance of a particle of the cape from its own pin over that of the fabric, at most */
  float beyond;       /* how far a particle of the cape was beyond its leeway, at most [m] */
  float leap_stretch; /* largest stretch of the cape in the second after a leap */
  float leap_speed;   /* fastest particle of the cape then, against the hero [m/s] */
  int32_t since_leap; /* steps */
  float gap;          /* largest of a seam of the shirt [m] */
  float mesh;         /* how deep the deepest vertex of its mesh was below the surface of a body, or none [m] */
  uint64_t hash;      /* of all cloth in all steps */
} record;

/* Looks at the world after a step, in which the hero leapt or not. Returns CLOTH_OK or an error. */
int record_step(record *r, const world *w, int has_leapt);

/* Prints a table. */
void record_print(const record *r, const world *w);

#endif /* GAME_RECORD_H */
