#pragma once
#include "access.h"
#include "bearing_solve.h"
#include "bodies.h"
#include "bodies/list.h"
#include "cell_core.h"
#include "compiler.h"
#include "contact.h"
#include "contact_cells.h"
#include "contact_record.h"
#include "contact_response.h"
#include "costs.h"
#include "gaps.h"
#include "geometry.h"
#include "lanes.h"
#include "layout.h"
#include "lines.h"
#include "plan.h"
#include "rest_lengths.h"
#include "rigid.h"
#include "scalar.h"
#include "shapes.h"
#include "step_origin.h"
#include "types.h"

/// What bears a body ///

/*
 * Before the solves along lines: which particles bear a body with mass, and what part of it each has, see
 * bearing_solve.h. A particle takes part by its place, never by what it did before: where the prediction leaves it
 * within bearing_slack() of the body, or as a corner of a wide cell that is so near (contact_cells.h). Its part is
 * p / (a sum p), where p is what springs at the predicted places pull it into the body, and 1/a is the mass that the
 * body has there along the normal. So impulses on parts never move the body with more energy than they have. A corner
 * counts where the normal meets the axis of the body: impulses at corners would turn it. What the prediction lets
 * approach shares its momentum first, one particle after the other.
 *
 * Along the surface a part resists with the mass T, which friction gives it. Let s be the way that the particle slips
 * on the surface in the prediction, f what springs pull it along the surface, as a displacement, and k by how much that
 * pull eases for each metre that it gives way. Held by a part T the particle slips u with u (1 + k + T) = (1 + k) s +
 * f, and T u is to be mu N, so
 *
 *     T = (1 + k) mu N / (|(1 + k) s + f| - mu N), or all of the part where friction holds what there is,
 *
 * with N = p m / (m + 1 + q) what the part m bears of a pull p that eases by q. The particle shares its slip s with the
 * part before the solves, so that friction opposes what slips, not what the solves move.
 *
 * After the solves the body gets M n (n . X) / h and T times the rest, which is all that the cloth has lost; the share
 * of s counts with X. What was borne along the normal less what has resisted over mu counts where friction of contact
 * asks how contact presses. At the end of the substep a particle in contact whose velocity relative to the body has
 * turned round within it is stopped: along the normal, and along the surface by no more than friction gives. Such
 * swings are faster than a substep can follow, and springs that are solved in turns would keep them up. Body and
 * particle share what they lose, so that it only takes energy.
 *
 * In: predicted positions, mobilities, bodies, the plan. Out: predicted positions, impulses on bodies; what is kept
 * behind the predicted positions. Scratch: workspace.body.
 */

#if WITH_BEARING

/* Largest mass that a particle bears, over its own: the elimination of its line keeps three digits of it. */
#define BEARING_LIMIT 1.0e4f
/* Least coefficient of friction by which what resists along the surface is divided. */
#define BEARING_FRICTION 1.0e-3f
/* Least pull into the body that a particle counts with, over what pulls at it: parts that come and go as it turns to
   and fro make cloth tremble. */
#define BEARING_LEAST 0.03f
/* Share of the stiffness of its springs by which what pulls a particle along a surface eases: half of them lie along
   it, and their other ends give way, too. */
#define BEARING_EASE 0.25f

/* A body, and what its parts depend on. */
typedef struct borne_body {
  const moving_body *m;
  const cloth_collider *shape;
  const rigid_body *body;
  float code, slack;
  float inverse_mass;   /* of the body [1/kg] */
  cloth_vector inertia; /* of the body, see inertia_of() [kg m^2] */
  float inverse_unit;   /* of a particle of mobility 1 in the substep [1/kg] */
  cloth_vector drift;   /* of the body by what has approached it [m] */
#if WITH_CELL_CONTACT
  cell_core core;
#endif
} borne_body;

static borne_body borne_body_at(const cloth *c, const step_plan *plan, int32_t number) {
  borne_body b;
  b.body = &bodies_of(c)[number];
  b.m = body_in_substep(c, plan, b.body->collider, plan->index);
  b.shape = shape_of(c, b.m);
  b.code = (float)(number + 1);
  b.slack = bearing_slack(c, plan);
  b.inverse_mass = inverse_mass_of(c, b.body);
  b.inertia = inertia_of(c, b.body);
  b.inverse_unit = force_share(plan) / reference_mass(c);
  b.drift = vector(0.0f, 0.0f, 0.0f);
#if WITH_CELL_CONTACT
  if (guards_cells(b.shape, 1)) {
    b.core = core_of(c, b.shape);
  }
#endif
  return b;
}

