#pragma once
#include "forces.h"

/// The equation of a substep ///

/*
 * The time schemes. Each gives the time tau, the positions a (FIELD_BASE) and the velocity s (FIELD_TARGET) of
 *
 *     M (s - v') + tau f(a + tau v', v') = 0,
 *
 * with the implicit forces f. For substeps of k seconds from x with the velocity v, x1 and v1 a substep before:
 *
 *     scheme     tau    a              s
 *     EXPLICIT   k      x              v + k fe(x, v) / M, and there is no f
 *     EULER      k      x              v + k fe(x, v) / M
 *     BDF2       2k/3   (4x - x1)/3    (4v - v1)/3 + tau fe(x, v) / M
 *     IMEX2      2k/3   (4x - x1)/3    (4v - v1)/3 + tau (2 fe(x, v) - fe(x1, v1)) / M
 *
 * fe holds gravity, velocity damping and the explicit families, of which BDF2 has none; its velocity damping is that of
 * 2v - v1, as with v the scheme would be of first order. IMEX2 is thesis eq. 4.15, whose right side reads
 * M^-1 (2 f - f1 + g) with the implicit g at the end of the step. A particle without a usable history has x1 = x - k v,
 * v1 = v and fe1 = fe, which makes the scheme first order for it; without any history the scheme is EULER.
 */

/* Largest stability number of explicit families together in IMEX2, and its share of kd / (k ks): undamped explicit
   springs are unstable at any step there, they grow by (omega k)^4 / 4 a substep. */
#define IMEX2_KAPPA 0.2f
#define IMEX2_DAMPED_SHARE 0.25f
/* Damping along springs does not act across them, where taut ones are springs as well: the most that such motion may
   grow [1/s]. */
#define IMEX2_GROWTH 0.01f

/* What explicit families have taken of their limits. */
typedef struct explicit_share {
  float kappa;  /* sum of the stability numbers */
  float across; /* sum of (omega k)^2 / 4 of what is not damped */
} explicit_share;

/* The largest 1 - L / l of the sides and diagonals of cells, with lengths l and L at rest; 0 if none is taut. */
static float largest_tautness(const method_work *w) {
  float largest = 0.0f;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    const char *n = spring_nodes[d];
    const int32_t columns = w->c->grid.columns - (d != WEFT), rows = w->c->grid.rows - (d != WARP);
    const float rest = direction_rest(w->c, d);
    for (int32_t i = 0; i < columns * rows; i++) {
      const int32_t first = i / columns * w->c->grid.columns + i % columns;
      const int32_t from = first + n[0] - '0', to = first + n[3] - '0' + (n[4] - '0') * w->c->grid.columns;
      const float length = vector_length(vector_subtract(vector_load(w->x, to), vector_load(w->x, from)));
      largest = maximum(largest, 1.0f - rest / maximum(length, rest));
    }
  }
  return largest;
}

/* Whether a family is explicit in IMEX2 besides those that have taken `share`, which then has its part, too:
   (sum of the kappas) <= min(0.2, kd / (4 k ks)), for each family with its own damping. */
static int takes_share(const element_family *f, float tautness, float k, explicit_share *share) {
  const float limit = minimum(IMEX2_KAPPA, IMEX2_DAMPED_SHARE * f->ratio), kappa = share->kappa + f->kappa;
  /* Damping of the whole relative velocity acts across springs, too, and bending is not taut. */
  const int is_apart = f->is_bending || f->law.unprojected;
  const float across = share->across + (is_apart ? 0.0f : tautness * f->kappa / (1.0f + 2.0f * f->ratio));
  if (!(kappa <= limit && 4.0f * across * across <= IMEX2_GROWTH * k)) { return 0; }
  share->kappa = kappa;
  share->across = across;
  return 1;
}

/* Chooses the families that are solved for. In BDF2 all are: springs with forces of the start of the substep grow by
   3 (omega k)^2 / 4 a substep, at any stability number, and damping holds that back only from about kd = k ks on. */
static void choose_families(method_work *w) {
  const int32_t scheme = w->method->scheme;
  const float threshold = scheme == CLOTH_SCHEME_EULER ? w->method->explicit_threshold : 0.0f;
  const float tautness = scheme == CLOTH_SCHEME_IMEX2 ? largest_tautness(w) : 0.0f;
  explicit_share share = {0.0f, 0.0f};
  find_stability(w, w->k);
  for (int32_t n = 0; n < w->family_count; n++) {
    element_family *f = &w->family[n];
    if (scheme == CLOTH_SCHEME_IMEX2) {
      f->is_implicit = !takes_share(f, tautness, w->k, &share);
    } else {
      f->is_implicit = scheme != CLOTH_SCHEME_EXPLICIT && !(f->kappa <= threshold);
    }
  }
}

