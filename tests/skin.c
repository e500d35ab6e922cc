/* Meshes bound to cloths: a mesh stays where it was while the cloth does, turns with it, and bends with it without gaps
   where cells meet; weights, borders, tubes, several cloths, seams, refusals, and the same bits with every lane width.
   SPDX-License-Identifier: MIT */
#include "refusals.h"
#include "script.h"

#define COLUMNS 13
#define ROWS 9
#define SPACING 0.05
#define MESH 500

typedef struct mesh_vertex {
  float position[3], unused, normal[3], tangent[4];
} mesh_vertex;

typedef struct mesh {
  mesh_vertex vertex[MESH];
  cloth_skin_layout layout;
} mesh;

static const cloth_bind_reach everything = {1.0f, 1.0f};

static cloth_skin_layout layout_of(int count) {
  cloth_skin_layout layout = {.count = count,
                              .stride = sizeof(mesh_vertex),
                              .position_offset = offsetof(mesh_vertex, position),
                              .normal_offset = offsetof(mesh_vertex, normal),
                              .tangent_offset = offsetof(mesh_vertex, tangent)};
  return layout;
}

static point vector_in(const float *from) {
  point p = {(double)from[0], (double)from[1], (double)from[2]};
  return p;
}

static void put(float *to, point p) {
  to[0] = (float)p.x;
  to[1] = (float)p.y;
  to[2] = (float)p.z;
}

static point random_direction(random_source *random) {
  for (;;) {
    point p = {random_real(random, -1.0, 1.0), random_real(random, -1.0, 1.0), random_real(random, -1.0, 1.0)};
    double length = point_length(p);
    if (length > 0.1 && length < 1.0) return point_scaled(p, 1.0 / length);
  }
}

/* Vertices around a flat sheet in the x-z plane, as far as one cell from it and from its borders. */
static mesh flat_mesh(void) {
  random_source random = {11};
  mesh m;
  memset(&m, 0, sizeof m);
  m.layout = layout_of(MESH);
  for (int i = 0; i < MESH; i++) {
    mesh_vertex *v = &m.vertex[i];
    point p = {random_real(&random, -1.0, COLUMNS) * SPACING, random_real(&random, -1.0, 1.0) * SPACING,
               random_real(&random, -1.0, ROWS) * SPACING};
    point normal = random_direction(&random), tangent = point_cross(normal, random_direction(&random));
    put(v->position, p);
    put(v->normal, normal);
    put(v->tangent, point_scaled(tangent, 1.0 / point_length(tangent)));
    v->tangent[3] = i % 3 ? 1.0f : -1.0f;
    v->unused = 7.0f;
  }
  return m;
}

/* A flat sheet in the x-z plane, with y upwards along its normal: cross(warp, weft) with the weft along -z is y. */
static cloth_config flat_config(void) {
  cloth_config config = cloth_config_default();
  config.columns = COLUMNS;
  config.rows = ROWS;
  config.origin = vector_at(0.0, 0.0, (ROWS - 1) * SPACING);
  config.edge_warp = vector_at((COLUMNS - 1) * SPACING, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, 0.0, -(ROWS - 1) * SPACING);
  config.grid.imperfection = 0.0f;
  return config;
}

/* Errors of a skinned mesh: of positions [cells], normals and tangents [rad]. */
typedef struct mesh_errors {
  double position, normal, tangent;
  int wrong_signs;
} mesh_errors;

typedef point transform(point p, int is_direction);

static mesh_errors compare_meshes(const mesh *found, const mesh *source, transform *expected) {
  mesh_errors e = {0.0, 0.0, 0.0, 0};
  for (int i = 0; i < source->layout.count; i++) {
    const mesh_vertex *f = &found->vertex[i], *s = &source->vertex[i];
    e.position = fmax(e.position, point_distance(vector_in(f->position), expected(vector_in(s->position), 0)));
    e.normal = fmax(e.normal, point_distance(vector_in(f->normal), expected(vector_in(s->normal), 1)));
    e.tangent = fmax(e.tangent, point_distance(vector_in(f->tangent), expected(vector_in(s->tangent), 1)));
    e.wrong_signs += f->tangent[3] != s->tangent[3] || f->unused != s->unused;
  }
  e.position /= SPACING;
  return e;
}

/* The resolution of a binding: 1 / 16384 of a cell in place and 1 / 1024 in height, both rounded; a normal 1 / 32767;
   a tangent a quarter of a turn over 64, rounded. */
static void check_errors(mesh_errors e, const char *what) {
  CHECK(e.position < 7e-4, "%s: positions are off by %g cells", what, e.position);
  CHECK(e.normal < 2e-4, "%s: normals are off by %g", what, e.normal);
  CHECK(e.tangent < 0.017, "%s: tangents are off by %g", what, e.tangent);
  CHECK(e.wrong_signs == 0, "%s: %d vertices with wrong signs or other bytes changed", what, e.wrong_signs);
}

static point stays(point p, int is_direction) {
  (void)is_direction;
  return p;
}

static void test_same_pose(void) {
  cloth_config config = flat_config();
  fixture s = fixture_make(&config);
  const mesh source = flat_mesh();
  mesh found = source;
  cloth_binding bindings[MESH];
  uint64_t before, after;
  cloth_hash(s.sheet, &before);
  int bound = cloth_bind(&s.sheet, 1, &source.layout, source.vertex, &everything, bindings);
  CHECK(bound == MESH, "%d of %d vertices are bound", bound, MESH);
  CHECK(cloth_skin(&s.sheet, 1, bindings, &source.layout, NULL, found.vertex) == CLOTH_OK, "no skin");
  check_errors(compare_meshes(&found, &source, stays), "the same pose");
  cloth_hash(s.sheet, &after);
  CHECK(before == after, "binding or skinning changed the cloth");
  fixture_free(&s);
}

/* Vertices without normals and tangents go where those with them go, and their bytes are left alone; so do positions
   whose normals only are missing. */
