#pragma once
#include "access.h"
#include "compiler.h"
#include "lanes.h"
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
 * A link that leads through a collider, because the cloth began on both sides of it or was torn through it, can never
 * become short. Then the particle at one of its ends is let go: this collider does not hold it until the link is short.
 *
 * In: positions at the start of the substep, the collider's pose at its end. Out: nothing. Scratch: none.
 */

#if WITH_COLLIDERS

/* Contact asks for the links where a particle presses harder than with a displacement of this acceleration [m/s^2], twice
   that of its weight: what only lies on a surface does not bend over an edge. */
#define LINK_PRESSURE 19.62f
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
} link_report;

/* 1 if the point `x` is deeper than `depth` inside the collider when the substep begins. */
static int begins_inside(const cloth_collider *body, const moving_body *m, cloth_vector x, float depth) {
  cloth_vector normal;
  return distance_of_point(body, to_local(&m->start, x), &normal) < negate(depth);
}

/* 1 if the link to a particle at `x` leads through the collider. `stretch` is its squared length over that at rest. */
static int leads_through(const cloth_collider *body, const moving_body *m, const touching_particle *p, cloth_vector x,
                         float rest, float stretch) {
  if (stretch > TORN_LENGTH * TORN_LENGTH &&
      begins_inside(body, m, vector_scale(vector_add(p->x, x), 0.5f), maximum(rest, m->margin))) {
    return 1;
  }
  return begins_inside(body, m, p->x, m->margin);
}

/* Adds the link to the particle `other` with the rest length `rest` to the report. */
static void report_link(const cloth *c, const cloth_collider *body, const moving_body *m, const touching_particle *p,
                        int32_t other, float rest, link_report *report) {
  const cloth_vector x = vector_load(vectors_at(c, c->state.position), other);
  const cloth_vector link = vector_flush(vector_subtract(x, p->x), STATE_QUANTUM);
  const float squared = vector_dot(link, link);
  if (!(squared > STATE_QUANTUM)) {
    return;
  }
  const float into = flush_small(maximum(negate(vector_dot(link, p->normal)), 0.0f), STATE_QUANTUM);
  const float steep = into * into / squared;
  report->steepest = maximum(report->steepest, steep);
  const float stretch = squared / (rest * rest);
  if (p->may_let_go && stretch > TORN_LENGTH_INSIDE * TORN_LENGTH_INSIDE && vector_dot(link, torn_side) > 0.0f) {
    report->torn |= leads_through(body, m, p, x, rest, stretch);
  }
}

/* Reports all links of particle `i`. */
static link_report report_links(const cloth *c, const cloth_collider *body, const moving_body *m,
                                const touching_particle *p, int32_t i) {
  link_report report = {0.0f, 0};
  const int32_t columns = c->grid.columns, row = i / columns, column = i - row * columns;
  const int32_t wrap = is_wrapped(c) ? columns : 0;
  if (column > 0 || wrap) {
    report_link(c, body, m, p, i - 1 + (column > 0 ? 0 : wrap), c->grid.spacing_warp, &report);
  }
  if (column + 1 < columns || wrap) {
    report_link(c, body, m, p, i + 1 - (column + 1 < columns ? 0 : wrap), c->grid.spacing_warp, &report);
  }
  if (row > 0) {
    report_link(c, body, m, p, i - columns, c->grid.spacing_weft, &report);
  }
  if (row + 1 < c->grid.rows) {
    report_link(c, body, m, p, i + columns, c->grid.spacing_weft, &report);
  }
  return report;
}

/* 1 if the collider is slow enough to let particles go in the substep. */
static int may_let_go(const step_plan *plan, const moving_body *m) {
  const cloth_vector way = vector_flush_work(vector_subtract(m->end.position, m->start.position));
  const float most = TORN_SPEED * plan->h;
  return vector_dot(way, way) <= most * most;
}

/* Links of a block of particles in contact, of those where `ask` is 1: *share becomes g, *let_go 1 for particles that
   are to be let go, and 1 and 0 for the others. `normal` is in the collider's axes. */
CLOTH_SEPARATE void report_block(const cloth *c, const step_plan *plan, const cloth_collider *body,
                                 const moving_body *m, int32_t i, const lanes3 *normal, lanes ask,
                                 lanes *share, lanes *let_go) {
  float asked[CLOTH_LANES], n[3][CLOTH_LANES], shares[CLOTH_LANES], torn[CLOTH_LANES];
  const lanes3 outward = m->aligned ? *normal : lanes3_rotate(m->end.rotation, *normal);
  touching_particle p = {.may_let_go = may_let_go(plan, m)};
  lanes_store(asked, ask);
  lanes_store(n[0], outward.x);
  lanes_store(n[1], outward.y);
  lanes_store(n[2], outward.z);
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    link_report report = {0.0f, 0};
    if (asked[lane] > 0.0f) {
      p.x = vector_load(vectors_at(c, c->state.position), i + lane);
      p.normal = vector_flush_work(vector(n[0][lane], n[1][lane], n[2][lane]));
      report = report_links(c, body, m, &p, i + lane);
    }
    shares[lane] = minimum(LINK_COSINE * maximum(1.0f - report.steepest, 0.0f), 1.0f);
    torn[lane] = (float)report.torn;
  }
  *share = lanes_load(shares);
  *let_go = lanes_load(torn);
}

#endif