static int bears_this(const cloth *c, const borne_body *b, int32_t i) {
  return absolute(bearing_plane(c, BEARING_CODE)[i]) == b->code;
}

/* The arm, from the body's position, at which a particle at p bears it: both in the body's axes, as the normal is. */
static cloth_vector bearing_arm(const cloth *c, const borne_body *b, int32_t i, cloth_vector p, cloth_vector normal) {
#if WITH_CELL_CONTACT
  if (bearing_plane(c, BEARING_CODE)[i] < 0.0f) {
    cloth_vector core;
    nearest_ball(&b->core, p, &core);
    const cloth_vector way = vector_flush(vector_subtract(p, core), STATE_QUANTUM);
    return vector_flush(vector_add_scaled(core, normal, flush_small(vector_dot(normal, way), STATE_QUANTUM)),
                        STATE_QUANTUM);
  }
#endif
  (void)c;
  (void)b;
  (void)i;
  (void)normal;
  return p;
}

/* Records what a particle that bears a body has given it as an impulse of their contact. Whether they touch is for
   contact to say, which has done so if it `came` already. */
static void record_borne(const cloth *c, const borne_body *b, int32_t i, cloth_vector impulse, int came) {
#if WITH_CONTACT_RECORD
  if (has_contact_record(c)) {
    const int32_t number = recorded_number(c, b->m->index);
    const contact_entry *entry = came ? find_contact_entry(c, i, number) : NULL;
    record_contact(c, entry ? entry->contact.is_touching : -1, i, number, vector_load(predicted_of(c), i),
                   vector_load(bearing_vectors(c, BEARING_NORMAL), i), vector_scale(impulse, -1.0f));
  }
#else
  (void)c;
  (void)b;
  (void)i;
  (void)impulse;
  (void)came;
#endif
}

/// Which particles ///

/* What the prediction lets approach the body, deeper than `depth`, shares its momentum with it. */
static void share_approach(const cloth *c, const step_plan *plan, borne_body *b, int32_t i, float depth) {
  const vector_array x = predicted_of(c);
  const cloth_vector normal = vector_load(bearing_vectors(c, BEARING_NORMAL), i);
  const float of_particle = floats_at(c, c->scratch.mobility)[i] * b->inverse_unit;
  const float share = of_particle / (of_particle + bearing_plane(c, BEARING_ALONG)[i]);
  const cloth_vector arm = vector_flush(vector_subtract(vector_load(x, i), b->m->pivot), STATE_QUANTUM);
  const cloth_vector way = vector_flush_work(vector_scale(normal, depth * share));
  const cloth_vector impulse =
      vector_flush(vector_scale(way, negate(plan->inverse_h / maximum(of_particle, WORK_QUANTUM))), INPUT_QUANTUM);
  place_particle(c, &workspace_of(c)->plan, i, vector_flush(vector_add(vector_load(x, i), way), STATE_QUANTUM));
  b->drift = vector_flush_work(vector_add_scaled(b->drift, impulse, plan->h * b->inverse_mass));
  receive_impulse(c, b->body->collider, impulse, vector_cross(arm, impulse));
  record_borne(c, b, i, impulse, 0);
}

/* Keeps the displacement of a particle relative to the body, where it is in the body's axes when the substep begins. */
static void note_way(const cloth *c, const borne_body *b, int32_t i, cloth_vector start) {
  const cloth_vector way = vector_subtract(vector_load(predicted_of(c), i), to_world(&b->m->end, start));
  vector_store(bearing_vectors(c, BEARING_WAY), i, vector_flush(way, STATE_QUANTUM));
}

/* Lets a particle bear the body if the prediction leaves it near. In BEARING_ALONG it keeps the inverse of the mass
   that the body has there. */
