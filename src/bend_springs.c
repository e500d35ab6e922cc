/// Bend springs ///

/* A bend spring along d: its velocity change is `pull` d (negative pushes apart), its damping's `damping` (d.v) d, and
   its matrix block `slope` d d^T, damping included. All are 0 for l >= L. */
typedef struct bend_result {
  lanes pull;
  lanes damping;
  lanes slope;
} bend_result;

/* `scale` is the spring's stiffness factor. The part of the Jacobian across d is dropped: it is negative. */
CLOTH_INLINE bend_result bend_force(const bend_family *b, spring_length l, lanes scale) {
  lanes zero = lanes_splat(0.0f);
  lanes rest = lanes_splat(b->rest);
  lanes length = l.length, inverse = l.inverse;
  lanes_mask bent = lanes_less(length, rest);
  lanes s = lanes_multiply(length, lanes_splat(b->inverse_rest));
  lanes elongation = lanes_subtract(length, rest);
  lanes on_curve = lanes_multiply(lanes_splat(b->curve), bend_curve(s));
  on_curve = lanes_maximum(on_curve, lanes_splat(0.0f - b->most));
  lanes on_line = lanes_multiply(lanes_splat(b->linear), elongation);
  lanes_mask linear = lanes_less(on_curve, on_line);
  lanes curve_slope = lanes_multiply(lanes_splat(b->curve_slope), bend_curve_slope(s));
  lanes slope = lanes_select(linear, lanes_splat(b->linear_slope), curve_slope);
  lanes pull = lanes_select(linear, on_line, on_curve);
  lanes folding = lanes_multiply(lanes_splat(b->fold), elongation);
  lanes_mask folds = lanes_less(folding, pull);
  slope = lanes_minimum(lanes_select(folds, lanes_splat(b->fold_slope), slope), lanes_splat(KAPPA_LIMIT));
  pull = lanes_select(folds, folding, pull);
  /* By which all is multiplied: of a slack spring nothing is left. */
  lanes share = lanes_select(bent, lanes_multiply(scale, inverse), zero);
  lanes over_square = lanes_multiply(share, inverse);
  bend_result result;
  result.pull = lanes_rounded(lanes_multiply(pull, share), WORK_GRID);
  result.damping = lanes_rounded(lanes_multiply(lanes_splat(b->damping), over_square), WORK_GRID);
  slope = lanes_add(slope, lanes_splat(b->damping));
  result.slope = lanes_rounded(lanes_multiply(slope, over_square), WORK_GRID);
  return result;
}

/* Along a bend spring from its start to its end. Rounded, so that it can be multiplied by itself and a slope. */
CLOTH_INLINE lanes3 bend_span(const cell_corners *x, int32_t direction) {
  return lanes3_rounded(corner_difference(x, direction), WORK_GRID);
}

CLOTH_INLINE float *bend_slopes_of(const cloth *c, int32_t direction) {
  return floats_at(c, c->bend_slopes) + direction * c->count;
}

/* Evaluates bend springs of one direction, the first `count` of which there are. Stores the slopes of `left` of them if
   they are implicit; those bring slope (d.v) d along. */
CLOTH_INLINE lanes3 bend_pull(const cloth *c, const step_plan *plan, int32_t d, spring_block b, int32_t count,
                              lanes3 span, spring_length length, lanes3 v, float *stored, int32_t left) {
  bend_result r = bend_force(&plan->bend[d], length, spring_scale(c, b, count));
  lanes slope = r.damping;
  if (WITH_SOLVER && plan->bend_mode == CLOTH_MODE_IMPLICIT) {
    slope = r.slope;
    lanes_store_first(stored, slope, left);
  }
  lanes along = lanes_rounded(lanes3_dot(span, v), WORK_GRID);
  return lanes3_scale(span, lanes_rounded(lanes_add(r.pull, lanes_multiply(slope, along)), WORK_GRID));
}

