#pragma once
#include "../group/stitches.h"
#include "../step/group_calls.h"
#include "../step/group_layout.h"
#include "bind.h"
#include "output.h"
#include "skin.h"

/// One mesh over panels that are sewn together ///

/* cloth_bind_group(), cloth_skin_group(), cloth_write_group_vertices(): before the calls for single cloths the
   normals of particles that are sewn together become their mean, or on a gathered side that with the normal between
   the two particles that a third is sewn to; of a panel wound the other way they count turned. Scratch: residual,
   unit normals. */

#if WITH_SKIN && WITH_SEAMS

/* Passes over all seams: where several end in one particle, a pass leaves a part of the difference, at most half. */
#define JOIN_PASSES 6
/* Cosines of the angles between normals up to which they are joined wholly, 120 degrees, and from which on they keep
   their own, 150 degrees, as where panels lie on each other; between them in part. */
#define JOIN_WHOLE_COSINE (-0.5f)
#define JOIN_LEAST_COSINE (-0.8660254f)
/* Cosine from which on normals are the same, 0.05 degrees. */
#define JOIN_SAME_COSINE 0.9999996f

/* On which side of a seam its cloth lies, seen along it from the normals: 1 or -1, or 0 off borders. */
static int32_t lies_on_side(const cloth *c, const cloth_seam_side *side, int32_t n) {
  const int32_t last = n + 1 == side->count, columns = c->grid.columns, here = sewn_at(side, n);
  int32_t way = side->count < 2 ? 0 : last ? here - sewn_at(side, n - 1) : sewn_at(side, n + 1) - here;
  const int32_t column = here % columns, row = here / columns;
  if ((way == columns || way == -columns) && !is_wrapped(c)) {
    const int32_t along = way > 0 ? 1 : -1;
    return column + 1 == columns ? along : column == 0 ? -along : 0;
  }
  if (is_wrapped(c) && (way == columns - 1 || way == 1 - columns)) {
    way = way > 0 ? -1 : 1; /* from the last column of a tube to the first or back */
  }
  if (way == 1 || way == -1) { return row == 0 ? way : row + 1 == c->grid.rows ? -way : 0; }
  return 0;
}

/* Has a particle a cell that is neither absent nor torn, so that it has a normal? */
static int has_normal(const cloth *c, int32_t particle) {
  const int32_t column = particle % c->grid.columns, row = particle / c->grid.columns;
  return is_whole_cell(c, column, row) || is_whole_cell(c, column - 1, row) || is_whole_cell(c, column, row - 1) ||
         is_whole_cell(c, column - 1, row - 1);
}

/* A stitch and the normals at its ends. Those of the shorter side are turned by `sign` to the side of those of the
   longer one: -1 where one of the panels is wound the other way, so that both lie on the same side of the seam. */
typedef struct stitch_normals {
  const cloth *c[3];
  int32_t particle[3];
  float share, sign; /* share: see place_on_shorter() */
  cloth_vector normal[3];
} stitch_normals;

/* The normals of the panels each for itself, without seams, from the same positions as those that are joined. */
static cloth_vector own_normal(const cloth *c, int32_t particle, int is_blended) {
  const vector_array x = is_blended ? predicted_of(c) : vectors_at(c, c->state.position);
  return unit_normal(c, x, particle);
}

/* The normal of the shorter side where the longer one is sewn to it. */
static cloth_vector normal_between(const stitch_normals *s) {
  const cloth_vector apart = vector_flush_work(vector_subtract(s->normal[2], s->normal[1]));
  return unit_or_zero(vector_add_scaled(s->normal[1], apart, s->share));
}

/* Writes the ends of a stitch. Returns 0 where one of them has no normal. */
static int find_stitch(const cloth_group *group, const cloth_seam *seam, int32_t n, stitch_normals *s) {
  const cloth_seam_side *longer, *shorter;
  const stitch_ends ends = ends_of_stitch(seam, n);
  order_sides(seam, &longer, &shorter);
  const seam_place other = place_on_shorter(n, longer->count, shorter->count);
  const int32_t sides = lies_on_side(member_of(group, longer->cloth), longer, n) *
                        lies_on_side(member_of(group, shorter->cloth), shorter, other.before);
  s->share = other.share;
  s->sign = sides > 0 ? -1.0f : 1.0f;
  for (int32_t k = 0; k < 3; k++) {
    s->c[k] = member_of(group, ends.cloth[k]);
    s->particle[k] = ends.particle[k];
    if (!has_normal(s->c[k], s->particle[k])) { return 0; }
  }
  return 1;
}

/* Writes the normals of a stitch, of passes before or of the panels, and returns the cosine between its sides. */
static float load_stitch(stitch_normals *s, int is_own, int is_blended) {
  for (int32_t k = 0; k < 3; k++) {
    const cloth_vector normal = is_own ? own_normal(s->c[k], s->particle[k], is_blended)
                                       : vector_load(particle_normals(s->c[k]), s->particle[k]);
    s->normal[k] = vector_scale(normal, k > 0 ? s->sign : 1.0f);
  }
  return vector_dot(s->normal[0], normal_between(s));
}