/* Sets the time of all laws. */
static void set_time(method_work *w, float tau) {
  for (int32_t n = 0; n < w->family_count; n++) {
    w->family[n].law.tau = tau;
  }
}

/* Velocity change of a particle with velocity v in k seconds by gravity and velocity damping: gravity - drag v [m/s].
 */
typedef struct method_gravity {
  lanes3 gravity;
  lanes drag;
} method_gravity;

/* Largest share of a velocity that velocity damping takes in a substep. It is integrated explicitly; more than 1 would
   reverse velocities. */
#define MAX_VELOCITY_DAMPING 0.5f

static method_gravity gravity_of(const method_work *w) {
  const float damping = minimum(w->c->settings.integration.velocity_damping * w->k, MAX_VELOCITY_DAMPING);
  method_gravity g;
  g.gravity = lanes3_splat(vector_flush_work(vector_scale(inputs_of(w->c)->gravity, w->k)));
  g.drag = lanes_splat(flush_small(damping, WORK_QUANTUM));
  return g;
}

/* FIELD_EXPLICIT: velocity changes in k seconds by gravity, velocity damping and explicit families. */
static void find_explicit_forces(method_work *w) {
  const method_gravity g = gravity_of(w);
  for (int32_t i = 0; i < w->c->count; i += CLOTH_LANES) {
    const lanes3 a = lanes3_subtract(g.gravity, lanes3_scale(lanes3_load(w->v, i), g.drag));
    lanes3_store(field(w, FIELD_EXPLICIT), i, lanes3_scale(a, mass_ratio_lanes(w->c, i)), w->c->count - i);
  }
  set_time(w, w->k);
  add_pulls(w, 0, w->x, w->v, 0, field(w, FIELD_EXPLICIT));
}

/* A bit for each explicit family. */
static uint32_t explicit_families(const method_work *w) {
  uint32_t bits = 0;
  for (int32_t n = 0; n < w->family_count; n++) {
    bits |= (uint32_t)!w->family[n].is_implicit << n;
  }
  return bits;
}

static int keeps_history(const method_work *w) {
  return w->method->scheme == CLOTH_SCHEME_BDF2 || w->method->scheme == CLOTH_SCHEME_IMEX2;
}

static int is_second_order(const method_work *w) {
  return keeps_history(w) && w->header->history && w->header->substep == w->k;
}

