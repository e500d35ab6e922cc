/* Contact of random cloths with bodies, in double precision: its energy, its force, and how far particles are inside.
   Include after random_energy.h. SPDX-License-Identifier: MIT */
#ifndef RANDOM_CONTACT_H
#define RANDOM_CONTACT_H

#include "random_energy.h"

/* As in the law of the step: stiffness over that of a thread; how far contact begins beyond a buried pin, and how fast
   farther along the cloth. */
#define CONTACT_FACTOR 4.0
#define BEYOND_PIN 0.3
#define ALONG_CLOTH 0.5
/* Rounding of how far a particle is inside, in thicknesses. */
#define INSIDE_ROUNDING 1e-3

typedef struct contact_sums {
  double energy;   /* [J] */
  double stored;   /* most that friction may hold besides [J] */
  double friction; /* sum of what friction may give [N] */
  double deepest;  /* inside beyond the surface, or beyond what buried pins leave of it [thicknesses] */
  double born;     /* the same of particles that have been in the body since it was put there */
  double between;  /* the same of particles between two bodies that face each other */
  int is_touched;
} contact_sums;

static double reach_at[MOST_PARTICLES]; /* where contact begins [m] */

static void share_reach_of(const world *w, int i, int columns, int rows, double length) {
  const int j = particle_beside(w, i, columns, rows);
  if (j < 0) return;
  reach_at[j] = smaller(reach_at[j], reach_at[i] + ALONG_CLOTH * length);
  reach_at[i] = smaller(reach_at[i], reach_at[j] + ALONG_CLOTH * length);
}

/* Where contact with a body begins: at pins in it, and farther out from there. */
static void find_reaches(const player *p, int n, const cloth_vector_view *x) {
  const world *w = p->w;
  const double thickness = (double)w->config.thickness, u = w->cell_warp, v = w->cell_weft;
  int is_buried = 0;
  for (int i = 0; i < p->f.count; i++) {
    reach_at[i] = thickness;
    if (was_free(p, i) || !w->present[i]) continue;
    const double begins =
        body_distance(&w->body[n], &p->body[n].pose, viewed(x, i), thickness) + BEYOND_PIN * thickness;
    is_buried |= begins < thickness;
    reach_at[i] = smaller(begins, thickness);
  }
  for (int k = 0; is_buried && k < 4 * p->f.count; k++) {
    const int m = k % (2 * p->f.count), i = m < p->f.count ? m : 2 * p->f.count - 1 - m;
    share_reach_of(w, i, 1, 0, u);
    share_reach_of(w, i, 0, 1, v);
    share_reach_of(w, i, 1, 1, sqrt(u * u + v * v));
    share_reach_of(w, i, -1, 1, sqrt(u * u + v * v));
  }
}

/* Is a particle beside another body as well, that faces this one? */
static int is_between(const player *p, int n, point at, point normal) {
  const double thickness = (double)p->w->config.thickness;
  for (int m = 0; m < p->w->bodies; m++) {
    const random_body *b = &p->w->body[m];
    if (m != n && body_distance(b, &p->body[m].pose, at, thickness) < thickness &&
        point_dot(body_normal(b, &p->body[m].pose, at, thickness), normal) < 0.0)
      return 1;
  }
  return 0;
}

/* How much stiffer contact is at a particle, by the map of stiffness: as the stiffest thread that meets there. */
static double map_factor(const world *w, int i) {
  double most = 0.0;
  for (int n = 0; n < 4; n++) {
    const int j = particle_beside(w, i, (n == 0) - (n == 1), (n == 2) - (n == 3));
    most = larger(most, j >= 0 ? (double)w->stiffness_map[j] : 0.0);
  }
  return larger(1.0, 0.5 * ((double)w->stiffness_map[i] + most));
}

static void add_contact(const player *p, int n, int i, point at, double distance, contact_sums *s, point *force) {
  const world *w = p->w;
  const random_body *b = &w->body[n];
  const cloth_fabric *f = &w->config.fabric;
  const double thickness = (double)w->config.thickness, u = w->cell_warp, v = w->cell_weft;
  const double stretch = larger((double)f->stretch_warp * v / u, (double)f->stretch_weft * u / v);
  const double stiffness = CONTACT_FACTOR * map_factor(w, i) * larger(stretch, (double)f->shear);
  const double depth = (reach_at[i] - distance) / thickness, press = stiffness * thickness * law_force_at(depth);
  const double held = (double)b->collider.static_friction * press;
  const point normal = body_normal(b, &p->body[n].pose, at, thickness);
  const double unit = 4.0 / 8388608.0 * larger(1.0, larger(fabs(at.x), larger(fabs(at.y), fabs(at.z)))) / thickness;
  double *most = is_between(p, n, at, normal) ? &s->between : p->is_born[n][i] ? &s->born : &s->deepest;
  *most = larger(*most, depth - 1.0 - unit - INSIDE_ROUNDING);
  s->is_touched = 1;
  s->energy += stiffness * thickness * thickness * law_energy_at(depth);
  s->stored += 0.5 * held * held / stiffness;
  s->friction += held;
  if (force != NULL) force[i] = point_sum(force[i], point_scaled(normal, press));
}

/* All contacts; with `force` what presses is added there [N]. */
static contact_sums measure_contact(player *p, point *force) {
  contact_sums s;
  cloth_vector_view x;
  memset(&s, 0, sizeof s);
  cloth_get_positions(p->f.sheet, &x);
  for (int n = 0; n < p->w->bodies; n++) {
    find_reaches(p, n, &x);
    for (int i = 0; i < p->f.count; i++) {
      const point at = viewed(&x, i);
      if (!was_free(p, i)) continue;
      const double distance = body_distance(&p->w->body[n], &p->body[n].pose, at, (double)p->w->config.thickness);
      if (distance >= reach_at[i] - (double)p->w->config.thickness) p->is_born[n][i] = 0;
      if (distance < reach_at[i]) add_contact(p, n, i, at, distance, &s, force);
    }
  }
  return s;
}

#endif /* RANDOM_CONTACT_H */