/* Brings the normals of a stitch a share of the way to their mean. */
static void bring_together(const stitch_normals *s, float strength) {
  const cloth_vector other = normal_between(s), joint = unit_or_zero(vector_add(s->normal[0], other));
  const float shares[3] = {1.0f, 1.0f - s->share, s->share};
  for (int32_t k = 0; k < 3; k++) {
    const cloth_vector way = vector_flush_work(vector_subtract(joint, k > 0 ? other : s->normal[0]));
    if (shares[k] > 0.0f) {
      const cloth_vector joined = unit_or_zero(vector_add_scaled(s->normal[k], way, strength * shares[k]));
      vector_store(particle_normals(s->c[k]), s->particle[k], vector_scale(joined, k > 0 ? s->sign : 1.0f));
    }
  }
}

/* Joins the normals of a stitch. Those that are joined in part are left alone by later passes. */
static void join_stitch_normals(const cloth_group *group, const cloth_seam *seam, int32_t n, int32_t pass,
                                int is_blended) {
  stitch_normals s;
  const float cosine = find_stitch(group, seam, n, &s) ? load_stitch(&s, 0, is_blended) : 1.0f;
  if (cosine >= JOIN_SAME_COSINE) { return; }
  float strength = minimum((cosine - JOIN_LEAST_COSINE) / (JOIN_WHOLE_COSINE - JOIN_LEAST_COSINE), 1.0f);
  if (pass > 0) {
    stitch_normals own = s;
    strength = load_stitch(&own, 1, is_blended) < JOIN_WHOLE_COSINE ? 0.0f : 1.0f;
  }
  if (strength > 0.0f) { bring_together(&s, strength); }
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
        join_stitch_normals(group, &group->seams[seam], n, pass, job->blends != NULL);
      }
    }
  }
}

/* Are the cloths of a group ready, each with scratch of its own? */
static int check_sewn_cloths(const cloth_group *group) {
  int error = check_group(group);
  error = error ? error : check_skinned_cloths((const cloth *const *)group->cloths, group->count);
  for (int32_t b = 1; !error && b < group->count; b++) {
    for (int32_t a = 0; a < b; a++) {
      if (share_scratch(group->cloths[a], group->cloths[b])) { error = CLOTH_ERROR_STATE; }
    }
  }
  return error;
}

int cloth_bind_group(const cloth_group *group, const cloth_skin_layout *layout, const void *vertices,
                     const cloth_bind_reach *reach, cloth_binding *bindings) {
  const bind_job job = {layout, vertices, reach, bindings, 1};
  const skin_job now = {NULL, layout, NULL, NULL, NULL, 1};
  RETURN_IF_ERROR(check_sewn_cloths(group));
  RETURN_IF_ERROR(check_bind((const cloth *const *)group->cloths, group->count, &job));
  join_normals(group, &now);
  return make_bindings((const cloth *const *)group->cloths, group->count, &job);
}

int cloth_skin_group(const cloth_group *group, const cloth_blend *blends, const cloth_binding *bindings,
                     const cloth_skin_layout *layout, const void *animated, void *vertices) {
  const skin_job job = {bindings, layout, (const uint8_t *)animated, (uint8_t *)vertices, WITH_BLEND ? blends : NULL,
                        1};
  if (!WITH_BLEND && blends) { return CLOTH_ERROR_LEFT_OUT; }
  RETURN_IF_ERROR(check_sewn_cloths(group));
  RETURN_IF_ERROR(check_skin((const cloth *const *)group->cloths, group->count, &job));
  join_normals(group, &job);
  make_skin((const cloth *const *)group->cloths, group->count, &job);
  return CLOTH_OK;
}

#if WITH_VERTICES

/* Do the vertices of all cloths, one after the other, fit the buffer? */
static int check_group_vertices(const cloth_group *group, const cloth_vertex_layout *layout, size_t bytes) {
  int32_t count = 0; /* of at most 16 cloths with 2 million vertices each */
  for (int32_t number = 0; number < group->count; number++) {
    count += cloth_get_vertex_count(group->cloths[number]);
  }
  return check_vertices(layout, count, bytes);
}

int cloth_write_group_vertices(const cloth_group *group, const cloth_blend *blends, const cloth_vertex_layout *layout,
                               void *vertices, size_t bytes) {
  const skin_job job = {.blends = WITH_BLEND ? blends : NULL};
  if (!WITH_BLEND && blends) { return CLOTH_ERROR_LEFT_OUT; }
  RETURN_IF_ERROR(check_sewn_cloths(group));
  if (!layout || !vertices) { return CLOTH_ERROR_NULL; }
  RETURN_IF_ERROR(check_group_vertices(group, layout, bytes));
  RETURN_IF_ERROR(check_blends((const cloth *const *)group->cloths, group->count, job.blends));
  join_normals(group, &job);
  uint8_t *to = (uint8_t *)vertices;
  for (int32_t number = 0; number < group->count; number++) {
    const cloth *c = member_of(group, number);
    const vector_array normals = particle_normals(c);
    const vertex_source from = {positions_for(c, number, &job), &normals};
    write_all_vertices(c, &from, layout, to);
    to += (size_t)(uint32_t)cloth_get_vertex_count(c) * (size_t)layout->stride;
  }
  return CLOTH_OK;
}

#endif

#endif
