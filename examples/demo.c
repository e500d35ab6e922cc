/*
 * Runs five scenes, prints what a user may want to know about them and writes for each a sheet of moments, a plot and
 * an animation (APNG).
 *
 *     demo [directory [sketch]]                          (default build/demo; sketch: animations with jagged edges)
 *
 * SPDX-License-Identifier: MIT
 */
#include "cloth.h"
#include "image.h"
#include "net.h"
#include "plot.h"
#include "png.h"
#include "render.h"
#include "scenes.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef _WIN32
#include <direct.h>
#define make_directory(path) _mkdir(path)
#else
#include <sys/stat.h>
#define make_directory(path) mkdir(path, 0777)
#endif

enum {
  GRID = 48,
  NET_GRID = 20,
  MOMENTS = 6,
  MOMENTS_ACROSS = 3,
  VIEW_SIZE = 500,
  GUTTER = 4,
  OBJECT_LIMIT = 8,
  PATH_LENGTH = 512
};

/* Animations: pixels along a side, and steps from one picture to the next, a twentieth of a second. */
enum { FILM_SIZE = 300, FILM_STEPS = 3 };

/* The demo has nothing to fall back to: it says what went wrong and ends. */
static void must(int result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "demo: %s: %s\n", what, result < CLOTH_ERROR_NULL ? cloth_result_name(result) : "failed");
  exit(EXIT_FAILURE);
}

static void *must_allocate(size_t count, size_t size) {
  void *memory = calloc(count, size);
  must(memory ? 0 : CLOTH_ERROR_ARENA, "out of memory");
  return memory;
}

/// What is shown ///

/* Changes a scene before it is built. */
typedef void scene_change(scene *description);

typedef struct show {
  scene_kind kind;
  const char *title;
  float moments[MOMENTS]; /* [s], rising */
  cloth_vector eye, target, to_light;
  float field_of_view; /* [rad] */
  float floor_height;  /* [m] */
  int floor_is_solid;
  render_material fabric;
  cloth_collider prop;  /* seen but not felt; none if its radius is 0 */
  scene_change *change; /* NULL: as it is */
  int is_net;           /* 1: drawn as a net of springs, by how they are integrated */
} show;

/* The adaptive scheme of the thesis on wool that hangs from its upper edge: threads are stiff and implicit, shear is
   soft and explicit, in one substep. */
static void hang_wool(scene *s) {
  s->name = "imex";
  s->pins = SCENE_PINS_ROW;
  s->config.columns = s->config.rows = NET_GRID;
  must(cloth_fabric_preset(CLOTH_FABRIC_WOOL, &s->config.fabric), "cloth_fabric_preset");
  must(cloth_config_use_imex(&s->config), "cloth_config_use_imex");
}

/* The sheet keeps nearly half of its spacing from itself, as the guide says. Four substeps, as with two it tangles. */
static void feel_itself(scene *s) {
  s->config.self_thickness = 0.45f / (float)(GRID - 1);
  s->config.substeps = 4;
}

/* A towel falls upright on its edge, a little wavy, and folds into a heap. */
static void fall_upright(scene *s) {
  static cloth_vector start[GRID * GRID];
  for (int i = 0; i < GRID * GRID; i++) {
    const float u = (float)(i % GRID) / (float)(GRID - 1), v = (float)(i / GRID) / (float)(GRID - 1);
    start[i] = (cloth_vector){u, 1.1f - v, 0.01f * sinf(9 * u) + 0.02f * sinf(7 * v + u)};
  }
  s->name = "heap";
  s->pins = SCENE_PINS_NONE;
  s->config.grid.positions = start;
  must(cloth_fabric_preset(CLOTH_FABRIC_COTTON, &s->config.fabric), "cloth_fabric_preset");
  feel_itself(s);
}

