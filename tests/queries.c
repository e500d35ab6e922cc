/* Rays against the cloth and the nearest point of the cloth, beside the same in double precision over all triangles, on
   sheets and tubes, flat, crumpled, collapsed, small, large and far away. SPDX-License-Identifier: MIT */
#include "refusals.h"

#include <inttypes.h>

/// Cloths ///

typedef struct cloth_kind {
  const char *name;
  int columns, rows, wrap;
  double side;    /* of the sheet, or around the tube [m] */
  double crumple; /* random displacement of each particle [m] */
  double away;    /* from the origin of the world [m] */
} cloth_kind;

static const cloth_kind kinds[] = {
    {"flat", 12, 9, 0, 1.0, 0.0, 0.0},       {"crumpled", 13, 10, 0, 1.0, 0.06, 0.0},
    {"smallest", 2, 2, 0, 1.0, 0.2, 0.0},    {"tube", 11, 7, 1, 1.5, 0.0, 0.0},
    {"crumpled tube", 9, 5, 1, 1.5, 0.1, 0}, {"fine", 17, 12, 0, 0.004, 1e-4, 0.0},
    {"huge", 8, 8, 0, 400.0, 20.0, 0.0},     {"far away", 12, 9, 0, 1.0, 0.05, 1000.0},
};

enum { KINDS = (int)(sizeof kinds / sizeof kinds[0]), MOST_TRIANGLES = 512 };

static int kind_number;

static const char *kind_name(int number) {
  return kinds[number].name;
}

static void select_kind(int number) {
  kind_number = number;
}

static const test_cases every_kind = {0, KINDS, kind_name, select_kind};

static fixture make_cloth(const cloth_kind *kind, random_source *random) {
  cloth_config config = cloth_config_default();
  config.columns = kind->columns;
  config.rows = kind->rows;
  config.grid.wrap = kind->wrap;
  config.origin = vector_at(kind->away, -kind->away, 0.5 * kind->away);
  config.edge_warp = vector_at(kind->side, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, 0.0, kind->side);
  fixture s = fixture_make(&config);
  for (int i = 0; i < s.count; i++) {
    point p = position_of(s.sheet, i);
    p.x += random_real(random, -1.0, 1.0) * kind->crumple;
    p.y += random_real(random, -1.0, 1.0) * kind->crumple;
    p.z += random_real(random, -1.0, 1.0) * kind->crumple;
    CHECK(cloth_set_particle(s.sheet, i, vector_of(p), vector_at(0, 0, 0)) == CLOTH_OK, "a particle");
  }
  return s;
}

/// Triangles in double precision ///

typedef struct triangle {
  point p[3];
} triangle;

typedef struct triangles {
  triangle of[MOST_TRIANGLES];
  int particle[MOST_TRIANGLES][3];
  int count;
  point centre;
  double reach; /* of the farthest particle from the centre */
} triangles;

/* The triangles that cloth_write_indices16() writes. Vertices of a tube repeat the first column at the end of a row. */
static triangles triangles_of(const fixture *s, int wrap) {
  static uint16_t indices[3 * MOST_TRIANGLES];
  triangles all;
  memset(&all, 0, sizeof all);
  all.count = cloth_get_index_count(s->sheet) / 3;
  CHECK(cloth_write_indices16(s->sheet, 0, indices, 3 * MOST_TRIANGLES) == CLOTH_OK, "indices");
  const int vertices = s->columns + wrap;
  for (int i = 0; i < 3 * all.count; i++) {
    int particle = indices[i] / vertices * s->columns + indices[i] % vertices % s->columns;
    all.particle[i / 3][i % 3] = particle;
    all.of[i / 3].p[i % 3] = position_of(s->sheet, particle);
  }
  for (int i = 0; i < s->count; i++)
    all.centre = point_sum(all.centre, point_scaled(position_of(s->sheet, i), 1.0 / s->count));
  for (int i = 0; i < s->count; i++)
    all.reach = fmax(all.reach, point_distance(all.centre, position_of(s->sheet, i)));
  return all;
}

