/* SPDX-License-Identifier: MIT */
#include "shirt.h"
#include "motion.h"

#include <stddef.h>

/* The pattern [m]. Flat on a table a shirt is half as wide as around the body. Its armholes are as deep as a sleeve is
   wide there. The top of a sleeve is longer than its underside, by the height of its cap: arms hang, and what a
   straight tube has too much of under the arm would stand in a crease on the body. */
static const float shoulder_width = 0.43f, chest_width = 0.51f, hem_width = 0.55f;
static const float armhole_depth = 0.25f;
static const float front_scoop = 0.08f, back_scoop = 0.02f; /* of the neck */
static const float sleeve_length = 0.26f;                   /* from the shoulder */
static const float cap_slope = 0.75f;                       /* largest sine of the slope of a cap's edge */

/* Where it starts: on the shoulders, and around the trunk [m]. */
static const float shoulder_height = 1.48f, middle = 0.02f;
static const float drop = 0.2f, drop_aside = 0.24f; /* from there to the armpits: in the middle, at the sides */
static const float trunk_breadth = 0.367f, trunk_depth = 0.278f; /* half axes over the width */
static const float neck_depth = 0.07f;
static const float sleeve_end = 0.23f, sleeve_radius = 0.067f; /* from the shoulder joint; around the arm */

static int is_sleeve(int panel) {
  return panel == SHIRT_LEFT || panel == SHIRT_RIGHT;
}

int32_t shirt_columns(const shirt_cut *cut, int panel) {
  return is_sleeve(panel) ? 2 * cut->armhole + 1 : cut->columns;
}

int32_t shirt_rows(const shirt_cut *cut, int panel) {
  return is_sleeve(panel) ? cut->sleeve_rows : cut->rows;
}

float shirt_spacing(const shirt_cut *cut) {
  return armhole_depth / (float)cut->armhole;
}

static float share_of(int32_t part, int32_t whole) {
  return (float)part / (float)whole;
}

static cloth_vector between(cloth_vector a, cloth_vector b, float share) {
  return plus(a, times(share, minus(b, a)));
}

/// Front and back ///

/* The place on the panel: how far across, -1 to 1 from side to side; whether between the shoulders, 0 to 1 from one to
   the middle; how wide it is there and how far down [m]. */
typedef struct body_point {
  float across, off, width, down;
} body_point;

/* Rows are bent under the neck, and reach as far down as others from the armpits on, where the shirt grows wider. */
static body_point body_point_at(const shirt_cut *cut, int panel, int32_t column, int32_t row) {
  const float scoop = panel == SHIRT_FRONT ? front_scoop : back_scoop;
  const float over = row < cut->armhole ? share_of(row, cut->armhole) : 1;
  const float below = row < cut->armhole ? 0 : share_of(row - cut->armhole, cut->rows - 1 - cut->armhole);
  body_point p = {.across = 2 * share_of(column, cut->columns - 1) - 1};
  const float off = p.across / (1 - 2 * share_of(cut->neck, cut->columns - 1));
  p.off = off * off < 1 ? 1 - off * off : 0;
  p.width = hem_width - (1 - below) * (hem_width - chest_width) - (1 - over * over) * (chest_width - shoulder_width);
  p.down = shirt_spacing(cut) * (float)row + (1 - over) * scoop * p.off;
  return p;
}

static cloth_vector body_pattern(const shirt_cut *cut, int panel, int32_t column, int32_t row) {
  const body_point p = body_point_at(cut, panel, column, row);
  return vector(0.5f * p.width * p.across, -p.down, 0);
}

/* Over the shoulders, then down around the trunk. The columns of the front lead to the right, those of the back to the
   left. */
static cloth_vector body_place(const shirt_cut *cut, int panel, int32_t column, int32_t row) {
  const body_point p = body_point_at(cut, panel, column, row);
  const float side = panel == SHIRT_FRONT ? 1.0f : -1.0f;
  const float over = p.down < armhole_depth ? p.down / armhole_depth : 1;
  const float below = p.down < armhole_depth ? 0 : p.down - armhole_depth;
  const float depth = wave(0.25f * over), aside = p.across * p.across;
  const float fall = (1 - aside) * drop * (1 - cosine(0.25f * over)) + aside * drop_aside * over;
  const float x =
      neck_depth * p.off * (1 - over) * (1 - over) + depth * trunk_depth * p.width * cosine(0.25f * p.across);
  const float z = (1 - depth) * 0.5f * p.width * p.across + depth * trunk_breadth * p.width * wave(0.25f * p.across);
  return vector(middle + side * x, shoulder_height - fall - below, side * z);
}

/// Sleeves ///

/* The first column of a body panel that is at a sleeve. */
static int32_t armhole_column(const shirt_cut *cut, int sleeve, int panel) {
  return (sleeve == SHIRT_RIGHT) == (panel == SHIRT_FRONT) ? cut->columns - 1 : 0;
}

