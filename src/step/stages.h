#pragma once
#include "../base/compiler.h"
#include "../base/hash.h"
#include "../base/lanes.h"
#include "../cloth/access.h"
#include "../cloth/arrays.h"
#include "../cloth/types.h"
#include "../terms/clamps.h"

/// Stages of a substep ///

/* What a port learns of the stages of a substep: ticks of its timer, and a hash of what each has made. */

#ifdef CLOTH_TRACE

/* What a stage has made of a particle, in whatever order lanes keep it. */
static cloth_vector made_of(const cloth *c, const solve_arrays *a, cloth_stage stage, int32_t particle) {
  const int32_t place = particle / a->columns * a->pitch + particle % a->columns;
  switch (stage) {
  case CLOTH_STAGE_PREDICTION:
    return near_particle(a, a->place, particle);
  case CLOTH_STAGE_FORCES:
    return own_vector(a->residual, place);
  case CLOTH_STAGE_ACCEPTANCE:
    return vector_load(vectors_at(c, c->state.position), particle);
  default:
    return own_vector(a->solution, place);
  }
}

/* Passes CLOTH_TRACE(c, stage, substep, hash), a hash of what the stage has made, to compare machines. */
static void trace_stage(const cloth *c, cloth_stage stage, int32_t has_made) {
  const solve_arrays arrays = arrays_of(c);
  hasher h;
  hash_start(&h);
  for (int32_t i = 0; has_made && i < c->count; i++) {
    const cloth_vector made = made_of(c, &arrays, stage, i);
    hash_words(&h, (const any_word *)(const void *)&made, 3);
  }
  CLOTH_TRACE(c, (int)stage, workspace_of(c)->plan.index, hash_end(&h));
}

#endif

/* Ends a stage: adds its ticks to the statistics, and traces it. */
static void end_stage(const cloth *c, cloth_stage stage, int32_t has_made) {
  workspace *w = workspace_of(c);
  const uint32_t now = CLOTH_TICKS();
  w->statistics.ticks[stage] += now - w->tick;
  w->tick = now;
#ifdef CLOTH_TRACE
  trace_stage(c, stage, has_made);
#endif
  (void)has_made;
}
