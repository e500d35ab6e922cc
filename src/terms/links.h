#pragma once
#include "../cloth/arrays.h"
#include "../cloth/gaps.h"

/// Links ///

/* What tells single springs, hinges and cells from those of a plain rectangle: maps of stiffness, masks, torn threads,
   pre-shaped pieces. Each has a factor on the stiffness of its family, 0 if it is not there, and springs one on their
   rest length: a spring the mean of the map at its ends, a hinge its value at the middle, a twist the mean over its
   cell. Springs are found at the particle where they start, an antidiagonal at its upper right one. */

static float map_at(const cloth *c, int32_t particle) {
  return c->constant.stiffness_map ? floats_at(c, c->constant.stiffness_map)[particle] : 1.0f;
}

/* The particle so many rows and columns from one; -1 if there is none. Tubes close. */
static int32_t particle_from(const cloth *c, int32_t row, int32_t column) {
  const int32_t columns = c->grid.columns;
  if (is_wrapped(c)) { column = (column + columns) % columns; }
  return row >= 0 && row < c->grid.rows && column >= 0 && column < columns ? row * columns + column : -1;
}

/* The factor on the hinge whose middle is a particle, along warp or weft; 0 where there is none. */
static float hinge_factor_at(const cloth *c, int32_t row, int32_t column, int32_t d) {
  const int32_t i = particle_from(c, row, column), down = d == WEFT, right = d == WARP;
  if (i < 0 || particle_from(c, row - down, column - right) < 0 || particle_from(c, row + down, column + right) < 0 ||
      is_gap(c, i, d == WARP ? GAP_HINGE_WARP : GAP_HINGE_WEFT)) {
    return 0.0f;
  }
  return map_at(c, i) * (has_gaps(c) ? shape_factor(c, REST_HINGE + d, i) : 1.0f);
}

/* The factor on the twist of the cell that starts at a particle; 0 where there is none. */
static float twist_factor_at(const cloth *c, int32_t row, int32_t column) {
  const int32_t corners[4] = {particle_from(c, row, column), particle_from(c, row, column + 1),
                              particle_from(c, row + 1, column), particle_from(c, row + 1, column + 1)};
  float sum = 0.0f;
  for (int32_t n = 0; n < 4; n++) {
    if (corners[n] < 0) { return 0.0f; }
    sum += 0.25f * map_at(c, corners[n]);
  }
  if (is_gap(c, corners[0], GAP_CELL)) { return 0.0f; }
  return sum * (has_gaps(c) ? shape_factor(c, REST_TWIST, corners[0]) : 1.0f);
}

/* Planes of a float a place, while the factors are filled: over product and residual. Beside the ends of a row lie the
   places of the rows beside it; sheets have no hinge and no cell there, so factors are 0. */
typedef struct link_planes {
  float *map, *warp, *weft, *twists; /* the map; factors on hinges along warp and weft, and on twists */
} link_planes;

static link_planes link_planes_of(const solve_arrays *a) {
  const ptrdiff_t plane = (ptrdiff_t)a->pitch * a->rows;
  const link_planes p = {.map = a->product,
                         .warp = a->product + plane + CLOTH_LANES,
                         .weft = a->residual + plane + 2 * CLOTH_LANES,
                         .twists = a->residual + CLOTH_LANES};
  p.map[plane] = 1.0f;
  p.warp[-1] = p.warp[plane] = p.twists[-1] = 0.0f;
  return p;
}

/* Fills the map, 1 without. */
static void fill_map_plane(const cloth *c, const solve_arrays *a, float *map) {
  const float *from = c->constant.stiffness_map ? floats_at(c, c->constant.stiffness_map) : NULL;
  const int32_t columns = a->columns, pitch = a->pitch;
  const lanes one = lanes_splat(1.0f);
  for (int32_t row = 0; row < a->rows; row++) {
    float *to = map + row * pitch;
    for (int32_t i = 0; i < pitch; i += CLOTH_LANES) {
      const lanes value = from && i < columns ? lanes_load(from + row * columns + i) : one;
      lanes_store(to + i, lanes_select(lanes_first(columns - i), value, one));
    }
    if (a->is_ring) { to[columns] = to[0]; }
    if (a->is_ring && row > 0) { /* nobody reads before the first row */
      to[-1] = to[columns - 1];
    }
  }
}

/* The mean of the map over two particles, 0 without. */
CLOTH_INLINE lanes mean_of_two(lanes_mask exists, lanes a, lanes b) {
  return lanes_keep(exists, lanes_multiply(lanes_splat(0.5f), lanes_add(a, b)));
}