static void test_fewer_attributes(void) {
  cloth_config config = flat_config();
  fixture s = fixture_make(&config);
  const mesh source = flat_mesh();
  mesh full = source, found;
  cloth_binding bindings[MESH];
  cloth_pin(s.sheet, 0);
  run_steps(s.sheet, 20, FRAME);
  const cloth_bind_reach reach = {0.02f, 0.04f}; /* some follow in part */
  CHECK(cloth_bind(&s.sheet, 1, &source.layout, source.vertex, &reach, bindings) > 0, "bound");
  CHECK(cloth_skin(&s.sheet, 1, bindings, &source.layout, source.vertex, full.vertex) == CLOTH_OK, "skin");
  for (int kind = 0; kind < 2; kind++) {
    cloth_skin_layout layout = source.layout;
    layout.tangent_offset = CLOTH_ATTRIBUTE_NONE;
    layout.normal_offset = kind ? CLOTH_ATTRIBUTE_NONE : layout.normal_offset;
    found = source;
    CHECK(cloth_bind(&s.sheet, 1, &layout, source.vertex, &reach, bindings) > 0, "bound");
    CHECK(cloth_skin(&s.sheet, 1, bindings, &layout, source.vertex, found.vertex) == CLOTH_OK, "skin");
    for (int i = 0; i < MESH; i++) {
      const mesh_vertex *f = &found.vertex[i], *g = &full.vertex[i], *o = &source.vertex[i];
      CHECK(memcmp(f->position, g->position, sizeof f->position) == 0, "vertex %d elsewhere", i);
      CHECK(memcmp(f->normal, kind ? o->normal : g->normal, sizeof f->normal) == 0, "normal %d", i);
      CHECK(memcmp(f->tangent, o->tangent, sizeof f->tangent) == 0, "tangent %d written", i);
    }
  }
  fixture_free(&s);
}

/* A turn by 90 degrees about x, then a shift. */
static point turned(point p, int is_direction) {
  point q = {p.x, -p.z, p.y}, shift = {1.0, -2.0, 0.5};
  return is_direction ? q : point_sum(q, shift);
}

static void test_rigid_motion(void) {
  cloth_config config = flat_config();
  fixture s = fixture_make(&config);
  const mesh source = flat_mesh();
  mesh found = source;
  cloth_binding bindings[MESH];
  const point axis = {1.0, 0.0, 0.0};
  const cloth_pose from = {{0.0f, 0.0f, 0.0f}, rotation_none()};
  const cloth_pose to = {{1.0f, -2.0f, 0.5f}, rotation_about(axis, 0.5 * 3.14159265358979)};
  cloth_bind(&s.sheet, 1, &source.layout, source.vertex, &everything, bindings);
  CHECK(cloth_move_frame(s.sheet, &from, &to, NULL, FRAME, 0) == CLOTH_OK, "the frame does not move");
  cloth_skin(&s.sheet, 1, bindings, &source.layout, NULL, found.vertex);
  check_errors(compare_meshes(&found, &source, turned), "turned");
  fixture_free(&s);
}

/* The flat sheet wound onto a cylinder about the z axis, whose points at height y come to the radius RADIUS + y. */
#define RADIUS 0.4

static point wound(point p, int is_direction) {
  double angle = p.x / RADIUS, around = RADIUS + p.y;
  point q = {around * sin(angle), around * cos(angle), p.z};
  (void)is_direction;
  return q;
}

static void wind_sheet(fixture *s) {
  for (int i = 0; i < s->count; i++) {
    cloth_vector x;
    cloth_get_position(s->sheet, i, &x);
    cloth_set_particle(s->sheet, i, vector_of(wound(point_of(x), 0)), vector_at(0.0, 0.0, 0.0));
  }
}

/* Off the borders, where normals see one side only. A chord lies h^2 / 8 R below its arc, .016 cells. */
static void test_bent(void) {
  cloth_config config = flat_config();
  fixture s = fixture_make(&config);
  mesh source = flat_mesh();
  for (int i = 0; i < MESH; i++) {
    float *p = source.vertex[i].position;
    p[0] = fminf(fmaxf(p[0], (float)(1.0 * SPACING)), (float)((COLUMNS - 2) * SPACING));
    p[2] = fminf(fmaxf(p[2], (float)(1.0 * SPACING)), (float)((ROWS - 2) * SPACING));
  }
  mesh found = source;
  cloth_binding bindings[MESH];
  cloth_bind(&s.sheet, 1, &source.layout, source.vertex, &everything, bindings);
  wind_sheet(&s);
  cloth_skin(&s.sheet, 1, bindings, &source.layout, NULL, found.vertex);
  double worst = compare_meshes(&found, &source, wound).position;
  CHECK(worst < 0.02, "on a cylinder positions are off by %g cells", worst);
  mesh again = found;
  cloth_bind(&s.sheet, 1, &source.layout, found.vertex, &everything, bindings);
  cloth_skin(&s.sheet, 1, bindings, &source.layout, NULL, again.vertex);
  check_errors(compare_meshes(&again, &found, stays), "bound where it is bent");
  fixture_free(&s);
}

/* Two vertices a thousandth of a cell apart on both sides of every line between cells stay together when the cloth is
   crumpled, and so do their normals. */
static void test_no_gaps(void) {
  cloth_config config = flat_config();
  fixture s = fixture_make(&config);
  random_source random = {5};
  mesh source = flat_mesh(), found;
  cloth_binding bindings[MESH];
  for (int i = 0; i < MESH; i += 2) {
    double x = random_int(&random, 1, COLUMNS - 2), z = random_real(&random, 0.0, ROWS - 1);
    for (int side = 0; side < 2; side++) {
      point p = {(x + (side ? 5e-4 : -5e-4)) * SPACING, 0.5 * SPACING, z * SPACING}, up = {0.0, 1.0, 0.0};
      put(source.vertex[i + side].position, p);
      put(source.vertex[i + side].normal, up);
    }
  }
  cloth_bind(&s.sheet, 1, &source.layout, source.vertex, &everything, bindings);
  for (int i = 0; i < s.count; i++) {
    cloth_vector x;
    cloth_get_position(s.sheet, i, &x);
    x.y += (float)(random_real(&random, -0.4, 0.4) * SPACING);
    cloth_set_particle(s.sheet, i, x, vector_at(0.0, 0.0, 0.0));
  }
  found = source;
  cloth_skin(&s.sheet, 1, bindings, &source.layout, NULL, found.vertex);
  double gap = 0.0, crease = 0.0;
  for (int i = 0; i < MESH; i += 2) {
    const mesh_vertex *a = &found.vertex[i], *b = &found.vertex[i + 1];
    gap = fmax(gap, point_distance(vector_in(a->position), vector_in(b->position)) / SPACING);
    crease = fmax(crease, point_distance(vector_in(a->normal), vector_in(b->normal)));
  }
  CHECK(gap < 5e-3, "a gap of %g cells", gap);
  CHECK(crease < 5e-3, "a crease of %g", crease);
  fixture_free(&s);
}