/* Springs and bend springs that are kept at a block of places, the first `count` of which there are. */
CLOTH_INLINE lanes3 row_spring_pull(const cloth *c, const step_plan *plan, int32_t d, int32_t place, int32_t count,
                                    const cell_corners *x, spring_length length, const cell_corners *v, float *tile,
                                    int32_t width, int32_t left) {
  float *stored = tile ? tile + OPERATOR_FLOATS * d * width : NULL;
  return spring_pull(c, &plan->spring[d], springs_at(c, d, 1, place, count), count, corner_difference(x, d), length,
                     corner_difference(v, d), stored, width, left);
}

CLOTH_INLINE lanes3 row_bend_pull(const cloth *c, const step_plan *plan, int32_t d, int32_t place, int32_t count,
                                  const cell_corners *x, spring_length length, const cell_corners *v, int32_t left) {
  return bend_pull(c, plan, d, springs_at(c, d, 2, place, count), count, bend_span(x, d), length,
                   corner_difference(v, d), bend_slopes_of(c, d) + place, left);
}

/* What a row of bend springs leaves for the row after the next takes turns with what the row between leaves. */
static planes bend_buffer(const cloth *c, int32_t row) {
  return row_buffer(c, 1 + (row & 1));
}

/* Adds the velocity changes of the springs that are `reach` cells long, which is 2 for bend springs, to a row of
   `change`, and fills the operator. */
CLOTH_INLINE void add_row(const cloth *c, const step_plan *plan, int32_t row, int32_t reach, planes change) {
  const planes x = places_of(c, plan);
  const planes v = planes_at(c, c->velocity);
  const planes buffer = reach == 1 ? row_buffer(c, 0) : bend_buffer(c, row);
  float *tiles = WITH_SOLVER && plan->solves ? tiles_of(c, row) : NULL;
  const int32_t columns = c->columns, first = row * columns, below = way_below(c, row, reach);
  row_carry carry = no_carry();
  for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
    int32_t i = first + column, left = columns - column;
    cell_corners xs = load_corners(x, i, reach, below);
    cell_corners vs = load_corners(v, i, reach, below);
    row_pulls pulls;
    float *stored = tiles ? tiles + tile_offset(column) : NULL;
    int32_t width = tile_width(c, column);
    spring_length lengths[DIRECTIONS];
    if (reach == 1) {
      EACH_DIRECTION(lengths[d] = length_of(corner_difference(&xs, d)));
      EACH_DIRECTION(pulls.along[d] = row_spring_pull(c, plan, d, i, places_left(d, 1, below, left), &xs, lengths[d],
                                                      &vs, stored, width, left));
    } else {
      EACH_DIRECTION(lengths[d] = length_of(bend_span(&xs, d)));
      EACH_DIRECTION(pulls.along[d] =
                         row_bend_pull(c, plan, d, i, places_left(d, 2, below, left), &xs, lengths[d], &vs, left));
    }
    lanes3 sum = gather(&pulls, &carry, reach, buffer, column, left);
    lanes3_store(change, i, lanes3_add(lanes3_load(change, i), sum), left);
  }
}

/* Compiled for either, unless size is asked for. */
CLOTH_HOT CLOTH_SEPARATE void add_row_of_springs(const cloth *c, const step_plan *plan, int32_t row, int32_t reach,
                                                 planes change) {
#if defined(__OPTIMIZE_SIZE__)
  add_row(c, plan, row, reach, change);
#else
  if (reach == 1) {
    add_row(c, plan, row, 1, change);
  } else {
    add_row(c, plan, row, 2, change);
  }
#endif
}

/* Forces of implicit bend springs on velocity differences e from start to end: slope d (d.e). */
CLOTH_INLINE lanes3 bend_operator_pull(const float *slope, const cell_corners *x, const cell_corners *p, int32_t d) {
  lanes3 span = bend_span(x, d);
  lanes along = lanes3_dot(span, corner_difference(p, d));
  return lanes3_scale(span, lanes_rounded(lanes_multiply(lanes_load(slope), along), WORK_GRID));
}

/* Adds A direction of implicit bend springs, whose blocks are slope d d^T, to a row of the product, and its part of
   direction . product to the sum. The slopes are stored, d is at hand. */
