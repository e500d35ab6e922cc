#pragma once
#include "ccd.h"
#include "culling.h"

/// Where a sheet touches itself ///

/*
 * The pairs of a particle and a triangle, and of two edges, that touch while all particles move straight from x to y,
 * and those that end closer than a gap. Triangles are those that cloth_write_indices16() writes.
 *
 * Each cell owns its first particle, the three edges and the two triangles between its corners, so that each pair is
 * looked at once. Cells are taken together in leaves of LEAF_CELLS on a side, with boxes around all that they sweep.
 * Two leaves are left out where their boxes are apart, or where a block of leaves that cannot meet itself (culling.h)
 * holds both. Blocks have 2^level leaves on a side and begin every half of that. Then cells, then pairs by their boxes,
 * then continuous collision (ccd.h). The order is that of the cells, whatever the machine.
 */

#define LEAF_CELLS 4
/* Most continuous tests, and most comparisons of boxes of cells and features, that all searches of a substep make
   together, per particle: beyond, searches are cut short. Folds that fall take up to 220 and 890 a response, of 3. */
#define SEARCH_TESTS 1024
#define SEARCH_BOXES 12288
/* Room for touches, per particle. */
#define TOUCHES_PER_PARTICLE 8
/* In a clear block with a margin m, points that are a share of a cell apart on the grid are that share of m apart at
   least. Features without a common particle are 1 / sqrt 2 of a cell apart, or more. */
#define CLEAR_MARGIN 1.5f
/* Closer than this the direction from one to the other is rounding [m]. */
#define LEAST_DISTANCE 1.0e-6f

/* Two features that touch: the sum of weight times place is the vector from the nearest point of the second to that of
   the first. */
typedef struct found_touch {
  int32_t particle[4];
  float weight[4];
  cloth_vector normal; /* towards the first; 0 if it has none */
  float gap;           /* along it, where the motion starts [m] */
} found_touch;

typedef struct sheet_search {
  int32_t columns, rows; /* of particles */
  vector_array x, y;
  float distance;         /* below which pairs count at the end, too [m]; 0: only those that touch */
  int32_t ignores_blocks; /* 1: no block counts as clear */
  position_box *cell, *leaf;
  int32_t *clear; /* of each block, level by level */
  found_touch *touch;
  int32_t count, room, dropped; /* in `touch` */
  int32_t touching;             /* pairs that touch on their way, without those that are merely close */
  int32_t standing;             /* pairs that touch where the motion starts */
  int32_t crossings;            /* edges through triangles there, if counts_crossings */
  int32_t counts_crossings;
  uint64_t tests, boxes; /* of all searches; the maxima of large sheets are beyond 32 bits */
  int32_t is_cut;        /* 1: a search has met its maximum */
  int32_t *label;        /* if not NULL, touching particles are joined here, and none are listed */
} sheet_search;

/* A grid of leaves or blocks. */
static int32_t leaves_along(int32_t particles) {
  return particles > 1 ? (particles - 2) / LEAF_CELLS + 1 : 1;
}

static int32_t block_stride(int32_t level) {
  return level > 0 ? 1 << (level - 1) : 1;
}

static int32_t blocks_along(int32_t leaves, int32_t level) {
  return (leaves - 1) / block_stride(level) + 1;
}

/* Levels until one block holds everything. */
static int32_t block_levels(int32_t columns, int32_t rows) {
  int32_t level = 0;
  while (1 << level < leaves_along(columns) || 1 << level < leaves_along(rows)) {
    level++;
  }
  return level + 1;
}

static int32_t block_words(int32_t columns, int32_t rows) {
  int32_t sum = 0;
  for (int32_t level = 0; level < block_levels(columns, rows); level++) {
    sum += blocks_along(leaves_along(columns), level) * blocks_along(leaves_along(rows), level);
  }
  return sum;
}

#define WORDS_OF(type) ((int32_t)(sizeof(type) / sizeof(float)))

/* Words of memory that a search needs. */
static int32_t search_words(int32_t columns, int32_t rows) {
  const int32_t count = columns * rows, leaves = leaves_along(columns) * leaves_along(rows);
  return WORDS_OF(position_box) * (count + leaves) + block_words(columns, rows) +
         WORDS_OF(found_touch) * TOUCHES_PER_PARTICLE * count;
}

static sheet_search open_search(float *words, int32_t columns, int32_t rows) {
  const int32_t count = columns * rows, leaves = leaves_along(columns) * leaves_along(rows);
  sheet_search s = {.columns = columns, .rows = rows, .room = TOUCHES_PER_PARTICLE * count};
  s.cell = (position_box *)(void *)words;
  s.leaf = s.cell + count;
  s.touch = (found_touch *)(void *)(s.leaf + leaves);
  s.clear = (int32_t *)(void *)(s.touch + s.room);
  return s;
}