/* Weights fall with the distance, and blend with the animated mesh. */
static void test_weights(void) {
  const cloth_bind_reach reach = {0.25f * (float)SPACING, 0.75f * (float)SPACING};
  cloth_config config = flat_config();
  fixture s = fixture_make(&config);
  mesh source = flat_mesh();
  cloth_binding bindings[MESH];
  const cloth_pose from = {{0.0f, 0.0f, 0.0f}, rotation_none()}, to = {{0.0f, 0.0f, 1.0f}, rotation_none()};
  int expected = 0;
  for (int i = 0; i < MESH; i++) {
    float *p = source.vertex[i].position;
    p[0] = fminf(fmaxf(p[0], 0.0f), (float)((COLUMNS - 1) * SPACING));
    p[2] = fminf(fmaxf(p[2], 0.0f), (float)((ROWS - 1) * SPACING));
    expected += fabsf(p[1]) < reach.none * 0.9999f;
  }
  int bound = cloth_bind(&s.sheet, 1, &source.layout, source.vertex, &reach, bindings);
  CHECK(abs(bound - expected) <= 1, "%d bound, expected %d", bound, expected);
  cloth_move_frame(s.sheet, &from, &to, NULL, FRAME, 0);
  mesh found;
  memset(&found, 0, sizeof found);
  CHECK(cloth_skin(&s.sheet, 1, bindings, &source.layout, source.vertex, found.vertex) == CLOTH_OK, "no skin");
  for (int i = 0; i < MESH; i++) {
    double height = fabs((double)source.vertex[i].position[1]) / SPACING;
    double weight = fmin(fmax((0.75 - height) / 0.5, 0.0), 1.0);
    double moved = (double)found.vertex[i].position[2] - (double)source.vertex[i].position[2];
    CHECK(fabs(moved - weight) < 0.003, "vertex %d at %g cells moves by %g instead of %g", i, height, moved, weight);
    CHECK(fabs(point_length(vector_in(found.vertex[i].normal)) - 1.0) < 1e-5, "a normal of length %g",
          point_length(vector_in(found.vertex[i].normal)));
  }
  mesh in_place = source;
  cloth_skin(&s.sheet, 1, bindings, &source.layout, in_place.vertex, in_place.vertex);
  for (int i = 0; i < MESH; i++)
    CHECK(memcmp(in_place.vertex[i].position, found.vertex[i].position, sizeof found.vertex[i].position) == 0,
          "in place vertex %d differs", i);
  fixture_free(&s);
}

/* Around a tube there is no border between the last column and the first. */
static void test_tube(void) {
  cloth_config config = cloth_config_default();
  config.columns = 20;
  config.rows = 6;
  config.grid.wrap = 1;
  config.edge_warp = vector_at(1.0, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, -0.25, 0.0);
  fixture s = fixture_make(&config);
  mesh source = flat_mesh(), found;
  cloth_binding bindings[MESH];
  cloth_vector low, high;
  cloth_get_bounds(s.sheet, &low, &high);
  const double x = 0.5 * (double)(low.x + high.x), z = 0.5 * (double)(low.z + high.z);
  for (int i = 0; i < MESH; i++) {
    double angle = 6.2831853 * i / MESH, radius = 0.15 + 0.02 * (i % 2);
    point p = {x + radius * sin(angle), -0.02 - 0.0004 * i, z + radius * cos(angle)};
    put(source.vertex[i].position, p);
  }
  found = source;
  int bound = cloth_bind(&s.sheet, 1, &source.layout, source.vertex, &everything, bindings);
  int last_column = 0;
  for (int i = 0; i < MESH; i++)
    last_column += (bindings[i].column & 1023) == 19;
  cloth_skin(&s.sheet, 1, bindings, &source.layout, NULL, found.vertex);
  CHECK(bound == MESH && last_column > MESH / 40, "%d bound, %d in the seam's cells", bound, last_column);
  check_errors(compare_meshes(&found, &source, stays), "a tube");
  fixture_free(&s);
}

/// Rims of masks and cuts ///

/* Binds a mesh of `count` vertices, of which all have to be bound and lie where they were. */
static void check_all_bound(fixture *s, const mesh *source, const char *what) {
  static mesh found;
  static cloth_binding bindings[MESH];
  found = *source;
  const int bound = cloth_bind(&s->sheet, 1, &source->layout, source->vertex, &everything, bindings);
  CHECK(bound == source->layout.count, "%s: %d of %d vertices are bound", what, bound, source->layout.count);
  CHECK(cloth_skin(&s->sheet, 1, bindings, &source->layout, NULL, found.vertex) == CLOTH_OK, "no skin");
  check_errors(compare_meshes(&found, source, stays), what);
}

/* Vertices along column 8 of a flat sheet, `beyond` of a cell to its right. */
static mesh mesh_beside(double beyond) {
  mesh m = flat_mesh();
  m.layout.count = 31;
  for (int i = 0; i < m.layout.count; i++) {
    point p = {(8 + beyond) * SPACING, 0.3 * SPACING, 0.25 * (i + 1) * SPACING};
    put(m.vertex[i].position, p);
  }
  return m;
}

#ifndef CLOTH_NO_TEARING
/* Over the cells of a cut vertices are bound to the cell beside it on the nearer side. */
static void test_cut_rim(void) {
  static const double beyond[] = {-0.1, 0.1, 0.45, 0.55, 0.9, 1.1};
  cloth_config config = flat_config();
  config.tearing.max_breaks = 100;
  fixture s = fixture_make(&config);
  const cloth_cut_line cut = {8.5f, -1.0f, 8.5f, (float)ROWS};
  CHECK(cloth_cut(s.sheet, &cut) == ROWS, "cut");
  for (int n = 0; n < 6; n++) {
    const mesh m = mesh_beside(beyond[n]);
    cloth_binding bindings[MESH];
    check_all_bound(&s, &m, "beside a cut");
    cloth_bind(&s.sheet, 1, &m.layout, m.vertex, &everything, bindings);
    for (int i = 0; i < m.layout.count; i++)
      CHECK((bindings[i].column & 1023) == (beyond[n] < 0.5 ? 7 : 9), "%g beyond: bound to column %d", beyond[n],
            bindings[i].column & 1023);
  }
  fixture_free(&s);
}
#endif

/* Every vertex follows the nearest of several cloths. */
static void test_several_cloths(void) {
  cloth_config config = flat_config();
  fixture a = fixture_make(&config);
  config.origin.y = 0.5f;
  fixture b = fixture_make(&config);
  cloth *both[2] = {a.sheet, b.sheet};
  mesh source = flat_mesh(), found;
  cloth_binding bindings[MESH];
  for (int i = 1; i < MESH; i += 2)
    source.vertex[i].position[1] += 0.5f;
  found = source;
  CHECK(cloth_bind(both, 2, &source.layout, source.vertex, &everything, bindings) == MESH, "not all are bound");
  for (int i = 0; i < MESH; i++)
    CHECK(bindings[i].row >> 10 == i % 2, "vertex %d follows cloth %d", i, bindings[i].row >> 10);
  CHECK(cloth_skin(both, 2, bindings, &source.layout, NULL, found.vertex) == CLOTH_OK, "no skin");
  check_errors(compare_meshes(&found, &source, stays), "two cloths");
  CHECK(cloth_skin(both, 1, bindings, &source.layout, NULL, found.vertex) == CLOTH_ERROR_INDEX, "a cloth is missing");
  fixture_free(&a);
  fixture_free(&b);
}

