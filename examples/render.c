/* SPDX-License-Identifier: MIT */
#include "render.h"

#include <math.h>
#include <stdlib.h>

enum {
  SAMPLES = 3, /* across a pixel, and down it; 1 in a sketch */
  SHADOW_SIZE = 2048,
  SKETCH_SHADOW_SIZE = 512,
  SEGMENTS = 96 /* around a capsule */
};

static const float nearest_depth = 0.05f; /* triangles reaching nearer to the eye are left out [m] */
static const float shadow_softness = 0.012f, least_shadow_bias = 0.006f; /* [m] */
static const float texels_of_bias = 2.2f; /* surfaces must not shade themselves where the shadow map is coarse */

/// Vectors ///

static inline cloth_vector add(cloth_vector a, cloth_vector b) {
  return (cloth_vector){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline cloth_vector scaled(cloth_vector a, float s) {
  return (cloth_vector){a.x * s, a.y * s, a.z * s};
}

static inline cloth_vector subtract(cloth_vector a, cloth_vector b) {
  return add(a, scaled(b, -1));
}

static inline cloth_vector multiply(cloth_vector a, cloth_vector b) {
  return (cloth_vector){a.x * b.x, a.y * b.y, a.z * b.z};
}

static inline cloth_vector mix(cloth_vector a, cloth_vector b, float t) {
  return add(scaled(a, 1 - t), scaled(b, t));
}

static inline float dot(cloth_vector a, cloth_vector b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline cloth_vector cross(cloth_vector a, cloth_vector b) {
  return (cloth_vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline cloth_vector normalized(cloth_vector a) {
  return scaled(a, 1 / sqrtf(fmaxf(dot(a, a), 1e-20f)));
}

static inline float clamp01(float value) {
  return fminf(fmaxf(value, 0), 1);
}

/// Meshes ///

int render_mesh_create(render_mesh *mesh, int vertex_count, int index_count) {
  mesh->vertex_count = vertex_count;
  mesh->index_count = index_count;
  mesh->vertices = calloc((size_t)vertex_count, sizeof *mesh->vertices);
  mesh->indices = calloc((size_t)index_count, sizeof *mesh->indices);
  if (mesh->vertices && mesh->indices) return 0;
  render_mesh_destroy(mesh);
  return -1;
}

void render_mesh_destroy(render_mesh *mesh) {
  free(mesh->vertices);
  free(mesh->indices);
  *mesh = (render_mesh){NULL, NULL, 0, 0};
}

static cloth_vector rotated(cloth_rotation r, cloth_vector a) {
  cloth_vector axis = {r.x, r.y, r.z};
  cloth_vector once = add(cross(axis, a), scaled(a, r.w));
  return add(a, scaled(cross(axis, once), 2));
}

/* A ring of vertices at one latitude of one of the capsule's two spheres. */
static void place_ring(render_vertex *ring, const cloth_collider *c, int segments, float latitude, int on_top) {
  float radius = on_top ? c->radius_top : c->radius;
  cloth_vector centre = {0, on_top ? c->half_height : -c->half_height, 0};
  for (int i = 0; i <= segments; i++) {
    float longitude = 6.2831853f * (float)i / (float)segments;
    cloth_vector normal = {cosf(latitude) * sinf(longitude), sinf(latitude), cosf(latitude) * cosf(longitude)};
    cloth_vector local = add(centre, scaled(normal, radius));
    ring[i].position = add(c->pose.position, rotated(c->pose.rotation, local));
    ring[i].normal = rotated(c->pose.rotation, normal);
  }
}

static void stitch_rings(uint32_t *indices, uint32_t segments, uint32_t lower) {
  for (uint32_t i = 0; i < segments; i++) {
    uint32_t a = lower + i, b = a + 1, c = a + segments + 1, d = c + 1;
    const uint32_t corners[6] = {a, b, c, b, d, c};
    for (int k = 0; k < 6; k++)
      *indices++ = corners[k];
  }
}

int render_mesh_of_capsule(render_mesh *mesh, const cloth_collider *collider, int segments) {
  cloth_collider c = *collider;
  int rings = segments / 4, corners = segments + 1;
  if (c.shape == CLOTH_SHAPE_SPHERE) {
    c.radius_top = c.radius;
    c.half_height = 0;
  }
  if (render_mesh_create(mesh, 2 * (rings + 1) * corners, (2 * rings + 1) * segments * 6) != 0) return -1;
  /* The cone that touches both spheres leaves them at this latitude. */
  float seam = c.half_height > 0 ? asinf((c.radius - c.radius_top) / (2 * c.half_height)) : 0;
  const float quarter = 1.5707963f;
  for (int i = 0; i <= rings; i++) {
    float share = (float)i / (float)rings;
    place_ring(mesh->vertices + i * corners, &c, segments, -quarter + share * (seam + quarter), 0);
    place_ring(mesh->vertices + (rings + 1 + i) * corners, &c, segments, seam + share * (quarter - seam), 1);
  }
  for (int i = 0; i < 2 * rings + 1; i++)
    stitch_rings(mesh->indices + i * segments * 6, (uint32_t)segments, (uint32_t)(i * corners));
  return 0;
}

/* The mesh of a box: four vertices a face. */
static int make_box(render_mesh *mesh, const cloth_collider *box) {
  if (render_mesh_create(mesh, 24, 36) != 0) return -1;
  const float half[3] = {box->half_extents.x, box->half_extents.y, box->half_extents.z};
  for (int face = 0; face < 6; face++) {
    const int axis = face / 2;
    const float side = face % 2 ? 1.0f : -1.0f;
    for (int corner = 0; corner < 4; corner++) {
      float p[3], n[3] = {0, 0, 0};
      n[axis] = side;
      p[axis] = side * half[axis];
      p[(axis + 1) % 3] = (corner & 1 ? side : -side) * half[(axis + 1) % 3];
      p[(axis + 2) % 3] = (corner & 2 ? 1.0f : -1.0f) * half[(axis + 2) % 3];
      render_vertex *v = &mesh->vertices[4 * face + corner];
      v->position = add(box->pose.position, rotated(box->pose.rotation, (cloth_vector){p[0], p[1], p[2]}));
      v->normal = rotated(box->pose.rotation, (cloth_vector){n[0], n[1], n[2]});
    }
    const uint32_t corners[6] = {0, 1, 2, 1, 3, 2};
    for (int k = 0; k < 6; k++)
      mesh->indices[6 * face + k] = (uint32_t)(4 * face) + corners[k];
  }
  return 0;
}

/* The mesh of a cylinder: pairs of rings, which are the lower disc, the wall and the upper disc. */
static int make_cylinder(render_mesh *mesh, const cloth_collider *c) {
  enum { CORNERS = SEGMENTS + 1, RINGS = 6 };
  if (render_mesh_create(mesh, RINGS * CORNERS, RINGS / 2 * SEGMENTS * 6) != 0) return -1;
  for (int ring = 0; ring < RINGS; ring++) {
    const float side = ring < 3 ? -1.0f : 1.0f, radius = ring == 0 || ring == RINGS - 1 ? 0.0f : c->radius;
    const int is_wall = ring / 2 == 1;
    for (int i = 0; i < CORNERS; i++) {
      const float longitude = 6.2831853f * (float)i / (float)SEGMENTS;
      const cloth_vector out = {sinf(longitude), 0, cosf(longitude)}, up = {0, side, 0};
      const cloth_vector local = add(scaled(out, radius), scaled(up, c->half_height));
      render_vertex *v = &mesh->vertices[ring * CORNERS + i];
      v->position = add(c->pose.position, rotated(c->pose.rotation, local));
      v->normal = rotated(c->pose.rotation, is_wall ? out : up);
    }
  }
  for (int pair = 0; pair < RINGS / 2; pair++)
    stitch_rings(mesh->indices + pair * SEGMENTS * 6, SEGMENTS, (uint32_t)(2 * pair * CORNERS));
  return 0;
}

int render_mesh_from_collider(render_mesh *mesh, const cloth_collider *collider) {
  if (collider->shape == CLOTH_SHAPE_BOX) return make_box(mesh, collider);
  if (collider->shape == CLOTH_SHAPE_CYLINDER) return make_cylinder(mesh, collider);
  return render_mesh_of_capsule(mesh, collider, SEGMENTS);
}

/// Projection ///

/* A camera, or with parallel rays the view from the light. */
typedef struct projector {
  cloth_vector origin, right, up, forward;
  float scale; /* pixels a unit, for a camera at depth 1 */
  float centre_x, centre_y;
  int parallel;
} projector;

typedef struct screen_point {
  float x, y;
  float nearness; /* linear on the screen and larger for what is nearer: 1 / depth, or -depth for parallel rays */
} screen_point;

static projector projector_towards(cloth_vector origin, cloth_vector forward) {
  projector p = {0};
  p.origin = origin;
  p.forward = normalized(forward);
  p.right = normalized(cross(p.forward, (cloth_vector){0, 1, 0}));
  p.up = cross(p.right, p.forward);
  return p;
}

static float depth_of(const projector *p, cloth_vector position) {
  return dot(subtract(position, p->origin), p->forward);
}

static inline screen_point project(const projector *p, cloth_vector position) {
  cloth_vector offset = subtract(position, p->origin);
  float depth = dot(offset, p->forward);
  float zoom = p->parallel ? p->scale : p->scale / depth;
  screen_point point;
  point.x = p->centre_x + zoom * dot(offset, p->right);
  point.y = p->centre_y - zoom * dot(offset, p->up);
  point.nearness = p->parallel ? -depth : 1 / depth;
  return point;
}

/// Light ///

typedef struct renderer {
  const render_scene *scene;
  cloth_vector to_light;
  projector camera, light;
  int samples;       /* across a pixel, and down it */
  int width, height; /* of the supersampled view */
  int shadow_size;
  float shadow_bias; /* [m] */
  float *nearness;
  cloth_vector *colours; /* linear RGB */
  float *shadow;         /* nearness to the light */
} renderer;

typedef struct surface_point {
  cloth_vector position, normal; /* the normal on the side that is seen */
  cloth_vector albedo;
  float gloss, translucency;
} surface_point;

static inline int is_lit(const renderer *r, float x, float y, float nearness) {
  int column = (int)x, row = (int)y;
  if (x < 0 || y < 0 || column >= r->shadow_size || row >= r->shadow_size) return 1;
  return nearness + r->shadow_bias > r->shadow[(size_t)row * (size_t)r->shadow_size + (size_t)column];
}

/* The share of light that arrives. Each of a pixel's samples asks at four places of its own, so that the pixel as a
   whole sees a fine square of them without any noise. */
static float light_arriving(const renderer *r, cloth_vector position, cloth_vector normal, int sample_x, int sample_y) {
  float facing = dot(normal, r->to_light) < 0 ? -1.0f : 1.0f;
  screen_point p = project(&r->light, add(position, scaled(normal, facing * r->shadow_bias)));
  float step = shadow_softness * r->light.scale / (float)r->samples;
  int lit = 0;
  for (int i = 0; i < 4; i++) {
    float dx = (float)(sample_x + r->samples * (i & 1) - r->samples) + 0.5f;
    float dy = (float)(sample_y + r->samples * (i >> 1) - r->samples) + 0.5f;
    lit += is_lit(r, p.x + dx * step, p.y + dy * step, p.nearness);
  }
  return 0.25f * (float)lit;
}

static cloth_vector shade(const renderer *r, const surface_point *p, int sample_x, int sample_y) {
  static const cloth_vector key = {1.02f, 0.98f, 0.90f}, sky = {0.36f, 0.39f, 0.44f}, ground = {0.20f, 0.18f, 0.17f};
  cloth_vector to_eye = normalized(subtract(r->scene->eye, p->position));
  float lit = light_arriving(r, p->position, p->normal, sample_x, sample_y);
  float facing = dot(p->normal, r->to_light);
  float direct = lit * (facing > 0 ? facing : -facing * p->translucency);
  float fill = 0.12f * clamp01(dot(p->normal, to_eye));
  float grazing = 1 - clamp01(dot(p->normal, to_eye));
  float highlight = powf(clamp01(dot(p->normal, normalized(add(r->to_light, to_eye)))), 28);
  cloth_vector light = add(scaled(key, direct), mix(ground, sky, 0.5f + 0.5f * p->normal.y));
  light = add(light, (cloth_vector){fill, fill, fill});
  float sheen = p->gloss * (lit * highlight + 0.25f * grazing * grazing * grazing);
  return add(multiply(p->albedo, light), (cloth_vector){sheen, sheen, sheen});
}

/// Triangles ///

/* How dark the stripes of both directions make the cloth. */
static inline float woven_check(float checks, float u, float v) {
  float tone = 1;
  if (checks <= 0) return tone;
  tone -= u * checks - floorf(u * checks) < 0.5f ? 0.2f : 0.0f;
  tone -= v * checks - floorf(v * checks) < 0.5f ? 0.2f : 0.0f;
  return tone;
}

typedef struct triangle {
  const render_vertex *corners[3];
  screen_point points[3];
  float area; /* twice that on the screen, positive if seen from the back (y points down there) */
} triangle;

static inline float edge(screen_point a, screen_point b, float x, float y) {
  return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
}

static surface_point surface_at(const triangle *t, const float share[3], const render_material *material) {
  surface_point p = {0};
  float u = 0, v = 0;
  for (int i = 0; i < 3; i++) {
    p.position = add(p.position, scaled(t->corners[i]->position, share[i]));
    p.normal = add(p.normal, scaled(t->corners[i]->normal, share[i]));
    u += share[i] * t->corners[i]->u;
    v += share[i] * t->corners[i]->v;
  }
  int back = t->area > 0;
  p.normal = scaled(normalized(p.normal), back ? -1.0f : 1.0f);
  p.albedo = scaled(back ? material->back : material->front, woven_check(material->checks, u, v));
  p.gloss = material->gloss;
  p.translucency = material->translucency;
  return p;
}

static void draw_sample(renderer *r, const triangle *t, const float weight[3], int x, int y,
                        const render_material *material) {
  size_t place = (size_t)y * (size_t)r->width + (size_t)x;
  float share[3], nearness = 0;
  for (int i = 0; i < 3; i++)
    nearness += weight[i] * t->points[i].nearness;
  if (nearness <= r->nearness[place]) return;
  for (int i = 0; i < 3; i++)
    share[i] = weight[i] * t->points[i].nearness / nearness; /* perspective */
  surface_point p = surface_at(t, share, material);
  r->nearness[place] = nearness;
  r->colours[place] = shade(r, &p, x % r->samples, y % r->samples);
}

static void draw_shadow_sample(renderer *r, const triangle *t, const float weight[3], int x, int y) {
  float *shadow = &r->shadow[(size_t)y * (size_t)r->shadow_size + (size_t)x];
  float nearness = 0;
  for (int i = 0; i < 3; i++)
    nearness += weight[i] * t->points[i].nearness;
  *shadow = fmaxf(*shadow, nearness);
}

static int clipped(float value, int limit) {
  return !(value > 0) ? 0 : value >= (float)limit ? limit : (int)value; /* 0 also if it is not a number */
}

/* Draws a triangle to the view, or without a material to the shadow map. */
static void fill_triangle(renderer *r, const triangle *t, int width, int height, const render_material *material) {
  const screen_point *p = t->points;
  int left = clipped(fminf(fminf(p[0].x, p[1].x), p[2].x), width);
  int right = clipped(fmaxf(fmaxf(p[0].x, p[1].x), p[2].x) + 1, width);
  int top = clipped(fminf(fminf(p[0].y, p[1].y), p[2].y), height);
  int bottom = clipped(fmaxf(fmaxf(p[0].y, p[1].y), p[2].y) + 1, height);
  for (int y = top; y < bottom; y++)
    for (int x = left; x < right; x++) {
      float weight[3];
      for (int i = 0; i < 3; i++)
        weight[i] = edge(p[(i + 1) % 3], p[(i + 2) % 3], (float)x + 0.5f, (float)y + 0.5f) / t->area;
      if (weight[0] < 0 || weight[1] < 0 || weight[2] < 0) continue;
      if (material)
        draw_sample(r, t, weight, x, y, material);
      else
        draw_shadow_sample(r, t, weight, x, y);
    }
}

static void draw_object(renderer *r, const render_object *object, int to_shadow) {
  const projector *eye = to_shadow ? &r->light : &r->camera;
  int width = to_shadow ? r->shadow_size : r->width, height = to_shadow ? r->shadow_size : r->height;
  for (int i = 0; i + 2 < object->mesh->index_count; i += 3) {
    triangle t;
    int in_view = 1;
    for (int k = 0; k < 3; k++) {
      t.corners[k] = &object->mesh->vertices[object->mesh->indices[i + k]];
      t.points[k] = project(eye, t.corners[k]->position);
      in_view &= to_shadow || depth_of(eye, t.corners[k]->position) > nearest_depth;
    }
    t.area = edge(t.points[0], t.points[1], t.points[2].x, t.points[2].y);
    if (in_view && fabsf(t.area) > 1e-6f) fill_triangle(r, &t, width, height, to_shadow ? NULL : &object->material);
  }
}

/// Surroundings ///

static inline float grid_line(float coordinate, float spacing, float half_width) {
  float offset = coordinate / spacing - roundf(coordinate / spacing);
  return fabsf(offset) * spacing < half_width ? 1.0f : 0.0f;
}

/* The floor is the background with shadows and a faint grid of 25 cm, so that it needs no horizon. */
static cloth_vector floor_colour(const renderer *r, cloth_vector backdrop, cloth_vector position, int x, int y) {
  static const cloth_vector shadow_tint = {0.50f, 0.51f, 0.54f};
  float distance = sqrtf(dot(subtract(position, r->scene->target), subtract(position, r->scene->target)));
  float fade = clamp01(2.0f - distance / r->scene->radius);
  float lit = light_arriving(r, position, (cloth_vector){0, 1, 0}, x % r->samples, y % r->samples);
  float line = fmaxf(grid_line(position.x, 0.25f, 0.002f), grid_line(position.z, 0.25f, 0.002f));
  cloth_vector colour = scaled(backdrop, 1 - 0.12f * line * fade);
  return mix(colour, multiply(colour, shadow_tint), (1 - lit) * fade);
}

static void draw_surroundings(renderer *r) {
  static const cloth_vector above = {0.66f, 0.73f, 0.80f}, below = {0.86f, 0.86f, 0.85f};
  const projector *c = &r->camera;
  for (int y = 0; y < r->height; y++)
    for (int x = 0; x < r->width; x++) {
      size_t place = (size_t)y * (size_t)r->width + (size_t)x;
      cloth_vector ray = add(c->forward, scaled(c->right, ((float)x + 0.5f - c->centre_x) / c->scale));
      ray = add(ray, scaled(c->up, (c->centre_y - (float)y - 0.5f) / c->scale));
      float depth = (r->scene->floor_height - c->origin.y) / ray.y;
      r->colours[place] = mix(above, below, (float)y / (float)r->height);
      r->nearness[place] = depth > 0 ? 1 / depth : 0;
      if (depth > 0) r->colours[place] = floor_colour(r, r->colours[place], add(c->origin, scaled(ray, depth)), x, y);
    }
}

/// Picture ///

static uint8_t to_srgb(float linear) {
  return (uint8_t)(255 * powf(clamp01(linear), 1 / 2.2f) + 0.5f);
}

static void write_pixel(const renderer *r, image *picture, rectangle area, int x, int y) {
  cloth_vector sum = {0, 0, 0};
  for (int i = 0; i < r->samples * r->samples; i++) {
    int column = x * r->samples + i % r->samples, row = y * r->samples + i / r->samples;
    sum = add(sum, r->colours[(size_t)row * (size_t)r->width + (size_t)column]);
  }
  sum = scaled(sum, 1.0f / (float)(r->samples * r->samples));
  uint8_t *pixel = picture->rgb + 3 * ((size_t)(area.y + y) * (size_t)picture->width + (size_t)(area.x + x));
  pixel[0] = to_srgb(sum.x);
  pixel[1] = to_srgb(sum.y);
  pixel[2] = to_srgb(sum.z);
}

static void set_up_projectors(renderer *r) {
  const render_scene *scene = r->scene;
  r->to_light = normalized(scene->to_light);
  r->camera = projector_towards(scene->eye, subtract(scene->target, scene->eye));
  r->camera.scale = 0.5f * (float)r->height / tanf(0.5f * scene->field_of_view);
  r->camera.centre_x = 0.5f * (float)r->width;
  r->camera.centre_y = 0.5f * (float)r->height;
  r->light = projector_towards(scene->target, scaled(r->to_light, -1));
  r->light.scale = 0.5f * (float)r->shadow_size / scene->radius;
  r->light.centre_x = r->light.centre_y = 0.5f * (float)r->shadow_size;
  r->light.parallel = 1;
  r->shadow_bias = fmaxf(least_shadow_bias, texels_of_bias / r->light.scale);
}

static void draw_everything(renderer *r, image *picture, rectangle area) {
  for (size_t i = 0; i < (size_t)r->shadow_size * (size_t)r->shadow_size; i++)
    r->shadow[i] = -INFINITY;
  for (int i = 0; i < r->scene->object_count; i++)
    draw_object(r, &r->scene->objects[i], 1);
  draw_surroundings(r);
  for (int i = 0; i < r->scene->object_count; i++)
    draw_object(r, &r->scene->objects[i], 0);
  for (int y = 0; y < area.height; y++)
    for (int x = 0; x < area.width; x++)
      write_pixel(r, picture, area, x, y);
}

int render_view(image *picture, rectangle area, const render_scene *scene) {
  renderer r = {0};
  r.scene = scene;
  r.samples = scene->sketch ? 1 : SAMPLES;
  r.shadow_size = scene->sketch ? SKETCH_SHADOW_SIZE : SHADOW_SIZE;
  r.width = area.width * r.samples;
  r.height = area.height * r.samples;
  size_t samples = (size_t)r.width * (size_t)r.height;
  r.nearness = malloc(samples * sizeof *r.nearness);
  r.colours = malloc(samples * sizeof *r.colours);
  r.shadow = malloc((size_t)r.shadow_size * (size_t)r.shadow_size * sizeof *r.shadow);
  int result = r.nearness && r.colours && r.shadow ? 0 : -1;
  set_up_projectors(&r);
  if (result == 0) draw_everything(&r, picture, area);
  free(r.nearness);
  free(r.colours);
  free(r.shadow);
  return result;
}
