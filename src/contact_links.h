#pragma once
#include "access.h"
#include "compiler.h"
#include "costs.h"
#include "gaps.h"
#include "geometry.h"
#include "lanes.h"
#include "rest_lengths.h"
#include "rigid.h"
#include "scalar.h"
#include "shapes.h"
#include "types.h"

/// Links over colliders ///

/*
 * What the links of a particle in contact, the springs to its neighbours along warp and weft, mean for the contact.
 *
 * A link that leads over an edge of a collider is a straight line through the edge. It pulls the particle with T sin a
 * into the surface and with T cos a along it, T being its tension and a the angle between surface and link. Cloth would
 * bend around the edge there, and friction would leave exp(-mu a) of the pull along the surface (Euler and Eytelwein).
 * So friction may take T cos a (1 - exp(-mu a)), as if the coefficient were mu' = cot(a) (1 - exp(-mu a)): with mu
 * itself particles beside an edge stick there, whatever pulls.
 *
 * Particles that are deep inside, as they began there or a collider was set upon them, leave a body along the normal of
 * the sheet, on the side where the sheet lies from the body's middle. Along the surface's normals they would leave on
 * both sides, and the sheet would stay torn through the body.
 *
 * A link that leads through a collider, because the cloth was torn through it, can never become short. Then the
 * particle at one of its ends is let go: this collider does not hold it until the link is short.
 *
 * In: positions at the start of the substep, the collider's pose at its end. Out: nothing. Scratch: none.
 */

/* Contact asks for the links where a particle presses with a displacement of so many spacings [1]: where it is pulled,
   but not where it has to bear only its weight and that of its neighbours. */
#define LINK_PRESSURE 0.03125f
/* In place of mu' stands mu g / (1 + LINK_CAPSTAN mu (1 - g)), where g = min(1, LINK_COSINE cos^2 a). Up to 34 degrees,
   where g is 1, links count as lying along the surface. It is below mu' for steep links, by half at 67 degrees: the
   solves along lines move a particle into the surface by more than the forces' share. */
#define LINK_COSINE 1.45f
#define LINK_CAPSTAN 2.0f
/* A link that is longer than so many times its rest length leads through a collider if its middle is deeper inside than
   its rest length. Of a particle that is inside, as it has been let go before, links need not be as long. */
#define TORN_LENGTH 2.0f
#define TORN_LENGTH_INSIDE 1.05f
/* Colliders faster than this [m/s] let no particle go: they hit the cloth at present. */
#define TORN_SPEED 3.0f

/* Of the two ends of a link through a collider the one that is behind in this direction is let go: upwards, and to one
   side where the link is level. It is not along an axis, as a link at right angles to it has no end behind. */
CLOTH_CONSTANT static const cloth_vector torn_side = {0.48f, 0.6f, 0.64f};

/* Where a particle in contact with a collider is, as far as its links need it: in world axes [m]. */
typedef struct touching_particle {
  cloth_vector x; /* position at the start of the substep */
  int32_t number;
} touching_particle;

/* What contact has to know of the links of a particle that a collider may let go. */
typedef struct link_report {
  int32_t torn;         /* 1 if the particle is to be let go */
  cloth_vector ends[4]; /* of the links, relative to the particle [m]; 0 for those that it does not have */
} link_report;

/* What a collider does with a particle instead of holding it at its surface. */
enum { LINKS_NOTHING, LINKS_LET_GO, LINKS_LIFT_OUT };

/* 1 if the point `x` is deeper than `depth` inside the collider when the substep begins. */
static int begins_inside(const cloth *c, const cloth_collider *body, const moving_body *m, cloth_vector x,
                         float depth) {
  cloth_vector normal;
  return distance_of_point(body, geometry_of(c, body), to_local(&m->start, x), &normal) < negate(depth);
}

/* 1 if the link to a particle at `x` leads through the collider. `stretch` is its squared length over that at rest. */
static int leads_through(const cloth *c, const cloth_collider *body, const moving_body *m, const touching_particle *p,
                         cloth_vector x, float rest, float stretch) {
  if (stretch > TORN_LENGTH * TORN_LENGTH &&
      begins_inside(c, body, m, vector_scale(vector_add(p->x, x), 0.5f), maximum(rest, m->margin))) {
    return 1;
  }
  return begins_inside(c, body, m, p->x, m->margin);
}

/* The particle at the other end of a link of particle i, or i if there is no such link. Directions 0 and 1 lie along
   the warp, 2 and 3 along the weft, of which 0 and 2 start at the other one. */