/* A vertex too far beyond a border, or too high, is not bound and not touched. */
static void test_out_of_reach(void) {
  const cloth_bind_reach reach = {50.0f, 50.0f};
  const double places[][3] = {{-1.4, 0.5, 4.0}, {-1.8, 0.5, 4.0}, {4.0, 29.0, 4.0}, {4.0, 31.0, 4.0}, {4.0, 0.0, 99.0}};
  const int expected[] = {1, 0, 1, 0, 0};
  cloth_config config = flat_config();
  fixture s = fixture_make(&config);
  for (int i = 0; i < 5; i++) {
    mesh m = flat_mesh();
    cloth_binding binding;
    m.layout.count = 1;
    point p = {places[i][0] * SPACING, places[i][1] * SPACING, places[i][2] * SPACING};
    put(m.vertex[0].position, p);
    const mesh_vertex before = m.vertex[0];
    int bound = cloth_bind(&s.sheet, 1, &m.layout, m.vertex, &reach, &binding);
    CHECK(bound == expected[i], "place %d: bound %d", i, bound);
    CHECK(cloth_skin(&s.sheet, 1, &binding, &m.layout, NULL, m.vertex) == CLOTH_OK, "no skin");
    CHECK(bound || memcmp(&before, &m.vertex[0], sizeof before) == 0, "place %d is not bound, but was written", i);
  }
  fixture_free(&s);
}

/* A cloth of no area has no normals; what is written is finite all the same. */
static void test_collapsed(void) {
  cloth_config config = flat_config();
  fixture s = fixture_make(&config);
  mesh m = flat_mesh();
  cloth_binding bindings[MESH];
  cloth_bind(&s.sheet, 1, &m.layout, m.vertex, &everything, bindings);
  for (int i = 0; i < s.count; i++)
    cloth_set_particle(s.sheet, i, vector_at(1.0, 2.0, 3.0), vector_at(0.0, 0.0, 0.0));
  cloth_skin(&s.sheet, 1, bindings, &m.layout, NULL, m.vertex);
  for (int i = 0; i < MESH; i++) {
    double size = point_length(vector_in(m.vertex[i].position)) + point_length(vector_in(m.vertex[i].tangent));
    CHECK(isfinite(size), "vertex %d is not finite", i);
    CHECK(fabs(point_length(vector_in(m.vertex[i].normal)) - 1.0) < 1e-4, "normal %d is not of unit length", i);
  }
  CHECK(cloth_bind(&s.sheet, 1, &m.layout, m.vertex, &everything, bindings) >= 0, "a collapsed cloth");
  fixture_free(&s);
}

static void expect(int result, int error, const cloth_binding *bindings, const cloth_binding *before,
                   const char *what) {
  CHECK(result == error, "%s: %s", what, cloth_result_name(result));
  CHECK(memcmp(bindings, before, MESH * sizeof *before) == 0, "%s: bindings have changed", what);
}

static void test_refusals(void) {
  cloth_config config = flat_config();
  fixture s = fixture_make(&config);
  mesh m = flat_mesh();
  cloth_binding b[MESH], before[MESH];
  cloth_bind(&s.sheet, 1, &m.layout, m.vertex, &everything, b);
  memcpy(before, b, sizeof b);
#define BIND(error, ...) expect(cloth_bind(__VA_ARGS__), CLOTH_ERROR_##error, b, before, #__VA_ARGS__)
#define SKIN(error, ...) expect(cloth_skin(__VA_ARGS__), CLOTH_ERROR_##error, b, before, #__VA_ARGS__)
  const cloth_bind_reach negative = {-1.0f, 1.0f}, reversed = {2.0f, 1.0f}, none = {0.0f, 0.0f},
                         not_finite = {0.0f, NAN};
  cloth *no_cloth = NULL;
  BIND(NULL, NULL, 1, &m.layout, m.vertex, &everything, b);
  BIND(NULL, &no_cloth, 1, &m.layout, m.vertex, &everything, b);
  BIND(NULL, &s.sheet, 1, NULL, m.vertex, &everything, b);
  BIND(NULL, &s.sheet, 1, &m.layout, NULL, &everything, b);
  BIND(NULL, &s.sheet, 1, &m.layout, m.vertex, NULL, b);
  BIND(NULL, &s.sheet, 1, &m.layout, m.vertex, &everything, NULL);
  BIND(RANGE, &s.sheet, 0, &m.layout, m.vertex, &everything, b);
  BIND(RANGE, &s.sheet, CLOTH_BINDING_CLOTHS + 1, &m.layout, m.vertex, &everything, b);
  BIND(RANGE, &s.sheet, 1, &m.layout, m.vertex, &negative, b);
  BIND(RANGE, &s.sheet, 1, &m.layout, m.vertex, &reversed, b);
  BIND(RANGE, &s.sheet, 1, &m.layout, m.vertex, &none, b);
  BIND(RANGE, &s.sheet, 1, &m.layout, m.vertex, &not_finite, b);
  SKIN(NULL, NULL, 1, b, &m.layout, NULL, m.vertex);
  SKIN(NULL, &s.sheet, 1, NULL, &m.layout, NULL, m.vertex);
  SKIN(NULL, &s.sheet, 1, b, NULL, NULL, m.vertex);
  SKIN(NULL, &s.sheet, 1, b, &m.layout, NULL, NULL);
  SKIN(RANGE, &s.sheet, 0, b, &m.layout, NULL, m.vertex);
  for (int field = 0; field < 5; field++) {
    cloth_skin_layout bad = m.layout;
    const int32_t faults[5] = {-1, 0, CLOTH_ATTRIBUTE_NONE, (int32_t)sizeof(mesh_vertex) - 11,
                               (int32_t)sizeof(mesh_vertex) - 15};
    int32_t *fields[5] = {&bad.count, &bad.stride, &bad.position_offset, &bad.normal_offset, &bad.tangent_offset};
    *fields[field] = faults[field];
    BIND(BUFFER, &s.sheet, 1, &bad, m.vertex, &everything, b);
    SKIN(BUFFER, &s.sheet, 1, b, &bad, NULL, m.vertex);
  }
  for (int field = 0; field < 4; field++) {
    cloth_skin_layout bad = m.layout;
    bad.count = field == 0 ? CLOTH_BINDING_LIMIT + 1 : bad.count;
    bad.stride = field == 1 ? 1 << 20 : bad.stride;
    bad.position_offset = field == 2 ? bad.stride - 11 : field == 3 ? -4 : bad.position_offset;
    BIND(BUFFER, &s.sheet, 1, &bad, m.vertex, &everything, b);
    SKIN(BUFFER, &s.sheet, 1, b, &bad, NULL, m.vertex);
  }
  cloth *no_cloths[2] = {s.sheet, (cloth *)(void *)b};
  SKIN(NOT_A_CLOTH, no_cloths, 2, b, &m.layout, NULL, m.vertex);
  cloth_config shared = config;
  shared.capacity.shared_scratch = 1;
  fixture without = fixture_make(&shared);
  SKIN(STATE, &without.sheet, 1, b, &m.layout, NULL, m.vertex);
  fixture_free(&without);
  const mesh good = m;
  for (int word = 0; word < 11; word++) {
    m = good;
    ((float *)&m.vertex[MESH - 1])[word] = NAN;
    if (word != 3) /* unused */
      BIND(RANGE, &s.sheet, 1, &m.layout, m.vertex, &everything, b);
  }
  m = good;
  for (int field = 0; field < 3; field++) {
    memcpy(b, before, sizeof b);
    b[MESH - 1].column = (uint16_t)(field == 0 ? COLUMNS - 1 : 0);
    b[MESH - 1].row = (uint16_t)(field == 1 ? ROWS - 1 : field == 2 ? 1024 : 0);
    CHECK(cloth_skin(&s.sheet, 1, b, &m.layout, NULL, m.vertex) == CLOTH_ERROR_INDEX, "a cell that is not there");
    CHECK(memcmp(&m, &good, sizeof m) == 0, "a refused call has written vertices");
  }
  fixture_free(&s);
}