static const show shows[] = {
    {.kind = SCENE_HANG,
     .title = "Hang: pinned at two corners",
     .moments = {0.1f, 0.35f, 0.6f, 0.85f, 1.4f, 3.0f},
     .eye = {2.65f, 0.55f, 2.1f},
     .target = {0.48f, -0.46f, 0.16f},
     .to_light = {0.2f, 1.0f, 0.65f},
     .field_of_view = 0.7f,
     .floor_height = -1.15f,
     .fabric = {.front = {0.70f, 0.38f, 0.07f}, .back = {0.05f, 0.19f, 0.40f}, 10, 0.07f, 0.25f}},
    {.kind = SCENE_DRAPE,
     .title = "Drape: dropped on a sphere",
     .moments = {0.05f, 0.2f, 0.35f, 0.6f, 1.2f, 3.0f},
     .eye = {1.5f, 1.05f, 2.35f},
     .target = {0.48f, 0.01f, 0.5f},
     .to_light = {-0.5f, 1.1f, 0.45f},
     .field_of_view = 0.66f,
     .floor_height = -0.25f,
     .floor_is_solid = 1,
     .fabric = {.front = {0.05f, 0.19f, 0.40f}, .back = {0.54f, 0.07f, 0.06f}, 10, 0.07f, 0.2f},
     .change = feel_itself},
    {.kind = SCENE_HANG,
     .title = "Heap: a towel falls on its edge",
     .moments = {0.05f, 0.3f, 0.5f, 0.8f, 1.2f, 3.0f},
     .eye = {2.1f, 1.45f, 2.1f},
     .target = {0.5f, 0.4f, 0.0f},
     .to_light = {-0.5f, 1.1f, 0.45f},
     .field_of_view = 0.72f,
     .floor_is_solid = 1,
     .fabric = {.front = {0.05f, 0.19f, 0.40f}, .back = {0.54f, 0.07f, 0.06f}, 10, 0.07f, 0.2f},
     .change = fall_upright},
    {.kind = SCENE_FLAG,
     .title = "Flag: wind of 8 m/s",
     .moments = {0.1f, 0.4f, 0.8f, 1.5f, 3.0f, 5.0f},
     .eye = {1.15f, 0.75f, 3.0f},
     .target = {0.5f, 0.42f, 0.1f},
     .to_light = {-0.5f, 0.9f, 0.7f},
     .field_of_view = 0.56f,
     .floor_height = -0.35f,
     .fabric = {.front = {0.05f, 0.19f, 0.40f}, .back = {0.54f, 0.07f, 0.06f}, 10, 0.07f, 0.25f},
     .prop = {.shape = CLOTH_SHAPE_CAPSULE,
              .pose = {{0, 0.36f, 0}, {0, 0, 0, 1}},
              .radius = 0.014f,
              .radius_top = 0.014f,
              .half_height = 0.7f}},
    {.kind = SCENE_HANG,
     .title = "Adaptive scheme: wool",
     .moments = {0.1f, 0.3f, 0.5f, 0.7f, 1.0f, 3.0f},
     .eye = {2.5f, 0.45f, 2.0f},
     .target = {0.48f, -0.5f, 0.16f},
     .to_light = {0.2f, 1.0f, 0.65f},
     .field_of_view = 0.66f,
     .floor_height = -1.4f,
     .change = hang_wool,
     .is_net = 1},
};

static const render_material stone = {{0.55f, 0.53f, 0.50f}, {0.55f, 0.53f, 0.50f}, 0, 0.12f, 0};

/* Of the springs, by method, and the colours of their captions. */
static const render_material net_materials[NET_METHOD_COUNT] = {
    [NET_EXPLICIT] = {{0.80f, 0.30f, 0.02f}, {0.80f, 0.30f, 0.02f}, 0, 0.05f, 0.3f},
    [NET_IMPLICIT] = {{0.03f, 0.12f, 0.42f}, {0.03f, 0.12f, 0.42f}, 0, 0.05f, 0.3f}};