CLOTH_HOT CLOTH_SEPARATE void bend_operator_row(const cloth *c, int32_t row, lanes_sum *sum) {
  const planes x = planes_at(c, c->position);
  const planes p = planes_at(c, c->direction);
  const planes q = planes_at(c, c->product);
  const planes buffer = bend_buffer(c, row);
  const float *slopes = floats_at(c, c->bend_slopes);
  const int32_t count = c->count, columns = c->columns, first = row * columns, below = way_below(c, row, 2);
  row_carry carry = no_carry();
  for (int32_t column = 0; column < columns; column += CLOTH_LANES) {
    int32_t i = first + column;
    cell_corners xs = load_corners(x, i, 2, below);
    cell_corners ps = load_corners(p, i, 2, below);
    row_pulls pulls;
    EACH_DIRECTION(pulls.along[d] = bend_operator_pull(slopes + d * count + i, &xs, &ps, d));
    lanes3 bends = lanes3_rounded(gather(&pulls, &carry, 2, buffer, column, columns - column), WORK_GRID);
    lanes3_store(q, i, lanes3_subtract(lanes3_load(q, i), bends), columns - column);
    lanes dot = lanes_subtract(lanes_splat(0.0f), lanes3_dot(ps.first, bends));
    lanes_sum_add(sum, column, lanes_within(dot, columns - column));
  }
}

#if WITH_WRAP

/*
 * The seam of a wrapped sheet: springs from its last columns to its first. What works on rows knows nothing of them.
 * They form lines along the seam, one for each direction and, of bend springs, for each of the two columns where they
 * start. Lanes take a line row by row; no two springs of a line have an end in common. For the solver all of them are
 * kept as w and beta, as the operator keeps springs, bend springs too.
 */
typedef struct seam_line {
  int32_t direction, is_bend;
  int32_t mode;     /* how its springs act by forces, a cloth_mode */
  int32_t from, to; /* particles: the ends of the first row's spring */
  int32_t rows;     /* how many have one */
  float *blocks;    /* w and beta, every seam_rows() floats */
} seam_line;

static seam_line seam_line_at(const cloth *c, const step_plan *plan, int32_t number) {
  CLOTH_CONSTANT static const uint8_t directions[SEAM_SPRINGS] = {WARP, DIAGONAL, ANTIDIAGONAL};
  int32_t reach = number < SEAM_SPRINGS ? 1 : 2;
  int32_t right = number < 2 * SEAM_SPRINGS ? 0 : 1;
  int32_t left = c->columns - reach + right;
  seam_line line;
  line.direction = directions[number % SEAM_SPRINGS];
  line.is_bend = reach == 2;
  line.mode = line.is_bend ? plan->bend_mode : plan->spring[line.direction].mode;
  int32_t below = line.direction == WARP ? 0 : reach;
  line.rows = c->rows - below;
  line.from = line.direction == ANTIDIAGONAL ? right : left;
  line.to = below * c->columns + (line.direction == ANTIDIAGONAL ? left : right);
  line.blocks = floats_at(c, c->seam) + number * OPERATOR_FLOATS * seam_rows(c);
  return line;
}

CLOTH_INLINE lanes3 lanes3_gathered(planes from, int32_t i, int32_t next, int32_t count) {
  return lanes3_of(lanes_gathered(from.x + i, next, count), lanes_gathered(from.y + i, next, count),
                   lanes_gathered(from.z + i, next, count));
}

/* Adds the first `count` lanes to floats that lie `next` apart. */
CLOTH_ONCE void lanes_add_scattered(float *to, int32_t next, lanes a, int32_t count) {
  float side[CLOTH_LANES];
  lanes_store(side, a);
  for (int32_t lane = 0; lane < CLOTH_LANES && lane < count; lane++) {
    to[lane * next] += side[lane];
  }
}

static void lanes3_add_scattered(planes to, int32_t i, int32_t next, lanes3 a, int32_t count) {
  lanes_add_scattered(to.x + i, next, a.x, count);
  lanes_add_scattered(to.y + i, next, a.y, count);
  lanes_add_scattered(to.z + i, next, a.z, count);
}

