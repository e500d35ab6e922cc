/*
 * A small software renderer: depth-buffered triangles, supersampled, lit by one light with a shadow map. It draws a
 * scene into a part of an image, so that several moments fit on one sheet.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef RENDER_H
#define RENDER_H

#include "cloth.h"
#include "image.h"

typedef struct render_vertex {
  cloth_vector position, normal;
  float u, v;
} render_vertex;

typedef struct render_mesh {
  render_vertex *vertices;
  uint32_t *indices; /* three a triangle, counter-clockwise seen from the front */
  int vertex_count, index_count;
} render_mesh;

typedef struct render_material {
  cloth_vector front, back; /* linear RGB of the two sides */
  float checks;             /* checks woven across a unit of the texture; 0 is plain */
  float gloss;              /* strength of the highlight */
  float translucency;       /* share of the light on one side that shines through to the other */
} render_material;

typedef struct render_object {
  const render_mesh *mesh;
  render_material material;
} render_object;

typedef struct render_scene {
  cloth_vector eye, target;
  float field_of_view;   /* from top to bottom [rad] */
  cloth_vector to_light; /* of any length, not vertical */
  float radius;          /* what lies so near to the target casts and takes shadows */
  float floor_height;    /* an endless floor, y = floor_height */
  const render_object *objects;
  int object_count;
  int sketch; /* 1 draws jagged edges in a tenth of the time */
} render_scene;

/* Allocates a mesh. Returns 0, or -1 if there is no memory. */
int render_mesh_create(render_mesh *mesh, int vertex_count, int index_count);
void render_mesh_destroy(render_mesh *mesh);

/* Makes the mesh of a sphere, capsule, box or cylinder. Returns 0, or -1 if there is no memory. */
int render_mesh_from_collider(render_mesh *mesh, const cloth_collider *collider);

/* The same of a sphere or capsule with so many segments around it, a multiple of four. */
int render_mesh_of_capsule(render_mesh *mesh, const cloth_collider *collider, int segments);

/* Draws a scene. Returns 0, or -1 if there is no memory. */
int render_view(image *picture, rectangle area, const render_scene *scene);

#endif /* RENDER_H */