/* The panel to which a sleeve's columns are sewn from the armpit up to the shoulder, and that from there down. */
static int panel_up(int sleeve) {
  return sleeve == SHIRT_RIGHT ? SHIRT_FRONT : SHIRT_BACK;
}

static int panel_down(int sleeve) {
  return sleeve == SHIRT_RIGHT ? SHIRT_BACK : SHIRT_FRONT;
}

/* The edge of a cap, from the armpit over the shoulder: as long as the armhole, cell by cell. */
static cloth_vector cap_edge(const shirt_cut *cut, int32_t around) {
  cloth_vector at = {0, 0, 0};
  for (int32_t n = 0; n < around; n++) {
    const int32_t row = n < cut->armhole ? cut->armhole - 1 - n : n - cut->armhole;
    const float size =
        length(minus(body_pattern(cut, SHIRT_FRONT, 0, row), body_pattern(cut, SHIRT_FRONT, 0, row + 1)));
    const float sine = cap_slope * wave(((float)n + 0.5f) / (float)(2 * cut->armhole));
    at = plus(at, times(size, vector(root(1 - sine * sine), sine, 0)));
  }
  return at;
}

/* Columns lie evenly at the end of a sleeve. */
static cloth_vector sleeve_pattern(const shirt_cut *cut, int32_t around, int32_t row) {
  const int32_t cells = 2 * cut->armhole;
  const float width = cap_edge(cut, cells).x, top = cap_edge(cut, cut->armhole).y;
  const cloth_vector end = vector(width * share_of(around, cells), top - sleeve_length, 0);
  return between(cap_edge(cut, around), end, share_of(row, cut->sleeve_rows - 1));
}

/* From the armhole to a ring around the arm. */
static cloth_vector sleeve_place(const shirt_cut *cut, int sleeve, int32_t around, int32_t row, const limb *arm) {
  const int goes_up = around <= cut->armhole, panel = goes_up ? panel_up(sleeve) : panel_down(sleeve);
  const float side = sleeve == SHIRT_RIGHT ? 1.0f : -1.0f, turn = share_of(around, 2 * cut->armhole);
  const cloth_vector start = body_place(cut, panel, armhole_column(cut, sleeve, panel),
                                        goes_up ? cut->armhole - around : around - cut->armhole);
  const cloth_vector along = times(1 / length(minus(arm->low, arm->high)), minus(arm->low, arm->high));
  const cloth_vector up = vector(0, side * along.z, side * -along.y);
  const cloth_vector centre = plus(arm->high, times(sleeve_end, along));
  const cloth_vector aside = plus(times(-cosine(turn), up), vector(side * wave(turn), 0, 0));
  return between(start, plus(centre, times(sleeve_radius, aside)), share_of(row, cut->sleeve_rows - 1));
}

/// Panels and seams ///

void shirt_describe(const shirt_cut *cut, int panel, const limb limbs[FIGURE_LIMBS], shirt_panel *p,
                    cloth_config *config) {
  const limb *arm = &limbs[panel == SHIRT_RIGHT ? 11 : 13];
  config->columns = shirt_columns(cut, panel);
  config->rows = shirt_rows(cut, panel);
  for (int32_t i = 0; i < config->columns * config->rows; i++) {
    const int32_t column = i % config->columns, row = i / config->columns;
    p->pattern[i] = is_sleeve(panel) ? sleeve_pattern(cut, column, row) : body_pattern(cut, panel, column, row);
    p->places[i] = is_sleeve(panel) ? sleeve_place(cut, panel, column, row, arm) : body_place(cut, panel, column, row);
  }
  config->edge_warp = vector(shirt_spacing(cut) * (float)(config->columns - 1), 0, 0);
  config->edge_weft = vector(0, -shirt_spacing(cut) * (float)(config->rows - 1), 0);
  config->grid.positions = p->places;
  config->grid.rest_positions = p->pattern;
  cloth_fabric_preset(CLOTH_FABRIC_COTTON, &config->fabric);
}

static cloth_seam_side side_of(int32_t place, int32_t first, int32_t next, int32_t count) {
  const cloth_seam_side side = {place, first, next, count, NULL};
  return side;
}