CLOTH_INLINE lanes3 lanes3_negated(lanes3 a) {
  return lanes3_subtract(lanes3_splat(vector(0.0f, 0.0f, 0.0f)), a);
}

/* From the start of springs to their end, `count` of them from a row on. */
CLOTH_INLINE lanes3 seam_difference(const cloth *c, const seam_line *line, planes of, int32_t row, int32_t count) {
  const int32_t next = c->columns, first = row * next;
  return lanes3_subtract(lanes3_gathered(of, line->to + first, next, count),
                         lanes3_gathered(of, line->from + first, next, count));
}

/* Adds what springs do to the ends where they start, and takes it away at the others. */
CLOTH_SEPARATE void add_seam_pulls(const cloth *c, const seam_line *line, planes to, int32_t row, lanes3 pull,
                                   int32_t count) {
  const int32_t next = c->columns, first = row * next;
  lanes3_add_scattered(to, line->from + first, next, pull, count);
  lanes3_add_scattered(to, line->to + first, next, lanes3_negated(pull), count);
}

/* Bend springs of a line. Kept with w = sqrt(slope) d. */
CLOTH_INLINE lanes3 seam_bend_pull(const cloth *c, const step_plan *plan, const seam_line *line, spring_block b,
                                   int32_t count, lanes3 x, lanes3 v, float *stored) {
  const int32_t width = seam_rows(c);
  lanes3 span = lanes3_rounded(x, WORK_GRID);
  lanes3 pull =
      bend_pull(c, plan, line->direction, b, count, span, length_of(span), v, stored + 3 * width, CLOTH_LANES);
  if (line->mode == CLOTH_MODE_IMPLICIT) {
    planes w = {stored, stored + width, stored + 2 * width};
    lanes root = lanes_square_root(lanes_load(stored + 3 * width));
    lanes3_store(w, 0, lanes3_rounded(lanes3_scale(span, root), STATE_GRID), CLOTH_LANES);
    lanes_store(stored + 3 * width, lanes_splat(0.0f));
  }
  return pull;
}

CLOTH_SEPARATE void add_seam_line(const cloth *c, const step_plan *plan, const seam_line *line, planes change) {
  for (int32_t row = 0; row < line->rows; row += CLOTH_LANES) {
    int32_t count = line->rows - row;
    spring_block b = {line->from + row * c->columns, line->to + row * c->columns, c->columns};
    lanes3 x = seam_difference(c, line, places_of(c, plan), row, count);
    lanes3 v = seam_difference(c, line, planes_at(c, c->velocity), row, count);
    float *stored = line->blocks + row;
    lanes3 pull;
    if (line->is_bend) {
      pull = seam_bend_pull(c, plan, line, b, count, x, v, stored);
    } else {
      stored = line->mode >= CLOTH_MODE_IMPLICIT ? stored : NULL;
      pull = spring_pull(c, &plan->spring[line->direction], b, count, x, length_of(x), v, stored, seam_rows(c),
                         CLOTH_LANES);
    }
    add_seam_pulls(c, line, change, row, pull, count);
  }
}

/* Adds the velocity changes of the springs across the seam, and fills their blocks of the operator. */
static void add_seam_forces(const cloth *c, const step_plan *plan, planes change) {
  for (int32_t n = 0; n < SEAM_SPRINGS + SEAM_BENDS; n++) {
    seam_line line = seam_line_at(c, plan, n);
    if (line.mode != CLOTH_MODE_OFF) {
      add_seam_line(c, plan, &line, change);
    }
  }
}

#endif

/* Adds the velocity changes of all springs to `change`, row by row. */
static void add_spring_forces(const cloth *c, const step_plan *plan, planes change) {
  clear_row_buffers(c);
  for (int32_t row = 0; row < c->rows; row++) {
    if (plan->springs || plan->solves) {
      add_row_of_springs(c, plan, row, 1, change);
    }
    if (plan->bend_mode != CLOTH_MODE_OFF) {
      add_row_of_springs(c, plan, row, 2, change);
    }
  }
#if WITH_WRAP
  if (is_wrapped(c)) {
    add_seam_forces(c, plan, change);
  }
#endif
}