/* Bindings of any bytes either are refused or write finite numbers: nothing outside the cloth is read. */
static void test_random_bindings(void) {
  cloth_config config = flat_config();
  fixture s = fixture_make(&config);
  random_source random = {77};
  int accepted = 0;
  for (int round = 0; round < 2000; round++) {
    mesh m = flat_mesh();
    cloth_binding b[8];
    for (size_t i = 0; i < sizeof b; i++)
      ((unsigned char *)b)[i] = (unsigned char)random_bits(&random);
    for (int i = 0; i < 8 && round % 2; i++) {
      b[i].column = (uint16_t)((b[i].column & 0x8000) | (b[i].column & 0x7fff) % (COLUMNS - 1));
      b[i].row = (uint16_t)(b[i].row % (ROWS - 1));
    }
    m.layout.count = 8;
    int result = cloth_skin(&s.sheet, 1, b, &m.layout, NULL, m.vertex);
    CHECK(result == CLOTH_OK || result == CLOTH_ERROR_INDEX, "%s", cloth_result_name(result));
    accepted += result == CLOTH_OK;
    for (int i = 0; i < 8; i++)
      CHECK(isfinite(point_length(vector_in(m.vertex[i].position))), "not finite");
  }
  CHECK(accepted >= 1000, "only %d accepted", accepted);
  fixture_free(&s);
}

static uint64_t hash_of_bytes(uint64_t hash, const void *bytes, size_t count) {
  for (size_t i = 0; i < count; i++)
    hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
  return hash;
}

/* The bits of bindings and vertices, of a cloth that has moved. */
static void test_same_bits(void) {
  cloth_config config = flat_config();
  fixture s = fixture_make(&config);
  mesh m = flat_mesh();
  cloth_binding bindings[MESH];
  cloth_bind(&s.sheet, 1, &m.layout, m.vertex, &everything, bindings);
  cloth_pin(s.sheet, 0);
  for (int frame = 0; frame < 30; frame++)
    cloth_step(s.sheet, FRAME);
  cloth_skin(&s.sheet, 1, bindings, &m.layout, NULL, m.vertex);
  uint64_t bound = hash_of_bytes(14695981039346656037u, bindings, sizeof bindings);
  uint64_t skinned = hash_of_bytes(14695981039346656037u, m.vertex, sizeof m.vertex);
  CHECK(bound == UINT64_C(0x5c698cf3450e280a), "bindings hash to 0x%016llx", (unsigned long long)bound);
  CHECK(skinned == UINT64_C(0x9698113be344db68), "vertices hash to 0x%016llx", (unsigned long long)skinned);
  fixture_free(&s);
}

/// Over seams ///

#define SEAM_MESH 400

/* Two panels of a flat sheet in the plane y = 0, sewn together at x = 0; then the second is turned about the seam. */
typedef struct sewn_panels {
  fixture f[2];
  cloth *sheets[2];
  cloth_seam seam;
  cloth_group group;
} sewn_panels;

static void make_sewn_of(sewn_panels *p, int is_gathered, int is_turned, int max_breaks) {
  memset(p, 0, sizeof *p);
  for (int n = 0; n < 2; n++) {
    cloth_config config = cloth_config_default();
    config.columns = COLUMNS;
    config.rows = n && is_gathered ? 2 * ROWS - 3 : ROWS;
    config.origin = vector_at(n ? 0.0 : -SPACING * (COLUMNS - 1), 0.0, 0.0);
    config.edge_warp = vector_at(SPACING * (COLUMNS - 1), 0.0, 0.0);
    config.edge_weft = vector_at(0.0, 0.0, SPACING * (ROWS - 1));
    if (n && is_turned) {
      config.origin.z = config.edge_weft.z;
      config.edge_weft.z = -config.edge_weft.z;
    }
    config.grid.imperfection = 0.0f;
    config.self_thickness = 0.005f;
    config.self.gathers = 0;
    config.tearing.max_breaks = max_breaks;
    p->f[n] = fixture_make(&config);
    p->sheets[n] = p->f[n].sheet;
  }
  p->seam.a = (cloth_seam_side){0, COLUMNS - 1, COLUMNS, ROWS, NULL};
  p->seam.b = (cloth_seam_side){1, 0, COLUMNS, p->f[1].count / COLUMNS, NULL};
  if (is_turned) p->seam.b = (cloth_seam_side){1, p->f[1].count - COLUMNS, -COLUMNS, p->f[1].count / COLUMNS, NULL};
  p->group = cloth_group_default();
  p->group.cloths = p->sheets;
  p->group.count = 2;
  p->group.seams = &p->seam;
  p->group.seam_count = 1;
}