static int32_t link_end(const cloth *c, int32_t i, int32_t direction) {
  const int32_t columns = c->grid.columns, row = i / columns, column = i - row * columns;
  const int32_t wrap = is_wrapped(c) ? columns : 0;
  const int32_t before = i - 1 + (column > 0 ? 0 : wrap), after = i + 1 - (column + 1 < columns ? 0 : wrap);
  switch (direction) {
  case 0:
    return (column > 0 || wrap) && !is_gap(c, before, GAP_WARP) ? before : i;
  case 1:
    return (column + 1 < columns || wrap) && !is_gap(c, i, GAP_WARP) ? after : i;
  case 2:
    return row > 0 && !is_gap(c, i - columns, GAP_WEFT) ? i - columns : i;
  default:
    return row + 1 < c->grid.rows && !is_gap(c, i, GAP_WEFT) ? i + columns : i;
  }
}

/* Adds the link to the particle `other` to the report, as that of a direction. */
static void report_link(const cloth *c, const cloth_collider *body, const moving_body *m, const touching_particle *p,
                        int32_t direction, int32_t other, link_report *report) {
  float rest = direction < 2 ? c->grid.spacing_warp : c->grid.spacing_weft;
#if WITH_REST_SHAPE
  if (has_rest_shape(c)) {
    rest *= shape_factor(c, REST_LENGTH + (direction < 2 ? WARP : WEFT), direction & 1 ? p->number : other);
  }
#endif
  const cloth_vector x = vector_load(vectors_at(c, c->state.position), other);
  const cloth_vector link = vector_flush(vector_subtract(x, p->x), STATE_QUANTUM);
  report->ends[direction] = link;
  const float squared = vector_dot(link, link), stretch = squared / (rest * rest);
  if (squared > STATE_QUANTUM && stretch > TORN_LENGTH_INSIDE * TORN_LENGTH_INSIDE &&
      vector_dot(link, torn_side) > 0.0f) {
    report->torn |= leads_through(c, body, m, p, x, rest, stretch);
  }
}

/* Reports all links of a particle. */
static link_report report_links(const cloth *c, const cloth_collider *body, const moving_body *m,
                                const touching_particle *p) {
  link_report report = {0};
  for (int32_t direction = 0; direction < 4; direction++) {
    const int32_t other = link_end(c, p->number, direction);
    if (other != p->number) {
      report_link(c, body, m, p, direction, other, &report);
    }
  }
  return report;
}

/* How far a particle has to press for contact to ask for its links [m]. */
static float link_pressure(const cloth *c) {
  return LINK_PRESSURE * minimum(c->grid.spacing_warp, c->grid.spacing_weft);
}

/* Does a shape tell what is inside of it? Height fields bring all up by themselves. */
static int has_inside(const cloth_collider *body) {
  return !is_concave(body) || body->shape == CLOTH_SHAPE_DISTANCE_GRID;
}

/* 1 if the collider is slow enough to let particles go in the substep. */
static int may_let_go(const step_plan *plan, const moving_body *m) {
  const cloth_vector way = vector_flush_work(vector_subtract(m->end.position, m->start.position));
  const float most = TORN_SPEED * plan->h;
  return vector_dot(way, way) <= most * most;
}

/* Steps of Newton's method towards the place where a particle leaves a body. */
#define LIFT_STEPS 8
/* A sheet that lies so much of a body's size behind its middle still leaves it on the front side [1]: a sheet through
   the middle must not leave it on both, as its roundings have it. */
#define LIFT_BIAS 0.01f

/* Where a particle that begins deep inside a body leaves it: along the normal of the sheet, at the margin, in the
   body's axes. The path is followed inwards from outside of the body, where the distance of convex bodies grows ever
   faster along it, so that no step passes the surface; of distance grids it grows by no more than the way. Returns 0 if
   the sheet has no normal there. */
static int lift_out(const cloth *c, const cloth_collider *body, const moving_body *m, const touching_particle *p,
                    const link_report *report, cloth_vector *out) {
  const cloth_vector across = vector_cross(vector_subtract(report->ends[3], report->ends[2]),
                                           vector_subtract(report->ends[1], report->ends[0]));
  const float area = vector_dot(vector_flush_work(across), vector_flush_work(across));
  if (!(area > WORK_QUANTUM) || !is_finite(area)) {
    return 0;
  }
  const cloth_vector normal = vector_scale(across, 1.0f / square_root(area));
  const cloth_vector from = to_local(&m->start, p->x);
  cloth_vector along = vector_flush(rotate(rotation_conjugate(m->start.rotation), normal), STATE_QUANTUM);
  if (vector_dot(from, along) < negate(LIFT_BIAS * m->reach)) {
    along = vector_scale(along, -1.0f);
  }
  float way = 2.0f * m->reach;
  for (int32_t step = 0; step < LIFT_STEPS; step++) {
    cloth_vector outward;
    const cloth_vector at_way = vector_flush(vector_add_scaled(from, along, way), STATE_QUANTUM);
    const float distance = distance_of_point(body, geometry_of(c, body), at_way, &outward) - m->margin;
    const float slope = is_concave(body) ? 1.0f : maximum(vector_dot(vector_flush_work(outward), along), 0.1f);
    way = maximum(way - flush_small(distance, STATE_QUANTUM) / slope, 0.0f);
  }
  *out = vector_flush(vector_add_scaled(from, along, way), STATE_QUANTUM);
  return 1;
}