CLOTH_SEPARATE void take_particle(const cloth *c, const step_plan *plan, borne_body *b, int32_t i) {
  const cloth_geometry *g = geometry_of(c, b->shape);
  const cloth_vector p = to_local(&b->m->end, vector_load(predicted_of(c), i));
  cloth_vector local, before;
  float gap = distance_of_point(b->shape, g, p, &local) - b->m->margin;
  if (!(gap <= b->slack)) {
    return;
  }
  const cloth_vector start = to_local(&b->m->start, vector_load(vectors_at(c, c->state.position), i));
  const float way = distance_of_point(b->shape, g, start, &before) - b->m->margin - gap;
  const cloth_vector normal = vector_flush_work(rotate(b->m->end.rotation, local));
  gap -= flush_small(vector_dot(b->drift, normal), STATE_QUANTUM);
  if (gap > b->slack) {
    return;
  }
  vector_store(bearing_vectors(c, BEARING_NORMAL), i, normal);
  bearing_plane(c, BEARING_CODE)[i] = b->code;
  bearing_plane(c, BEARING_ALONG)[i] = local_inverse_mass(b->inertia, b->inverse_mass, p, vector_flush_work(local));
  note_way(c, b, i, start);
  if (gap < 0.0f && way > 0.0f) {
    share_approach(c, plan, b, i, minimum(negate(gap), way));
  }
}

/* Lets all particles bear the body that are near. Returns how many there are. */
CLOTH_SEPARATE int32_t take_particles(const cloth *c, const step_plan *plan, borne_body *b) {
  const lanes reach = lanes_splat((b->m->reach + b->slack) * (b->m->reach + b->slack)), zero = lanes_splat(0.0f);
  const lanes3 place = lanes3_splat(b->m->end.position);
  const float *mobility = floats_at(c, c->scratch.mobility);
  int32_t found = 0;
  for (int32_t i = 0; i < c->count; i += CLOTH_LANES) {
    const lanes3 way = lanes3_flush_below(lanes3_subtract(lanes3_load(predicted_of(c), i), place), STATE_QUANTUM);
    const lanes_mask moves = lanes_both(lanes_less(zero, lanes_load(mobility + i)), lanes_first(c->count - i));
    const lanes_mask near = lanes_both(lanes_less(lanes3_dot(way, way), reach), moves);
    if (lanes_any(near)) {
      float is_near[CLOTH_LANES];
      lanes_store(is_near, lanes_keep(near, lanes_splat(1.0f)));
      for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
        if (is_near[lane] > 0.0f) {
          take_particle(c, plan, b, i + lane);
          found++;
        }
      }
    }
  }
  add_varying_work(c, (uint32_t)found, COST_BEARING + 2u * distance_cost(b->shape));
  return found;
}

#if WITH_CELL_CONTACT

/* Lets the corners of wide cells bear the body that are near. Returns how many triangles it has looked at. */
CLOTH_SEPARATE int32_t take_corners(const cloth *c, const step_plan *plan, borne_body *b, path_box *cloth_box) {
  const vector_array normals = bearing_vectors(c, BEARING_NORMAL);
  const cloth_vector none = {0.0f, 0.0f, 0.0f};
  cell_sums sums = {&b->core, none, none, 0, 0, 0, 1, b->slack};
  if (!guards_cells(b->shape, 1) || !has_wide_cells(c, &b->core) || !is_cloth_near(c, b->m, cloth_box)) {
    return 0;
  }
  collide_cells(c, plan, &sums);
  for (int32_t i = 0; i < c->count; i++) {
    if (bearing_plane(c, BEARING_CODE)[i] == negate(b->code)) {
      const cloth_vector sum = vector_load(normals, i);
      const cloth_vector normal =
          vector_flush_work(vector_scale(sum, 1.0f / maximum(vector_length(sum), NORMAL_MIN_LENGTH)));
      const cloth_vector local = vector_flush_work(rotate(rotation_conjugate(b->m->end.rotation), normal));
      const cloth_vector p = to_local(&b->m->end, vector_load(predicted_of(c), i));
      const cloth_vector arm = bearing_arm(c, b, i, p, local);
      vector_store(normals, i, normal);
      note_way(c, b, i, to_local(&b->m->start, vector_load(vectors_at(c, c->state.position), i)));
      bearing_plane(c, BEARING_ALONG)[i] = local_inverse_mass(b->inertia, b->inverse_mass, arm, local);
    }
  }
  return sums.tested;
}