static void make_sewn(sewn_panels *p, int is_gathered) {
  make_sewn_of(p, is_gathered, 0, 0);
}

static void turn_second(const sewn_panels *p, double angle) {
  for (int i = 0; i < p->f[1].count; i++) {
    const point x = position_of(p->sheets[1], i);
    const double r = sqrt(x.x * x.x + x.y * x.y);
    CHECK(cloth_set_particle(p->sheets[1], i, vector_at(r * cos(angle), r * sin(angle), x.z), vector_at(0, 0, 0)) ==
              CLOTH_OK,
          "particle");
  }
}

/* A line of vertices across the seam, 0.0025 m apart and 0.003 m above it, a twentieth of a cell. */
static mesh line_across(double z) {
  mesh m;
  memset(&m, 0, sizeof m);
  m.layout = layout_of(SEAM_MESH);
  for (int i = 0; i < SEAM_MESH; i++) {
    put(m.vertex[i].position, (point){0.0025 * (i - SEAM_MESH / 2 + 0.5) * 0.5, -0.003, z});
    put(m.vertex[i].normal, (point){0.0, -1.0, 0.0});
    put(m.vertex[i].tangent, (point){1.0, 0.0, 0.0});
    m.vertex[i].tangent[3] = 1.0f;
  }
  return m;
}

static double angle_between(const float *a, const float *b) {
  const double cosine = point_dot(vector_in(a), vector_in(b));
  return acos(fmin(1.0, fmax(-1.0, cosine))) * 180.0 / 3.14159265358979;
}

/* Largest angles between normals and tangents of neighbours [degrees], and the largest distance of neighbours [m]. */
static void largest_steps(const mesh *m, double steps[3]) {
  steps[0] = steps[1] = steps[2] = 0.0;
  for (int i = 0; i + 1 < SEAM_MESH; i++) {
    const mesh_vertex *a = &m->vertex[i], *b = a + 1;
    steps[0] = fmax(steps[0], angle_between(a->normal, b->normal));
    steps[1] = fmax(steps[1], angle_between(a->tangent, b->tangent));
    steps[2] = fmax(steps[2], point_distance(vector_in(a->position), vector_in(b->position)));
  }
}

/* Over a seam of two flat panels that are turned against each other normals and tangents change step by step, by 60
   degrees in two cells, where each panel for itself has a jump; a gathered seam likewise. */
static void test_seam(void) {
  for (int n = 0; n < 4; n++) {
    const int is_gathered = n & 1, is_joined = n < 2;
    sewn_panels p;
    make_sewn(&p, is_gathered);
    const mesh source = line_across(SPACING * (is_gathered ? 3.21 : 4.0));
    mesh found = source;
    cloth_binding bindings[SEAM_MESH];
    const int bound = is_joined ? cloth_bind_group(&p.group, &source.layout, source.vertex, &everything, bindings)
                                : cloth_bind(p.sheets, 2, &source.layout, source.vertex, &everything, bindings);
    CHECK(bound == SEAM_MESH, "%d bound", bound);
    turn_second(&p, 60.0 * 3.14159265358979 / 180.0);
    const uint64_t before = read_hash(p.sheets[0]);
    const int result = is_joined ? cloth_skin_group(&p.group, NULL, bindings, &source.layout, NULL, found.vertex)
                                 : cloth_skin(p.sheets, 2, bindings, &source.layout, NULL, found.vertex);
    CHECK(result == CLOTH_OK && read_hash(p.sheets[0]) == before, "skin: %d", result);
    double steps[3];
    largest_steps(&found, steps);
    const double first = angle_between(found.vertex[0].normal, source.vertex[0].normal);
    const double last = angle_between(found.vertex[0].normal, found.vertex[SEAM_MESH - 1].normal);
    CHECK(first < 0.1 && fabs(last - 60.0) < 0.5, "ends: %g and %g", first, last);
    if (is_joined)
      CHECK(steps[0] < 3.0 && steps[1] < 3.0 && steps[2] < 0.002, "steps of %g and %g degrees, %g m", steps[0],
            steps[1], steps[2]);
    else
      CHECK(steps[0] > 55.0, "without a seam: %g degrees", steps[0]);
    for (int k = 0; k < 2; k++)
      fixture_free(&p.f[k]);
  }
}

/* A panel that is wound the other way has its normals on the other side; the mesh leads as smoothly over the seam, at
   every angle, and gathered. */
static void test_seam_turned(void) {
  for (int n = 0; n < 4; n++) {
    sewn_panels p;
    make_sewn_of(&p, n & 1, 1, 0);
    const mesh source = line_across(SPACING * ((n & 1) ? 3.21 : 4.0));
    mesh found = source;
    cloth_binding bindings[SEAM_MESH];
    CHECK(cloth_bind_group(&p.group, &source.layout, source.vertex, &everything, bindings) == SEAM_MESH, "bind");
    const double degrees = n < 2 ? 60.0 : 100.0;
    turn_second(&p, degrees * 3.14159265358979 / 180.0);
    CHECK(cloth_skin_group(&p.group, NULL, bindings, &source.layout, NULL, found.vertex) == CLOTH_OK, "skin");
    double steps[3];
    largest_steps(&found, steps);
    const double last = angle_between(found.vertex[0].normal, found.vertex[SEAM_MESH - 1].normal);
    CHECK(fabs(last - degrees) < 0.5, "ends: %g", last);
    CHECK(steps[0] < 3.0 && steps[1] < 3.0 && steps[2] < 0.002, "steps of %g and %g degrees, %g m", steps[0], steps[1],
          steps[2]);
    for (int k = 0; k < 2; k++)
      fixture_free(&p.f[k]);
  }
}

/* While a seam folds from flat until its panels lie on each other no normal jumps: with half a degree more it turns by
   3 degrees at most. */
static void test_seam_folds(void) {
  sewn_panels p;
  make_sewn(&p, 0);
  const mesh source = line_across(SPACING * 4.0);
  mesh found = source, before = source;
  cloth_binding bindings[SEAM_MESH];
  CHECK(cloth_bind_group(&p.group, &source.layout, source.vertex, &everything, bindings) == SEAM_MESH, "bind");
  for (int n = 1; n < 358; n++) {
    turn_second(&p, 0.5 * n * 3.14159265358979 / 180.0);
    CHECK(cloth_skin_group(&p.group, NULL, bindings, &source.layout, NULL, found.vertex) == CLOTH_OK, "skin");
    double most = 0.0;
    for (int i = 0; i < SEAM_MESH; i++)
      most = fmax(most, angle_between(found.vertex[i].normal, before.vertex[i].normal));
    CHECK(most < 3.0, "at %g degrees normals turn by %g", 0.5 * n, most);
    before = found;
  }
  for (int k = 0; k < 2; k++)
    fixture_free(&p.f[k]);
}