/* Depth from which particles that begin inside of a body are lifted out [m]. */
static float lifting_depth(const cloth *c, const moving_body *m) {
  return maximum(m->margin, maximum(c->grid.spacing_warp, c->grid.spacing_weft));
}

/* What a collider does with a particle that it may let go: *out is its place in the body's axes if it is lifted out. */
static int answer_of(const cloth *c, const cloth_collider *body, const moving_body *m, const touching_particle *p,
                     cloth_vector *out) {
  const link_report report = report_links(c, body, m, p);
  if (report.torn) {
    return LINKS_LET_GO;
  }
  const int is_deep = begins_inside(c, body, m, p->x, lifting_depth(c, m));
  return is_deep && lift_out(c, body, m, p, &report, out) ? LINKS_LIFT_OUT : LINKS_NOTHING;
}

/// A block ///

/* The answers of a block of particles. */
typedef struct link_answers {
  int32_t asked; /* 0: all shares are 1 and all kinds LINKS_NOTHING */
  lanes share;   /* g */
  lanes kind;    /* LINKS_NOTHING ... */
  lanes3 place;  /* of those that are lifted out, in the collider's axes [m] */
} link_answers;

/* The links of a block of particles at x, from their numbers. */
CLOTH_SEPARATE void gather_links(const cloth *c, int32_t i, const lanes3 *x, lanes3 link[4]) {
  const vector_array from = vectors_at(c, c->state.position);
  for (int32_t direction = 0; direction < 4; direction++) {
    float end[3][CLOTH_LANES];
    for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
      const int32_t other = i + lane < c->count ? link_end(c, i + lane, direction) : i;
      end[0][lane] = from.x[other];
      end[1][lane] = from.y[other];
      end[2][lane] = from.z[other];
    }
    const vector_array ends = {end[0], end[1], end[2]};
    link[direction] = lanes3_flush_below(lanes3_subtract(lanes3_load(ends, 0), *x), STATE_QUANTUM);
  }
}

/* 0 in one lane, which may be none of them; the other lanes stay. */
CLOTH_INLINE lanes3 without_lane(lanes3 a, int32_t lane) {
  const lanes3 behind = lanes3_select(lanes_first(lane + 1), lanes3_splat(vector(0.0f, 0.0f, 0.0f)), a);
  return lanes3_select(lanes_first(lane), a, behind);
}

/* The links of a block of particles at x; 0 for those that they do not have. Away from the first and last row the other
   ends lie side by side as well. */
CLOTH_INLINE void load_links(const cloth *c, int32_t i, const lanes3 *x, lanes3 link[4]) {
  const vector_array from = vectors_at(c, c->state.position);
  const int32_t columns = c->grid.columns;
  const int is_inside = i >= columns && i + CLOTH_LANES + columns <= c->count && columns >= CLOTH_LANES;
  if (CLOTH_LANES == 1 || !is_inside || is_wrapped(c) || has_gaps(c)) {
    gather_links(c, i, x, link);
    return;
  }
  const int32_t column = i % columns, offset[4] = {-1, 1, -columns, columns};
  for (int32_t direction = 0; direction < 4; direction++) {
    const lanes3 end = lanes3_load(from, i + offset[direction]);
    link[direction] = lanes3_flush_below(lanes3_subtract(end, *x), STATE_QUANTUM);
  }
  link[0] = without_lane(link[0], column > 0 ? columns - column : 0); /* the first of a row */
  link[1] = without_lane(link[1], columns - 1 - column);              /* the last */
}

/* The share g of particles with these links; `normal` is in world axes. Largest square of the sine of the angle between
   surface and link, of links into the collider. */
