/* What a caller draws with: normals, indices, vertices, positions and bounds; and that reading changes nothing.
   SPDX-License-Identifier: MIT */
#include "refusals.h"
#include "script.h"

/* A sheet bent over a cylinder of radius 1 m about the z axis, so that its true normals are known. */
#define ARC_COLUMNS 21
#define ARC_ROWS 9

static double arc_angle(int column) {
  return 1.6 * ((double)column / (ARC_COLUMNS - 1) - 0.5);
}

static fixture arc_fixture(void) {
  static cloth_vector positions[ARC_COLUMNS * ARC_ROWS];
  cloth_config config = cloth_config_default();
  config.columns = ARC_COLUMNS;
  config.rows = ARC_ROWS;
  config.edge_warp = vector_at(1.6, 0.0, 0.0);
  config.edge_weft = vector_at(0.0, 0.0, 0.7);
  for (int row = 0; row < ARC_ROWS; row++) {
    for (int column = 0; column < ARC_COLUMNS; column++) {
      double angle = arc_angle(column);
      positions[row * ARC_COLUMNS + column] = vector_at(sin(angle), cos(angle), 0.7 * row / (ARC_ROWS - 1));
    }
  }
  config.grid.positions = positions;
  return fixture_make(&config);
}

/* cross(x, z) is -y, so the normals of the arc point to its axis. Edge particles see only one side of the curve. */
static void test_normals_curved(void) {
  fixture s = arc_fixture();
  double worst_inside = 0.0, worst_edge = 0.0;
  for (int i = 0; i < s.count; i++) {
    int column = i % ARC_COLUMNS;
    double angle = arc_angle(column);
    point expected = {-sin(angle), -cos(angle), 0.0};
    cloth_vector normal;
    CHECK(cloth_get_normal(s.sheet, i, &normal) == CLOTH_OK, "no normal");
    double off = point_distance(point_of(normal), expected);
    CHECK(fabs(point_length(point_of(normal)) - 1.0) < 1e-5, "length %g", point_length(point_of(normal)));
    if (column == 0 || column == ARC_COLUMNS - 1)
      worst_edge = off > worst_edge ? off : worst_edge;
    else
      worst_inside = off > worst_inside ? off : worst_inside;
  }
  CHECK(worst_inside < 1e-2, "normals inside are off by %g", worst_inside);
  CHECK(worst_edge < 0.6 * 1.6 / (ARC_COLUMNS - 1), "normals at the edge are off by %g", worst_edge);
  fixture_free(&s);
}

static void test_normals_flat(void) {
  cloth_config config = cloth_config_default();
  config.grid.imperfection = 0.0f;
  config.columns = 7;
  config.rows = 5;
  config.edge_warp = vector_at(0.6, 0.1, -0.2);
  config.edge_weft = vector_at(0.1, 0.5, 0.55);
  fixture s = fixture_make(&config);
  point across = point_cross(point_of(config.edge_warp), point_of(config.edge_weft));
  point expected = point_scaled(across, 1.0 / point_length(across));
  for (int i = 0; i < s.count; i++) {
    cloth_vector normal;
    cloth_get_normal(s.sheet, i, &normal);
    CHECK(point_distance(point_of(normal), expected) < 1e-5, "normal (%g, %g, %g)", (double)normal.x, (double)normal.y,
          (double)normal.z);
  }
  fixture_free(&s);
}