#endif

/// Which part ///

/* What springs do to a particle where they are predicted, times its mobility: displacements. */
typedef struct bearing_pulls {
  cloth_vector pull; /* as if they did not relax [m] */
  float into;        /* how much less they pull into the body, ... */
  float along;       /* ... and along its surface, for each metre that the particle gives way [1] */
} bearing_pulls;

/* Adds the pull of the spring of a family, which starts at particle `first`, from one particle to another. */
static void add_bearing_pull(const cloth *c, const step_plan *plan, int32_t d, int32_t first, const int32_t ends[2],
                             bearing_pulls *p) {
  const spring_family *s = &plan->spring[d];
  if (s->projected == PROJECTED_NONE || is_gap(c, first, spring_gap(d))) {
    return;
  }
  const vector_array x = predicted_of(c);
  const cloth_vector way =
      vector_flush(vector_subtract(vector_load(x, ends[1]), vector_load(x, ends[0])), STATE_QUANTUM);
  const float length = maximum(vector_length(way), STATE_QUANTUM),
              rest = s->rest * shape_factor(c, REST_LENGTH + d, first);
  const cloth_vector unit = vector_flush_work(vector_scale(way, 1.0f / length));
  const float lean =
      flush_small(vector_dot(unit, vector_load(bearing_vectors(c, BEARING_NORMAL), ends[0])), WORK_QUANTUM);
  float stiffness = floats_at(c, c->scratch.mobility)[ends[0]] / s->compliance[length > rest ? 0 : 1];
  if (c->constant.stiffness_map) {
    const float *map = floats_at(c, c->constant.stiffness_map);
    stiffness *= 0.5f * (map[ends[0]] + map[ends[1]]);
  }
  p->pull = vector_add_scaled(p->pull, unit, flush_small(stiffness * (length - rest), WORK_QUANTUM));
  p->into += stiffness * (lean * lean);
  p->along += BEARING_EASE * stiffness;
}

/* The column beside another one. */
static int32_t wrapped_column(const cloth *c, int32_t column) {
  const int32_t columns = c->grid.columns;
  return column < 0 ? column + columns : column >= columns ? column - columns : column;
}

/* What the springs do to a particle. */
static bearing_pulls pulls_on(const cloth *c, const step_plan *plan, int32_t i) {
  const int32_t columns = c->grid.columns, column = i % columns, row = i / columns;
  bearing_pulls p = {{0.0f, 0.0f, 0.0f}, 0.0f, 0.0f};
  for (int32_t down = row > 0 ? -1 : 0; down <= (row + 1 < c->grid.rows ? 1 : 0); down++) {
    for (int32_t right = -1; right <= 1; right++) {
      const int is_inside = is_wrapped(c) || (column + right >= 0 && column + right < columns);
      if ((down != 0 || right != 0) && is_inside) {
        const int32_t slant = down == right ? DIAGONAL : ANTIDIAGONAL;
        const int32_t d = down == 0 ? WARP : right == 0 ? WEFT : slant;
        const int32_t upper = row + (down < 0 ? -1 : 0), left = wrapped_column(c, column + (right < 0 ? -1 : 0));
        const int32_t ends[2] = {i, (row + down) * columns + wrapped_column(c, column + right)};
        add_bearing_pull(c, plan, d, upper * columns + left, ends, &p);
      }
    }
  }
  p.pull = vector_flush_work(p.pull);
  return p;
}

/* How far the prediction lets a particle slip along the surface [m]. */
static cloth_vector predicted_slip(const cloth *c, const borne_body *b, int32_t i, cloth_vector normal) {
  const cloth_vector from = vector_load(vectors_at(c, c->state.position), i), to = vector_load(predicted_of(c), i);
  const cloth_vector p = to_local(&b->m->end, to);
  const cloth_vector surface = vector_subtract(to, to_world(&b->m->start, p));
  const cloth_vector way = vector_flush(vector_subtract(vector_subtract(to, from), surface), STATE_QUANTUM);
  return vector_add_scaled(way, normal, negate(flush_small(vector_dot(way, normal), WORK_QUANTUM)));
}