static point nearest_on_segment(point a, point b, point p) {
  point edge = point_difference(b, a);
  double squared = point_dot(edge, edge);
  double t = squared > 0.0 ? point_dot(point_difference(p, a), edge) / squared : 0.0;
  return point_sum(a, point_scaled(edge, fmin(fmax(t, 0.0), 1.0)));
}

static point nearest_on_triangle(const triangle *t, point p) {
  point best = nearest_on_segment(t->p[0], t->p[1], p);
  for (int n = 1; n < 3; n++) {
    point q = nearest_on_segment(t->p[n], t->p[(n + 1) % 3], p);
    best = point_distance(q, p) < point_distance(best, p) ? q : best;
  }
  point normal = point_cross(point_difference(t->p[1], t->p[0]), point_difference(t->p[2], t->p[0]));
  double length = point_length(normal);
  if (length == 0.0) return best;
  normal = point_scaled(normal, 1.0 / length);
  point foot = point_difference(p, point_scaled(normal, point_dot(normal, point_difference(p, t->p[0]))));
  for (int n = 0; n < 3; n++) {
    point edge = point_difference(t->p[(n + 1) % 3], t->p[n]);
    if (point_dot(point_cross(edge, point_difference(foot, t->p[n])), normal) < 0.0) return best;
  }
  return foot;
}

static double distance_from_cloth(const triangles *all, point p) {
  double best = HUGE_VAL;
  for (int i = 0; i < all->count; i++)
    best = fmin(best, point_distance(p, nearest_on_triangle(&all->of[i], p)));
  return best;
}

static point on_ray(const cloth_ray *ray, double distance) {
  point direction = point_of(ray->direction);
  return point_sum(point_of(ray->origin), point_scaled(direction, distance / point_length(direction)));
}

/* Where a ray hits a triangle, by the plane; HUGE_VAL if it does not. *margin is how far inside, along the plane, over
   the size of the triangle. */
static double hit_of(const triangle *t, const cloth_ray *ray, double *margin) {
  point direction = point_scaled(point_of(ray->direction), 1.0 / point_length(point_of(ray->direction)));
  point normal = point_cross(point_difference(t->p[1], t->p[0]), point_difference(t->p[2], t->p[0]));
  double size = sqrt(point_length(normal)), slope = point_dot(normal, direction);
  *margin = -HUGE_VAL;
  if (fabs(slope) < 1e-6 * size * size) return HUGE_VAL;
  double distance = point_dot(normal, point_difference(t->p[0], point_of(ray->origin))) / slope;
  point at = on_ray(ray, distance);
  *margin = HUGE_VAL;
  for (int n = 0; n < 3; n++) {
    point edge = point_difference(t->p[(n + 1) % 3], t->p[n]);
    double side = point_dot(point_cross(edge, point_difference(at, t->p[n])), normal);
    *margin = fmin(*margin, side / (point_length(edge) * size * size * size));
  }
  return *margin >= 0.0 ? distance : HUGE_VAL;
}

/// What every answer keeps ///

static double tolerance_of(const triangles *all) {
  return 3e-6 * all->reach + 3e-7 * point_length(all->centre);
}