static const uint32_t net_colours[NET_METHOD_COUNT] = {0xb8690c, 0x1f4f96};
static const char *const net_names[NET_METHOD_COUNT] = {"explicit", "implicit"};

/// What is recorded ///

typedef struct history {
  int frames;
  float *max_stretch, *rms_stretch;             /* [%] */
  float *kinetic, *elastic, *potential, *total; /* [J] */
  float *contacts, *sticking;                   /* particles, at the end of the frame */
  float *substeps, *work;                       /* of a frame; the work in millions of instructions */
  float *iterations;                            /* of a solver in a substep, on average */
  float *microseconds;
  cloth_statistics last;
  cloth_self_statistics last_of_self;
  int notes;
  int intersections; /* of the sheet with itself, the most in a frame */
} history;

static history history_create(int frames) {
  history h = {0};
  float **const series[] = {&h.max_stretch, &h.rms_stretch, &h.kinetic,  &h.elastic, &h.potential,  &h.total,
                            &h.contacts,    &h.sticking,    &h.substeps, &h.work,    &h.iterations, &h.microseconds};
  h.frames = frames;
  for (size_t i = 0; i < sizeof series / sizeof *series; i++)
    *series[i] = must_allocate((size_t)frames, sizeof(float));
  return h;
}

static void history_destroy(history *h) {
  float *const series[] = {h->max_stretch, h->rms_stretch, h->kinetic,  h->elastic, h->potential,  h->total,
                           h->contacts,    h->sticking,    h->substeps, h->work,    h->iterations, h->microseconds};
  for (size_t i = 0; i < sizeof series / sizeof *series; i++)
    free(series[i]);
}

static void record(history *h, int frame, const cloth *sheet) {
  cloth_measures measures;
  must(cloth_measure(sheet, &measures), "cloth_measure");
  must(cloth_get_statistics(sheet, &h->last), "cloth_get_statistics");
  h->max_stretch[frame] = 100 * measures.max_stretch;
  h->rms_stretch[frame] = 100 * measures.rms_stretch;
  h->kinetic[frame] = measures.kinetic_energy;
  h->elastic[frame] = measures.elastic_energy;
  h->potential[frame] = measures.potential_energy;
  h->total[frame] = measures.kinetic_energy + measures.elastic_energy + measures.potential_energy;
  h->contacts[frame] = (float)h->last.contacts;
  h->sticking[frame] = (float)h->last.contacts_sticking;
  h->work[frame] = 1e-6f * (float)((uint64_t)h->last.work[1] << 32 | h->last.work[0]);
  h->substeps[frame] = (float)h->last.substeps;
  h->iterations[frame] = (float)h->last.iterations / (float)h->last.substeps;
  h->notes |= h->last.notes;
  if (cloth_get_self_statistics(sheet, &h->last_of_self) == CLOTH_OK &&
      h->last_of_self.intersections > h->intersections)
    h->intersections = h->last_of_self.intersections;
}

static float largest(const float *values, int count) {
  float most = values[0];
  for (int i = 1; i < count; i++)
    most = fmaxf(most, values[i]);
  return most;
}

static float mean(const float *values, int count) {
  float sum = 0;
  for (int i = 0; i < count; i++)
    sum += values[i];
  return sum / (float)count;
}

static int compare_floats(const void *a, const void *b) {
  float left = *(const float *)a, right = *(const float *)b;
  return (left > right) - (left < right);
}

/* Sorts the values. */
static float median(float *values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare_floats);
  return values[count / 2];
}

/// Pictures ///

/* Everything that is drawn of one scene: the cloth or its net first, then what is rigid. */
typedef struct stage {
  const cloth_config *config;
  net springs;
  render_mesh meshes[OBJECT_LIMIT];
  render_object objects[OBJECT_LIMIT];
  int count;
  image picture;
  image film_picture;
  png_animation film;
} stage;

static render_mesh *stage_next(stage *s, render_material material) {
  render_mesh *mesh = &s->meshes[s->count];
  s->objects[s->count++] = (render_object){mesh, material};
  return mesh;
}

