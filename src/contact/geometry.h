#pragma once
#include "../base/compiler.h"
#include "../cloth/access.h"
#include "../cloth/types.h"

/// Geometry ///

/* What a cloth_geometry consists of, in the caller's memory, and how a step finds the one that a collider names, by the
   surroundings whose address the workspace has while the step runs. */

/* The head of every geometry. Its data follow, as offsets from its start say. All words, without pointers. */
struct cloth_geometry {
  uint32_t magic;         /* GEOMETRY_MAGIC */
  int32_t shape;          /* a cloth_shape */
  int32_t elements;       /* see cloth_geometry_key */
  uint32_t hash[2];       /* of the data that it was built from, low word first */
  cloth_vector low, high; /* corners of the box around its surface, in local axes [m] */
  int32_t counts[3];      /* planes, edges | columns, rows | triangles, levels, one_sided | samples along x, y, z */
  float spacing[2];       /* of height field and distance grid [m] */
  float tolerance;        /* of hulls: see distance_to_hull() [m] */
  uint32_t data;          /* offset of the planes, heights, triangles or distances [bytes] */
  uint32_t edges;         /* offset of the edges of a hull [bytes] */
  uint32_t levels[8];     /* offsets of the levels of a mesh's tree, leaves first [bytes] */
};

#define GEOMETRY_MAGIC 0x326d6f67u /* "gom2", little-endian */
/* Bytes of the head, with room to stay aligned. */
#define GEOMETRY_HEAD 128u

LAYOUT_CONTRACT(geometry_head_has_room, sizeof(cloth_geometry) <= GEOMETRY_HEAD);

#if WITH_GEOMETRY

static const void *geometry_data(const cloth_geometry *g, uint32_t offset) {
  return (const char *)(const void *)g + offset;
}

/* 1 if memory that a caller hands over holds a geometry of this build. */
static int is_geometry(const cloth_geometry *g) {
  return g && (uintptr_t)(const void *)g % CLOTH_ALIGNMENT == 0 && g->magic == GEOMETRY_MAGIC;
}

#endif

#if WITH_COLLIDERS

/* 1 for shapes that have geometry. */
CLOTH_INLINE int has_geometry(const cloth_collider *body) {
  return WITH_GEOMETRY && body->shape >= CLOTH_SHAPE_HULL;
}

/* Keeps the address of the surroundings while a step runs. NULL ends it. */
static void set_surroundings(const cloth *c, const cloth_surroundings *around) {
  keep_address(workspace_of(c)->surroundings, around);
}

static const cloth_surroundings *surroundings_of(const cloth *c) {
  return (const cloth_surroundings *)kept_address(workspace_of(c)->surroundings);
}

/* The geometry of a collider during a step; NULL for shapes without. */
static const cloth_geometry *geometry_of(const cloth *c, const cloth_collider *body) {
  return has_geometry(body) ? surroundings_of(c)->geometries[body->geometry.place] : NULL;
}

#else

#if WITH_COLLIDERS
static const cloth_geometry *geometry_of(const cloth *c, const cloth_collider *body) {
  (void)c;
  (void)body;
  return NULL;
}
#endif

#endif

#if WITH_GEOMETRY

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

#endif

#if WITH_COLLIDERS

#if WITH_SHARED_BODIES

/* How many colliders below an index are meshes. */
static int32_t count_meshes(const cloth *c, int32_t end) {
  int32_t meshes = 0;
  for (int32_t index = 0; index < end; index++) {
    meshes += is_collider(c, index) && slot_at(c, index)->body.shape == CLOTH_SHAPE_MESH;
  }
  return meshes;
}

#endif

#endif