/* Corners, weights and position agree, and the normal is that of the triangle. */
static void expect_consistent(const triangles *all, const cloth_surface_point *found, const char *what) {
  CHECK(found->triangle >= 0 && found->triangle < all->count, "%s: triangle %d", what, found->triangle);
  if (found->triangle < 0 || found->triangle >= all->count) return;
  const triangle *t = &all->of[found->triangle];
  point at = {0.0, 0.0, 0.0};
  double sum = 0.0;
  int right = 1;
  for (int n = 0; n < 3; n++) {
    right = right && found->particle[n] == all->particle[found->triangle][n];
    right = right && found->weight[n] >= 0.0f && found->weight[n] <= 1.0f;
    at = point_sum(at, point_scaled(t->p[n], (double)found->weight[n]));
    sum += (double)found->weight[n];
  }
  CHECK(right, "%s: corners %d %d %d, weights %g %g %g", what, found->particle[0], found->particle[1],
        found->particle[2], (double)found->weight[0], (double)found->weight[1], (double)found->weight[2]);
  CHECK(fabs(sum - 1.0) < 1e-6, "%s: weights add up to %.9g", what, sum);
  double off = point_distance(at, point_of(found->position)) - 1e-6 * point_length(at);
  CHECK(off < tolerance_of(all), "%s: position is off by %g", what, off);
  point normal = point_cross(point_difference(t->p[1], t->p[0]), point_difference(t->p[2], t->p[0]));
  normal = point_scaled(normal, 1.0 / point_length(normal));
  CHECK(point_distance(normal, point_of(found->normal)) < 1e-3, "%s: normal is off by %g", what,
        point_distance(normal, point_of(found->normal)));
}

static cloth_vector random_point(random_source *random, const triangles *all, double reach) {
  double x = random_real(random, -1.0, 1.0), y = random_real(random, -1.0, 1.0), z = random_real(random, -1.0, 1.0);
  point offset = {reach * x, reach * y, reach * z};
  return vector_of(point_sum(all->centre, offset));
}

static cloth_ray random_ray(random_source *random, const triangles *all, double thickness) {
  cloth_ray ray;
  ray.origin = random_point(random, all, all->reach * (random_int(random, 0, 3) ? 1.5 : 20.0));
  cloth_vector to = random_point(random, all, 0.8 * all->reach);
  ray.direction = vector_of(point_difference(point_of(to), point_of(ray.origin)));
  ray.max_distance = (float)(all->reach * (random_int(random, 0, 2) ? 50.0 : 1.0));
  ray.thickness = (float)thickness;
  return ray;
}

/// Thin rays ///

/* The first triangle that a ray hits, and whether that is certain: no triangle is close to being hit or to the end of
   the ray. */
static double expected_hit(const triangles *all, const cloth_ray *ray, double tolerance, int *is_certain) {
  double first = HUGE_VAL, size = all->reach;
  *is_certain = 1;
  for (int i = 0; i < all->count; i++) {
    double margin, distance = hit_of(&all->of[i], ray, &margin);
    if (fabs(margin) < 1e-3 || (isfinite(distance) && (fabs(distance) < 1e-4 * size ||
                                                       fabs(distance - (double)ray->max_distance) < 1e-4 * size)))
      *is_certain = 0;
    if (distance >= 0.0 && distance <= (double)ray->max_distance) first = fmin(first, distance);
  }
  (void)tolerance;
  return first;
}

static void test_rays(void) {
  const cloth_kind *kind = &kinds[kind_number];
  random_source random = {41 + (uint64_t)kind_number};
  fixture s = make_cloth(kind, &random);
  const triangles all = triangles_of(&s, kind->wrap);
  int hits = 0, certain = 0;
  for (int i = 0; i < 2000; i++) {
    cloth_ray ray = random_ray(&random, &all, 0.0);
    cloth_surface_point found;
    int is_certain, result = cloth_cast_ray(s.sheet, &ray, &found);
    double tolerance = tolerance_of(&all) + 1e-6 * point_distance(point_of(ray.origin), all.centre);
    double expected = expected_hit(&all, &ray, tolerance, &is_certain);
    CHECK(result == 0 || result == 1, "result %d", result);
    certain += is_certain;
    if (is_certain) CHECK(result == isfinite(expected), "ray %d: %d, expected at %g", i, result, expected);
    if (result != 1) continue;
    hits++;
    expect_consistent(&all, &found, "a ray");
    double off = point_distance(on_ray(&ray, (double)found.distance), point_of(found.position));
    CHECK(off < 20.0 * tolerance, "ray %d: the hit is off the ray by %g", i, off);
    if (is_certain)
      CHECK(fabs((double)found.distance - expected) < 100.0 * tolerance, "ray %d: at %g, expected at %g", i,
            (double)found.distance, expected);
    double towards = point_dot(point_of(ray.direction), point_of(found.normal));
    CHECK(found.side == (towards > 0.0 ? -1 : 1), "ray %d: side %d, towards %g", i, found.side, towards);
  }
  CHECK(hits > 200 && certain > 1000, "%d of 2000 rays hit, %d are certain", hits, certain);
  fixture_free(&s);
}

