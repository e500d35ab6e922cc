/* SPDX-License-Identifier: MIT */
#include "pictures.h"

#include "image.h"
#include "png.h"
#include "render.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SCALE = 2, PATH_LENGTH = 512, LABEL_LENGTH = 96 };

static const uint32_t ink = 0x303438, grid_colour = 0xe2e4e8, frame_colour = 0xa0a4aa;

static void must(int result, const char *what) {
  if (result == 0)
    return;
  fprintf(stderr, "bench: cannot make %s\n", what);
  exit(EXIT_FAILURE);
}

static void save(image *picture, const char *directory, const char *name, const char *suffix) {
  char path[PATH_LENGTH];
  snprintf(path, sizeof path, "%s/%s%s.png", directory, name, suffix);
  must(png_write(path, picture->width, picture->height, picture->rgb), path);
  image_destroy(picture);
}

/// Chart ///

enum { CHART_WIDTH = 1640, CHART_HEIGHT = 860, LEFT = 90, TOP = 96, GAP = 110, RIGHT = 30, BOTTOM = 76, MARK = 9 };

/* A logarithmic scale over some pixels. */
typedef struct scale {
  double low, high;
  float from, to;
} scale;

typedef struct chart {
  image *picture;
  rectangle area;
  metric what;
  scale x, y;
} chart;

typedef struct style {
  const solver *with;
  uint32_t colour;
  const char *text;
  int label_shift; /* of a curve's size beside its first point [half widths], so that no two cover each other */
} style;

static const style styles[] = {
    {&solver_cloth, 0x2b6cb0, "cloth", -2},
    {&solver_xpbd_color8, 0xc03a2b, "XPBD", 0},
};

enum { STYLES = sizeof styles / sizeof *styles };

static float place(const scale *s, double value) {
  double share = log(value / s->low) / log(s->high / s->low);
  return s->from + (float)share * (s->to - s->from);
}

static void widen(scale *s, double value) {
  s->low = value > 0 && value < s->low ? value : s->low;
  s->high = value > s->high ? value : s->high;
}

/* Both scales hold every point and some air around them. */
static void set_scales(chart *c, const trial_list *const *lists, int count) {
  c->x = (scale){HUGE_VAL, 0, (float)c->area.x, (float)(c->area.x + c->area.width)};
  c->y = (scale){0.5, 10, (float)(c->area.y + c->area.height), (float)c->area.y};
  for (int i = 0; i < count; i++)
    for (int k = 0; k < lists[i]->count; k++) {
      const figures *f = &lists[i]->trials[k].result;
      if (f->broken)
        continue;
      widen(&c->x, f->us_median);
      widen(&c->y, metric_of(f, c->what));
    }
  c->x.low /= 1.5;
  c->x.high *= 1.5;
  c->y.low = fmax(c->y.low / 1.3, 0.02);
  c->y.high = fmin(c->y.high * 1.6, 1000);
}

static void draw_tick(const chart *c, double value, int on_x) {
  rectangle a = c->area;
  const scale *s = on_x ? &c->x : &c->y;
  char label[LABEL_LENGTH];
  if (value < s->low * 0.999 || value > s->high * 1.001)
    return;
  float at = floorf(place(s, value)) + 0.5f;
  snprintf(label, sizeof label, value < 1e4 ? "%g" : "%gk", value < 1e4 ? value : value / 1e3);
  if (on_x) {
    image_line(c->picture, at, (float)a.y, at, (float)(a.y + a.height), 1, grid_colour);
    image_text(c->picture, (int)at - text_width(TEXT_SCALE, label) / 2, a.y + a.height + 10, TEXT_SCALE, ink, label);
  } else {
    image_line(c->picture, (float)a.x, at, (float)(a.x + a.width), at, 1, grid_colour);
    image_text(c->picture, a.x - 10 - text_width(TEXT_SCALE, label), (int)at - TEXT_HEIGHT, TEXT_SCALE, ink, label);
  }
}

static void draw_axes(const chart *c) {
  static const int factors[] = {1, 2, 5};
  rectangle a = c->area;
  float left = (float)a.x + 0.5f, right = left + (float)a.width;
  float top = (float)a.y + 0.5f, bottom = top + (float)a.height;
  for (int power = -2; power <= 5; power++)
    for (int k = 0; k < 3; k++)
      for (int on_x = 0; on_x < 2; on_x++)
        draw_tick(c, factors[k] * pow(10, power), on_x);
  image_line(c->picture, left, top, right, top, 1, frame_colour);
  image_line(c->picture, left, bottom, right, bottom, 1, frame_colour);
  image_line(c->picture, left, top, left, bottom, 1, frame_colour);
  image_line(c->picture, right, top, right, bottom, 1, frame_colour);
}

static void draw_mark(const chart *c, float x, float y, uint32_t colour) {
  image_fill(c->picture, (rectangle){(int)x - MARK / 2, (int)y - MARK / 2, MARK, MARK}, colour);
}

