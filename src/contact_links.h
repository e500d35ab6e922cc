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

/* A particle in contact with a collider. Vectors are in world axes. */
typedef struct touching_particle {
  cloth_vector x, normal; /* position at the start of the substep [m], normal of the surface */
  int32_t may_let_go;     /* 1 if the collider lets particles go in this substep */
} touching_particle;

/* What contact has to know of the links of a particle. */
typedef struct link_report {
  float steepest; /* largest square of the sine of the angle between surface and link, of links into the collider */
  int32_t torn;   /* 1 if the particle is to be let go */
  int32_t particle;
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

/* Adds the link to the particle `other` to the report, as that of a direction: 0 and 1 along the warp, 2 and 3 along
   the weft, of which 0 and 2 start at the other one. */
static void report_link(const cloth *c, const cloth_collider *body, const moving_body *m, const touching_particle *p,
                        int32_t direction, int32_t other, link_report *report) {
  float rest = direction < 2 ? c->grid.spacing_warp : c->grid.spacing_weft;
#if WITH_REST_SHAPE
  if (has_rest_shape(c)) {
    rest *= shape_factor(c, REST_LENGTH + (direction < 2 ? WARP : WEFT), direction & 1 ? report->particle : other);
  }
#endif
  const cloth_vector x = vector_load(vectors_at(c, c->state.position), other);
  const cloth_vector link = vector_flush(vector_subtract(x, p->x), STATE_QUANTUM);
  report->ends[direction] = link;
  const float squared = vector_dot(link, link);
  if (!(squared > STATE_QUANTUM)) {
    return;
  }
  const float into = flush_small(maximum(negate(vector_dot(link, p->normal)), 0.0f), STATE_QUANTUM);
  const float steep = into * into / squared;
  report->steepest = maximum(report->steepest, steep);
  const float stretch = squared / (rest * rest);
  if (p->may_let_go && stretch > TORN_LENGTH_INSIDE * TORN_LENGTH_INSIDE && vector_dot(link, torn_side) > 0.0f) {
    report->torn |= leads_through(c, body, m, p, x, rest, stretch);
  }
}

/* Reports all links of particle `i`. */
static link_report report_links(const cloth *c, const cloth_collider *body, const moving_body *m,
                                const touching_particle *p, int32_t i) {
  link_report report = {.particle = i};
  const int32_t columns = c->grid.columns, row = i / columns, column = i - row * columns;
  const int32_t wrap = is_wrapped(c) ? columns : 0;
  const int32_t before = i - 1 + (column > 0 ? 0 : wrap);
  if ((column > 0 || wrap) && !is_gap(c, before, GAP_WARP)) {
    report_link(c, body, m, p, 0, before, &report);
  }
  if ((column + 1 < columns || wrap) && !is_gap(c, i, GAP_WARP)) {
    report_link(c, body, m, p, 1, i + 1 - (column + 1 < columns ? 0 : wrap), &report);
  }
  if (row > 0 && !is_gap(c, i - columns, GAP_WEFT)) {
    report_link(c, body, m, p, 2, i - columns, &report);
  }
  if (row + 1 < c->grid.rows && !is_gap(c, i, GAP_WEFT)) {
    report_link(c, body, m, p, 3, i + columns, &report);
  }
  return report;
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

/* What becomes of a particle in contact: *share is g, and of a particle that is lifted out *out its place in the body's
   axes. */
static int answer_of(const cloth *c, const cloth_collider *body, const moving_body *m, const touching_particle *p,
                     int32_t i, float *share, cloth_vector *out) {
  const link_report report = report_links(c, body, m, p, i);
  const float deep = maximum(m->margin, maximum(c->grid.spacing_warp, c->grid.spacing_weft));
  *share = minimum(LINK_COSINE * maximum(1.0f - report.steepest, 0.0f), 1.0f);
  if (report.torn) {
    return LINKS_LET_GO;
  }
  const int is_deep = p->may_let_go && begins_inside(c, body, m, p->x, deep);
  return is_deep && lift_out(c, body, m, p, &report, out) ? LINKS_LIFT_OUT : LINKS_NOTHING;
}

/* The answers of a block of particles. */
typedef struct link_answers {
  int32_t asked; /* 0: all shares are 1 and all kinds LINKS_NOTHING */
  lanes share;   /* g */
  lanes kind;    /* LINKS_NOTHING ... */
  lanes3 place;  /* of those that are lifted out, in the collider's axes [m] */
} link_answers;

/* Asks for the links of a block of particles in contact, of those whose kind is 1; the others have a share of 1.
   `normal` is in the collider's axes. */
CLOTH_SEPARATE void answer_block(const cloth *c, const step_plan *plan, const cloth_collider *body,
                                 const moving_body *m, int32_t i, const lanes3 *normal, link_answers *answers) {
  float asked[CLOTH_LANES], n[3][CLOTH_LANES], place[3][CLOTH_LANES], shares[CLOTH_LANES], kinds[CLOTH_LANES];
  const lanes3 outward = m->aligned ? *normal : lanes3_rotate(m->end.rotation, *normal);
  touching_particle p = {.may_let_go = may_let_go(plan, m) && has_inside(body)};
  lanes_store(asked, answers->kind);
  lanes_store(n[0], outward.x);
  lanes_store(n[1], outward.y);
  lanes_store(n[2], outward.z);
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    cloth_vector out = {0.0f, 0.0f, 0.0f};
    shares[lane] = 1.0f;
    kinds[lane] = (float)LINKS_NOTHING;
    if (asked[lane] > 0.0f) {
      p.x = vector_load(vectors_at(c, c->state.position), i + lane);
      p.normal = vector_flush_work(vector(n[0][lane], n[1][lane], n[2][lane]));
      kinds[lane] = (float)answer_of(c, body, m, &p, i + lane, &shares[lane], &out);
    }
    place[0][lane] = out.x;
    place[1][lane] = out.y;
    place[2][lane] = out.z;
  }
  answers->asked = 1;
  answers->share = lanes_load(shares);
  answers->kind = lanes_load(kinds);
  answers->place = lanes3_of(lanes_load(place[0]), lanes_load(place[1]), lanes_load(place[2]));
}
