#pragma once
#include "bind.h"
#include "compiler.h"
#include "group.h"
#include "group_calls.h"
#include "lanes.h"
#include "scalar.h"
#include "sewing.h"
#include "skin.h"

/// One mesh over panels that are sewn together ///

/*
 * cloth_bind_group() and cloth_skin_group() do what cloth_bind() and cloth_skin() do with the cloths of a group. Before
 * that the normals of particles that are sewn together become one: their mean, or on a gathered side that with the
 * normal between the two particles that a third is sewn to. The patches of both panels then end at a seam with the same
 * normals, so that normals and tangents of a mesh lead over it as over the middle of a panel.
 *
 * In: a group, positions, vertices of the caller. Out: bindings and vertices in the caller's memory. Scratch: residual
 * of each cloth holds the unit normals of its particles.
 */

#if WITH_SKIN && WITH_SEAMS

/* Passes over all seams: where several end in one particle, a pass leaves a part of the difference, at most half. */
#define JOIN_PASSES 6
/* Least cosine of the angle between normals that are joined, 120 degrees: panels that lie on each other, as at a hem or
   before they are worn, keep their own. */
#define JOIN_LEAST_COSINE (-0.5f)

/* Joins the normals of a stitch. */
static void join_stitch_normals(const cloth_group *group, const cloth_seam *seam, int32_t n) {
  const cloth_seam_side *longer, *shorter;
  order_sides(seam, &longer, &shorter);
  const float share = place_on_shorter(n, longer->count, shorter->count).share;
  const stitch_ends ends = ends_of_stitch(seam, n);
  vector_array normals[3];
  cloth_vector normal[3];
  for (int32_t k = 0; k < 3; k++) {
    normals[k] = particle_normals(member_of(group, ends.cloth[k]));
    normal[k] = vector_load(normals[k], ends.particle[k]);
  }
  const cloth_vector apart = vector_flush_work(vector_subtract(normal[2], normal[1]));
  const cloth_vector other = unit_or_zero(vector_add_scaled(normal[1], apart, share));
  if (!(vector_dot(normal[0], other) > JOIN_LEAST_COSINE)) {
    return;
  }
  const cloth_vector joint = unit_or_zero(vector_add(normal[0], other));
  const cloth_vector change = vector_flush_work(vector_subtract(joint, other));
  const float shares[3] = {0.0f, 1.0f - share, share};
  vector_store(normals[0], ends.particle[0], joint);
  for (int32_t k = 1; k < 3; k++) {
    if (shares[k] > 0.0f) {
      vector_store(normals[k], ends.particle[k], unit_or_zero(vector_add_scaled(normal[k], change, shares[k])));
    }
  }
}

/* Computes the normals of all particles, as a job sees them, and joins those along seams. */
static void join_normals(const cloth_group *group, const skin_job *job) {
  for (int32_t number = 0; number < group->count; number++) {
    const cloth *c = member_of(group, number);
    compute_particle_normals(c, positions_for(c, number, job));
  }
  for (int32_t pass = 0; pass < JOIN_PASSES; pass++) {
    for (int32_t seam = 0; seam < group->seam_count; seam++) {
      for (int32_t n = 0; n < larger_count(&group->seams[seam]); n++) {
        join_stitch_normals(group, &group->seams[seam], n);
      }
    }
  }
}

/* Are the cloths of a group ready, each with scratch of its own? */
static int check_sewn_cloths(const cloth_group *group) {
  int error = check_group(group);
  if (error) {
    return error;
  }
  error = check_skinned_cloths((const cloth *const *)group->cloths, group->count);
  for (int32_t b = 1; b < group->count && !error; b++) {
    for (int32_t a = 0; a < b && !error; a++) {
      error = share_scratch(group->cloths[a], group->cloths[b]) ? CLOTH_ERROR_STATE : CLOTH_OK;
    }
  }
  return error;
}

int cloth_bind_group(const cloth_group *group, const cloth_skin_layout *layout, const void *vertices,
                     const cloth_bind_reach *reach, cloth_binding *bindings) {
  const bind_job job = {layout, vertices, reach, bindings, 1};
  const skin_job now = {NULL, layout, NULL, NULL, NULL, 1};
  int error = check_sewn_cloths(group);
  if (!error) {
    error = check_bind((const cloth *const *)group->cloths, group->count, &job);
  }
  if (error) {
    return error;
  }
  join_normals(group, &now);
  return make_bindings((const cloth *const *)group->cloths, group->count, &job);
}

int cloth_skin_group(const cloth_group *group, const cloth_blend *blends, const cloth_binding *bindings,
                     const cloth_skin_layout *layout, const void *animated, void *vertices) {
  const skin_job job = {bindings, layout, (const uint8_t *)animated, (uint8_t *)vertices, WITH_BLEND ? blends : NULL,
                        1};
  int error = WITH_BLEND || !blends ? check_sewn_cloths(group) : CLOTH_ERROR_LEFT_OUT;
  if (!error) {
    error = check_skin((const cloth *const *)group->cloths, group->count, &job);
  }
  if (!error) {
    join_normals(group, &job);
    make_skin((const cloth *const *)group->cloths, group->count, &job);
  }
  return error;
}

#endif
