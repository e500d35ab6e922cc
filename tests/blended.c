/* Output between two states: ends are the states themselves to the bit, between them particles go straight and normals
   are those of the shape there; moved origins, tears, tubes, masks, skinned meshes, refusals, and the same bits with
   every lane width. SPDX-License-Identifier: MIT */
#include "refusals.h"
#include "script.h"

#define COLUMNS 11
#define ROWS 9
#define MOST_VERTICES 1024

static const cloth_vertex_layout layout = {8 * sizeof(float), 0, 3 * sizeof(float), 6 * sizeof(float)};

typedef struct vertices {
  float value[MOST_VERTICES][8];
  int count;
} vertices;

typedef struct kept_positions {
  cloth_vector positions[MOST_VERTICES];
  cloth_blend blend;
} kept_positions;

static cloth_config swinging_config(void) {
  cloth_config config = cloth_config_default();
  config.columns = COLUMNS;
  config.rows = ROWS;
  config.edge_weft = vector_at(0.0, 0.0, 0.8);
  config.substeps = 4;
  return config;
}

static vertices drawn(const fixture *s) {
  vertices v;
  memset(&v, 0, sizeof v);
  v.count = cloth_get_vertex_count(s->sheet);
  CHECK(cloth_write_vertices(s->sheet, &layout, v.value, sizeof v.value) == CLOTH_OK, "vertices");
  return v;
}

static vertices drawn_between(const fixture *s, kept_positions *k, float fraction) {
  vertices v;
  memset(&v, 0, sizeof v);
  v.count = cloth_get_vertex_count(s->sheet);
  k->blend.fraction = fraction;
  CHECK(cloth_write_blended_vertices(s->sheet, &k->blend, &layout, v.value, sizeof v.value) == CLOTH_OK, "blended");
  return v;
}

static void keep(const fixture *s, kept_positions *k) {
  memset(k, 0, sizeof *k);
  k->blend.positions = k->positions;
  k->blend.count = s->count;
  CHECK(cloth_keep_positions(s->sheet, &k->blend) == CLOTH_OK, "kept");
}

static double largest_difference(const vertices *a, const vertices *b, int from, int to) {
  double largest = 0.0;
  for (int i = 0; i < a->count; i++)
    for (int n = from; n < to; n++)
      largest = fmax(largest, fabs((double)a->value[i][n] - (double)b->value[i][n]));
  return largest;
}

static double vertex_distance(const float *a, const float *b) {
  const double x = (double)a[0] - (double)b[0], y = (double)a[1] - (double)b[1], z = (double)a[2] - (double)b[2];
  return sqrt(x * x + y * y + z * z);
}

/* 0 and 1 are the two states to the bit; in between each particle is on the way, and the state is left alone. */
static void check_way(const cloth_config *config, const char *what) {
  fixture s = fixture_make(config);
  kept_positions k;
  cloth_pin(s.sheet, cloth_particle_at(s.sheet, 0, 0));
  for (int frame = 0; frame < 20; frame++)
    CHECK(cloth_step(s.sheet, FRAME) >= 0, "step");
  const vertices before = drawn(&s);
  keep(&s, &k);
  cloth_step(s.sheet, FRAME);
  const vertices now = drawn(&s);
  uint64_t hash, after;
  cloth_hash(s.sheet, &hash);
  CHECK(largest_difference(&before, &now, 0, 3) > 0.02, "%s: the cloth does not move", what);
  const vertices start = drawn_between(&s, &k, 0.0f), end = drawn_between(&s, &k, 1.0f);
  CHECK(memcmp(&start, &before, sizeof start) == 0, "%s: 0 is not the kept state", what);
  CHECK(memcmp(&end, &now, sizeof end) == 0, "%s: 1 is not the present state", what);
  for (int part = 1; part < 8; part++) {
    const double fraction = part / 8.0;
    const vertices v = drawn_between(&s, &k, (float)fraction);
    for (int i = 0; i < v.count; i++) {
      for (int n = 0; n < 3; n++) {
        const double from = (double)before.value[i][n], to = (double)now.value[i][n];
        const double found = (double)v.value[i][n];
        CHECK(fabs(found - (from + (to - from) * fraction)) < 3e-7, "%s: particle %d is not on its way", what, i);
      }
      const double length = vertex_distance(v.value[i] + 3, (const float[3]){0.0f, 0.0f, 0.0f});
      CHECK(fabs(length - 1.0) < 1e-5, "%s: a normal of length %g", what, length);
      CHECK(memcmp(v.value[i] + 6, now.value[i] + 6, 2 * sizeof(float)) == 0, "%s: other texture coordinates", what);
    }
  }
  cloth_hash(s.sheet, &after);
  CHECK(hash == after, "%s: output has changed the cloth", what);
  fixture_free(&s);
}