/* What is kept in BEARING_MOVED of a particle until its part is known. */
enum { WEIGHED_INTO, WEIGHED_ALONG, WEIGHED_SLIP };

/* Finds what springs pull the particles of a body into it, kept in BEARING_BORNE, by how much that eases, and what
   friction would have to hold, as if nothing eased. Returns the sum of the first, as forces. */
static float weigh_pulls(const cloth *c, const step_plan *plan, const borne_body *b) {
  float sum = 0.0f;
  for (int32_t i = 0; i < c->count; i++) {
    if (bears_this(c, b, i)) {
      const cloth_vector normal = vector_load(bearing_vectors(c, BEARING_NORMAL), i);
      const bearing_pulls p = pulls_on(c, plan, i);
      const float into = negate(flush_small(vector_dot(p.pull, normal), WORK_QUANTUM));
      const cloth_vector slip = vector_scale(predicted_slip(c, b, i, normal), 1.0f + p.along);
      const cloth_vector along = vector_flush_work(vector_add_scaled(vector_add(p.pull, slip), normal, into));
      const float least = BEARING_LEAST * vector_length(p.pull);
      bearing_plane(c, BEARING_BORNE)[i] = maximum(into, least) / floats_at(c, c->scratch.mobility)[i];
      bearing_plane(c, BEARING_MOVED + WEIGHED_INTO)[i] = p.into;
      bearing_plane(c, BEARING_MOVED + WEIGHED_ALONG)[i] = p.along;
      bearing_plane(c, BEARING_MOVED + WEIGHED_SLIP)[i] = vector_length(along);
      sum += bearing_plane(c, BEARING_BORNE)[i];
    }
  }
  return sum;
}

/* What slips shares its momentum along the surface with the part that resists it. */
static void share_slip(const cloth *c, const borne_body *b, int32_t i) {
  const vector_array x = predicted_of(c);
  const float across = bearing_plane(c, BEARING_ACROSS)[i];
  const cloth_vector slip = predicted_slip(c, b, i, vector_load(bearing_vectors(c, BEARING_NORMAL), i));
  const cloth_vector left = vector_flush_work(vector_scale(slip, 1.0f / (1.0f + across)));
  const cloth_vector place = vector_flush(vector_add(vector_load(x, i), vector_subtract(left, slip)), STATE_QUANTUM);
  place_particle(c, &workspace_of(c)->plan, i, place);
  vector_store(bearing_vectors(c, BEARING_MOVED), i, left);
}

/* How much of its mass a particle resists along the surface with, so that friction gives what it can: mu n of what
   would have to be held, with n what the part m bears of a pull that eases. */
static float resistance_of(const cloth *c, const borne_body *b, int32_t i, float m, float most) {
  const float into = bearing_plane(c, BEARING_BORNE)[i] * floats_at(c, c->scratch.mobility)[i];
  const float eased = 1.0f + bearing_plane(c, BEARING_MOVED + WEIGHED_INTO)[i];
  const float needed = bearing_plane(c, BEARING_MOVED + WEIGHED_SLIP)[i];
  const float holds = kinetic_friction_of(c, b->m) * into * (m / (m + eased));
  const float left = needed - holds;
  const float relaxed = 1.0f + bearing_plane(c, BEARING_MOVED + WEIGHED_ALONG)[i];
  return relaxed * holds < most * left ? relaxed * holds / left : most;
}

/* largest_inverse_mass() of a body at an arm in world axes. */
static float largest_inverse_mass_at(const cloth *c, const borne_body *b, cloth_vector arm) {
  const cloth_rotation q = colliders_of(c)[b->body->collider].body.pose.rotation;
  const cloth_vector local = are_even(b->inertia) ? arm : rotate(rotation_conjugate(q), vector_flush_work(arm));
  return largest_inverse_mass(b->inertia, b->inverse_mass, local);
}

