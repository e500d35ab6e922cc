/* S13, HITCH: a sheet that hangs still from two corners stays still when a frame takes long and when the times of
   frames alternate. Its cases with bodies are not here. SPDX-License-Identifier: MIT */
#ifndef SCENES_HITCH_H
#define SCENES_HITCH_H

#include "measures.h"

#define HITCH_SPEED 1e-3 /* that no particle may reach [m/s] */

/* Frames, and the velocity damping in them [1/s], in which it comes to rest. */
#define HITCH_STILL_FRAMES 1500
#define HITCH_STILL_DAMPING 2.0

/* The state to which the sheet returns before every case. */
typedef struct kept_state {
  unsigned char *bytes;
  size_t count;
} kept_state;

static inline kept_state keep_state(const sheet *s) {
  kept_state k = {(unsigned char *)must_have(malloc(s->f.memory.saved_bytes)), s->f.memory.saved_bytes};
  int result = cloth_save(s->f.sheet, k.bytes, k.count);
  CHECK(result == CLOTH_OK, "cloth_save: %s", cloth_result_name(result));
  return k;
}

static inline void return_to(const sheet *s, const kept_state *k) {
  int result = cloth_load(s->f.sheet, k->bytes, k->count);
  CHECK(result == CLOTH_OK, "cloth_load: %s", cloth_result_name(result));
}

/* A frame of `seconds`, then 2 s of 1/60 s: the fastest that any particle ever is at the end of one [m/s]. */
static inline double after_long_frame(sheet *s, double seconds) {
  sheet_step(s, seconds);
  double most = fastest_speed(s);
  record r = record_start(s);
  record_frames(s, &r, 120);
  return largest(most, r.late);
}

/* Frames of 1/144 and 1/30 s in turn, for ten seconds: the fastest after the first second [m/s]. */
static inline double in_alternating_frames(sheet *s) {
  double most = 0.0;
  for (int frame = 0; frame < 600; frame++) {
    sheet_step(s, frame % 2 == 1 ? 1.0 / 30.0 : 1.0 / 144.0);
    if (frame > 60) most = largest(most, fastest_speed(s));
  }
  return most;
}

static inline void hitch_scene(int substeps) {
  static const double long_frames[] = {0.067, 0.25, 0.5, 1.0};
  cloth_config config = upright_config(32, 32, 1.0, 1.0, substeps);
  subject what = subject_of("S13", &config);
  sheet s = settled_sheet(&config, pin_corners, HITCH_STILL_DAMPING, HITCH_STILL_FRAMES);
  kept_state k = keep_state(&s);
  line(&what, trusted(s.notes, fastest_speed(&s)), 0.0, at_most(HITCH_SPEED), "fastest particle before [m/s]");
  for (int i = 0; i < 4; i++) {
    return_to(&s, &k);
    double most = after_long_frame(&s, long_frames[i]);
    line(&what, trusted(s.notes, most), 0.0, at_most(HITCH_SPEED),
         "fastest particle in a frame of %g s and 2 s after it [m/s]", long_frames[i]);
  }
  return_to(&s, &k);
  double most = in_alternating_frames(&s);
  line(&what, trusted(s.notes, most), 0.0, at_most(HITCH_SPEED),
       "fastest particle in frames of 1/144 and 1/30 s in turn [m/s]");
  free(k.bytes);
  sheet_free(&s);
}

#endif /* SCENES_HITCH_H */