static void test_way(void) {
  static uint8_t mask[(COLUMNS - 1) * (ROWS - 1)];
  cloth_config config = swinging_config();
  check_way(&config, "a sheet");
  memset(mask, 1, sizeof mask);
  mask[23] = mask[24] = mask[33] = 0;
  config.grid.cell_mask = mask;
  check_way(&config, "a sheet with a hole");
  config.grid.cell_mask = NULL;
  config.grid.wrap = 1;
  check_way(&config, "a tube");
}

/* Normals are those of the shape in between: of a sheet that turns by 60 degrees they turn by half of it, where
   blending unit normals by other fractions would not give that of the blended shape. */
static void test_normals(void) {
  cloth_config config = swinging_config();
  config.grid.imperfection = 0.0f;
  fixture s = fixture_make(&config);
  const point axis = {0.0, 0.0, 1.0};
  const cloth_pose from = {{0.0f, 0.0f, 0.0f}, rotation_none()};
  const cloth_pose to = {{0.0f, 0.0f, 0.0f}, rotation_about(axis, 3.14159265358979 / 3.0)};
  kept_positions k;
  keep(&s, &k);
  CHECK(cloth_move_frame(s.sheet, &from, &to, NULL, FRAME, 0) == CLOTH_OK, "frame");
  for (int part = 0; part <= 4; part++) {
    const double f = part / 4.0, x = 1.0 + (cos(3.14159265358979 / 3.0) - 1.0) * f;
    const double y = sin(3.14159265358979 / 3.0) * f, length = sqrt(x * x + y * y);
    const vertices v = drawn_between(&s, &k, (float)f);
    for (int i = 0; i < v.count; i++) {
      const double along = (double)v.value[i][3] * y / length - (double)v.value[i][4] * x / length;
      CHECK(fabs(fabs(along) - 1.0) < 1e-5, "at %g the normal of particle %d is not that of the shape", f, i);
    }
  }
  fixture_free(&s);
}

/* A particle that has not moved stays to the bit, whatever the fraction. */
static void test_pins_rest(void) {
  cloth_config config = swinging_config();
  fixture s = fixture_make(&config);
  kept_positions k;
  const int pin = cloth_particle_at(s.sheet, 3, 2);
  cloth_pin(s.sheet, pin);
  for (int frame = 0; frame < 10; frame++) {
    keep(&s, &k);
    cloth_step(s.sheet, FRAME);
  }
  const vertices now = drawn(&s);
  for (int part = 0; part <= 100; part++) {
    const vertices v = drawn_between(&s, &k, 0.01f * (float)part);
    CHECK(memcmp(v.value[pin], now.value[pin], 3 * sizeof(float)) == 0, "a pin moves at %d %%", part);
  }
  fixture_free(&s);
}