#ifndef CLOTH_NO_TEARING
/* Particles whose cells have all torn have no normal, and leave those that they are sewn to alone: after a cut beside
   the seam the other panel looks as it does alone. */
static void test_seam_torn(void) {
  sewn_panels p;
  make_sewn_of(&p, 0, 0, 1000);
  const mesh source = line_across(SPACING * 4.0);
  mesh found = source, alone = source;
  cloth_binding bindings[SEAM_MESH];
  CHECK(cloth_bind_group(&p.group, &source.layout, source.vertex, &everything, bindings) == SEAM_MESH, "bind");
  turn_second(&p, 80.0 * 3.14159265358979 / 180.0);
  const cloth_cut_line cut = {COLUMNS - 1.5f, -1.0f, COLUMNS - 1.5f, (float)ROWS};
  CHECK(cloth_cut(p.sheets[0], &cut) == ROWS, "cut");
  CHECK(cloth_skin_group(&p.group, NULL, bindings, &source.layout, NULL, found.vertex) == CLOTH_OK, "skin");
  CHECK(cloth_skin(p.sheets, 2, bindings, &source.layout, NULL, alone.vertex) == CLOTH_OK, "skin");
  CHECK(memcmp(found.vertex, alone.vertex, sizeof found.vertex) == 0, "what is torn off leads the other panel");
  for (int k = 0; k < 2; k++)
    fixture_free(&p.f[k]);
}
#endif

#ifndef CLOTH_NO_BLEND
/* Keeps the positions of both panels, until the next call. */
static void keep_panels(const sewn_panels *p, cloth_blend blends[2]) {
  static cloth_vector kept[2][COLUMNS * ROWS];
  for (int n = 0; n < 2; n++) {
    blends[n] = (cloth_blend){.positions = kept[n], .count = COLUMNS * ROWS};
    CHECK(cloth_keep_positions(p->sheets[n], &blends[n]) == CLOTH_OK, "keep");
  }
}
#endif

/* In the pose of binding it lies where it was; without seams it is what cloth_skin() writes; panels that lie on each
   other keep their normals; blends; refusals. */
static void test_group(void) {
  sewn_panels p;
  make_sewn(&p, 0);
  const mesh source = line_across(SPACING * 2.5);
  mesh found = source, plain = source;
  cloth_binding bindings[SEAM_MESH], others[SEAM_MESH];
  cloth_group group = p.group;
  turn_second(&p, 0.5);
  CHECK(cloth_bind_group(&group, &source.layout, source.vertex, &everything, bindings) == SEAM_MESH, "bind");
  CHECK(cloth_skin_group(&group, NULL, bindings, &source.layout, NULL, found.vertex) == CLOTH_OK, "skin");
  for (int i = 0; i < SEAM_MESH; i++)
    CHECK(point_distance(vector_in(found.vertex[i].position), vector_in(source.vertex[i].position)) < 3.0e-4,
          "vertex %d", i);
  group.seam_count = 0;
  CHECK(cloth_bind_group(&group, &source.layout, source.vertex, &everything, others) == SEAM_MESH, "no seams");
  CHECK(cloth_bind(p.sheets, 2, &source.layout, source.vertex, &everything, bindings) == SEAM_MESH, "bind");
  CHECK(memcmp(others, bindings, sizeof bindings) == 0, "other bindings than those of cloth_bind()");
  cloth_skin_group(&group, NULL, bindings, &source.layout, NULL, found.vertex);
  cloth_skin(p.sheets, 2, bindings, &source.layout, NULL, plain.vertex);
  CHECK(memcmp(found.vertex, plain.vertex, sizeof found.vertex) == 0, "another skin than that of cloth_skin()");
  turn_second(&p, 3.0);
  cloth_skin_group(&p.group, NULL, bindings, &source.layout, NULL, found.vertex);
  cloth_skin(p.sheets, 2, bindings, &source.layout, NULL, plain.vertex);
  CHECK(memcmp(found.vertex, plain.vertex, sizeof found.vertex) == 0, "panels on each other");
#ifndef CLOTH_NO_BLEND
  cloth_blend blends[2];
  keep_panels(&p, blends);
  turn_second(&p, 0.5);
  CHECK(cloth_skin_group(&p.group, blends, bindings, &source.layout, NULL, plain.vertex) == CLOTH_OK, "kept");
  CHECK(memcmp(found.vertex, plain.vertex, sizeof found.vertex) == 0, "another skin than that of the kept state");
  blends[1].count--;
  CHECK(cloth_skin_group(&p.group, blends, bindings, &source.layout, NULL, plain.vertex) == CLOTH_ERROR_BUFFER,
        "count");
#endif
  plain = source;
  memset(others, 7, sizeof others);
  CHECK(cloth_bind_group(NULL, &source.layout, source.vertex, &everything, others) == CLOTH_ERROR_NULL, "no group");
  CHECK(cloth_bind_group(&p.group, NULL, source.vertex, &everything, others) == CLOTH_ERROR_NULL, "no layout");
  CHECK(cloth_skin_group(NULL, NULL, bindings, &source.layout, NULL, plain.vertex) == CLOTH_ERROR_NULL, "no group");
  CHECK(cloth_skin_group(&p.group, NULL, NULL, &source.layout, NULL, plain.vertex) == CLOTH_ERROR_NULL, "no bindings");
  p.seam.a.count = 0;
  CHECK(cloth_bind_group(&p.group, &source.layout, source.vertex, &everything, others) == CLOTH_ERROR_RANGE, "a side");
  p.seam.a.count = ROWS;
  p.group.cookie = 0;
  CHECK(cloth_skin_group(&p.group, NULL, bindings, &source.layout, NULL, plain.vertex) == CLOTH_ERROR_CONFIG, "cookie");
  CHECK(memcmp(plain.vertex, source.vertex, sizeof plain.vertex) == 0 && others[3].row == 0x707,
        "something was written");
  for (int n = 0; n < 2; n++)
    fixture_free(&p.f[n]);
}

/* The vertices of a cloth of the group as others read them: positions, normals and places in the texture. */
typedef struct drawn_vertex {
  float position[3], normal[3], texcoord[2];
} drawn_vertex;

static const cloth_vertex_layout drawn_layout = {sizeof(drawn_vertex), 0, 12, 24};

/* Panels that are drawn as grids: sewn particles have one normal, half of the angle between the panels from each;
   whatever lies off the seam is what cloth_write_vertices() writes, in every byte. */
