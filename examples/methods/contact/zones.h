#pragma once
#include "../three.h"

/// Rigid zones ///

/*
 * Where impulses cannot keep particles apart, they move on as one rigid body (Provot 1997; slides 48-68 of Twigg's
 * survey): with the momentum and the angular momentum of their displacements, they cannot meet. The slides move each
 * particle by v + w x r, which stretches the zone by the root of 1 + |w|^2. Here the zone ends where Cayley's rotation
 * of w leads, r + 2 / (1 + h^2) (h x r + h x (h x r)) with h = w / 2: rigid at its end, and the straight way there is
 * injective as well, as det (1 + t (R - 1)) > 0 for any rotation by less than half a spin.
 */

/* A zone: particles with their masses, where they are and where they would go. */
typedef struct rigid_zone {
  const int32_t *particle;
  int32_t count;
  const float *mass;
  vector_array x, y;
} rigid_zone;

/* Mean of the places in an array, weighed by mass. */
static cloth_vector zone_mean(const rigid_zone *z, vector_array places, float *mass) {
  cloth_vector sum = vector(0.0f, 0.0f, 0.0f);
  *mass = 0.0f;
  for (int32_t n = 0; n < z->count; n++) {
    *mass += z->mass[z->particle[n]];
    sum = vector_add_scaled(sum, vector_load(places, z->particle[n]), z->mass[z->particle[n]]);
  }
  return vector_scale(sum, 1.0f / maximum(*mass, 1.0e-9f));
}

/* The rotation vector of the displacements about the mean, from the moment and the tensor of inertia. Zones of
   collinear particles have no inertia about their line: pivots are kept positive. */
static cloth_vector zone_rotation(const rigid_zone *z, cloth_vector centre, cloth_vector drift) {
  float inertia[6] = {0.0f}, spin[3];
  cloth_vector moment = vector(0.0f, 0.0f, 0.0f);
  for (int32_t n = 0; n < z->count; n++) {
    const int32_t i = z->particle[n];
    const cloth_vector r = vector_flush_work(vector_subtract(vector_load(z->x, i), centre));
    const cloth_vector moved = vector_subtract(vector_load(z->y, i), vector_load(z->x, i));
    const float m = z->mass[i], square = vector_dot(r, r);
    const cloth_vector torque = vector_cross(r, vector_flush_work(vector_subtract(moved, drift)));
    moment = vector_add_scaled(moment, torque, m);
    const float entries[6] = {square - r.x * r.x, square - r.y * r.y, square - r.z * r.z,
                              negate(r.x * r.y),  negate(r.x * r.z),  negate(r.y * r.z)};
    for (int32_t k = 0; k < 6; k++) {
      inertia[k] += m * entries[k];
    }
  }
  const float b[3] = {moment.x, moment.y, moment.z};
  if (!(inertia[0] + inertia[1] + inertia[2] > 1.0e-20f)) { return vector(0.0f, 0.0f, 0.0f); }
  solve_three(inertia, b, spin);
  return vector(spin[0], spin[1], spin[2]);
}

/* Moves the places where a zone would go to where it goes as a rigid body. */
static void move_zone(const rigid_zone *z) {
  float mass;
  const cloth_vector centre = zone_mean(z, z->x, &mass);
  const cloth_vector drift = vector_subtract(zone_mean(z, z->y, &mass), centre);
  const cloth_vector h = vector_scale(zone_rotation(z, centre, drift), 0.5f);
  const float factor = 2.0f / (1.0f + vector_dot(h, h));
  for (int32_t n = 0; n < z->count; n++) {
    const int32_t i = z->particle[n];
    const cloth_vector r = vector_subtract(vector_load(z->x, i), centre), across = vector_cross(h, r);
    const cloth_vector moved = vector_add_scaled(drift, vector_add(across, vector_cross(h, across)), factor);
    vector_store(z->y, i, vector_flush(vector_add(vector_load(z->x, i), moved), STATE_QUANTUM));
  }
}