/* An origin that has moved between the two states does not show: the ends differ by rounding alone. */
static void test_moved_origin(void) {
  cloth_config config = swinging_config();
  fixture s = fixture_make(&config);
  kept_positions k;
  for (int frame = 0; frame < 10; frame++)
    cloth_step(s.sheet, FRAME);
  const vertices before = drawn(&s);
  keep(&s, &k);
  cloth_step(s.sheet, FRAME);
  const cloth_metres origin = {100, -30, 7};
  CHECK(cloth_set_origin(&s.sheet, 1, origin) == CLOTH_OK, "origin");
  const vertices now = drawn(&s), start = drawn_between(&s, &k, 0.0f), end = drawn_between(&s, &k, 1.0f);
  CHECK(memcmp(&end, &now, sizeof end) == 0, "1 is not the present state");
  double worst = 0.0;
  for (int i = 0; i < start.count; i++) {
    const double there[3] = {100.0, -30.0, 7.0};
    for (int n = 0; n < 3; n++)
      worst = fmax(worst, fabs((double)start.value[i][n] + there[n] - (double)before.value[i][n]));
  }
  CHECK(worst < 1e-5, "the kept state is %g m away from where it was", worst);
  fixture_free(&s);
}

/* A cloth that is cut between the two states is drawn torn, and no piece is stretched over the cut. */
static void test_torn(void) {
  cloth_config config = swinging_config();
  config.tearing.max_breaks = 64;
  config.tearing.max_torn_cells = 32;
  fixture s = fixture_make(&config);
  const cloth_cut_line cut = {5.5f, -1.0f, 5.5f, 12.0f};
  kept_positions k;
  uint32_t indices[6 * COLUMNS * ROWS + 18 * 32];
  for (int frame = 0; frame < 5; frame++)
    cloth_step(s.sheet, FRAME);
  keep(&s, &k);
  CHECK(cloth_cut(s.sheet, &cut) == ROWS, "the cut");
  for (int i = 0; i < s.count; i++) { /* the right half goes away by a metre */
    cloth_vector x;
    cloth_get_position(s.sheet, i, &x);
    x.x += i % COLUMNS > 5 ? 1.0f : 0.0f;
    cloth_set_particle(s.sheet, i, x, vector_at(0.0, 0.0, 0.0));
  }
  const vertices now = drawn(&s), end = drawn_between(&s, &k, 1.0f), half = drawn_between(&s, &k, 0.5f);
  CHECK(memcmp(&end, &now, sizeof end) == 0, "1 is not the present state");
  const int count = cloth_get_index_count(s.sheet);
  CHECK(count > 6 * (COLUMNS - 2) * (ROWS - 1), "no torn cell is drawn");
  CHECK(cloth_write_indices32(s.sheet, 0, indices, sizeof indices / sizeof *indices) == CLOTH_OK, "indices");
  double longest = 0.0;
  for (int n = 0; n < count; n++) {
    const int other = n % 3 == 2 ? n - 2 : n + 1;
    longest = fmax(longest, vertex_distance(half.value[indices[n]], half.value[indices[other]]));
  }
  CHECK(longest < 0.2, "an edge of %g m across the cut", longest);
  fixture_free(&s);
}

#define MESH 64

typedef struct mesh_vertex {
  float position[3], normal[3], tangent[4];
} mesh_vertex;

static const cloth_skin_layout skin_layout = {MESH, sizeof(mesh_vertex), 0, 3 * sizeof(float), 6 * sizeof(float)};