static void test_drawn_group(void) {
  static drawn_vertex alone[COLUMNS * ROWS], drawn[2 * COLUMNS * ROWS];
  sewn_panels p;
  make_sewn(&p, 0);
  turn_second(&p, 60.0 * 3.14159265358979 / 180.0);
  CHECK(cloth_write_group_vertices(&p.group, NULL, &drawn_layout, drawn, sizeof drawn) == CLOTH_OK, "drawn");
  for (int n = 0; n < 2; n++) {
    const drawn_vertex *of_cloth = drawn + n * COLUMNS * ROWS;
    CHECK(cloth_write_vertices(p.sheets[n], &drawn_layout, alone, sizeof alone) == CLOTH_OK, "alone");
    for (int i = 0; i < COLUMNS * ROWS; i++) {
      if (i % COLUMNS == (n ? 0 : COLUMNS - 1)) {
        CHECK(fabs(angle_between(of_cloth[i].normal, alone[i].normal) - 30.0) < 0.1, "%d of %d: half of the way", i, n);
        memcpy(alone[i].normal, of_cloth[i].normal, sizeof alone[i].normal);
      }
      CHECK(memcmp(&of_cloth[i], &alone[i], sizeof alone[i]) == 0, "%d of %d: as it is alone", i, n);
    }
  }
  for (int row = 0; row < ROWS; row++)
    CHECK(angle_between(drawn[row * COLUMNS + COLUMNS - 1].normal, drawn[(ROWS + row) * COLUMNS].normal) < 0.1,
          "row %d: two normals", row);
  for (int n = 0; n < 2; n++)
    fixture_free(&p.f[n]);
}

/* Blends, and refusals, which write nothing. */
static void test_drawn_group_refusals(void) {
  static drawn_vertex now[2 * COLUMNS * ROWS], then[2 * COLUMNS * ROWS];
  sewn_panels p;
  make_sewn(&p, 0);
  CHECK(cloth_write_group_vertices(&p.group, NULL, &drawn_layout, now, sizeof now) == CLOTH_OK, "now");
#ifndef CLOTH_NO_BLEND
  cloth_blend blends[2];
  keep_panels(&p, blends);
  turn_second(&p, 0.5);
  CHECK(cloth_write_group_vertices(&p.group, blends, &drawn_layout, then, sizeof then) == CLOTH_OK, "then");
  CHECK(memcmp(now, then, sizeof now) == 0, "the kept state is drawn otherwise");
  blends[1].count--;
  CHECK(cloth_write_group_vertices(&p.group, blends, &drawn_layout, then, sizeof then) == CLOTH_ERROR_BUFFER, "count");
#endif
  cloth_vertex_layout wrong = drawn_layout;
  wrong.stride = 8;
  memset(then, 7, sizeof then);
  drawn_vertex untouched = then[0];
  CHECK(cloth_write_group_vertices(NULL, NULL, &drawn_layout, then, sizeof then) == CLOTH_ERROR_NULL, "no group");
  CHECK(cloth_write_group_vertices(&p.group, NULL, NULL, then, sizeof then) == CLOTH_ERROR_NULL, "no layout");
  CHECK(cloth_write_group_vertices(&p.group, NULL, &drawn_layout, NULL, sizeof then) == CLOTH_ERROR_NULL, "no room");
  CHECK(cloth_write_group_vertices(&p.group, NULL, &wrong, then, sizeof then) == CLOTH_ERROR_BUFFER, "stride");
  CHECK(cloth_write_group_vertices(&p.group, NULL, &drawn_layout, then, sizeof then - 1) == CLOTH_ERROR_BUFFER,
        "bytes");
  p.group.cookie = 0;
  CHECK(cloth_write_group_vertices(&p.group, NULL, &drawn_layout, then, sizeof then) == CLOTH_ERROR_CONFIG, "cookie");
  CHECK(memcmp(then, &untouched, sizeof untouched) == 0, "something was written");
  for (int n = 0; n < 2; n++)
    fixture_free(&p.f[n]);
}

/* Normals of panels are joined in their scratch, which each needs for itself. */
static void test_shared_scratch_of_group(void) {
  enum { PANELS_OF_THREE = 3 };
  fixture f[PANELS_OF_THREE];
  cloth *sheets[PANELS_OF_THREE];
  unsigned char *allocations[PANELS_OF_THREE], *scratch[PANELS_OF_THREE];
  for (int n = 0; n < PANELS_OF_THREE; n++) {
    cloth_config config = flat_config();
    config.self_thickness = 0.005f;
    config.capacity.shared_scratch = 1;
    f[n] = fixture_make(&config);
    sheets[n] = f[n].sheet;
    scratch[n] = guarded_buffer(f[n].memory.shared_bytes, 0, &allocations[n]);
  }
  cloth_group group = cloth_group_default();
  group.cloths = sheets;
  group.count = PANELS_OF_THREE;
  const mesh source = line_across(0.0);
  mesh found = source;
  cloth_binding bindings[SEAM_MESH];
  for (int shared = PANELS_OF_THREE - 1; shared >= 0;
       shared--) { /* the number of the scratch that the first one uses */
    for (int n = 0; n < PANELS_OF_THREE; n++) {
      const int own = n == 0 ? shared : n;
      CHECK(cloth_set_scratch(sheets[n], scratch[own], f[n].memory.shared_bytes) == CLOTH_OK, "cloth_set_scratch");
    }
    const int bound = cloth_bind_group(&group, &source.layout, source.vertex, &everything, bindings);
    CHECK(shared == 0 ? bound >= 0 : bound == CLOTH_ERROR_STATE, "the scratch of %d: %d", shared, bound);
    if (shared > 0) continue;
    CHECK(cloth_skin_group(&group, NULL, bindings, &source.layout, NULL, found.vertex) == CLOTH_OK, "skin");
  }
  for (int n = 0; n < PANELS_OF_THREE; n++) {
    free(allocations[n]);
    fixture_free(&f[n]);
  }
}

static const test tests[] = {
    TEST(same_pose),
    TEST(fewer_attributes),
    TEST(rigid_motion),
    TEST(bent),
    TEST(no_gaps),
    TEST(weights),
    TEST(tube),
    TEST(several_cloths),
    TEST(out_of_reach),
    TEST(collapsed),
    TEST(refusals),
    TEST(random_bindings),
    TEST(same_bits),
    TEST(seam),
    TEST(group),
    TEST(seam_turned),
    TEST(seam_folds),
    TEST(drawn_group),
    TEST(drawn_group_refusals),
    TEST(shared_scratch_of_group),
#ifndef CLOTH_NO_TEARING
    TEST(cut_rim),
    TEST(seam_torn),
#endif
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