/* Fills the factors of a row as those of a whole rectangle. */
static void fill_row_factors(const solve_arrays *a, const link_planes *planes, int32_t row) {
  const link_planes p = *planes;
  const int32_t columns = a->columns, start = row * a->pitch, is_open = !a->is_ring, is_last = row + 1 == a->rows;
  const int32_t is_inside = row > 0 && !is_last;
  const float *map = p.map + start, *below = is_last ? map : map + a->pitch;
  for (int32_t i = 0; i < a->pitch; i += CLOTH_LANES) {
    float *to = OWN(a->factors, FACTOR_FLOATS, start + i, 0);
    const lanes_mask within = lanes_first(columns - i), has_right = lanes_first(columns - is_open - i);
    const lanes_mask has_down = is_last ? lanes_first(0) : within, has_cell = is_last ? has_down : has_right;
    const lanes here = lanes_load(map + i), right = lanes_load(map + i + 1), down = lanes_load(below + i);
    const lanes corner = lanes_load(below + i + 1), left = lanes_load(below + i - !is_last);
    const lanes_mask is_first = lanes_first(is_open && i == 0);
    const lanes sum = lanes_add(lanes_add(here, right), lanes_add(down, corner));
    const lanes hinge = lanes_drop(is_first, lanes_keep(has_right, here)), none = lanes_splat(0.0f);
    lanes_store(to + (FACTOR_STIFFNESS + WARP) * CLOTH_LANES, mean_of_two(has_right, here, right));
    lanes_store(to + (FACTOR_STIFFNESS + WEFT) * CLOTH_LANES, mean_of_two(has_down, here, down));
    lanes_store(to + (FACTOR_STIFFNESS + DIAGONAL) * CLOTH_LANES, mean_of_two(has_cell, here, corner));
    lanes_store(to + (FACTOR_STIFFNESS + ANTIDIAGONAL) * CLOTH_LANES,
                lanes_drop(is_first, mean_of_two(has_down, here, left)));
    for (int32_t d = 0; d < DIRECTIONS; d++) {
      lanes_store(to + (FACTOR_LENGTH + d) * CLOTH_LANES, lanes_splat(1.0f));
    }
    lanes_store(p.warp + start + i, hinge);
    lanes_store(p.weft + start + i, is_inside ? lanes_keep(within, here) : none);
    lanes_store(p.twists + start + i, lanes_keep(has_cell, lanes_multiply(lanes_splat(0.25f), sum)));
  }
}

/* Multiplies the first `count` floats of a block by those of an array of a pre-shaped piece. */
CLOTH_INLINE void shape_block(const cloth *c, int32_t number, int32_t particle, int32_t count, float *to) {
  const lanes shape = lanes_load(rest_array(c, number) + particle), one = lanes_splat(1.0f);
  lanes_store(to, lanes_multiply(lanes_load(to), lanes_select(lanes_first(count), shape, one)));
}

/* The same of all factors of a row. */
static void shape_row_factors(const cloth *c, const solve_arrays *a, const link_planes *p, int32_t row) {
  const int32_t columns = a->columns, start = row * a->pitch, first = row * columns;
  for (int32_t i = 0; i < columns; i += CLOTH_LANES) {
    float *to = OWN(a->factors, FACTOR_FLOATS, start + i, 0);
    const int32_t particle = first + i, count = columns - i;
    for (int32_t d = 0; d < DIRECTIONS; d++) {
      shape_block(c, REST_LENGTH + d, particle, count, to + (FACTOR_LENGTH + d) * CLOTH_LANES);
    }
    for (int32_t d = WARP; d <= WEFT; d++) {
      shape_block(c, REST_STIFFNESS + d, particle, count, to + (FACTOR_STIFFNESS + d) * CLOTH_LANES);
    }
    shape_block(c, REST_HINGE + WARP, particle, count, p->warp + start + i);
    shape_block(c, REST_HINGE + WEFT, particle, count, p->weft + start + i);
    shape_block(c, REST_TWIST, particle, count, p->twists + start + i);
  }
}