/* Shoulders and sides, then each sleeve to itself and to the armhole: up to the shoulder, and down. */
void shirt_sew(const shirt_cut *cut, int32_t first, cloth_seam seams[SHIRT_SEAMS]) {
  const int32_t columns = cut->columns, last = columns - 1, armpit = cut->armhole * columns;
  const int32_t front = first + SHIRT_FRONT, back = first + SHIRT_BACK;
  const int32_t shoulder = cut->neck + 1, half = cut->armhole + 1, below = cut->rows - cut->armhole;
  *seams++ = (cloth_seam){side_of(front, 0, 1, shoulder), side_of(back, last, -1, shoulder), 0};
  *seams++ = (cloth_seam){side_of(front, last, -1, shoulder), side_of(back, 0, 1, shoulder), 0};
  *seams++ = (cloth_seam){side_of(front, armpit, columns, below), side_of(back, armpit + last, columns, below), 0};
  *seams++ = (cloth_seam){side_of(front, armpit + last, columns, below), side_of(back, armpit, columns, below), 0};
  for (int sleeve = SHIRT_LEFT; sleeve <= SHIRT_RIGHT; sleeve++) {
    const int32_t own = first + sleeve, around = shirt_columns(cut, sleeve);
    const int32_t up = armhole_column(cut, sleeve, panel_up(sleeve));
    const int32_t down = armhole_column(cut, sleeve, panel_down(sleeve));
    *seams++ =
        (cloth_seam){side_of(own, 0, around, cut->sleeve_rows), side_of(own, around - 1, around, cut->sleeve_rows), 0};
    *seams++ =
        (cloth_seam){side_of(own, 0, 1, half), side_of(first + panel_up(sleeve), armpit + up, -columns, half), 0};
    *seams++ =
        (cloth_seam){side_of(own, cut->armhole, 1, half), side_of(first + panel_down(sleeve), down, columns, half), 0};
  }
}

/// The mesh ///

static int32_t finer(int32_t particles) {
  return 2 * particles - 1;
}

int32_t shirt_vertex_limit(const shirt_cut *cut) {
  int32_t sum = 0;
  for (int panel = 0; panel < SHIRT_PANELS; panel++)
    sum += finer(shirt_columns(cut, panel)) * finer(shirt_rows(cut, panel));
  return sum;
}

int32_t shirt_index_count(const shirt_cut *cut) {
  int32_t sum = 0;
  for (int panel = 0; panel < SHIRT_PANELS; panel++)
    sum += 24 * (shirt_columns(cut, panel) - 1) * (shirt_rows(cut, panel) - 1);
  return sum;
}

typedef struct mesh_writer {
  render_vertex *vertices;
  uint32_t *next; /* index to write */
  int32_t count;  /* of the vertices */
} mesh_writer;

/* The vertex at a place, a new one if there is none yet: panels start with their seams closed. */
static uint32_t vertex_at(mesh_writer *w, const render_vertex *wanted) {
  const float near = 1e-4f; /* [m] */
  for (int32_t i = w->count - 1; i >= 0; i--)
    if (length(minus(w->vertices[i].position, wanted->position)) < near) return (uint32_t)i;
  w->vertices[w->count] = *wanted;
  return (uint32_t)w->count++;
}

/* A vertex of a panel, in half cells. */
static uint32_t panel_vertex(mesh_writer *w, const shirt_panel *p, int32_t columns, int32_t column, int32_t row) {
  const int32_t right = column % 2, a = row / 2 * columns + column / 2, c = a + row % 2 * columns;
  const cloth_vector above = between(p->places[a], p->places[a + right], 0.5f);
  const cloth_vector below = between(p->places[c], p->places[c + right], 0.5f);
  const cloth_vector flat = between(p->pattern[a], p->pattern[c + right], 0.5f);
  const render_vertex wanted = {between(above, below, 0.5f), {0, 0, 0}, flat.x, flat.y};
  return vertex_at(w, &wanted);
}

static void add_triangle(mesh_writer *w, uint32_t a, uint32_t b, uint32_t c) {
  render_vertex *v = w->vertices;
  const cloth_vector p = minus(v[b].position, v[a].position), q = minus(v[c].position, v[a].position);
  const cloth_vector normal = vector(p.y * q.z - p.z * q.y, p.z * q.x - p.x * q.z, p.x * q.y - p.y * q.x);
  const uint32_t corners[3] = {a, b, c};
  for (int n = 0; n < 3; n++) {
    v[corners[n]].normal = plus(v[corners[n]].normal, normal);
    *w->next++ = corners[n];
  }
}

/* Normals come out as sums over the triangles. */
int32_t shirt_mesh(const shirt_cut *cut, const shirt_panel panels[SHIRT_PANELS], render_vertex *vertices,
                   uint32_t *indices) {
  mesh_writer w = {vertices, indices, 0};
  for (int panel = 0; panel < SHIRT_PANELS; panel++) {
    const int32_t columns = shirt_columns(cut, panel), rows = shirt_rows(cut, panel);
    for (int32_t i = 0; i < finer(columns) * finer(rows); i++) {
      const int32_t column = i % finer(columns), row = i / finer(columns);
      if (column + 1 == finer(columns) || row + 1 == finer(rows)) continue;
      const uint32_t a = panel_vertex(&w, &panels[panel], columns, column, row);
      const uint32_t b = panel_vertex(&w, &panels[panel], columns, column + 1, row);
      const uint32_t c = panel_vertex(&w, &panels[panel], columns, column, row + 1);
      const uint32_t d = panel_vertex(&w, &panels[panel], columns, column + 1, row + 1);
      add_triangle(&w, a, c, d);
      add_triangle(&w, a, d, b);
    }
  }
  for (int32_t i = 0; i < w.count; i++)
    vertices[i].normal = times(1 / length(vertices[i].normal), vertices[i].normal);
  return w.count;
}