/* Triangles of the arc, by its indices, must face the way its normals point and cover it once. */
static void test_indices(void) {
  fixture s = arc_fixture();
  enum { COUNT = 6 * (ARC_COLUMNS - 1) * (ARC_ROWS - 1) };
  static uint16_t narrow[COUNT + 2];
  static uint32_t wide[COUNT + 2];
  memset(narrow, 0xa5, sizeof narrow);
  memset(wide, 0xa5, sizeof wide);
  CHECK(cloth_get_index_count(s.sheet) == COUNT, "%d indices", cloth_get_index_count(s.sheet));
  CHECK(cloth_write_indices16(s.sheet, 500, narrow + 1, COUNT) == CLOTH_OK, "narrow");
  CHECK(cloth_write_indices32(s.sheet, 70000, wide + 1, COUNT) == CLOTH_OK, "wide");
  CHECK(narrow[0] == 0xa5a5 && narrow[COUNT + 1] == 0xa5a5, "written beside the 16-bit indices");
  CHECK(wide[0] == 0xa5a5a5a5u && wide[COUNT + 1] == 0xa5a5a5a5u, "written beside the 32-bit indices");
  double area = 0.0;
  for (int t = 0; t < COUNT; t += 3) {
    int corner[3];
    for (int k = 0; k < 3; k++) {
      corner[k] = (int)wide[1 + t + k] - 70000;
      CHECK(corner[k] == (int)narrow[1 + t + k] - 500, "16 and 32-bit indices differ at %d", t + k);
      CHECK(corner[k] >= 0 && corner[k] < s.count, "index %d", corner[k]);
      if (corner[k] < 0 || corner[k] >= s.count) return;
    }
    point a = position_of(s.sheet, corner[0]);
    point ab = point_difference(position_of(s.sheet, corner[1]), a);
    point ac = point_difference(position_of(s.sheet, corner[2]), a);
    point face = point_cross(ab, ac);
    cloth_vector normal;
    cloth_get_normal(s.sheet, corner[0], &normal);
    CHECK(point_dot(face, point_of(normal)) > 0.99 * point_length(face), "triangle %d faces away", t / 3);
    area += 0.5 * point_length(face);
  }
  double chord = 2.0 * sin(0.5 * 1.6 / (ARC_COLUMNS - 1)) * (ARC_COLUMNS - 1);
  CHECK(fabs(area - 0.7 * chord) < 1e-4, "the triangles cover %g m2 instead of %g", area, 0.7 * chord);
  fixture_free(&s);
}

typedef struct vertex_floats {
  float position[3], normal[3], texcoord[2];
} vertex_floats;

/* Whether the bytes of a vertex from `from` to `to` still are as they were filled. */
static int bytes_left_alone(const unsigned char *vertex, int from, int to) {
  for (int i = from; i < to; i++) {
    if (vertex[i] != 0xee) return 0;
  }
  return 1;
}

static void expect_vertex(const fixture *s, int i, const vertex_floats *v) {
  cloth_vector normal;
  cloth_get_normal(s->sheet, i, &normal);
  point position = position_of(s->sheet, i);
  point written = {(double)v->position[0], (double)v->position[1], (double)v->position[2]};
  point written_normal = {(double)v->normal[0], (double)v->normal[1], (double)v->normal[2]};
  CHECK(point_distance(position, written) == 0.0, "position of vertex %d", i);
  CHECK(point_distance(point_of(normal), written_normal) < 1e-6, "normal of vertex %d", i);
  double u = (double)(i % s->columns) / (s->columns - 1), w = (double)(i / s->columns) / (s->rows - 1);
  CHECK(fabs((double)v->texcoord[0] - u) < 1e-6 && fabs((double)v->texcoord[1] - w) < 1e-6, "texcoord of vertex %d", i);
}

/* An odd stride and odd offsets in a buffer that starts at an odd address; every byte between must stay. */
static void test_vertices(void) {
  fixture s = arc_fixture();
  script_step(s.sheet, 0);
  const cloth_vertex_layout layout = {41, 21, 3, 33};
  size_t bytes = (size_t)(41 * s.count);
  unsigned char *buffer = (unsigned char *)malloc(bytes + 8);
  if (buffer == NULL) return;
  memset(buffer, 0xee, bytes + 8);
  unsigned char *vertices = buffer + 1 + ((uintptr_t)buffer & 1u);
  CHECK(cloth_write_vertices(s.sheet, &layout, vertices, bytes) == CLOTH_OK, "vertices refused");
  for (int i = 0; i < s.count; i++) {
    const unsigned char *vertex = vertices + 41 * i;
    vertex_floats v;
    memcpy(v.normal, vertex + 3, sizeof v.normal);
    memcpy(v.position, vertex + 21, sizeof v.position);
    memcpy(v.texcoord, vertex + 33, sizeof v.texcoord);
    expect_vertex(&s, i, &v);
    CHECK(bytes_left_alone(vertex, 0, 3) && bytes_left_alone(vertex, 15, 21), "bytes between of vertex %d", i);
  }
  CHECK(bytes_left_alone(buffer, 0, (int)(vertices - buffer)), "bytes before the buffer");
  CHECK(bytes_left_alone(buffer, (int)(vertices - buffer) + (int)bytes, (int)bytes + 8), "bytes after the buffer");
  free(buffer);
  fixture_free(&s);
}

