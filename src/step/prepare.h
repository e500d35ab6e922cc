#pragma once
#include "../base/compiler.h"
#include "../base/lanes.h"
#include "../cloth/access.h"
#include "../cloth/arrays.h"
#include "../cloth/gaps.h"
#include "../cloth/pieces.h"
#include "../cloth/types.h"
#include "../solve/labels.h"
#include "../solve/levels.h"
#include "../solve/strips.h"
#include "../terms/links.h"

/// Preparation of the scratch ///

/* What a step does to its scratch before the first substep: kernels read floats beside rows, whose effect is 0 only if
   they are finite. Out: diagonal, levels, zeros in buffers and pads. */

static void clear_solve_pads(const cloth *c, const solve_arrays *a) {
  const workspace *w = workspace_of(c);
  float *near[4] = {a->place, a->direction, a->turn, a->bent};
  for (int32_t n = 0; n < 4; n++) {
    clear_near_pads(near[n], a->pitch, a->rows, (int32_t)a->plane);
  }
  for (int32_t n = 0; n < strips_of(c); n++) {
    clear_floats(work_of_piece(c, n), buffer_floats(a->pitch, a->factors != NULL));
    clear_floats(rows_of_piece(c, n), transfer_floats(a->pitch));
  }
  for (int32_t n = 0; n < w->level_count; n++) {
    const grid_level *l = &w->levels[n];
    clear_near_pads(level_correction(c, l), l->pitch, l->rows, l->plane);
  }
}

/* The mass ratio of each particle that moves by itself; 0 for pins, and in the places behind a row. */
static void fill_diagonal(const cloth *c, const solve_arrays *a) {
  const float *mass = c->constant.mass_ratio ? floats_at(c, c->constant.mass_ratio) : NULL;
  for (int32_t row = 0; row < a->rows; row++) {
    float *diagonal = a->diagonal + row * a->pitch;
    const int32_t first = row * a->columns;
    for (int32_t i = 0; i < a->pitch; i += CLOTH_LANES) {
      const lanes ratio = mass ? lanes_load(mass + first + i) : lanes_splat(1.0f);
      lanes_store(diagonal + i, lanes_within(ratio, a->columns - i));
    }
  }
  for (int32_t i = next_step_held(c, 0); i < c->count; i = next_step_held(c, i + 1)) {
    const int32_t row = i / a->columns;
    a->diagonal[row * a->pitch + i - row * a->columns] = 0.0f;
  }
}

/* Counts the pinned particles, absent ones among them. */
static void find_pins(const cloth *c) {
  workspace *w = workspace_of(c);
  w->pins = w->pins_end = 0;
  for (int32_t i = next_pin(c, 0); i < c->count; i = next_pin(c, i + 1)) {
    w->pins++;
    w->pins_end = i + 1;
  }
}

/* What links and pins there are, and which pieces of cloth they make. */
CLOTH_SEPARATE void describe_links(const cloth *c) {
  const solve_arrays arrays = arrays_of(c);
  find_pins(c);
  workspace_of(c)->pieces = 0;
  workspace_of(c)->coarsest_is_kept = 0;
  if (arrays.factors) { fill_factors(c, &arrays); }
#if WITH_GAPS
  if (has_gaps(c) && (is_torn_cloth(c) || gap_summary_of(c)->pieces > 1)) {
    workspace_of(c)->pieces = label_pieces(c, labels_of(c), pitch_of(c));
  }
#endif
}

/* Prepares the scratch of a step. */
CLOTH_SEPARATE void prepare_scratch(const cloth *c) {
  workspace *w = workspace_of(c);
  w->cells = w->cell_searches = 0;
  w->has_pairs = w->has_ground = w->touches = w->searched = w->searched_before = w->moved_out = w->parts = 0;
  w->remembers = 1;
  const solve_arrays arrays = arrays_of(c);
  w->level_count = 0;
  w->energy_guarded = 0;
  w->diagonal_changed = 0;
  if (c->scratch.levels) {
    const float aspect = has_rest_shape(c) ? SHAPED_ASPECT : c->grid.spacing_warp / c->grid.spacing_weft;
    w->coarsest = plan_levels(c->grid.columns, c->grid.rows, is_wrapped(c), aspect, w->levels, &w->level_count);
  }
  clear_solve_pads(c, &arrays);
  describe_links(c);
  fill_diagonal(c, &arrays);
}
