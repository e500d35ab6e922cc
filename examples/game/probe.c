/* SPDX-License-Identifier: MIT */
#include "probe.h"
#include "pose.h"

/* A capsule with what its distances need. */
typedef struct capsule {
  cloth_pose pose;
  float radius, radius_top, half_height;
  float slope, slant; /* sine and cosine of the cone's angle to its axis */
  float reach;        /* of what lies inside, from the middle */
} capsule;

enum { CAPSULES_MOST = CLOTH_COLLIDER_LIMIT };

static capsule prepared(const cloth_collider *body) {
  float slope = (body->radius - body->radius_top) / (2 * body->half_height);
  float widest = body->radius > body->radius_top ? body->radius : body->radius_top;
  return (capsule){body->pose,
                   body->radius,
                   body->radius_top,
                   body->half_height,
                   slope,
                   root(1 - slope * slope),
                   body->half_height + widest};
}

/* From a point to the surface: to the spheres at the ends, or to the cone between them. */
static float distance_to(const capsule *c, cloth_vector point) {
  cloth_vector p = turned_back(c->pose.rotation, minus(point, c->pose.position));
  float aside = root(p.x * p.x + p.z * p.z), up = p.y + c->half_height;
  float along = c->slant * up - c->slope * aside;
  if (along < 0) return root(aside * aside + up * up) - c->radius;
  up -= 2 * c->half_height;
  if (along > 2 * c->half_height * c->slant) return root(aside * aside + up * up) - c->radius_top;
  return aside * c->slant + (p.y + c->half_height) * c->slope - c->radius;
}

typedef struct probing {
  const capsule *capsules;
  int count;
  float deepest;
} probing;

/* Whether a point may be deeper in a capsule than any before; a millimetre is for rounding. */
static int is_near(const probing *probe, const capsule *c, cloth_vector point) {
  cloth_vector from = minus(point, c->pose.position);
  float far = c->reach - probe->deepest + 0.001f;
  return from.x * from.x + from.y * from.y + from.z * from.z < far * far;
}

static void look_at(probing *probe, cloth_vector point) {
  for (int i = 0; i < probe->count; i++) {
    if (!is_near(probe, &probe->capsules[i], point)) continue;
    float depth = -distance_to(&probe->capsules[i], point);
    probe->deepest = depth > probe->deepest ? depth : probe->deepest;
  }
}

static void look_between(probing *probe, cloth_vector a, cloth_vector b) {
  look_at(probe, times(0.5f, plus(a, b)));
}

static void look_inside(probing *probe, cloth_vector a, cloth_vector b, cloth_vector c) {
  look_at(probe, times(1.0f / 3.0f, plus(plus(a, b), c)));
}

/* Two triangles, split as cloth_write_indices32() does it; the far edges are those of the next cells. */
static void look_at_cell(probing *probe, const render_vertex *corner, int32_t columns) {
  cloth_vector a = corner[0].position, b = corner[1].position;
  cloth_vector c = corner[columns].position, d = corner[columns + 1].position;
  look_between(probe, a, b);
  look_between(probe, a, c);
  look_between(probe, a, d);
  look_between(probe, c, d);
  look_between(probe, b, d);
  look_inside(probe, a, b, d);
  look_inside(probe, a, d, c);
}

static void prepare_all(const cloth_collider *bodies, int body_count, capsule capsules[CAPSULES_MOST]) {
  for (int i = 0; i < body_count; i++)
    capsules[i] = prepared(&bodies[i]);
}

void probe_vertices(const render_vertex *vertices, int32_t count, const cloth_collider *bodies, int body_count,
                    float *depth) {
  capsule capsules[CAPSULES_MOST];
  prepare_all(bodies, body_count, capsules);
  probing particles = {capsules, body_count, -1};
  for (int32_t i = 0; i < count; i++)
    look_at(&particles, vertices[i].position);
  *depth = particles.deepest;
}

void probe_piece(const piece *p, const cloth_collider *bodies, int body_count, probe_depth *depth) {
  capsule capsules[CAPSULES_MOST];
  prepare_all(bodies, body_count, capsules);
  probing particles = {capsules, body_count, -1}, between = particles;
  for (int32_t i = 0; i < p->across * p->rows; i++)
    look_at(&particles, p->later[i].position);
  for (int32_t row = 0; row + 1 < p->rows; row++)
    for (int32_t column = 0; column + 1 < p->across; column++)
      look_at_cell(&between, p->later + row * p->across + column, p->across);
  *depth = (probe_depth){particles.deepest, between.deepest};
}