static int same_vector(cloth_vector a, cloth_vector b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Gives particles that something else than this scheme has moved since the last substep, as the caller or the limit of
   speed, a history of uniform motion. */
static void repair_history(method_work *w) {
  for (int32_t i = 0; i < w->c->count; i++) {
    const cloth_vector x = vector_load(w->x, i), v = vector_load(w->v, i);
    if (same_vector(x, vector_load(field(w, FIELD_LAST_PLACE), i)) &&
        same_vector(v, vector_load(field(w, FIELD_LAST_RATE), i))) {
      continue;
    }
    vector_store(field(w, FIELD_OLD_PLACE), i, vector_add_scaled(x, v, negate(w->k)));
    vector_store(field(w, FIELD_OLD_RATE), i, v);
    vector_store(field(w, FIELD_NOW_RATE), i, v);
    vector_store(field(w, FIELD_OLD_FORCE), i, vector_load(field(w, FIELD_EXPLICIT), i));
  }
}

/* Adds the explicit forces in `share` of k seconds to the velocities s. Pinned particles keep their own, and their base
   is where tau v' has to lead from to arrive at x + k v. */
static void finish_target(method_work *w, float share) {
  const vector_array base = field(w, FIELD_BASE), target = field(w, FIELD_TARGET);
  const lanes rest = lanes_splat(w->k - w->tau);
  for (int32_t i = 0; i < w->c->count; i += CLOTH_LANES) {
    const lanes mobility = lanes_load(w->mobility + i);
    const lanes_mask moves = lanes_less(lanes_splat(0.0f), mobility);
    const lanes3 x = lanes3_load(w->x, i), v = lanes3_load(w->v, i);
    const lanes3 force = lanes3_scale(lanes3_load(field(w, FIELD_EXPLICIT), i), lanes_splat(share));
    lanes3 s = lanes3_add_scaled(lanes3_load(target, i), force, mobility);
    s = lanes3_flush_below(lanes3_select(moves, s, v), STATE_QUANTUM);
    const lanes3 a = lanes3_select(moves, lanes3_load(base, i), lanes3_add_scaled(x, v, rest));
    lanes3_store(target, i, s, w->c->count - i);
    lanes3_store(base, i, lanes3_flush_below(a, STATE_QUANTUM), w->c->count - i);
  }
}

#define ONE_THIRD 0.33333334f

/* to = (4 now - before) / 3, as now + (now - before) / 3, which keeps more digits. */
static void extrapolate_field(const method_work *w, vector_array now, vector_array before, vector_array to) {
  for (int32_t i = 0; i < w->c->count; i += CLOTH_LANES) {
    const lanes3 a = lanes3_load(now, i);
    const lanes3 step = lanes3_subtract(a, lanes3_load(before, i));
    lanes3_store(to, i, lanes3_add_scaled(a, step, lanes_splat(ONE_THIRD)), w->c->count - i);
  }
}

static void copy_field(const method_work *w, vector_array from, vector_array to) {
  for (int32_t i = 0; i < w->c->count; i += CLOTH_LANES) {
    lanes3_store(to, i, lanes3_load(from, i), w->c->count - i);
  }
}

/* FIELD_EXPLICIT becomes 2 fe - fe1; the old one keeps fe for the next substep. fe1 of other families counts as fe. */
static void extrapolate_forces(const method_work *w) {
  if (w->header->explicit_families != explicit_families(w)) {
    copy_field(w, field(w, FIELD_EXPLICIT), field(w, FIELD_OLD_FORCE));
    w->header->explicit_families = explicit_families(w);
  }
  for (int32_t i = 0; i < w->c->count; i++) {
    const cloth_vector now = vector_load(field(w, FIELD_EXPLICIT), i);
    const cloth_vector old = vector_load(field(w, FIELD_OLD_FORCE), i);
    vector_store(field(w, FIELD_OLD_FORCE), i, now);
    vector_store(field(w, FIELD_EXPLICIT), i, vector_subtract(vector_add(now, now), old));
  }
}

/* FIELD_EXPLICIT: velocity damping at the velocity 2 v - v1 in place of v. */
static void extrapolate_damping(const method_work *w) {
  const cloth *c = w->c;
  const lanes drag = gravity_of(w).drag;
  const vector_array now = field(w, FIELD_NOW_RATE), old = field(w, FIELD_OLD_RATE), force = field(w, FIELD_EXPLICIT);
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    const lanes3 step = lanes3_subtract(lanes3_load(now, i), lanes3_load(old, i));
    const lanes3 damped = lanes3_scale(lanes3_scale(step, drag), mass_ratio_lanes(c, i));
    lanes3_store(force, i, lanes3_subtract(lanes3_load(force, i), damped), c->count - i);
  }
}

/* Sets up the equation of the substep. */
static void start_equation(method_work *w) {
  list_repulsion(w);
  find_explicit_forces(w);
  if (is_second_order(w)) {
    w->tau = w->k * (2.0f / 3.0f);
    repair_history(w);
    extrapolate_field(w, w->x, field(w, FIELD_OLD_PLACE), field(w, FIELD_BASE));
    extrapolate_field(w, field(w, FIELD_NOW_RATE), field(w, FIELD_OLD_RATE), field(w, FIELD_TARGET));
  } else {
    w->tau = w->k;
    copy_field(w, w->x, field(w, FIELD_BASE));
    copy_field(w, w->v, field(w, FIELD_TARGET));
    copy_field(w, w->v, field(w, FIELD_NOW_RATE));
    copy_field(w, field(w, FIELD_EXPLICIT), field(w, FIELD_OLD_FORCE));
  }
  if (w->method->scheme == CLOTH_SCHEME_IMEX2) {
    extrapolate_forces(w);
  } else if (is_second_order(w)) {
    extrapolate_damping(w);
  }
  finish_target(w, w->tau / w->k);
  set_time(w, w->tau);
}

/// Unknown and residual ///