/* A mesh between two cloths: the ends of the blend are what cloth_skin() writes. */
static void test_skins(void) {
  static const cloth_bind_reach reach = {1.0f, 1.0f};
  cloth_config config = swinging_config();
  fixture a = fixture_make(&config);
  config.origin.y = 0.3f;
  fixture b = fixture_make(&config);
  cloth *both[2] = {a.sheet, b.sheet};
  random_source random = {3};
  static mesh_vertex mesh[MESH], before[MESH], now[MESH], found[MESH], half[MESH];
  static kept_positions k[2];
  cloth_binding bindings[MESH];
  for (int i = 0; i < MESH; i++) {
    mesh[i] = (mesh_vertex){{(float)random_real(&random, 0.0, 1.0), (float)random_real(&random, 0.0, 0.3),
                             (float)random_real(&random, 0.0, 0.8)},
                            {0.0f, 1.0f, 0.0f},
                            {1.0f, 0.0f, 0.0f, 1.0f}};
  }
  CHECK(cloth_bind(both, 2, &skin_layout, mesh, &reach, bindings) == MESH, "not bound");
  cloth_skin(both, 2, bindings, &skin_layout, NULL, before);
  keep(&a, &k[0]);
  keep(&b, &k[1]);
  cloth_pin(a.sheet, 0);
  for (int frame = 0; frame < 10; frame++) {
    cloth_step(a.sheet, FRAME);
    cloth_step(b.sheet, FRAME);
  }
  cloth_skin(both, 2, bindings, &skin_layout, NULL, now);
  cloth_blend blends[2] = {k[0].blend, k[1].blend};
  CHECK(cloth_skin_blended(both, 2, blends, bindings, &skin_layout, NULL, found) == CLOTH_OK, "at 0");
  CHECK(memcmp(found, before, sizeof found) == 0, "0 is not the kept state");
  blends[0].fraction = blends[1].fraction = 0.5f;
  CHECK(cloth_skin_blended(both, 2, blends, bindings, &skin_layout, NULL, half) == CLOTH_OK, "at 0.5");
  blends[0].fraction = blends[1].fraction = 1.0f;
  CHECK(cloth_skin_blended(both, 2, blends, bindings, &skin_layout, NULL, found) == CLOTH_OK, "at 1");
  CHECK(memcmp(found, now, sizeof found) == 0, "1 is not the present state");
  for (int i = 0; i < MESH; i++) {
    const double way = vertex_distance(before[i].position, now[i].position);
    const double first = vertex_distance(before[i].position, half[i].position);
    const double second = vertex_distance(half[i].position, now[i].position);
    CHECK(way > 0.05 && first < 0.6 * way && second < 0.6 * way, "vertex %d is not half way: %g, %g of %g", i, first,
          second, way);
  }
  fixture_free(&a);
  fixture_free(&b);
}

static void test_refusals(void) {
  cloth_config config = swinging_config();
  fixture s = fixture_make(&config);
  kept_positions k;
  static mesh_vertex mesh[MESH];
  static float buffer[MOST_VERTICES][8], clean[MOST_VERTICES][8];
  cloth_binding bindings[MESH];
  memset(bindings, 0, sizeof bindings);
  keep(&s, &k);
  const cloth_blend good = k.blend;
  for (int fault = 0; fault < 10; fault++) {
    static const int expected[] = {CLOTH_ERROR_NULL,  CLOTH_ERROR_BUFFER, CLOTH_ERROR_BUFFER, CLOTH_ERROR_RANGE,
                                   CLOTH_ERROR_RANGE, CLOTH_ERROR_RANGE,  CLOTH_ERROR_RANGE,  CLOTH_ERROR_RANGE,
                                   CLOTH_ERROR_RANGE, CLOTH_ERROR_RANGE};
    cloth_blend b = good;
    const cloth_vector last = k.positions[s.count - 1];
    b.positions = fault == 0 ? NULL : b.positions;
    b.count += fault == 1 ? 1 : fault == 2 ? -1 : 0;
    b.fraction = fault == 3 ? -0.001f : fault == 4 ? 1.001f : fault == 5 ? NAN : 0.5f;
    b.origin.y = fault == 6 ? CLOTH_ORIGIN_LIMIT + 1 : 0;
    b.origin.z = fault == 7 ? INT32_MIN : 0;
    k.positions[s.count - 1].y = fault == 8 ? 1.1e5f : fault == 9 ? NAN : last.y;
    const int written = cloth_write_blended_vertices(s.sheet, &b, &layout, buffer, sizeof buffer);
    const int skinned = cloth_skin_blended(&s.sheet, 1, &b, bindings, &skin_layout, NULL, mesh);
    CHECK(written == expected[fault], "fault %d: %s", fault, cloth_result_name(written));
    CHECK(skinned == expected[fault], "fault %d in a skin: %s", fault, cloth_result_name(skinned));
    k.positions[s.count - 1] = last;
    b.origin.y = b.origin.z = 0;
    if (fault < 3) CHECK(cloth_keep_positions(s.sheet, &b) == expected[fault], "fault %d is kept", fault);
  }
  CHECK(memcmp(buffer, clean, sizeof buffer) == 0, "a refused call has written vertices");
  CHECK(cloth_keep_positions(s.sheet, NULL) == CLOTH_ERROR_NULL, "keep in nothing");
  CHECK(cloth_keep_positions(NULL, &k.blend) == CLOTH_ERROR_NULL, "keep of nothing");
  CHECK(cloth_write_blended_vertices(s.sheet, NULL, &layout, buffer, sizeof buffer) == CLOTH_ERROR_NULL, "no blend");
  CHECK(cloth_write_blended_vertices(s.sheet, &good, NULL, buffer, sizeof buffer) == CLOTH_ERROR_NULL, "no layout");
  CHECK(cloth_write_blended_vertices(s.sheet, &good, &layout, NULL, sizeof buffer) == CLOTH_ERROR_NULL, "no vertices");
  CHECK(cloth_write_blended_vertices(s.sheet, &good, &layout, buffer, 32u * COLUMNS * ROWS - 1) == CLOTH_ERROR_BUFFER,
        "too small");
  CHECK(cloth_skin_blended(&s.sheet, 1, NULL, bindings, &skin_layout, NULL, mesh) == CLOTH_ERROR_NULL, "no blends");
  fixture_free(&s);
}