/* Rays straight at particles and at points of edges hit, from up to 1 m and from a kilometre: nothing passes between
   triangles. The sheet is uneven, by less than would hide an edge behind another triangle. */
static void test_no_gaps(void) {
  const double sizes[] = {1.0, 0.004, 400.0};
  for (int n = 0; n < 6; n++) {
    const double size = sizes[n % 3];
    const cloth_kind kind = {"uneven", 16, 11, 0, size, 0.01 * size, n < 3 ? 0.0 : 1000.0};
    random_source random = {77};
    fixture s = make_cloth(&kind, &random);
    const triangles all = triangles_of(&s, 0);
    int passed = 0;
    for (int i = 0; i < 4000; i++) {
      int column = random_int(&random, 1, s.columns - 3), row = random_int(&random, 1, s.rows - 3);
      int kinds_of_edge = random_int(&random, 0, 2), other = fixture_particle(&s, column + 1, row + 1);
      other = kinds_of_edge == 1 ? fixture_particle(&s, column + 1, row) : other;
      other = kinds_of_edge == 2 ? fixture_particle(&s, column, row + 1) : other;
      double share = random_int(&random, 0, 1) ? random_real(&random, 0.0, 1.0) : 0.0;
      point from = position_of(s.sheet, fixture_particle(&s, column, row));
      point to = point_sum(from, point_scaled(point_difference(position_of(s.sheet, other), from), share));
      double away = i % 4 ? size * random_real(&random, 0.1, 1.0) : 1000.0, side = i % 2 ? away : -away;
      point offset = {0.5 * away * random_real(&random, -1, 1), side, 0.5 * away * random_real(&random, -1, 1)};
      cloth_ray ray = {vector_of(point_sum(to, offset)), {0, 0, 0}, CLOTH_ANY_DISTANCE, 0.0f};
      ray.direction = vector_of(point_difference(to, point_of(ray.origin)));
      cloth_surface_point found;
      passed += (i % 4 || size > 0.1) && cloth_cast_ray(s.sheet, &ray, &found) != 1;
    }
    CHECK(passed == 0, "%d of 4000 rays passed a sheet of %g m at %g m", passed, size, kind.away);
    CHECK(all.count > 0, "no triangles");
    fixture_free(&s);
  }
}

/// Rays against cloth with a thickness ///

/* No point of the ray before `end` is nearer to the cloth than the thickness. */
static void expect_clear(const triangles *all, const cloth_ray *ray, double end, double tolerance, int number) {
  double nearest = HUGE_VAL, where = 0.0;
  /* Steps no longer than the distance still to go reach whatever there is. */
  for (double at = 0.0; at < end;) {
    double distance = distance_from_cloth(all, on_ray(ray, at));
    if (distance < nearest) {
      nearest = distance;
      where = at;
    }
    at += fmax(distance - (double)ray->thickness, 0.02 * (double)ray->thickness);
  }
  CHECK(nearest > (double)ray->thickness - tolerance, "ray %d is %g m from the cloth at %g, before %g", number, nearest,
        where, end);
}