/// Boxes and blocks ///

static void include_place(position_box *box, cloth_vector p) {
  box->low = vector(minimum(box->low.x, p.x), minimum(box->low.y, p.y), minimum(box->low.z, p.z));
  box->high = vector(maximum(box->high.x, p.x), maximum(box->high.y, p.y), maximum(box->high.z, p.z));
}

static position_box no_box(void) {
  const float far = CLOTH_POSITION_LIMIT;
  const position_box box = {{far, far, far}, {negate(far), negate(far), negate(far)}};
  return box;
}

/* 1 if boxes are not farther apart than a distance. */
static int are_near(const position_box *a, const position_box *b, float distance) {
  return a->low.x <= b->high.x + distance && b->low.x <= a->high.x + distance && a->low.y <= b->high.y + distance &&
         b->low.y <= a->high.y + distance && a->low.z <= b->high.z + distance && b->low.z <= a->high.z + distance;
}

/* The cells of a leaf along one axis: those on the last column or row of particles belong to the last leaf. */
static void leaf_cells(int32_t particles, int32_t leaf, int32_t *first, int32_t *end) {
  *first = leaf * LEAF_CELLS;
  *end = leaf + 1 < leaves_along(particles) ? *first + LEAF_CELLS : particles;
}

/* Boxes around the ways of the corners of each cell, and around those of each leaf. */
static void find_boxes(const sheet_search *s) {
  for (int32_t i = 0; i < s->columns * s->rows; i++) {
    const int32_t right = i % s->columns + 1 < s->columns ? 1 : 0,
                  below = i / s->columns + 1 < s->rows ? s->columns : 0;
    const int32_t corner[4] = {i, i + right, i + below, i + below + right};
    s->cell[i] = no_box();
    for (int32_t k = 0; k < 4; k++) {
      include_place(&s->cell[i], vector_load(s->x, corner[k]));
      include_place(&s->cell[i], vector_load(s->y, corner[k]));
    }
  }
  const int32_t wide = leaves_along(s->columns);
  for (int32_t n = 0; n < wide * leaves_along(s->rows); n++) {
    int32_t left, right, top, bottom;
    leaf_cells(s->columns, n % wide, &left, &right);
    leaf_cells(s->rows, n / wide, &top, &bottom);
    s->leaf[n] = no_box();
    for (int32_t row = top; row < bottom; row++) {
      for (int32_t column = left; column < right; column++) {
        include_place(&s->leaf[n], s->cell[row * s->columns + column].low);
        include_place(&s->leaf[n], s->cell[row * s->columns + column].high);
      }
    }
  }
}

/* The cells of a block along one axis. */
static int32_t block_cells(int32_t particles, int32_t first, int32_t level) {
  const int32_t most = particles - 1 - first, cells = LEAF_CELLS << level;
  return cells < most ? cells : most;
}

/* Finds which blocks cannot meet themselves on their way, nor come closer than `distance` at its end. */
static void find_clear_blocks(const sheet_search *s, float distance) {
  int32_t *clear = s->clear;
  for (int32_t level = 0; level < block_levels(s->columns, s->rows); level++) {
    const int32_t wide = blocks_along(leaves_along(s->columns), level);
    const int32_t stride = LEAF_CELLS * block_stride(level);
    for (int32_t n = 0; n < wide * blocks_along(leaves_along(s->rows), level); n++) {
      cell_block k = {.columns = s->columns, .column = n % wide * stride, .row = n / wide * stride};
      k.wide = block_cells(s->columns, k.column, level);
      k.high = block_cells(s->rows, k.row, level);
      *clear++ = !s->ignores_blocks && is_block_clear(&k, s->x, s->y, CLEAR_MARGIN * distance + LEAST_DISTANCE);
    }
  }
}

/* 1 if a clear block holds both leaves: that which begins last of those that hold the first of them. */
static int are_in_clear_block(const sheet_search *s, int32_t a, int32_t b) {
  const int32_t wide = leaves_along(s->columns), high = leaves_along(s->rows);
  const int32_t left = a % wide < b % wide ? a % wide : b % wide, right = a % wide + b % wide - left;
  const int32_t top = a / wide < b / wide ? a / wide : b / wide, bottom = a / wide + b / wide - top;
  const int32_t *clear = s->clear;
  for (int32_t level = 0; level < block_levels(s->columns, s->rows); level++) {
    const int32_t stride = block_stride(level), column = left / stride, row = top / stride;
    if (right < column * stride + (1 << level) && bottom < row * stride + (1 << level) &&
        clear[row * blocks_along(wide, level) + column]) {
      return 1;
    }
    clear += blocks_along(wide, level) * blocks_along(high, level);
  }
  return 0;
}