/* y = a + tau v' */
static void find_places(const method_work *w) {
  const lanes tau = lanes_splat(w->tau);
  for (int32_t i = 0; i < w->c->count; i += CLOTH_LANES) {
    const lanes3 a = lanes3_load(field(w, FIELD_BASE), i), rate = lanes3_load(field(w, FIELD_RATE), i);
    const lanes3 y = lanes3_flush_below(lanes3_add_scaled(a, rate, tau), STATE_QUANTUM);
    lanes3_store(field(w, FIELD_PLACE), i, y, w->c->count - i);
  }
}

/* v' = (y - a) / tau of particles that move */
static void find_rates(const method_work *w) {
  const lanes inverse = lanes_splat(1.0f / w->tau);
  for (int32_t i = 0; i < w->c->count; i += CLOTH_LANES) {
    const lanes_mask moves = lanes_less(lanes_splat(0.0f), lanes_load(w->mobility + i));
    const lanes3 step = lanes3_subtract(lanes3_load(field(w, FIELD_PLACE), i), lanes3_load(field(w, FIELD_BASE), i));
    const lanes3 rate = lanes3_select(moves, lanes3_scale(step, inverse), lanes3_load(w->v, i));
    lanes3_store(field(w, FIELD_RATE), i, lanes3_flush_below(rate, STATE_QUANTUM), w->c->count - i);
  }
}

/* The first iterate: the positions at the start of the substep. */
static void start_at_rest(const method_work *w) {
  copy_field(w, w->x, field(w, FIELD_PLACE));
  find_rates(w);
  find_places(w);
}

/* A block of vectors without their parts along the normals of supports. */
static lanes3 along_supports(const method_work *w, int32_t i, lanes3 a) {
  if (w->supported == 0) { return a; }
  const lanes3 n = lanes3_load(field(w, FIELD_SUPPORT), i);
  return lanes3_add_scaled(a, n, lanes_negate(lanes_flush(lanes3_dot(a, n))));
}

/* FIELD_RESIDUAL = M (s - v') + pulls, 0 for pinned particles, and 0 along the normals of supports. Packs the tangents
   if asked to. */
static void find_residual(method_work *w, int packs) {
  const cloth *c = w->c;
  const vector_array residual = field(w, FIELD_RESIDUAL), rate = field(w, FIELD_RATE);
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    const lanes3 apart = lanes3_subtract(lanes3_load(field(w, FIELD_TARGET), i), lanes3_load(rate, i));
    lanes3_store(residual, i, lanes3_scale(apart, mass_ratio_lanes(c, i)), c->count - i);
  }
  add_pulls(w, 1, field(w, FIELD_PLACE), rate, packs, residual);
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    const lanes_mask moves = lanes_less(lanes_splat(0.0f), lanes_load(w->mobility + i));
    const lanes3 r = lanes3_quantise(along_supports(w, i, lanes3_keep(moves, lanes3_load(residual, i))), WORK_ROUNDER);
    lanes3_store(residual, i, r, c->count - i);
  }
}

/* a . b over all particles */
static float field_product(const method_work *w, int32_t a, int32_t b) {
  lanes_sum sum = {{0.0f}};
  for (int32_t i = 0; i < w->c->count; i += CLOTH_LANES) {
    const lanes dot = lanes3_dot(lanes3_load(field(w, a), i), lanes3_load(field(w, b), i));
    lanes_sum_add(&sum, i, lanes_within(dot, w->c->count - i));
  }
  return lanes_sum_total(&sum);
}

static cloth_vector rounded_to_work(cloth_vector a) {
  return vector(quantise(a.x, WORK_ROUNDER), quantise(a.y, WORK_ROUNDER), quantise(a.z, WORK_ROUNDER));
}

/* to = a + s b */
typedef struct sum_stage {
  int32_t a, b, to; /* fields */
  float s;
} sum_stage;

static void add_scaled_rows(const method_work *w, const void *what, const row_range *range) {
  const sum_stage *s = (const sum_stage *)what;
  EACH_BLOCK_OF_ROWS(i, left, w, range, {
    const lanes3 b = lanes3_load(field(w, s->b), i);
    const lanes3 sum = lanes3_add_scaled(lanes3_load(field(w, s->a), i), b, lanes_splat(s->s));
    lanes3_store(field(w, s->to), i, lanes3_quantise(sum, WORK_ROUNDER), left);
  });
}

/* to = a + s b, rounded to multiples of 2^-40 */
static void add_scaled(const method_work *w, int32_t a, int32_t b, float s, int32_t to) {
  const sum_stage stage = {a, b, to, s};
  run_rows(w, add_scaled_rows, &stage);
}