/* Sets the factors on what is absent in a row to 0. */
static void open_gaps_of_row(const cloth *c, const solve_arrays *a, const link_planes *p, int32_t row) {
  const uint8_t *gaps = gaps_of(c) + row * a->columns;
  const int32_t start = row * a->pitch;
  for (int32_t i = 0; i < a->columns; i++) {
    const uint32_t bits = gaps[i];
    if (!bits) { continue; }
    float *stiffness = own_at(a->factors, FACTOR_FLOATS, start + i, FACTOR_STIFFNESS);
    if (bits & GAP_WARP) { stiffness[WARP * CLOTH_LANES] = 0.0f; }
    if (bits & GAP_WEFT) { stiffness[WEFT * CLOTH_LANES] = 0.0f; }
    if (bits & GAP_CELL) {
      const int32_t right = i + 1 < a->columns ? i + 1 : 0; /* the antidiagonal of the cell starts there */
      stiffness[DIAGONAL * CLOTH_LANES] = 0.0f;
      *own_at(a->factors, FACTOR_FLOATS, start + right, FACTOR_STIFFNESS + ANTIDIAGONAL) = 0.0f;
      p->twists[start + i] = 0.0f;
    }
    p->warp[start + i] = bits & GAP_HINGE_WARP ? 0.0f : p->warp[start + i];
    p->weft[start + i] = bits & GAP_HINGE_WEFT ? 0.0f : p->weft[start + i];
  }
}

/* Fills the factors of hinges and twists of a row from their planes, and what the plate puts on the diagonal, over
   kappa_2. At the first row there is no hinge along the weft, and behind the last one no cell. */
static void fill_plate_factors(const cloth *c, const solve_arrays *a, const link_planes *p, int32_t row) {
  const float u = c->grid.spacing_warp, v = c->grid.spacing_weft;
  const lanes along = lanes_splat(v * v / (2.0f * u * u)), across = lanes_splat(u * u / (2.0f * v * v));
  const int32_t pitch = a->pitch, start = row * pitch, is_first = row == 0, is_last = row + 1 == a->rows;
  const float *warp = p->warp + start, *weft = p->weft + start, *twists = p->twists + start;
  const float *up = is_first ? weft : weft - pitch, *down = is_last ? weft : weft + pitch;
  const float *above = is_first ? p->twists + (a->rows - 1) * pitch : twists - pitch;
  const lanes four = lanes_splat(4.0f);
  for (int32_t i = 0; i < pitch; i += CLOTH_LANES) {
    float *to = OWN(a->factors, FACTOR_FLOATS, start + i, 0);
    const lanes warp_here = lanes_load(warp + i), weft_here = lanes_load(weft + i), twist = lanes_load(twists + i);
    const lanes beside = lanes_add(lanes_load(warp + i - 1), lanes_load(warp + i + 1));
    const lanes over = lanes_add(lanes_load(up + i), lanes_load(down + i));
    const lanes hinges = lanes_add(lanes_multiply(along, lanes_add(lanes_multiply(four, warp_here), beside)),
                                   lanes_multiply(across, lanes_add(lanes_multiply(four, weft_here), over)));
    const lanes cells = lanes_add(lanes_add(twist, lanes_load(twists + i - 1)),
                                  lanes_add(lanes_load(above + i), lanes_load(above + i - 1)));
    const lanes_mask within = lanes_first(a->columns - i);
    lanes_store(to + (FACTOR_HINGE + WARP) * CLOTH_LANES, lanes_keep(within, warp_here));
    lanes_store(to + (FACTOR_HINGE + WEFT) * CLOTH_LANES, weft_here);
    lanes_store(to + FACTOR_TWIST * CLOTH_LANES, lanes_keep(within, twist));
    lanes_store(to + FACTOR_PLATE * CLOTH_LANES, lanes_keep(within, lanes_add(hinges, cells)));
  }
}

/* Fills the factors, 0 in the places behind the rows. */
CLOTH_SEPARATE void fill_factors(const cloth *c, const solve_arrays *a) {
  const link_planes planes = link_planes_of(a);
  fill_map_plane(c, a, planes.map);
  for (int32_t row = 0; row < a->rows; row++) {
    fill_row_factors(a, &planes, row);
    if (has_rest_shape(c)) { shape_row_factors(c, a, &planes, row); }
    if (has_gaps(c)) { open_gaps_of_row(c, a, &planes, row); }
  }
  for (int32_t row = 0; row < a->rows && a->is_ring; row++) { /* what lies beyond the seam of a tube */
    float *warp = planes.warp + row * a->pitch, *twists = planes.twists + row * a->pitch;
    warp[-1] = warp[a->columns - 1];
    warp[a->columns] = warp[0];
    twists[-1] = twists[a->columns - 1];
  }
  for (int32_t row = 0; row < a->rows; row++) {
    fill_plate_factors(c, a, &planes, row);
  }
}