/// A pair ///

/* Shares along two edges of the points where they are nearest (Ericson, "Real-Time Collision Detection", 2005, section
   5.1.9). */
static void nearest_shares(const cloth_vector q[4], float *s, float *t) {
  const cloth_vector first = vector_flush_work(vector_subtract(q[1], q[0]));
  const cloth_vector second = vector_flush_work(vector_subtract(q[3], q[2]));
  const cloth_vector between = vector_flush_work(vector_subtract(q[0], q[2]));
  const float a = vector_dot(first, first), e = vector_dot(second, second), b = vector_dot(first, second);
  const float c = vector_dot(first, between), f = vector_dot(second, between), square = a * e - b * b;
  *s = square > 1.0e-6f * a * e ? clamped_share(b * f - c * e, square) : 0.5f;
  *t = clamped_share(b * *s + f, e);
  if (b * *s + f < 0.0f) {
    *s = clamped_share(negate(c), a);
  } else if (b * *s + f > e) {
    *s = clamped_share(b - c, a);
  }
}

static cloth_vector weighted_sum(const float weight[4], const cloth_vector place[4]) {
  cloth_vector sum = vector(0.0f, 0.0f, 0.0f);
  for (int32_t k = 0; k < 4; k++) {
    sum = vector_add_scaled(sum, place[k], weight[k]);
  }
  return vector_flush_work(sum);
}

/* Weights of the nearest points with the corners at q. */
static void find_touch_weights(int is_edges, const cloth_vector q[4], float weight[4]) {
  if (is_edges) {
    float s, t;
    nearest_shares(q, &s, &t);
    weight[0] = 1.0f - s;
    weight[1] = s;
    weight[2] = t - 1.0f;
    weight[3] = negate(t);
  } else {
    const cloth_vector corner[3] = {vector_subtract(q[1], q[0]), vector_subtract(q[2], q[0]),
                                    vector_subtract(q[3], q[0])};
    float share[3];
    nearest_weights(corner, share);
    weight[0] = 1.0f;
    for (int32_t k = 0; k < 3; k++) {
      weight[k + 1] = negate(share[k]);
    }
  }
}

/* The direction from the second feature to the first with the corners at q: between the nearest points, or, where these
   are too close for that, across both features, to the side where the motion started. */
static cloth_vector touch_normal(const moving_pair *p, const cloth_vector q[4], const float weight[4]) {
  const cloth_vector apart = weighted_sum(weight, q);
  if (vector_length(apart) > LEAST_DISTANCE) { return unit_or_zero(apart); }
  const cloth_vector a = vector_subtract(p->start[p->is_edges ? 1 : 2], p->start[p->is_edges ? 0 : 1]);
  const cloth_vector b = vector_subtract(p->start[3], p->start[p->is_edges ? 2 : 1]);
  const cloth_vector across = unit_or_zero(vector_flush_work(vector_cross(a, b)));
  return vector_dot(across, weighted_sum(weight, p->start)) < 0.0f ? vector_scale(across, -1.0f) : across;
}

/* Describes a pair by its nearest points at a time from 0 to 1. Returns their distance. */
static float describe_touch(const moving_pair *p, float time, found_touch *t) {
  cloth_vector q[4];
  for (int32_t k = 0; k < 4; k++) {
    q[k] = vector_flush_work(vector_add_scaled(vector_scale(p->start[k], 1.0f - time), p->end[k], time));
  }
  find_touch_weights(p->is_edges, q, t->weight);
  t->normal = vector_flush_work(touch_normal(p, q, t->weight));
  t->gap = vector_dot(t->normal, weighted_sum(t->weight, p->start));
  return vector_length(weighted_sum(t->weight, q));
}

/* 1 if the nearest points lie inside of both features. On their borders, pairs of their neighbours are as near. */
static int is_inside(const found_touch *t) {
  return t->weight[0] != 0.0f && t->weight[1] != 0.0f && t->weight[2] != 0.0f && t->weight[3] != 0.0f;
}

/* 1 if the boxes of the ways of the features, `count` corners of the first, are near each other. */
static int are_paths_near(const moving_pair *p, float distance) {
  position_box box[2] = {no_box(), no_box()};
  const int32_t count = p->is_edges ? 2 : 1;
  for (int32_t k = 0; k < 4; k++) {
    include_place(&box[k >= count], p->start[k]);
    include_place(&box[k >= count], p->end[k]);
  }
  return are_near(&box[0], &box[1], distance);
}

