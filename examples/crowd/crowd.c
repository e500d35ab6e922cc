/*
 * A thousand people in capes, half of them walking, with sleep and levels of detail, shared out over workers. Prints a
 * line for each number of workers, and whether the capes come to the same bits; draws what the camera sees at the end.
 *
 *     crowd [--people N] [--frames N] [--workers N] [FILE.png]     (default 1000, 240, 2)
 *
 * SPDX-License-Identifier: MIT
 */
#include "jobs.h"
#include "motion.h"
#include "must.h"
#include "person.h"
#include "png.h"
#include "render.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ACROSS = 40, GRAIN = 8, SEEN = 120, WIDTH = 1280, HEIGHT = 640, SEGMENTS = 12 };

static const float frame_time = 1.0f / 60.0f, spacing = 2.2f; /* [s], of the middles of circles [m] */
static const double wanted_speed_up = 1.8;                    /* of two workers on two cores that do nothing else */

typedef struct crowd {
  person *people;
  int count;
  unsigned char *memory;
  void *scratch[JOBS_WORKERS_MOST]; /* of each worker */
  size_t scratch_bytes;
  float time;
  cloth_vector eye;
  int results[JOBS_WORKERS_MOST]; /* the worst of each worker */
} crowd;

static void *must_allocate(size_t count, size_t size) {
  void *memory = calloc(count, size);
  must(memory ? CLOTH_OK : CLOTH_ERROR_ARENA, "memory");
  return memory;
}

static size_t aligned(size_t bytes) {
  return (bytes + CLOTH_ALIGNMENT - 1) / CLOTH_ALIGNMENT * CLOTH_ALIGNMENT;
}

/// The crowd ///

/* A number of 0..1 that looks random, for a person. */
static float chance(int which, int what) {
  uint32_t bits = (uint32_t)which * 2654435761u + (uint32_t)what * 2246822519u;
  bits = (bits ^ bits >> 15) * 2246822519u;
  bits ^= bits >> 13;
  return (float)(bits >> 8) / 16777216.0f;
}

static person somebody(int which) {
  const float x = (float)(which % ACROSS), z = (float)(which / ACROSS);
  return (person){.middle = vector(spacing * (x + 0.5f * chance(which, 0)), 0, spacing * (z + 0.5f * chance(which, 1))),
                  .radius = 0.8f + 1.2f * chance(which, 2),
                  .start = chance(which, 3),
                  .stands = which % 2};
}

static crowd crowd_open(int count, int workers) {
  crowd c = {.count = count};
  cloth_memory needed;
  must(person_memory(&needed), "cloth_memory_needed");
  const size_t each = aligned(needed.total_bytes);
  c.scratch_bytes = aligned(needed.shared_bytes);
  c.people = (person *)must_allocate((size_t)count, sizeof(person));
  c.memory =
      (unsigned char *)must_allocate((size_t)count * each + (size_t)workers * c.scratch_bytes + CLOTH_ALIGNMENT, 1);
  unsigned char *next = c.memory + (CLOTH_ALIGNMENT - (uintptr_t)c.memory % CLOTH_ALIGNMENT) % CLOTH_ALIGNMENT;
  for (int i = 0; i < workers; i++, next += c.scratch_bytes)
    c.scratch[i] = next;
  for (int i = 0; i < count; i++, next += each) {
    c.people[i] = somebody(i);
    c.people[i].arena = next;
    c.people[i].arena_bytes = each;
    must(person_open(&c.people[i], c.scratch[0], c.scratch_bytes), "a cape");
  }
  return c;
}

static void crowd_close(crowd *c) {
  free(c->people);
  free(c->memory);
}

static void step_people(void *context, int first, int last, int worker) {
  crowd *c = (crowd *)context;
  for (int i = first; i < last; i++) {
    const int result = person_step(&c->people[i], c->time, frame_time, c->eye, c->scratch[worker], c->scratch_bytes);
    if (result < c->results[worker]) c->results[worker] = result;
  }
}

/* The camera goes along the crowd's near side. */
static cloth_vector eye_at(float time) {
  return vector(18 + 1.5f * time, 2.6f, -3.5f);
}