/* The part of a body that a particle bears by its share of the pulls, as multiples of its mass. */
static void set_part(const cloth *c, const borne_body *b, int32_t i, float share) {
  const float mobility = floats_at(c, c->scratch.mobility)[i] * b->inverse_unit;
  const cloth_vector arm = vector_subtract(vector_load(predicted_of(c), i), b->m->pivot);
  float *along = &bearing_plane(c, BEARING_ALONG)[i];
  const float least = largest_inverse_mass_at(c, b, arm);
  *along = minimum(share / *along * mobility, BEARING_LIMIT);
  const float most = minimum(share / least * mobility, *along);
  bearing_plane(c, BEARING_ACROSS)[i] = resistance_of(c, b, i, *along, most);
  share_slip(c, b, i);
}

/* Marks the lines of a particle. */
static void mark_lines(const cloth *c, int32_t i) {
  const int32_t columns = c->grid.columns, row = i / columns, column = i % columns, shift = row % columns;
  bearing_marks(c, WARP)[row / LINE_BLOCK] = 1;
  bearing_marks(c, WEFT)[column / LINE_BLOCK] = 1;
  bearing_marks(c, DIAGONAL)[(column + columns - shift) % columns / LINE_BLOCK] = 1;
  bearing_marks(c, ANTIDIAGONAL)[(column + shift) % columns / LINE_BLOCK] = 1;
}

/* Gives the particles that bear a body their parts of what particles of all cloths pull. Returns how many have been
   near. */
CLOTH_SEPARATE int32_t set_parts(const cloth *c, const borne_body *b) {
  const body_share *share = body_share_of(c, b->body);
  const float sum = share->pull + share->other_pull * b->inverse_unit;
  int32_t found = 0;
  for (int32_t i = 0; i < c->count; i++) {
    if (bears_this(c, b, i)) {
      const float pull = bearing_plane(c, BEARING_BORNE)[i];
      found++;
      if (pull > 0.0f) {
        set_part(c, b, i, pull / sum);
        mark_lines(c, i);
      } else {
        bearing_plane(c, BEARING_ALONG)[i] = bearing_plane(c, BEARING_ACROSS)[i] = 0.0f;
        vector_store(bearing_vectors(c, BEARING_MOVED), i, vector(0.0f, 0.0f, 0.0f));
      }
    }
  }
  add_varying_work(c, (uint32_t)found, COST_BEARING_PART + record_cost(c));
  return found;
}

/* Charges the lines that bear a body, in whole blocks. */
static void charge_bearing_lines(const cloth *c) {
  const int32_t rows = c->grid.rows, columns = c->grid.columns;
  uint32_t elements = 0;
  for (int32_t d = 0; d < DIRECTIONS; d++) {
    const int32_t lines = d == WARP ? rows : columns, length = d == WARP ? columns : rows;
    for (int32_t line = 0; line < lines; line += LINE_BLOCK) {
      const int32_t count = lines - line < LINE_BLOCK ? lines - line : LINE_BLOCK;
      elements += bearing_marks(c, d)[line / LINE_BLOCK] ? (uint32_t)(count * length) : 0u;
    }
  }
  add_varying_work(c, elements, COST_BEARING_LINE);
}

/* 1 if particles bear bodies in a substep. */
static int may_bear_bodies(const cloth *c, const step_plan *plan) {
  return has_body_room(c) && inputs_of(c)->body_count > 0 && plan->projects && !has_solver_contacts(c);
}

/* Finds the particles that bear bodies, and what springs pull them into these with. */
CLOTH_SEPARATE void find_bearing(const cloth *c, const step_plan *plan) {
  const int32_t count = inputs_of(c)->body_count;
  if (has_body_room(c)) {
    *bearing_state(c) = BEARS_NOTHING;
  }
  if (!may_bear_bodies(c, plan)) {
    return;
  }
  fill_zero(bearing_plane(c, BEARING_CODE), (size_t)c->count * sizeof(float));
  fill_zero(bearing_marks(c, WARP), (size_t)(DIRECTIONS * line_blocks(c)));
#if WITH_CELL_CONTACT
  if (plan->index == 0 && has_guarded_collider(c)) {
    workspace_of(c)->widest_square = widest_square(c);
  }
  path_box cloth_box;
  cloth_box.is_known = 0;
#endif
  for (int32_t n = 0; n < count; n++) {
    borne_body b = borne_body_at(c, plan, n);
    body_shares_of(c)[n].near = 0;
    if (count_attached(c, b.body) > 0) {
      continue;
    }
    body_shares_of(c)[n].near = take_particles(c, plan, &b);
#if WITH_CELL_CONTACT
    cloth_box.is_known &= body_shares_of(c)[n].near == 0; /* what is near may have been moved */
    body_shares_of(c)[n].near += take_corners(c, plan, &b, &cloth_box);
#endif
  }
  for (int32_t n = 0; n < count; n++) {
    const borne_body b = borne_body_at(c, plan, n);
    body_shares_of(c)[n].pull = body_shares_of(c)[n].near > 0 ? weigh_pulls(c, plan, &b) : 0.0f;
  }
  add_varying_work(c, (uint32_t)c->count * (uint32_t)count, COST_BEARING_NEAR);
}