static void test_thick_rays(void) {
  const cloth_kind *kind = &kinds[kind_number];
  random_source random = {43 + (uint64_t)kind_number};
  fixture s = make_cloth(kind, &random);
  const triangles all = triangles_of(&s, kind->wrap);
  int hits = 0, starts = 0;
  const double thickest = fmin(0.3 * all.reach, 1.0);
  for (int i = 0; i < 300; i++) {
    cloth_ray ray = random_ray(&random, &all, random_real(&random, 0.01, 1.0) * thickest);
    cloth_surface_point found;
    double tolerance = 10.0 * tolerance_of(&all) + 1e-6 * point_distance(point_of(ray.origin), all.centre);
    tolerance += 1e-3 * (double)ray.thickness;
    int result = cloth_cast_ray(s.sheet, &ray, &found);
    CHECK(result == 0 || result == 1, "result %d", result);
    if (result == 0) {
      expect_clear(&all, &ray, (double)ray.max_distance, tolerance, i);
      continue;
    }
    hits++;
    expect_consistent(&all, &found, "a thick ray");
    point at = on_ray(&ray, (double)found.distance);
    double distance = distance_from_cloth(&all, at), to_position = point_distance(at, point_of(found.position));
    if (found.distance == 0.0f) {
      starts++;
      CHECK(distance < (double)ray.thickness + tolerance, "ray %d starts at %g m", i, distance);
    } else {
      CHECK(fabs(distance - (double)ray.thickness) < tolerance, "ray %d of thickness %g meets at %g", i,
            (double)ray.thickness, distance);
      CHECK(fabs(to_position - (double)ray.thickness) < tolerance, "ray %d: the point is %g m away", i, to_position);
      expect_clear(&all, &ray, (double)found.distance, tolerance, i);
    }
  }
  CHECK(hits > 50, "%d of 300 thick rays hit", hits);
  CHECK(starts > 0 || kind->side > 100.0, "none starts within the thickness");
  fixture_free(&s);
}

/// The nearest point ///

static void test_nearest(void) {
  const cloth_kind *kind = &kinds[kind_number];
  random_source random = {47 + (uint64_t)kind_number};
  fixture s = make_cloth(kind, &random);
  const triangles all = triangles_of(&s, kind->wrap);
  for (int i = 0; i < 1000; i++) {
    cloth_vector from = random_point(&random, &all, all.reach * (i % 4 ? 1.2 : 30.0));
    if (i % 10 == 0) cloth_get_position(s.sheet, random_int(&random, 0, s.count - 1), &from);
    cloth_surface_point found;
    double expected = distance_from_cloth(&all, point_of(from));
    double tolerance = tolerance_of(&all) + 1e-5 * expected;
    int result = cloth_find_nearest(s.sheet, from, CLOTH_ANY_DISTANCE, &found);
    CHECK(result == 1, "point %d: %d", i, result);
    if (result != 1) continue;
    expect_consistent(&all, &found, "a nearest point");
    CHECK(fabs((double)found.distance - expected) < tolerance, "point %d: %.9g m, expected %.9g", i,
          (double)found.distance, expected);
    point offset = point_difference(point_of(from), point_of(found.position));
    CHECK(fabs(point_length(offset) - expected) < 2.0 * tolerance, "point %d: position at %g m, expected %g", i,
          point_length(offset), expected);
    double above = point_dot(offset, point_of(found.normal));
    if (fabs(above) > 2.0 * tolerance)
      CHECK(found.side == (above < 0.0 ? -1 : 1), "point %d: side %d, %g above", i, found.side, above);
    cloth_surface_point other;
    memset(&other, 0x33, sizeof other);
    cloth_surface_point untouched = other;
    float less = found.distance * 0.999f, more = found.distance * 1.001f;
    if (found.distance > 0.0f)
      CHECK(cloth_find_nearest(s.sheet, from, less, &other) == 0 && memcmp(&other, &untouched, sizeof other) == 0,
            "point %d is found within %g m", i, (double)less);
    CHECK(cloth_find_nearest(s.sheet, from, more, &other) == 1 && memcmp(&other, &found, sizeof other) == 0,
          "point %d is not found within %g m", i, (double)more);
  }
  fixture_free(&s);
}

