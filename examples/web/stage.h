/*
 * The scenes of the page. The same code runs in a browser and, to say which hashes are right, in a native program.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef WEB_STAGE_H
#define WEB_STAGE_H

#include "cloth.h"
#include "methods/methods.h"

#include <stdint.h>

typedef enum stage_kind {
  STAGE_FLAG,
  STAGE_TABLECLOTH,
  STAGE_CURTAIN,
  STAGE_CAPE,
  STAGE_DECOMPOSITION,
  STAGE_TOWEL,
  STAGE_KIND_COUNT
} stage_kind;

/* What the sliders set. page.js has them in the same order. */
typedef enum stage_setting {
  STAGE_FABRIC,     /* a cloth_fabric_kind; sets stretch and bend, too */
  STAGE_STRETCH,    /* of the warp [N/m]; weft and shear keep their proportion to it */
  STAGE_BEND,       /* [N m] */
  STAGE_SUBSTEPS,   /* of a frame */
  STAGE_ITERATIONS, /* of a substep; 0: as the fabric asks */
  STAGE_EXPLICIT,   /* sum of the stability bounds of what is explicit */
  STAGE_WIND,       /* mean speed [m/s] */
  STAGE_METHOD,     /* 0: the library's step; else a method of examples/methods, without air and tethers */
  STAGE_SETTING_COUNT
} stage_setting;

enum { STAGE_COLUMN_LIMIT = 64, STAGE_PARTICLE_LIMIT = 64 * 64, STAGE_BODY_LIMIT = 16 };

/* For the cloth, and behind it for a method. 64 x 64 particles that feel themselves take 6.7 MB and have no method;
   with a method they take 1.6 MB, and the method at most 3.1 MB. */
enum { STAGE_MEMORY_BYTES = 7 << 20 };

/* Methods to choose from. */
enum { STAGE_METHOD_COUNT = 17 };

/* Frames of 1/60 s whose hash a native program writes down. */
enum { STAGE_CHECK_FRAMES = 240 };

typedef struct stage_body {
  cloth_collider collider; /* as it is now */
  int32_t index;           /* in the cloth; -1 if it is only seen */
} stage_body;

/* The page's memory: that of the cloth, and all that is not part of its state. */
typedef struct stage {
  _Alignas(CLOTH_ALIGNMENT) unsigned char memory[STAGE_MEMORY_BYTES];
  size_t arena_bytes; /* of it, the cloth's; the rest is a method's */
  cloth *sheet;
  stage_kind kind;
  int32_t columns, rows;
  int32_t frame;
  float settings[STAGE_SETTING_COUNT];
  cloth_fabric fabric; /* the preset */
  float spacing;       /* [m] */
  stage_body bodies[STAGE_BODY_LIMIT];
  int32_t body_count;
  int32_t grabbed; /* the particle in hand, or -1 */
  cloth_vector hand;
  cloth_vector collar[STAGE_COLUMN_LIMIT]; /* of the cape, where the shoulders are in their middle */
  cloth_vector positions[STAGE_PARTICLE_LIMIT], velocities[STAGE_PARTICLE_LIMIT];
  float stiffness_map[STAGE_PARTICLE_LIMIT];
  cloth_method_report report; /* of a method's last step */
} stage;

extern const float stage_frame_time; /* [s] */

const char *stage_name(stage_kind kind);

/* Of a preset. */
const char *stage_fabric_name(cloth_fabric_kind kind);

/* Of a method, 0 to STAGE_METHOD_COUNT - 1. */
const char *stage_method_name(int32_t number);

/* Starts a scene with its default settings. `columns` is 8..STAGE_COLUMN_LIMIT, or 0 for the scene's own. Returns
   CLOTH_OK, or CLOTH_ERROR_RANGE and has changed nothing, or another error. */
int stage_open(stage *s, stage_kind kind, int32_t columns);

/* Moves what moves, then the cloth, by a frame. Returns what cloth_step() does. */
int stage_step(stage *s);

/* Changes a setting and goes on with the cloth where it is. Returns CLOTH_OK or an error, and then has changed
   nothing. */
int stage_set(stage *s, stage_setting which, float value);

/* Takes the free particle that a ray passes first, up to `reach` metres beside it for each metre of the way. Returns
   it, or -1 if there is none. */
int32_t stage_grab(stage *s, cloth_vector origin, cloth_vector direction, float reach);

/* Where the hand is to go with what it has, as far as the pins let it. */
void stage_pull(stage *s, cloth_vector hand);
void stage_let_go(stage *s);

/* Moves the particle in hand for a frame. stage_step() calls it. */
int stage_move_hand(stage *s);

/* How springs of stretch and shear are integrated. */
typedef enum stage_tier {
  STAGE_TIER_EXPLICIT,
  STAGE_TIER_IMPLICIT,
  STAGE_TIER_INACTIVE, /* slack, of a fabric that does not resist shortening */
  STAGE_TIER_COUNT
} stage_tier;

/* The springs' ends, two indices each, by how the last step integrated them. */
typedef struct stage_springs {
  uint16_t ends[STAGE_TIER_COUNT][2 * 4 * STAGE_PARTICLE_LIMIT];
  int32_t count[STAGE_TIER_COUNT];
} stage_springs;

void stage_sort_springs(const stage *s, stage_springs *springs);

/* Returns how many edges pass through triangles that they share no particle with. It compares all with all: for looking
   once, not for every frame. */
int32_t stage_count_crossings(const stage *s);

#endif /* WEB_STAGE_H */