/* Lists a touch, or joins its particles. */
static void note_touch(sheet_search *s, const found_touch *t) {
  for (int32_t k = 1; s->label && k < 4; k++) {
    join_pieces(s->label, t->particle[0], t->particle[k]);
  }
  if (!s->label && s->count < s->room) {
    s->touch[s->count++] = *t;
  } else if (!s->label) {
    s->dropped++;
  }
}

/* The most continuous tests, and comparisons of boxes, of the searches of a substep. */
static uint64_t most_tests(const sheet_search *s) {
  return (uint64_t)SEARCH_TESTS * (uint32_t)(s->columns * s->rows);
}

static uint64_t most_boxes(const sheet_search *s) {
  return (uint64_t)SEARCH_BOXES * (uint32_t)(s->columns * s->rows);
}

/* 1 if a search has met a maximum. */
static int is_search_cut(sheet_search *s) {
  s->is_cut |= s->tests >= most_tests(s) || s->boxes >= most_boxes(s);
  return s->is_cut;
}

/* Whether a pair touches on its way, or within rounding at its end. What is apart there starts the next substep apart:
   otherwise rounding could call it standing there, and what stands is not kept from going through. */
static int find_touch(const moving_pair *p, float *time) {
  if (find_first_touch(p, time)) { return 1; }
  *time = 1.0f;
  return touches_at_end(p);
}

/* Looks at a pair of features that have no particle in common. What touches where its motion starts, as parts of the
   cloth that have been put into one place do, is no touch of the motion: no motion is free of it, a rigid one least of
   all. It is listed, so that impulses move it apart, and joins no zone. */
static void look_at_pair(sheet_search *s, int is_edges, const int32_t particle[4]) {
  moving_pair p = {.is_edges = is_edges};
  found_touch t;
  float time;
  for (int32_t k = 0; k < 4; k++) {
    t.particle[k] = particle[k];
    p.start[k] = vector_load(s->x, particle[k]);
    p.end[k] = vector_load(s->y, particle[k]);
  }
  if (is_search_cut(s)) { return; }
  s->boxes++;
  if (!are_paths_near(&p, s->distance)) { return; }
  s->tests++;
  if (find_touch(&p, &time)) {
    const int stands = !(time > 0.0f) && touches_at_start(&p);
    s->standing += stands;
    s->touching += !stands;
    describe_touch(&p, time, &t);
    if (!stands || !s->label) { note_touch(s, &t); }
  } else if (s->distance > 0.0f && describe_touch(&p, 1.0f, &t) < s->distance && is_inside(&t)) {
    note_touch(s, &t);
  }
}

/// The search ///

/* Corners of a triangle of the cell that begins at a particle. */
static void corners_of_cell(const sheet_search *s, int32_t first, int32_t which, int32_t corner[3]) {
  corner[0] = first;
  corner[1] = which ? first + s->columns + 1 : first + 1;
  corner[2] = which ? first + s->columns : first + s->columns + 1;
}

/* The particle at the other end of edge 0, 1 or 2 of a cell: along the warp, the weft, the diagonal. -1: none. */
static int32_t end_of_edge(const sheet_search *s, int32_t first, int32_t which) {
  const int32_t right = which != 1, below = which != 0;
  if (first % s->columns + right >= s->columns || first / s->columns + below >= s->rows) { return -1; }
  return first + right + below * s->columns;
}

/* The first particle of a cell and the triangles of another. */
static void look_at_particle(sheet_search *s, int32_t i, int32_t cell) {
  for (int32_t which = 0; which < 2 && end_of_edge(s, cell, 2) >= 0; which++) {
    int32_t particle[4] = {i, 0, 0, 0};
    corners_of_cell(s, cell, which, particle + 1);
    if (i != particle[1] && i != particle[2] && i != particle[3]) { look_at_pair(s, 0, particle); }
  }
}

/* 1 if an edge goes through a triangle where the motion starts: beyond doubt, as volumes that rounding may turn over
   count as none. */