/* The curve's size stands above its cheapest point. */
static void draw_curve(const chart *c, const trial_list *list, const style *how) {
  const trial *sorted[TRIAL_LIMIT];
  char label[LABEL_LENGTH];
  float last_x = 0, last_y = 0;
  int count = trials_by_time(list, how->with, NULL, sorted);
  snprintf(label, sizeof label, "%d", list->scene->rows);
  for (int i = 0; i < count; i++) {
    double value = fmin(fmax(metric_of(&sorted[i]->result, c->what), c->y.low), c->y.high);
    float x = place(&c->x, sorted[i]->result.us_median), y = place(&c->y, value);
    if (i > 0)
      image_line(c->picture, last_x, last_y, x, y, 2.5f, how->colour);
    else
      image_text(c->picture, (int)x + how->label_shift * text_width(TEXT_SCALE, label) / 2, (int)y - 24, TEXT_SCALE,
                 how->colour, label);
    draw_mark(c, x, y, how->colour);
    last_x = x;
    last_y = y;
  }
}

static void draw_panel(chart *c, const trial_list *const *lists, int count) {
  static const char *const titles[] = {"largest stretch [%], last second", "99th percentile of stretch [%]"};
  const char *label = "time of a frame [us]";
  set_scales(c, lists, count);
  draw_axes(c);
  image_text(c->picture, c->area.x, c->area.y - 24, TEXT_SCALE, ink, titles[c->what]);
  image_text(c->picture, c->area.x + (c->area.width - text_width(TEXT_SCALE, label)) / 2, CHART_HEIGHT - 32, TEXT_SCALE,
             ink, label);
  for (int k = 0; k < STYLES; k++)
    for (int i = 0; i < count; i++)
      draw_curve(c, lists[i], &styles[k]);
}

/* The scene's name on the left, the legend on the right. */
static void draw_head(image *picture, const char *name) {
  int x = CHART_WIDTH - RIGHT;
  image_text(picture, LEFT, 18, TEXT_SCALE + 1, ink, name);
  for (int k = STYLES - 1; k >= 0; k--) {
    x -= text_width(TEXT_SCALE, styles[k].text);
    image_text(picture, x, 22, TEXT_SCALE, ink, styles[k].text);
    image_fill(picture, (rectangle){x - 34, 27, 24, 4}, styles[k].colour);
    x -= 60;
  }
}

void draw_curves(const char *directory, const char *name, const trial_list *const *lists, int count) {
  image picture;
  int width = (CHART_WIDTH - LEFT - GAP - RIGHT) / 2, height = CHART_HEIGHT - TOP - BOTTOM;
  must(image_create(&picture, CHART_WIDTH, CHART_HEIGHT, 0xffffff), "a picture");
  draw_head(&picture, name);
  for (int k = 0; k < 2; k++) {
    chart c = {.picture = &picture, .area = {LEFT + k * (width + GAP), TOP, width, height}, .what = (metric)k};
    draw_panel(&c, lists, count);
  }
  save(&picture, directory, name, "");
}

/// Sheets ///

enum { VIEW_SIZE = 700, GUTTER = 4, CAPTION = 44 };

typedef struct view {
  cloth_vector eye, target, to_light;
  float field_of_view, floor_height;
} view;

static const view views[BENCH_KIND_COUNT] = {
    [BENCH_HANG] = {{2.0f, 0.5f, -2.3f}, {0.5f, -0.42f, -0.2f}, {0.4f, 1, -0.8f}, 0.62f, -1.15f},
    [BENCH_REST] = {{2.0f, 0.5f, -2.3f}, {0.5f, -0.42f, -0.2f}, {0.4f, 1, -0.8f}, 0.62f, -1.15f},
    [BENCH_MOVING_PIN] = {{2.0f, 0.5f, -2.3f}, {0.5f, -0.42f, -0.2f}, {0.4f, 1, -0.8f}, 0.62f, -1.15f},
    [BENCH_DRAPE] = {{1.5f, 1.05f, 2.35f}, {0.48f, -0.02f, 0.5f}, {-0.5f, 1.1f, 0.45f}, 0.62f, -0.5f},
    [BENCH_FLAG] = {{1.15f, 0.75f, 3.0f}, {0.5f, 0.42f, 0.1f}, {-0.5f, 0.9f, 0.7f}, 0.56f, -0.35f},
    [BENCH_CAPSULE] = {{2.4f, 0.9f, 2.6f}, {0.5f, 0.5f, 0.5f}, {-0.5f, 0.9f, 0.7f}, 0.8f, -0.35f},
};

static const render_material fabric = {{0.05f, 0.19f, 0.40f}, {0.54f, 0.07f, 0.06f}, 8, 0.07f, 0.2f};
static const render_material stone = {{0.55f, 0.53f, 0.50f}, {0.55f, 0.53f, 0.50f}, 0, 0.12f, 0};

static cloth_vector difference(cloth_vector a, cloth_vector b) {
  return (cloth_vector){a.x - b.x, a.y - b.y, a.z - b.z};
}