/* Without the scratch memory that cloths share there is no room for blended positions. */
static void test_shared_scratch(void) {
  cloth_config config = swinging_config();
  config.capacity.shared_scratch = 1;
  fixture s = fixture_make(&config);
  kept_positions k;
  static float buffer[MOST_VERTICES][8];
  keep(&s, &k);
  CHECK(cloth_write_blended_vertices(s.sheet, &k.blend, &layout, buffer, sizeof buffer) == CLOTH_ERROR_STATE,
        "blended without scratch");
  CLOTH_ALIGNED static unsigned char scratch[1 << 16];
  CHECK(s.memory.shared_bytes <= sizeof scratch, "%lu bytes of scratch", (unsigned long)s.memory.shared_bytes);
  CHECK(cloth_set_scratch(s.sheet, scratch, s.memory.shared_bytes) == CLOTH_OK, "scratch");
  CHECK(cloth_write_blended_vertices(s.sheet, &k.blend, &layout, buffer, sizeof buffer) == CLOTH_OK, "with scratch");
  fixture_free(&s);
}

/* The bits of blended vertices, which no lane width and no machine may change: fractions and kept positions that are
   nearly 0 among them. */
static void test_same_bits(void) {
  cloth_config config = swinging_config();
  fixture s = fixture_make(&config);
  kept_positions k;
  uint64_t hash = 14695981039346656037u;
  cloth_pin(s.sheet, 0);
  for (int frame = 0; frame < 30; frame++) {
    keep(&s, &k);
    cloth_step(s.sheet, FRAME);
  }
  k.positions[7].x = 1e-39f;
  k.positions[8].x = -0.0f;
  const float fractions[] = {1e-40f, 1e-20f, 0.3f, 0.5f, 0.99999994f};
  for (int n = 0; n < 5; n++) {
    const vertices v = drawn_between(&s, &k, fractions[n]);
    for (int i = 0; i < v.count; i++)
      for (int word = 0; word < 8; word++) {
        uint32_t bits;
        memcpy(&bits, &v.value[i][word], sizeof bits);
        hash = (hash ^ bits) * 1099511628211u;
      }
  }
  CHECK(hash == UINT64_C(0x926635be3b925eac), "vertices hash to 0x%016llx", (unsigned long long)hash);
  fixture_free(&s);
}

static const test tests[] = {
    TEST(way),   TEST(normals),  TEST(pins_rest),      TEST(moved_origin), TEST(torn),
    TEST(skins), TEST(refusals), TEST(shared_scratch), TEST(same_bits),
};

int main(int count, char **arguments) {
  return RUN_TESTS(count, arguments, tests);
}