/// Collapsed cloth, refusals, the same bits ///

/* All particles in one place, or on a line: there is a point, with finite numbers and a unit normal. */
static void test_collapsed(void) {
  cloth_config config = cloth_config_default();
  config.columns = config.rows = 6;
  for (int shape = 0; shape < 2; shape++) {
    fixture s = fixture_make(&config);
    for (int i = 0; i < s.count; i++)
      cloth_set_particle(s.sheet, i, vector_at(shape * 0.1 * i, 0.0, 0.0), vector_at(0, 0, 0));
    const cloth_ray ray = {vector_at(0.05, 1.0, 0.0), vector_at(0.0, -1.0, 0.0), 10.0f, 0.1f};
    cloth_surface_point found;
    CHECK(cloth_cast_ray(s.sheet, &ray, &found) == 1, "a thick ray");
    CHECK(found.distance > 0.89f && found.distance < 0.92f, "at %g", (double)found.distance);
    CHECK(found.normal.y == 1.0f && found.side == 1, "normal %g, side %d", (double)found.normal.y, found.side);
    CHECK(cloth_find_nearest(s.sheet, ray.origin, CLOTH_ANY_DISTANCE, &found) == 1, "a nearest point");
    CHECK(fabs((double)found.distance - hypot(1.0, shape ? 0.0 : 0.05)) < 1e-5, "at %g", (double)found.distance);
    float sum = found.weight[0] + found.weight[1] + found.weight[2];
    CHECK(fabsf(sum - 1.0f) < 1e-6f, "weights add up to %g", (double)sum);
    cloth_ray thin = ray;
    thin.thickness = 0.0f;
    CHECK(cloth_cast_ray(s.sheet, &thin, &found) == 0, "a thin ray hits what has no area");
    fixture_free(&s);
  }
}

static void expect_ray_refused(const fixture *s, cloth_ray ray, const char *what) {
  cloth_surface_point found, before;
  memset(&found, 0x44, sizeof found);
  before = found;
  int result = cloth_cast_ray(s->sheet, &ray, &found);
  CHECK(result == CLOTH_ERROR_RANGE && memcmp(&found, &before, sizeof found) == 0, "%s: %s", what,
        cloth_result_name(result));
}