static void stage_add_net(stage *s) {
  must(net_create(&s->springs, s->config->columns, s->config->rows), "net");
  for (int method = 0; method < NET_METHOD_COUNT; method++)
    s->objects[s->count++] = (render_object){&s->springs.meshes[method], net_materials[method]};
}

static void stage_add_cloth(stage *s, const show *what, const cloth *sheet) {
  int indices = cloth_get_index_count(sheet);
  must(indices, "cloth_get_index_count");
  render_mesh *mesh = stage_next(s, what->fabric);
  must(render_mesh_create(mesh, GRID * GRID, indices), "cloth mesh");
  must(cloth_write_indices32(sheet, 0, mesh->indices, (size_t)indices), "cloth_write_indices32");
}

static void stage_set_up(stage *s, const show *what, const scene *description, const cloth *sheet) {
  s->config = &description->config;
  if (what->is_net)
    stage_add_net(s);
  else
    stage_add_cloth(s, what, sheet);
  for (int i = 0; i < description->collider_count; i++)
    if (description->colliders[i].shape != CLOTH_SHAPE_PLANE)
      must(render_mesh_from_collider(stage_next(s, stone), &description->colliders[i]), "collider mesh");
  if (what->prop.radius > 0) must(render_mesh_from_collider(stage_next(s, stone), &what->prop), "prop mesh");
  int height = MOMENTS / MOMENTS_ACROSS * (VIEW_SIZE + GUTTER) - GUTTER;
  must(image_create(&s->picture, MOMENTS_ACROSS * (VIEW_SIZE + GUTTER) - GUTTER, height, 0xffffff), "picture");
  must(image_create(&s->film_picture, FILM_SIZE, FILM_SIZE, 0xffffff), "picture");
}

static void stage_clear(stage *s) {
  net_destroy(&s->springs);
  for (int i = 0; i < s->count; i++)
    render_mesh_destroy(&s->meshes[i]);
  image_destroy(&s->picture);
  image_destroy(&s->film_picture);
}

/* Brings the meshes of the cloth to where it is now. */
static void stage_follow(stage *s, const show *what, const cloth *sheet) {
  static const cloth_vertex_layout layout = {sizeof(render_vertex), offsetof(render_vertex, position),
                                             offsetof(render_vertex, normal), offsetof(render_vertex, u)};
  if (what->is_net)
    must(net_update(&s->springs, sheet, s->config), "net_update");
  else
    must(cloth_write_vertices(sheet, &layout, s->meshes[0].vertices, GRID * GRID * sizeof(render_vertex)),
         "cloth_write_vertices");
}

/* Draws the scene as it is now. */
static void draw_view(stage *s, const show *what, const cloth *sheet, image *picture, rectangle area, int sketch) {
  render_scene view = {what->eye,      what->target, what->field_of_view,
                       what->to_light, 1.6f,         what->floor_height,
                       s->objects,     s->count,     sketch};
  stage_follow(s, what, sheet);
  must(render_view(picture, area, &view), "render_view");
}

/* Which colour is which method, and how many springs it integrates. */
static void draw_legend(stage *s, rectangle area) {
  char caption[48];
  for (int method = 0; method < NET_METHOD_COUNT; method++) {
    snprintf(caption, sizeof caption, "%s: %d springs", net_names[method], s->springs.springs[method]);
    image_text(&s->picture, area.x + 16, area.y + 40 + 22 * method, 2, net_colours[method], caption);
  }
}