static cloth_vector unit_cross(cloth_vector a, cloth_vector b) {
  cloth_vector c = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  float length = sqrtf(c.x * c.x + c.y * c.y + c.z * c.z) + 1e-20f;
  return (cloth_vector){c.x / length, c.y / length, c.z / length};
}

/* The normal from the neighbours on both sides, where there are. */
static cloth_vector normal_at(const render_vertex *v, const bench_scene *s, int row, int column) {
  int i = row * s->columns + column;
  int left = column > 0, right = column + 1 < s->columns;
  int above = row > 0 ? s->columns : 0, below = row + 1 < s->rows ? s->columns : 0;
  return unit_cross(difference(v[i + right].position, v[i - left].position),
                    difference(v[i + below].position, v[i - above].position));
}

static void fill_vertices(render_mesh *mesh, const bench_scene *s, const float *positions) {
  render_vertex *v = mesh->vertices;
  for (int i = 0; i < s->count; i++) {
    memcpy(&v[i].position, &positions[3 * i], sizeof v[i].position);
    v[i].u = (float)(i % s->columns) / (float)(s->columns - 1);
    v[i].v = (float)(i / s->columns) / (float)(s->rows - 1);
  }
  for (int i = 0; i < s->count; i++)
    v[i].normal = normal_at(v, s, i / s->columns, i % s->columns);
}

/* Counter-clockwise seen from where the normals point to. */
static void fill_indices(render_mesh *mesh, const bench_scene *s) {
  uint32_t *index = mesh->indices, columns = (uint32_t)s->columns;
  for (uint32_t i = 0; i + columns < (uint32_t)s->count; i++) {
    const uint32_t corners[6] = {i, i + 1, i + columns + 1, i, i + columns + 1, i + columns};
    if (i % columns + 1 == columns)
      continue;
    memcpy(index, corners, sizeof corners);
    index += 6;
  }
}

static void draw_sheet(image *picture, rectangle area, const bench_scene *s, const float *positions) {
  const view *v = &views[s->kind];
  render_mesh meshes[2];
  render_object objects[2] = {{&meshes[0], fabric}, {&meshes[1], stone}};
  cloth_collider c = cloth_collider_default();
  bench_point centre = bench_collider_place(s, s->frames - 1);
  c.shape = s->collider_half > 0 ? CLOTH_SHAPE_CAPSULE : CLOTH_SHAPE_SPHERE;
  c.pose.position = (cloth_vector){centre.x, centre.y, centre.z};
  c.radius = c.radius_top = s->collider_radius;
  c.half_height = s->collider_half;
  must(render_mesh_create(&meshes[0], s->count, 6 * (s->rows - 1) * (s->columns - 1)), "a mesh");
  fill_vertices(&meshes[0], s, positions);
  fill_indices(&meshes[0], s);
  int with_collider = s->collider_radius > 0;
  if (with_collider)
    must(render_mesh_from_collider(&meshes[1], &c), "a mesh");
  render_scene scene = {
      v->eye, v->target, v->field_of_view, v->to_light, 1.6f, v->floor_height, objects, 1 + with_collider, 0};
  must(render_view(picture, area, &scene), "a view");
  for (int i = 0; i <= with_collider; i++)
    render_mesh_destroy(&meshes[i]);
}

static void draw_captioned(image *picture, int place, const bench_scene *s, const trial *t, const char *remark) {
  rectangle area = {place * (VIEW_SIZE + GUTTER), CAPTION, VIEW_SIZE, VIEW_SIZE};
  char text[LABEL_LENGTH];
  if (!t) {
    snprintf(text, sizeof text, "none");
  } else {
    draw_sheet(picture, area, s, t->final);
    snprintf(text, sizeof text, "%s: %.0f us, stretch %.1f %%, p99 %.1f %%%s", t->with->name, t->result.us_median,
             metric_of(&t->result, METRIC_MOST), metric_of(&t->result, METRIC_P99), remark);
  }
  image_text(picture, area.x + 14, 14, TEXT_SCALE, ink, text);
}

/* Ours, or where none of ours is of equal quality, the one next in stretch. Without a match, as when one solver alone
   is run, its last setting is drawn. */
void draw_sheets(const char *directory, const char *name, const trial_list *list) {
  image picture;
  const trial *ours = list->shown, *match = list->shown_match;
  const char *remark = "";
  if (!ours && match) {
    ours = first_at_level(list, &solver_cloth, METRIC_P99, metric_of(&match->result, METRIC_P99), NULL);
    remark = "; NOT EQUAL";
  }
  if (!ours && !match && list->count > 0)
    ours = &list->trials[list->count - 1];
  must(image_create(&picture, 2 * VIEW_SIZE + GUTTER, VIEW_SIZE + CAPTION, 0xffffff), "a picture");
  draw_captioned(&picture, 0, list->scene, ours, remark);
  draw_captioned(&picture, 1, list->scene, match, "");
  save(&picture, directory, name, "_sheets");
}
