#pragma once
#include "../cloth/access.h"

/// Geometry ///

/* What a cloth_geometry consists of, in the caller's memory, and how a step finds the one that a collider names, by the
   surroundings whose address the workspace has while the step runs. */

/* The head of every geometry. Its data follow, as offsets from its start say. All words, without pointers. */
struct cloth_geometry {
  uint32_t magic;     /* GEOMETRY_MAGIC */
  int32_t shape;      /* a cloth_shape */
  int32_t elements;   /* see cloth_geometry_key */
  uint32_t hash[2];   /* of the data that it was built from, low word first */
  position_box box;   /* around its surface, in local axes [m] */
  int32_t counts[3];  /* planes, edges | columns, rows | triangles, levels, one_sided | samples along x, y, z */
  float spacing[2];   /* of height field and distance grid [m] */
  float tolerance;    /* of hulls: see distance_to_hull(); of height fields the lowest height [m] */
  uint32_t data;      /* offset of the planes, heights, triangles or distances [bytes] */
  uint32_t edges;     /* offset of the edges of a hull [bytes] */
  uint32_t levels[8]; /* offsets of the levels of a mesh's tree, leaves first [bytes] */
};

#define GEOMETRY_MAGIC 0x326d6f67u /* "gom2", little-endian */
/* Bytes of the head, with room to stay aligned. */
#define GEOMETRY_HEAD 128u

LAYOUT_CONTRACT(geometry_head_has_room, sizeof(cloth_geometry) <= GEOMETRY_HEAD);

static const void *geometry_data(const cloth_geometry *g, uint32_t offset) {
  return (const char *)(const void *)g + offset;
}

/* 1 if memory that a caller hands over holds a geometry of this build. */
static int is_geometry(const cloth_geometry *g) {
  return g && (uintptr_t)(const void *)g % CLOTH_ALIGNMENT == 0 && g->magic == GEOMETRY_MAGIC;
}

CLOTH_INLINE int has_geometry(const cloth_collider *body) {
  return WITH_GEOMETRY && body->shape >= CLOTH_SHAPE_HULL;
}

/* 1 for the shape that they name; 0 where that is left out of the build. */
CLOTH_INLINE int is_hull(int32_t shape) {
  return WITH_HULL && shape == CLOTH_SHAPE_HULL;
}

CLOTH_INLINE int is_height_field(int32_t shape) {
  return WITH_HEIGHT_FIELD && shape == CLOTH_SHAPE_HEIGHT_FIELD;
}

CLOTH_INLINE int is_mesh(int32_t shape) {
  return WITH_MESH && shape == CLOTH_SHAPE_MESH;
}

CLOTH_INLINE int is_distance_grid(int32_t shape) {
  return WITH_DISTANCE_GRID && shape == CLOTH_SHAPE_DISTANCE_GRID;
}

/* 1 for a shape with geometry that the build has. */
CLOTH_INLINE int has_shape(int32_t shape) {
  return is_hull(shape) || is_height_field(shape) || is_mesh(shape) || is_distance_grid(shape);
}

/* 1 for surfaces of triangles. */
CLOTH_INLINE int is_surface(int32_t shape) {
  return is_mesh(shape) || is_height_field(shape);
}

/* The geometry of a collider during a step; NULL for shapes without. */
static const cloth_geometry *geometry_of(const cloth *c, const cloth_collider *body) {
  return has_geometry(body) ? surroundings_of(c)->geometries[body->geometry.place] : NULL;
}

/* Is the geometry that a collider names at its place in the surroundings? */
static int has_its_geometry(const cloth_surroundings *around, const cloth_collider *body) {
  const cloth_geometry_key *key = &body->geometry;
  if (!around || key->place >= around->geometry_count) { return 0; }
  const cloth_geometry *g = around->geometries[key->place];
  return is_geometry(g) && g->shape == body->shape && g->elements == key->elements && g->hash[0] == key->hash[0] &&
         g->hash[1] == key->hash[1];
}

/* CLOTH_OK if the surroundings, NULL for none, have the geometries that the cloth's own colliders name. */
static int check_geometries(const cloth *c, const cloth_surroundings *around) {
  const int may_have = c->settings.capacity.geometry || c->settings.capacity.meshes > 0;
  for (int32_t index = 0; may_have && index < inputs_of(c)->collider_end; index++) {
    const collider_slot *slot = &colliders_of(c)[index];
    if (slot->used && has_geometry(&slot->body) && !has_its_geometry(around, &slot->body)) {
      return CLOTH_ERROR_GEOMETRY;
    }
  }
  return CLOTH_OK;
}

/* How many of the cloth's own colliders are meshes. */
static int32_t count_meshes(const cloth *c) {
  int32_t meshes = 0;
  for (int32_t index = 0; index < inputs_of(c)->collider_end; index++) {
    meshes += colliders_of(c)[index].used && is_mesh(colliders_of(c)[index].body.shape);
  }
  return meshes;
}

/// Boxes ///

/* Boxes along the axes [m]. */

/* Which vectors have smaller coordinates than others along all axes. */
CLOTH_INLINE lanes_mask lanes3_less(lanes3 a, lanes3 b) {
  return lanes_both(lanes_both(lanes_less(a.x, b.x), lanes_less(a.y, b.y)), lanes_less(a.z, b.z));
}

/* Beyond every coordinate and distance [m], and still with a square. */
#define BEYOND_ALL 1.0e18f

/* A box around nothing. */
static position_box empty_box(void) {
  return (position_box){vector(BEYOND_ALL, BEYOND_ALL, BEYOND_ALL), vector(-BEYOND_ALL, -BEYOND_ALL, -BEYOND_ALL)};
}

static cloth_vector vector_minimum(cloth_vector a, cloth_vector b) {
  return vector(minimum(a.x, b.x), minimum(a.y, b.y), minimum(a.z, b.z));
}

static cloth_vector vector_maximum(cloth_vector a, cloth_vector b) {
  return vector(maximum(a.x, b.x), maximum(a.y, b.y), maximum(a.z, b.z));
}

static position_box box_around_both(const position_box *a, const position_box *b) {
  return (position_box){vector_minimum(a->low, b->low), vector_maximum(a->high, b->high)};
}

static void hold_point(position_box *box, cloth_vector p) {
  box->low = vector_minimum(p, box->low);
  box->high = vector_maximum(p, box->high);
}

/* The box around two points, and what is so far from it. */
static position_box box_between(cloth_vector low, cloth_vector high, float far) {
  const cloth_vector around = vector(far, far, far);
  return (position_box){vector_subtract(low, around), vector_add(high, around)};
}

/* A box and what is so far from it. */
static position_box box_beyond(const position_box *box, float far) {
  return box_between(box->low, box->high, far);
}

static int do_boxes_meet(const position_box *a, const position_box *b) {
  return a->low.x < b->high.x && b->low.x < a->high.x && a->low.y < b->high.y && b->low.y < a->high.y &&
         a->low.z < b->high.z && b->low.z < a->high.z;
}