static void draw_moment(stage *s, const show *what, const cloth *sheet, int moment) {
  rectangle area = {moment % MOMENTS_ACROSS * (VIEW_SIZE + GUTTER), moment / MOMENTS_ACROSS * (VIEW_SIZE + GUTTER),
                    VIEW_SIZE, VIEW_SIZE};
  char caption[32];
  draw_view(s, what, sheet, &s->picture, area, 0);
  snprintf(caption, sizeof caption, "%.2f s", (double)what->moments[moment]);
  image_text(&s->picture, area.x + 16, area.y + area.height - 30, 2, 0x40464c, caption);
  if (moment == 0) image_text(&s->picture, area.x + 16, area.y + 16, 2, 0x40464c, what->title);
  if (moment == 0 && what->is_net) draw_legend(s, area);
}

static void draw_plot(image *picture, const show *what, const history *h, float frame_time) {
  const plot_panel contacts = {
      "Particles in contact", {{"all", h->contacts, 0x2b6cb0}, {"sticking", h->sticking, 0xd69e2e}}, 2};
  const plot_panel solves = {"Solver iterations of a substep", {{"mean", h->iterations, 0x2b6cb0}}, 1};
  const plot_panel panels[] = {{"Strain of the stretch springs [%]",
                                {{"largest", h->max_stretch, 0xc03a2b}, {"rms", h->rms_stretch, 0x2b6cb0}},
                                2},
                               {"Energy [J]",
                                {{"kinetic", h->kinetic, 0xc03a2b},
                                 {"elastic", h->elastic, 0xd69e2e},
                                 {"potential", h->potential, 0x2b6cb0},
                                 {"total", h->total, 0x505860}},
                                4},
                               what->is_net ? solves : contacts};
  const plot content = {what->title, "time [s]", frame_time, h->frames, panels, 3};
  must(image_create(picture, 1500, 1000, 0xffffff), "plot");
  plot_draw(picture, &content);
}

/// Report ///

static void report_families(const cloth_statistics *s) {
  static const char *const names[CLOTH_FAMILY_COUNT] = {"stretch, warp", "stretch, weft", "shear", "bend"};
  static const char *const modes[] = {"off", "explicit", "implicit"};
  for (int i = 0; i < CLOTH_FAMILY_COUNT; i++)
    printf("  kappa %-14s %10.4g   %s\n", names[i], (double)s->kappa[i], modes[s->mode[i]]);
}

static void report_notes(int notes) {
  static const struct {
    cloth_note note;
    const char *name;
  } names[] = {{CLOTH_NOTE_MADE_IMPLICIT, "family made implicit"},
               {CLOTH_NOTE_SPEED_LIMITED, "speed limited"},
               {CLOTH_NOTE_RECOVERED, "particle recovered"}};
  for (int i = 0; i < 3; i++)
    if (notes & (int)names[i].note) printf("  note                 %s\n", names[i].name);
}

static void report(const show *what, const scene *description, size_t bytes, history *h) {
  const int columns = description->config.columns, rows = description->config.rows;
  int count = h->frames, particles = columns * rows;
  printf("%s\n", what->title);
  printf("  particles            %10d   %d x %d\n", particles, columns, rows);
  printf("  arena                %10zu B, %zu a particle\n", bytes, bytes / (size_t)particles);
  printf("  simulated            %10.1f s in %d frames\n", (double)((float)count * description->frame_time), count);
  report_families(&h->last);
  printf("  substeps a frame     %10.1f   largest %.0f\n", (double)mean(h->substeps, count),
         (double)largest(h->substeps, count));
  printf("  work a frame         %10.1f   largest %.1f, million instructions of a Cortex-M7\n",
         (double)mean(h->work, count), (double)largest(h->work, count));
  printf("  largest stretch      %10.2f %% ever, %.2f %% at the end\n", (double)largest(h->max_stretch, count),
         (double)h->max_stretch[count - 1]);
  if (description->config.self_thickness > 0)
    printf("  contact with itself  %10d   pairs at the end; intersections: %d, the most in a frame\n",
           h->last_of_self.contacts, h->intersections);
  printf("  time a frame         %10.0f us (median)\n", (double)median(h->microseconds, count));
  report_notes(h->notes);
}

/// Running ///