#define RAY_REFUSED(s, change)                                                                                         \
  do {                                                                                                                 \
    cloth_ray other = {vector_at(0.5, 1.0, 0.5), vector_at(0.0, -1.0, 0.0), 10.0f, 0.0f};                              \
    other.change;                                                                                                      \
    expect_ray_refused((s), other, #change);                                                                           \
  } while (0)

static void test_refused(void) {
  cloth_config config = cloth_config_default();
  fixture s = fixture_make(&config);
  unsigned char *before = copy_bytes(s.arena, s.memory.total_bytes);
  const cloth_ray ray = {vector_at(0.5, 1.0, 0.5), vector_at(0.0, -1.0, 0.0), 10.0f, 0.0f};
  cloth_surface_point found;
  CHECK(cloth_cast_ray(s.sheet, &ray, &found) == 1, "the ray that the others differ from");
  CHECK(cloth_cast_ray(NULL, &ray, &found) == CLOTH_ERROR_NULL, "no cloth");
  CHECK(cloth_cast_ray(s.sheet, NULL, &found) == CLOTH_ERROR_NULL, "no ray");
  CHECK(cloth_cast_ray(s.sheet, &ray, NULL) == CLOTH_ERROR_NULL, "nowhere to write");
  CHECK(cloth_find_nearest(NULL, ray.origin, 1.0f, &found) == CLOTH_ERROR_NULL, "no cloth");
  CHECK(cloth_find_nearest(s.sheet, ray.origin, 1.0f, NULL) == CLOTH_ERROR_NULL, "nowhere to write");
  RAY_REFUSED(&s, origin.x = NAN);
  RAY_REFUSED(&s, origin.y = 1.1e5f);
  RAY_REFUSED(&s, direction = vector_at(0.0, 0.0, 0.0));
  RAY_REFUSED(&s, direction.y = 1e-7f);
  RAY_REFUSED(&s, direction.y = INFINITY);
  RAY_REFUSED(&s, direction.z = 1.1e10f);
  RAY_REFUSED(&s, max_distance = -1.0f);
  RAY_REFUSED(&s, max_distance = NAN);
  RAY_REFUSED(&s, max_distance = 1.1e6f);
  RAY_REFUSED(&s, thickness = -0.1f);
  RAY_REFUSED(&s, thickness = 1.1f);
  CHECK(cloth_find_nearest(s.sheet, vector_at(0, (double)INFINITY, 0), 1.0f, &found) == CLOTH_ERROR_RANGE, "a point");
  CHECK(cloth_find_nearest(s.sheet, ray.origin, -1.0f, &found) == CLOTH_ERROR_RANGE, "a distance");
  CHECK(cloth_find_nearest(s.sheet, ray.origin, NAN, &found) == CLOTH_ERROR_RANGE, "a distance");
  CHECK(memcmp(s.arena, before, s.memory.total_bytes) == 0, "queries wrote to the arena");
  free(before);
  fixture_free(&s);
}

static uint64_t mixed(uint64_t hash, const void *words, size_t bytes) {
  for (size_t i = 0; i < bytes / 4; i++) {
    uint32_t word;
    memcpy(&word, (const char *)words + 4 * i, sizeof word);
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 29;
  }
  return hash;
}

/* The bits of many answers, which are the same in every build and for any number of lanes. All
   coordinates are exact, so that they are the same in every build, too. */
static void test_same_bits(void) {
  const uint64_t known = UINT64_C(0x6fbba482bf0f7033);
  uint64_t hash = 0;
  for (int wrap = 0; wrap < 2; wrap++) {
    cloth_config config = cloth_config_default();
    config.columns = 19;
    config.rows = 13;
    config.grid.wrap = wrap;
    fixture s = fixture_make(&config);
    for (int i = 0; i < s.count; i++) {
      int column = i % s.columns, row = i / s.columns;
      cloth_vector at = vector_at(0.0625 * column, 0.015625 * ((7 * column + 5 * row) % 8) - 0.25, 0.078125 * row);
      cloth_set_particle(s.sheet, i, at, vector_at(0, 0, 0));
    }
    for (int i = 0; i < 400; i++) {
      const cloth_vector from = vector_at(0.0625 * (i % 23) - 0.25, 0.03125 * (i % 41) - 0.75, 0.0625 * (i % 19));
      const cloth_ray ray = {from, vector_at(0.5 - 0.03125 * (i % 29), -0.25 * (i % 5), 0.125), 8.0f,
                             i % 2 ? 0.0f : 0.03125f};
      cloth_surface_point found;
      memset(&found, 0, sizeof found);
      int result = cloth_cast_ray(s.sheet, &ray, &found);
      hash = mixed(mixed(hash, &result, sizeof result), &found, sizeof found);
      result = cloth_find_nearest(s.sheet, from, 0.5f, &found);
      hash = mixed(mixed(hash, &result, sizeof result), &found, sizeof found);
    }
    fixture_free(&s);
  }
  CHECK(hash == known, "the answers have the hash 0x%016" PRIx64, hash);
}

static const test tests[] = {
    TEST_EACH(every_kind, rays),
    TEST(no_gaps),
    TEST_EACH(every_kind, thick_rays),
    TEST_EACH(every_kind, nearest),
    TEST(collapsed),
    TEST(refused),
    TEST(same_bits),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