/* Attributes left out are not written, one at a time, in a buffer that ends with the last attribute. */
static void test_vertex_attributes(void) {
  fixture s = arc_fixture();
  static unsigned char buffer[32 * ARC_COLUMNS * ARC_ROWS];
  const cloth_vertex_layout layouts[] = {
      {32, 0, CLOTH_ATTRIBUTE_NONE, CLOTH_ATTRIBUTE_NONE},
      {32, CLOTH_ATTRIBUTE_NONE, 12, CLOTH_ATTRIBUTE_NONE},
      {32, CLOTH_ATTRIBUTE_NONE, CLOTH_ATTRIBUTE_NONE, 24},
      {32, CLOTH_ATTRIBUTE_NONE, CLOTH_ATTRIBUTE_NONE, CLOTH_ATTRIBUTE_NONE},
  };
  for (int k = 0; k < 4; k++) {
    memset(buffer, 0xee, sizeof buffer);
    CHECK(cloth_write_vertices(s.sheet, &layouts[k], buffer, sizeof buffer) == CLOTH_OK, "layout %d", k);
    for (int i = 0; i < s.count; i++) {
      const unsigned char *vertex = buffer + 32 * i;
      CHECK(bytes_left_alone(vertex, 0, 12) == (k != 0), "position of vertex %d in layout %d", i, k);
      CHECK(bytes_left_alone(vertex, 12, 24) == (k != 1), "normal of vertex %d in layout %d", i, k);
      CHECK(bytes_left_alone(vertex, 24, 32) == (k != 2), "texcoord of vertex %d in layout %d", i, k);
    }
  }
  fixture_free(&s);
}

/* A row of a tube ends with its first vertex again, at the other end of the texture; the triangles close the tube. */
static void test_tube_vertices(void) {
  enum { COLUMNS = 7, ROWS = 4, VERTICES = (COLUMNS + 1) * ROWS, INDICES = 6 * COLUMNS * (ROWS - 1) };
  cloth_config config = tested_config();
  config.grid.wrap = 1;
  config.columns = COLUMNS;
  config.rows = ROWS;
  fixture s = fixture_make(&config);
  cloth_pin(s.sheet, 3);
  run_steps(s.sheet, 5, FRAME);
  const cloth_vertex_layout layout = {sizeof(vertex_floats), offsetof(vertex_floats, position),
                                      offsetof(vertex_floats, normal), offsetof(vertex_floats, texcoord)};
  vertex_floats vertices[VERTICES];
  CHECK(cloth_write_vertices(s.sheet, &layout, vertices, sizeof vertices - 1) == CLOTH_ERROR_BUFFER, "too small");
  CHECK(cloth_write_vertices(s.sheet, &layout, vertices, sizeof vertices) == CLOTH_OK, "vertices refused");
  for (int i = 0; i < VERTICES; i++) {
    int along = i % (COLUMNS + 1), row = i / (COLUMNS + 1);
    int particle = row * COLUMNS + along % COLUMNS;
    const vertex_floats *v = &vertices[i];
    point at = {(double)v->position[0], (double)v->position[1], (double)v->position[2]};
    CHECK(point_distance(at, position_of(s.sheet, particle)) == 0.0, "position of vertex %d", i);
    CHECK(along < COLUMNS || memcmp(v->normal, vertices[i - COLUMNS].normal, sizeof v->normal) == 0, "normals differ");
    CHECK(fabs((double)v->texcoord[0] - (double)along / COLUMNS) < 1e-6, "texcoord of vertex %d", i);
  }
  uint16_t indices[INDICES];
  int seen[VERTICES] = {0};
  CHECK(cloth_get_index_count(s.sheet) == INDICES, "%d indices", cloth_get_index_count(s.sheet));
  CHECK(cloth_write_indices16(s.sheet, 0, indices, INDICES - 1) == CLOTH_ERROR_BUFFER, "too few indices");
  CHECK(cloth_write_indices16(s.sheet, UINT16_MAX - VERTICES + 2, indices, INDICES) == CLOTH_ERROR_BUFFER,
        "too many vertices");
  CHECK(cloth_write_indices16(s.sheet, 0, indices, INDICES) == CLOTH_OK, "indices refused");
  for (int i = 0; i < INDICES; i++) {
    CHECK(indices[i] < VERTICES, "index %d", indices[i]);
    seen[indices[i]]++;
    int row = indices[i] / (COLUMNS + 1), first = indices[i / 3 * 3] / (COLUMNS + 1);
    CHECK(abs(row - first) <= 1, "triangle %d joins rows %d and %d", i / 3, first, row);
  }
  for (int i = 0; i < VERTICES; i++)
    CHECK(seen[i] > 0, "vertex %d is of no triangle", i);
  fixture_free(&s);
}