/* One frame, shared out. Returns its time [ms]. */
static double step_crowd(crowd *c, jobs *workers, int frame) {
  struct timespec begin, end;
  c->time = (float)(frame + 1) * frame_time;
  c->eye = eye_at(c->time);
  clock_gettime(CLOCK_MONOTONIC, &begin);
  jobs_run(workers, step_people, c, c->count, GRAIN);
  clock_gettime(CLOCK_MONOTONIC, &end);
  for (int i = 0; i < JOBS_WORKERS_MOST; i++)
    must(c->results[i], "cloth_step");
  return 1e3 * (double)(end.tv_sec - begin.tv_sec) + 1e-6 * (double)(end.tv_nsec - begin.tv_nsec);
}

/// The table ///

typedef struct outcome {
  double milliseconds; /* a frame, median */
  int per_level[PERSON_LEVELS + 1], asleep, switches;
  uint64_t hash; /* of all capes, in their order */
} outcome;

static int compare_times(const void *a, const void *b) {
  const double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

static void count_capes(const crowd *c, outcome *o) {
  o->hash = UINT64_C(14695981039346656037);
  for (int i = 0; i < c->count; i++) {
    const person *p = &c->people[i];
    uint64_t hash;
    must(cloth_hash(p->sheet, &hash), "cloth_hash");
    o->hash = (o->hash ^ hash) * UINT64_C(1099511628211);
    o->per_level[p->is_seen ? p->level : PERSON_OUT_OF_SIGHT]++;
    o->asleep += cloth_is_asleep(p->sheet) == 1;
    o->switches += p->switches;
  }
}

static outcome run(crowd *c, int workers, int frames) {
  outcome o = {0};
  double *times = (double *)must_allocate((size_t)frames, sizeof(double));
  jobs *j = jobs_open(workers);
  must(j ? CLOTH_OK : CLOTH_ERROR_ARENA, "threads");
  for (int frame = 0; frame < frames; frame++)
    times[frame] = step_crowd(c, j, frame);
  jobs_close(j);
  qsort(times, (size_t)frames, sizeof(double), compare_times);
  o.milliseconds = times[frames / 2];
  free(times);
  count_capes(c, &o);
  return o;
}

/// The picture ///

static const render_material skin = {{0.35f, 0.33f, 0.32f}, {0.35f, 0.33f, 0.32f}, 0, 0.1f, 0};

typedef struct near_person {
  int which;
  float distance;
} near_person;

static int compare_distances(const void *a, const void *b) {
  const near_person *left = (const near_person *)a, *right = (const near_person *)b;
  return (left->distance > right->distance) - (left->distance < right->distance);
}

static void draw_cape(const person *p, int which, render_mesh *mesh, render_object *object) {
  static const cloth_vertex_layout layout = {sizeof(render_vertex), offsetof(render_vertex, position),
                                             offsetof(render_vertex, normal), offsetof(render_vertex, u)};
  const int vertices = p->columns * p->rows, indices = cloth_get_index_count(p->sheet);
  const cloth_vector colour = {0.1f + 0.5f * chance(which, 4), 0.05f + 0.25f * chance(which, 5),
                               0.05f + 0.35f * chance(which, 6)};
  must(render_mesh_create(mesh, vertices, indices) ? CLOTH_ERROR_ARENA : CLOTH_OK, "mesh");
  must(cloth_write_indices32(p->sheet, 0, mesh->indices, (size_t)indices), "cloth_write_indices32");
  must(cloth_write_vertices(p->sheet, &layout, mesh->vertices, (size_t)vertices * sizeof(render_vertex)),
       "cloth_write_vertices");
  *object = (render_object){mesh, {colour, times(0.5f, colour), 0, 0.05f, 0.1f}};
}

static int draw_person(const person *p, int which, float time, render_mesh *meshes, render_object *objects) {
  limb limbs[FIGURE_LIMBS];
  person_limbs(p, time, limbs);
  for (int i = 0; i < FIGURE_LIMBS; i++) {
    const cloth_collider body = limb_collider(&limbs[i]);
    must(render_mesh_of_capsule(&meshes[i], &body, SEGMENTS) ? CLOTH_ERROR_ARENA : CLOTH_OK, "mesh");
    objects[i] = (render_object){&meshes[i], skin};
  }
  draw_cape(p, which, &meshes[FIGURE_LIMBS], &objects[FIGURE_LIMBS]);
  return FIGURE_LIMBS + 1;
}

/* Draws those that are nearest to the camera. */
static void draw(const crowd *c, const char *path) {
  near_person *order = (near_person *)must_allocate((size_t)c->count, sizeof(near_person));
  const int seen = c->count < SEEN ? c->count : SEEN, most = seen * (FIGURE_LIMBS + 1);
  render_mesh *meshes = (render_mesh *)must_allocate((size_t)most, sizeof(render_mesh));
  render_object *objects = (render_object *)must_allocate((size_t)most, sizeof(render_object));
  const cloth_vector target = plus(c->eye, vector(0, -1.4f, 9));
  image picture;
  int count = 0;
  for (int i = 0; i < c->count; i++)
    order[i] = (near_person){i, length(minus(person_place(&c->people[i], c->time), plus(c->eye, vector(0, 0, 5))))};
  qsort(order, (size_t)c->count, sizeof(near_person), compare_distances);
  for (int i = 0; i < seen; i++)
    count += draw_person(&c->people[order[i].which], order[i].which, c->time, meshes + count, objects + count);
  const render_scene view = {c->eye, target, 0.75f, {-0.5f, 1.0f, -0.6f}, 12, 0, objects, count, 0};
  must(image_create(&picture, WIDTH, HEIGHT, 0xffffff) ? CLOTH_ERROR_ARENA : CLOTH_OK, "picture");
  must(render_view(&picture, (rectangle){0, 0, WIDTH, HEIGHT}, &view) ? CLOTH_ERROR_ARENA : CLOTH_OK, "picture");
  must(png_write(path, WIDTH, HEIGHT, picture.rgb) ? CLOTH_ERROR_ARENA : CLOTH_OK, path);
  printf("written %s\n", path);
  image_destroy(&picture);
  for (int i = 0; i < count; i++)
    render_mesh_destroy(&meshes[i]);
  free(objects);
  free(meshes);
  free(order);
}

typedef struct settings {
  int people, frames, workers;
  const char *path;
} settings;

static int number_after(const char *text) {
  const int value = text ? atoi(text) : 0;
  if (value < 1) {
    fprintf(stderr, "usage: crowd [--people N] [--frames N] [--workers 1..%d] [FILE.png]\n", JOBS_WORKERS_MOST);
    exit(2);
  }
  return value;
}

static settings read_settings(char **arguments) {
  settings s = {1000, 240, 2, NULL};
  for (; *arguments; arguments++) {
    int *number = !strcmp(*arguments, "--people")    ? &s.people
                  : !strcmp(*arguments, "--frames")  ? &s.frames
                  : !strcmp(*arguments, "--workers") ? &s.workers
                                                     : NULL;
    if (number)
      *number = number_after(*++arguments);
    else
      s.path = *arguments;
  }
  number_after(s.workers > JOBS_WORKERS_MOST ? NULL : "1");
  return s;
}

int main(int count, char **arguments) {
  const settings s = read_settings(arguments + (count > 0));
  outcome alone = {0};
  int is_equal = 1;
  printf("%d capes, %d frames; levels of 20 x 32, 12 x 20, 7 x 11 particles\n", s.people, s.frames);
  printf("workers   ms a frame   speed-up   capes of each level, beyond    asleep   switches   hash\n");
  for (int workers = 1; workers <= s.workers; workers *= 2) {
    crowd c = crowd_open(s.people, workers);
    const outcome o = run(&c, workers, s.frames);
    alone = workers == 1 ? o : alone;
    const double speed_up = alone.milliseconds / o.milliseconds;
    printf("%7d   %10.2f   %8.2f   %5d %5d %5d %5d    %11d   %8d   %08lx%08lx", workers, o.milliseconds, speed_up,
           o.per_level[0], o.per_level[1], o.per_level[2], o.per_level[PERSON_OUT_OF_SIGHT], o.asleep, o.switches,
           (unsigned long)(o.hash >> 32), (unsigned long)(o.hash & 0xffffffffu));
    printf("   %s\n", workers != 2 ? "" : speed_up >= wanted_speed_up ? "ok" : "missed");
    is_equal &= o.hash == alone.hash;
    if (s.path && 2 * workers > s.workers) draw(&c, s.path);
    crowd_close(&c);
  }
  printf("the bits are %s for any number of workers\n", is_equal ? "the same" : "NOT the same");
  return is_equal ? EXIT_SUCCESS : EXIT_FAILURE;
}