static int is_crossing(const sheet_search *s, const int32_t edge[2], const int32_t corner[3]) {
  const cloth_vector p = vector_load(s->x, edge[0]), way = vector_subtract(vector_load(s->x, edge[1]), p);
  cloth_vector d[3];
  int32_t positive = 0, negative = 0;
  for (int32_t k = 0; k < 3; k++) {
    d[k] = vector_subtract(vector_load(s->x, corner[k]), p);
  }
  for (int32_t k = 0; k < 3; k++) {
    volume v = {0.0f, 0.0f};
    add_volume(&v, d[k], d[(k + 1) % 3], way);
    positive += v.value > CCD_VOLUME_ERROR * v.size + CCD_LEAST;
    negative += v.value < negate(CCD_VOLUME_ERROR * v.size + CCD_LEAST);
  }
  const cloth_vector u = vector_subtract(d[1], d[0]), w = vector_subtract(d[2], d[0]);
  volume start = {0.0f, 0.0f}, end = {0.0f, 0.0f};
  add_volume(&start, u, w, vector_scale(d[0], -1.0f));
  add_volume(&end, u, w, vector_subtract(way, d[0]));
  return (positive == 3 || negative == 3) && absolute(start.value) > CCD_VOLUME_ERROR * start.size + CCD_LEAST &&
         absolute(end.value) > CCD_VOLUME_ERROR * end.size + CCD_LEAST && (start.value < 0.0f) != (end.value < 0.0f);
}

/* The edges of a cell through the triangles of another, where the motion starts. */
static void add_crossings(sheet_search *s, int32_t a, int32_t b) {
  for (int32_t n = 0; n < 6 && end_of_edge(s, b, 2) >= 0; n++) {
    const int32_t edge[2] = {a, end_of_edge(s, a, n / 2)};
    int32_t corner[3], shared = edge[1] < 0;
    corners_of_cell(s, b, n % 2, corner);
    for (int32_t k = 0; k < 3; k++) {
      shared |= corner[k] == edge[0] || corner[k] == edge[1];
    }
    s->crossings += !shared && is_crossing(s, edge, corner);
  }
}

/* All pairs of what two cells own. */
static void look_at_cells(sheet_search *s, int32_t a, int32_t b) {
  if (s->counts_crossings) {
    add_crossings(s, a, b);
    if (a != b) { add_crossings(s, b, a); }
  }
  look_at_particle(s, a, b);
  if (a == b) { return; }
  look_at_particle(s, b, a);
  for (int32_t n = 0; n < 9; n++) {
    const int32_t particle[4] = {a, end_of_edge(s, a, n / 3), b, end_of_edge(s, b, n % 3)};
    if (particle[1] >= 0 && particle[3] >= 0 && particle[0] != particle[3] && particle[1] != particle[2] &&
        particle[1] != particle[3]) {
      look_at_pair(s, 1, particle);
    }
  }
}

/* A cell and those of a leaf from `first` on. */
static void look_at_leaf(sheet_search *s, int32_t cell, int32_t leaf, int32_t first) {
  const int32_t wide = leaves_along(s->columns);
  int32_t left, right, top, bottom;
  leaf_cells(s->columns, leaf % wide, &left, &right);
  leaf_cells(s->rows, leaf / wide, &top, &bottom);
  if (!are_near(&s->cell[cell], &s->leaf[leaf], s->distance)) { return; }
  for (int32_t row = top; row < bottom; row++) {
    for (int32_t column = left; column < right; column++) {
      const int32_t other = row * s->columns + column;
      if (is_search_cut(s)) { return; }
      s->boxes++;
      if (other >= first && are_near(&s->cell[cell], &s->cell[other], s->distance)) { look_at_cells(s, cell, other); }
    }
  }
}

static void look_at_leaves(sheet_search *s, int32_t a, int32_t b) {
  const int32_t wide = leaves_along(s->columns);
  int32_t left, right, top, bottom;
  leaf_cells(s->columns, a % wide, &left, &right);
  leaf_cells(s->rows, a / wide, &top, &bottom);
  for (int32_t row = top; row < bottom && !s->is_cut; row++) {
    for (int32_t column = left; column < right && !s->is_cut; column++) {
      look_at_leaf(s, row * s->columns + column, b, a == b ? row * s->columns + column : 0);
    }
  }
}

/* Finds all touches of the motion from x to y, as far as the maximum of tests allows. Returns 1 if something touches on
   its way. */
static int search_touches(sheet_search *s) {
  const int32_t leaves = leaves_along(s->columns) * leaves_along(s->rows);
  s->count = s->touching = s->standing = s->crossings = 0;
  find_boxes(s);
  find_clear_blocks(s, s->distance);
  for (int32_t a = 0; a < leaves && !is_search_cut(s); a++) {
    for (int32_t b = a; b < leaves && !s->is_cut; b++) {
      if (are_near(&s->leaf[a], &s->leaf[b], s->distance) && !are_in_clear_block(s, a, b)) { look_at_leaves(s, a, b); }
    }
  }
  return s->touching > 0;
}