/* Gives the particles that bear bodies their parts. */
CLOTH_SEPARATE void share_bearing(const cloth *c, const step_plan *plan) {
  int32_t found = 0;
  if (!may_bear_bodies(c, plan)) {
    return;
  }
  for (int32_t n = 0; n < inputs_of(c)->body_count; n++) {
    const borne_body b = borne_body_at(c, plan, n);
    found += body_shares_of(c)[n].near > 0 ? set_parts(c, &b) : 0;
  }
  charge_bearing_lines(c);
  *bearing_state(c) = found > 0 ? BEARS_PARTS : BEARS_NOTHING;
}

/// What a body gets ///

/* Gives a body what a particle's parts have received, and keeps what friction counts of it. */
static void deliver_part(const cloth *c, const step_plan *plan, const borne_body *b, int32_t i, cloth_reaction *sums) {
  const cloth_vector normal = vector_load(bearing_vectors(c, BEARING_NORMAL), i);
  const cloth_vector moved = vector_load(bearing_vectors(c, BEARING_MOVED), i);
  const float unit = plan->inverse_h / (floats_at(c, c->scratch.mobility)[i] * b->inverse_unit);
  const float along = bearing_plane(c, BEARING_ALONG)[i], across = bearing_plane(c, BEARING_ACROSS)[i];
  const float out = flush_small(vector_dot(moved, normal), WORK_QUANTUM);
  const cloth_vector slip = vector_flush_work(vector_add_scaled(moved, normal, negate(out)));
  const cloth_vector normal_part = vector_flush_work(vector_scale(normal, along * out));
  const cloth_vector parts = vector_flush_work(vector_add_scaled(normal_part, slip, across));
  const cloth_vector impulse = vector_flush(vector_scale(parts, unit), INPUT_QUANTUM);
  const cloth_pose *pose = &b->m->end;
  const cloth_vector p = to_local(pose, vector_load(predicted_of(c), i));
  const cloth_vector local = vector_flush_work(rotate(rotation_conjugate(pose->rotation), normal));
  const cloth_vector arm = vector_flush(rotate(pose->rotation, bearing_arm(c, b, i, p, local)), STATE_QUANTUM);
  sums->impulse = vector_add(sums->impulse, impulse);
  sums->torque = vector_add(sums->torque, vector_cross(arm, impulse));
  record_borne(c, b, i, impulse, 0);
  const float used = across * vector_length(slip) / maximum(kinetic_friction_of(c, b->m), BEARING_FRICTION);
  bearing_plane(c, BEARING_BORNE)[i] = flush_small(negate(along * out) - used, WORK_QUANTUM);
  bearing_plane(c, BEARING_PRESSED)[i] = maximum(flush_small(negate(along * out), WORK_QUANTUM), 0.0f);
}

/* Gives the bodies what the particles that bear them have received for them. */
CLOTH_SEPARATE void deliver_bearing(const cloth *c, const step_plan *plan) {
  if (!is_bearing(c, BEARS_PARTS)) {
    return;
  }
  *bearing_state(c) = BEARS_COUNTS;
  for (int32_t n = 0; n < inputs_of(c)->body_count; n++) {
    const cloth_vector none = {0.0f, 0.0f, 0.0f};
    const borne_body b = borne_body_at(c, plan, n);
    cloth_reaction sums = {none, none};
    for (int32_t i = 0; i < c->count; i++) {
      if (bears_this(c, &b, i)) {
        deliver_part(c, plan, &b, i, &sums);
      }
    }
    receive_impulse(c, b.body->collider, sums.impulse, sums.torque);
  }
}