/* Makes a directory and those above it. Whether that worked shows when files are written to it. */
static void make_path(const char *path) {
  char part[PATH_LENGTH];
  for (size_t i = 1; i < strlen(path) && i < sizeof part; i++)
    if (path[i] == '/') {
      memcpy(part, path, i);
      part[i] = '\0';
      make_directory(part);
    }
  make_directory(path);
}

/* A file to write. */
typedef struct target_file {
  char path[PATH_LENGTH];
} target_file;

static target_file file_named(const char *directory, const char *name, const char *suffix) {
  target_file file;
  snprintf(file.path, sizeof file.path, "%s/%s%s.png", directory, name, suffix);
  return file;
}

/* Ends the demo if the file was not written. */
static void expect_written(const target_file *file, int result) {
  if (result != 0) {
    fprintf(stderr, "demo: cannot write %s: %s\n", file->path, strerror(errno));
    exit(EXIT_FAILURE);
  }
  printf("  written              %s\n", file->path);
}

static void save(const image *picture, const char *directory, const char *name, const char *suffix) {
  const target_file file = file_named(directory, name, suffix);
  expect_written(&file, png_write(file.path, picture->width, picture->height, picture->rgb));
}

/* Adds the scene as it is now to the animation. */
static void film(stage *s, const show *what, const cloth *sheet, int sketch) {
  const rectangle whole = {0, 0, FILM_SIZE, FILM_SIZE};
  draw_view(s, what, sheet, &s->film_picture, whole, sketch);
  png_animation_add(&s->film, s->film_picture.rgb);
}

static void step_timed(cloth *sheet, float frame_time, float *microseconds) {
  clock_t before = clock();
  must(cloth_step(sheet, frame_time), "cloth_step");
  *microseconds = 1e6f * (float)(clock() - before) / (float)CLOCKS_PER_SEC;
}

static void run(const show *what, const char *directory, int sketch) {
  scene description = scene_describe(what->kind, GRID);
  scene_instance instance;
  stage s = {0};
  image plot_picture;
  int moment = 0;
  description.config.air = cloth_config_default().air;
  if (what->change) what->change(&description);
  if (what->floor_is_solid) scene_add_floor(&description, what->floor_height);
  must(scene_open(&description, &instance), "scene_open");
  history h = history_create(description.frames);
  stage_set_up(&s, what, &description, instance.sheet);
  const target_file film_file = file_named(directory, description.name, "_film");
  const int pictures = h.frames / FILM_STEPS;
  must(png_animation_begin(&s.film, film_file.path, FILM_SIZE, FILM_SIZE, pictures), film_file.path);
  for (int frame = 0; frame < h.frames; frame++) {
    step_timed(instance.sheet, description.frame_time, &h.microseconds[frame]);
    record(&h, frame, instance.sheet);
    float now = (float)(frame + 1) * description.frame_time;
    if (moment < MOMENTS && now > what->moments[moment] - 0.5f * description.frame_time)
      draw_moment(&s, what, instance.sheet, moment++);
    if (frame % FILM_STEPS == 0 && frame / FILM_STEPS < pictures) film(&s, what, instance.sheet, sketch);
  }
  draw_plot(&plot_picture, what, &h, description.frame_time);
  report(what, &description, instance.bytes, &h);
  save(&s.picture, directory, description.name, "");
  save(&plot_picture, directory, description.name, "_plot");
  expect_written(&film_file, png_animation_end(&s.film));
  printf("\n");
  image_destroy(&plot_picture);
  stage_clear(&s);
  history_destroy(&h);
  scene_close(&instance);
}

int main(int argument_count, char **arguments) {
  const char *directory = argument_count > 1 ? arguments[1] : "build/demo";
  const int sketch = argument_count > 2 && strcmp(arguments[2], "sketch") == 0;
  make_path(directory);
  for (size_t i = 0; i < sizeof shows / sizeof *shows; i++)
    run(&shows[i], directory, sketch);
  return EXIT_SUCCESS;
}
