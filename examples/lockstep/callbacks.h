/*
 * Cloths behind the callbacks of a rollback library: save, load, free and log a state, in the shape that GGPO's
 * GGPOSessionCallbacks and GekkoNet's save and load events have. Nothing of those libraries is needed here.
 *
 * GGPO passes no context to its callbacks, so that yours are one line each:
 *
 *     static cloth_world world = {cloths, cloth_count};
 *     static bool save_game_state(unsigned char **buffer, int *bytes, int *checksum, int frame) {
 *       return world_save(&world, buffer, bytes, checksum) == 1;
 *     }
 *
 * GekkoNet has the buffer already, of the `state_size` that was configured: world_bytes() says it, and
 * world_write() fills it:
 *
 *     *event->data.save.state_len = (unsigned)world_bytes(&world);
 *     world_write(&world, event->data.save.state, event->data.save.checksum);
 *
 * A game with more state than its cloths calls these for its own part of the buffer.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LOCKSTEP_CALLBACKS_H
#define LOCKSTEP_CALLBACKS_H

#include "cloth.h"

#include <stddef.h>

/* The cloths of a game, always in the same order. */
typedef struct cloth_world {
  cloth *const *cloths;
  int count;
} cloth_world;

/* Bytes of a state of all cloths; 0 if one is not a cloth. Constant from cloth_init() on. */
size_t world_bytes(const cloth_world *world);

/* Writes the state to world_bytes() bytes of any alignment, and its checksum, which is equal on every machine, unless
   `checksum` is NULL. Returns 1, or 0 if a call failed. */
int world_write(const cloth_world *world, unsigned char *to, unsigned *checksum);

/* Reads it back. Returns 1, or 0 and changes nothing if `bytes` is another size or the first cloth refuses its part. */
int world_read(const cloth_world *world, const unsigned char *from, size_t bytes);

/* GGPO's save_game_state(): allocates the buffer. Returns 1, or 0. */
int world_save(const cloth_world *world, unsigned char **buffer, int *bytes, int *checksum);

/* GGPO's free_buffer(). */
void world_free(void *buffer);

/* GGPO's log_game_state(): writes positions and velocities of a state as text, for a comparison of two machines' files.
   The present state stays. Returns 1, or 0. */
int world_log(const cloth_world *world, const char *name, const unsigned char *from, size_t bytes);

#endif /* LOCKSTEP_CALLBACKS_H */