/* What is to be taken from the velocity of a particle relative to the body: the part along the normal, and that along
   the surface, of which friction takes what it can, if the particle has turned back within the substep. */
static cloth_vector reversed_part(const cloth *c, const step_plan *plan, const borne_body *b, int32_t i,
                                  cloth_vector velocity) {
  const cloth_vector normal = vector_load(bearing_vectors(c, BEARING_NORMAL), i);
  const cloth_vector way = vector_load(bearing_vectors(c, BEARING_WAY), i);
  const float into = flush_small(vector_dot(way, normal), WORK_QUANTUM);
  const float out = flush_small(vector_dot(velocity, normal), WORK_QUANTUM);
  const cloth_vector along = vector_flush_work(vector_add_scaled(velocity, normal, negate(out)));
  const float speed = vector_length(along);
  const float most = kinetic_friction_of(c, b->m) * bearing_plane(c, BEARING_PRESSED)[i] * plan->inverse_h;
  const float share = speed > most ? most / speed : 1.0f;
  const int turns = vector_dot(along, vector_flush_work(vector_add_scaled(way, normal, negate(into)))) < 0.0f;
  const cloth_vector taken = vector_scale(along, turns ? share : 0.0f);
  return out > 0.0f && into < 0.0f ? vector_add_scaled(taken, normal, out) : taken;
}

/* Stops a particle, relative to the body, that has turned back within the substep. */
static void stop_reversal(const cloth *c, const step_plan *plan, const borne_body *b, int32_t i) {
  const vector_array v = vectors_at(c, c->state.velocity);
  const cloth_pose *pose = &colliders_of(c)[b->body->collider].body.pose;
  const cloth_vector place = place_in_step(c, pose->position);
  const cloth_vector arm = vector_flush(vector_subtract(vector_load(predicted_of(c), i), place), STATE_QUANTUM);
  const cloth_vector surface = vector_add(b->body->velocity, vector_cross(b->body->spin, arm));
  const cloth_vector relative = vector_flush(vector_subtract(vector_load(v, i), surface), STATE_QUANTUM);
  const float mass = mass_of_particle(c, i);
  const float share = 1.0f / (1.0f + mass * largest_inverse_mass_at(c, b, arm));
  const cloth_vector taken = vector_flush(vector_scale(reversed_part(c, plan, b, i, relative), share), STATE_QUANTUM);
  const cloth_vector impulse = vector_flush(vector_scale(taken, mass), INPUT_QUANTUM);
  vector_store(v, i, vector_flush(vector_subtract(vector_load(v, i), taken), STATE_QUANTUM));
  receive_impulse(c, b->body->collider, impulse, vector_cross(arm, impulse));
  record_borne(c, b, i, impulse, 1);
}

/* Stops, relative to the bodies, the particles in contact with them that have turned back within the substep. */
CLOTH_SEPARATE void stop_reversals(const cloth *c, const step_plan *plan) {
  if (!is_bearing(c, BEARS_COUNTS)) {
    return;
  }
  for (int32_t n = 0; n < inputs_of(c)->body_count; n++) {
    const borne_body b = borne_body_at(c, plan, n);
    for (int32_t i = 0; i < c->count; i++) {
      if (bears_this(c, &b, i) && (!c->state.velocity_history || history_of(c, 1).x[i] > 0.5f * HISTORY_INVALID)) {
        stop_reversal(c, plan, &b, i);
      }
    }
  }
}

/* Before the first substep nothing is borne. */
static void forget_bearing(const cloth *c) {
  if (has_body_room(c)) {
    *bearing_state(c) = BEARS_NOTHING;
  }
}

#else

static void find_bearing(const cloth *c, const step_plan *plan) {
  (void)c;
  (void)plan;
}

static void share_bearing(const cloth *c, const step_plan *plan) {
  find_bearing(c, plan);
}

static void deliver_bearing(const cloth *c, const step_plan *plan) {
  find_bearing(c, plan);
}

static void stop_reversals(const cloth *c, const step_plan *plan) {
  find_bearing(c, plan);
}

static void forget_bearing(const cloth *c) {
  (void)c;
}

#endif