CLOTH_INLINE lanes link_share(const lanes3 link[4], lanes3 normal) {
  const lanes zero = lanes_splat(0.0f), one = lanes_splat(1.0f), least = lanes_splat(STATE_QUANTUM);
  lanes steepest = zero;
  for (int32_t direction = 0; direction < 4; direction++) {
    const lanes squared = lanes3_dot(link[direction], link[direction]);
    lanes into = lanes_maximum(lanes_negate(lanes3_dot(link[direction], normal)), zero);
    into = lanes_flush_below(into, STATE_QUANTUM);
    const lanes steep = lanes_divide(lanes_multiply(into, into), lanes_maximum(squared, least));
    steepest = lanes_maximum(steepest, lanes_keep(lanes_less(least, squared), steep));
  }
  const lanes flat = lanes_maximum(lanes_subtract(one, steepest), zero);
  return lanes_minimum(lanes_multiply(lanes_splat(LINK_COSINE), flat), one);
}

/* Which particles of a block the collider may let go or lift out: those with a link that is too long, see
   report_link(), and those that begin deep inside. Of pre-shaped cloth and distance grids, where that takes more, all.
 */
CLOTH_INLINE lanes_mask may_leave(const cloth *c, const cloth_collider *body, const moving_body *m, lanes3 x,
                                  const lanes3 link[4]) {
  const lanes zero = lanes_splat(0.0f);
  if (has_rest_shape(c) || is_concave(body)) {
    return lanes_first(CLOTH_LANES);
  }
  lanes leaves = zero;
  for (int32_t direction = 0; direction < 4; direction++) {
    const float rest = direction < 2 ? c->grid.spacing_warp : c->grid.spacing_weft;
    const lanes squared = lanes3_dot(link[direction], link[direction]);
    const lanes stretch = lanes_divide(squared, lanes_splat(rest * rest));
    const lanes_mask is_long = lanes_less(lanes_splat(TORN_LENGTH_INSIDE * TORN_LENGTH_INSIDE), stretch);
    const lanes_mask is_behind = lanes_less(zero, lanes3_dot(link[direction], lanes3_splat(torn_side)));
    leaves = lanes_select(lanes_both(is_long, is_behind), lanes_splat(1.0f), leaves);
  }
  lanes3 normal, place = lanes3_flush_below(lanes3_subtract(x, lanes3_splat(m->start.position)), STATE_QUANTUM);
  place = lanes3_flush_below(lanes3_rotate(rotation_conjugate(m->start.rotation), place), STATE_QUANTUM);
  const lanes distance = distance_to_body(body, geometry_of(c, body), place, &normal);
  const lanes_mask is_deep = lanes_less(distance, lanes_splat(negate(lifting_depth(c, m))));
  return lanes_less(zero, lanes_select(is_deep, lanes_splat(1.0f), leaves));
}

/* Answers of the particles of a block of which `asked` is 1, which the collider may let go or lift out. */
CLOTH_SEPARATE void answer_singly(const cloth *c, const cloth_collider *body, const moving_body *m, int32_t i,
                                  lanes asked, link_answers *answers) {
  float asks[CLOTH_LANES], place[3][CLOTH_LANES], kinds[CLOTH_LANES];
  const vector_array places = {place[0], place[1], place[2]};
  lanes_store(asks, asked);
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    cloth_vector out = {0.0f, 0.0f, 0.0f};
    kinds[lane] = (float)LINKS_NOTHING;
    if (asks[lane] > 0.0f) {
      const touching_particle p = {vector_load(vectors_at(c, c->state.position), i + lane), i + lane};
      kinds[lane] = (float)answer_of(c, body, m, &p, &out);
    }
    vector_store(places, lane, out);
  }
  answers->kind = lanes_load(kinds);
  answers->place = lanes3_load(places, 0);
}

/* Asks for the links of a block of particles in contact, of those whose kind is 1; the others have a share of 1.
   `normal` is in the collider's axes. */
CLOTH_SEPARATE void answer_block(const cloth *c, const step_plan *plan, const cloth_collider *body,
                                 const moving_body *m, int32_t i, const lanes3 *normal, link_answers *answers) {
  const lanes zero = lanes_splat(0.0f);
  const lanes3 outward = m->aligned ? *normal : lanes3_rotate(m->end.rotation, *normal);
  const lanes3 x = lanes3_load(vectors_at(c, c->state.position), i);
  lanes asked = answers->kind;
  lanes3 link[4];
  load_links(c, i, &x, link);
  answers->asked = 1;
  answers->share = lanes_select(lanes_less(zero, asked), link_share(link, lanes3_flush(outward)), lanes_splat(1.0f));
  answers->kind = lanes_splat((float)LINKS_NOTHING);
  if (may_let_go(plan, m) && has_inside(body)) {
    asked = lanes_keep(may_leave(c, body, m, x, link), asked);
    if (lanes_any(lanes_less(zero, asked)) || c->settings.capacity.fixed_work) {
      answer_singly(c, body, m, i, asked, answers);
    }
  }
}