static void test_ranges_and_bounds(void) {
  fixture s = script_fixture();
  script_run(s.sheet, 0, 10);
  cloth_vector_view x, v;
  CHECK(cloth_get_positions(s.sheet, &x) == CLOTH_OK && cloth_get_velocities(s.sheet, &v) == CLOTH_OK, "no ranges");
  CHECK(x.count == s.count && v.count == s.count, "%d and %d particles", x.count, v.count);
  point low = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  for (int i = 0; i < x.count; i++) {
    point p = {(double)x.x[i], (double)x.y[i], (double)x.z[i]};
    point speed = {(double)v.x[i], (double)v.y[i], (double)v.z[i]};
    CHECK(point_distance(p, position_of(s.sheet, i)) == 0.0, "position of particle %d", i);
    CHECK(point_distance(speed, velocity_of(s.sheet, i)) == 0.0, "velocity of particle %d", i);
    low.x = p.x < low.x ? p.x : low.x;
    low.y = p.y < low.y ? p.y : low.y;
    low.z = p.z < low.z ? p.z : low.z;
    high.x = p.x > high.x ? p.x : high.x;
    high.y = p.y > high.y ? p.y : high.y;
    high.z = p.z > high.z ? p.z : high.z;
  }
  cloth_vector box_low, box_high;
  CHECK(cloth_get_bounds(s.sheet, &box_low, &box_high) == CLOTH_OK, "no bounds");
  CHECK(point_distance(point_of(box_low), low) == 0.0 && point_distance(point_of(box_high), high) == 0.0, "bounds");
  fixture_free(&s);
}

/// Reading ///

/* No reader may change a single byte, so that reading never changes a run. */
static void test_reading(void) {
  fixture s = script_fixture();
  script_run(s.sheet, 0, 10);
  unsigned char *before = copy_bytes(s.arena, s.memory.total_bytes);
  static unsigned char vertices[32 * 130];
  static uint16_t indices16[6 * 12 * 9];
  static uint32_t indices32[6 * 12 * 9];
  outputs out;
  cloth_get_memory(s.sheet, &out.memory);
  cloth_get_positions(s.sheet, &out.range);
  cloth_get_velocities(s.sheet, &out.range);
  for (int i = 0; i < s.count; i++) {
    cloth_get_position(s.sheet, i, &out.a);
    cloth_get_velocity(s.sheet, i, &out.a);
    cloth_get_normal(s.sheet, i, &out.a);
    cloth_get_freedom(s.sheet, i);
  }
  CHECK(cloth_write_vertices(s.sheet, &layout_usual, vertices, sizeof vertices) == CLOTH_OK, "vertices");
  CHECK(cloth_write_indices16(s.sheet, 0, indices16, sizeof indices16 / sizeof indices16[0]) == CLOTH_OK, "indices");
  CHECK(cloth_write_indices32(s.sheet, 0, indices32, sizeof indices32 / sizeof indices32[0]) == CLOTH_OK, "indices");
  cloth_get_bounds(s.sheet, &out.a, &out.b);
  cloth_get_statistics(s.sheet, &out.statistics);
  cloth_get_substep_iterations(s.sheet, 0);
  cloth_measure(s.sheet, &out.measures);
  cloth_get_collider_reaction(s.sheet, 0, &out.reaction);
  CHECK(memcmp(before, s.arena, s.memory.total_bytes) == 0, "reading changed the arena");
  free(before);
  fixture_free(&s);
}

static const test tests[] = {
    TEST(normals_flat),  TEST(normals_curved),    TEST(indices),           TEST(vertices),
    TEST(tube_vertices), TEST(vertex_attributes), TEST(ranges_and_bounds), TEST_EACH(both_schemes, reading),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
