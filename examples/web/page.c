/*
 * What a browser calls. Numbers go by value; anything longer lies in the module's memory, and a function says where.
 *
 * SPDX-License-Identifier: MIT
 */
#include "figure.h"
#include "stage.h"

#include "../board/flag.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

enum { VERTEX_FLOATS = 8, BODY_FLOATS = 12 };

static stage the_stage;
static stage_springs springs;
static float vertices[VERTEX_FLOATS * STAGE_PARTICLE_LIMIT];
static uint16_t indices[6 * STAGE_PARTICLE_LIMIT];
static float bodies[BODY_FLOATS * STAGE_BODY_LIMIT];

int EXPORT(self_test)(void);
const char *EXPORT(scene_name)(int kind);
const char *EXPORT(fabric_name)(int kind);
const char *EXPORT(method_name)(int number);
int EXPORT(scene_open)(int kind, int columns);
int EXPORT(scene_step)(void);
int EXPORT(run_board_flag)(int frames);
const char *EXPORT(result_name)(int result);
float EXPORT(setting)(int which);
int EXPORT(change_setting)(int which, float value);
int EXPORT(grab)(float x, float y, float z, float to_x, float to_y, float to_z, float reach);
void EXPORT(pull)(float x, float y, float z);
void EXPORT(let_go)(void);
int EXPORT(columns)(void);
int EXPORT(rows)(void);
const float *EXPORT(write_vertices)(void);
const uint16_t *EXPORT(write_indices)(void);
int EXPORT(body_count)(void);
const float *EXPORT(write_bodies)(void);
void EXPORT(sort_springs)(void);
const uint16_t *EXPORT(spring_ends)(int tier);
int EXPORT(spring_count)(int tier);
uint32_t EXPORT(hash_high)(void);
uint32_t EXPORT(hash_low)(void);
int EXPORT(iterations)(void);
float EXPORT(kappa)(int family);
float EXPORT(largest_stretch)(void);
int EXPORT(crossings)(void);
float EXPORT(floor_speed)(void);

int self_test(void) {
  return cloth_self_test();
}

const char *scene_name(int kind) {
  return kind < STAGE_KIND_COUNT ? stage_name((stage_kind)kind) : NULL;
}

const char *fabric_name(int kind) {
  return kind < CLOTH_FABRIC_COUNT ? stage_fabric_name((cloth_fabric_kind)kind) : NULL;
}

const char *method_name(int number) {
  return number < STAGE_METHOD_COUNT ? stage_method_name(number) : NULL;
}

int scene_open(int kind, int columns) {
  return stage_open(&the_stage, (stage_kind)kind, columns);
}

int scene_step(void) {
  return stage_step(&the_stage);
}

/* Puts the flag of examples/board in place of the scene, as it is after some frames: to compare hashes. */
int run_board_flag(int frames) {
  int result = flag_build(the_stage.memory, sizeof the_stage.memory, &the_stage.sheet);
  for (int frame = 1; frame <= frames && result >= 0; frame++) {
    flag_set_wind(the_stage.sheet, frame);
    result = cloth_step(the_stage.sheet, FLAG_FRAME_SECONDS);
  }
  return result;
}

const char *result_name(int result) {
  return result == CLOTH_ERROR_METHOD ? "no method for a map of stiffness" : cloth_result_name(result);
}

float setting(int which) {
  return the_stage.settings[which];
}

int change_setting(int which, float value) {
  return stage_set(&the_stage, (stage_setting)which, value);
}

int grab(float x, float y, float z, float to_x, float to_y, float to_z, float reach) {
  return stage_grab(&the_stage, (cloth_vector){x, y, z}, (cloth_vector){to_x, to_y, to_z}, reach);
}

void pull(float x, float y, float z) {
  stage_pull(&the_stage, (cloth_vector){x, y, z});
}

void let_go(void) {
  stage_let_go(&the_stage);
}

int columns(void) {
  return the_stage.columns;
}

int rows(void) {
  return the_stage.rows;
}

const float *write_vertices(void) {
  static const cloth_vertex_layout layout = {VERTEX_FLOATS * sizeof(float), 0, 3 * sizeof(float), 6 * sizeof(float)};
  cloth_write_vertices(the_stage.sheet, &layout, vertices, sizeof vertices);
  return vertices;
}

const uint16_t *write_indices(void) {
  cloth_write_indices16(the_stage.sheet, 0, indices, sizeof indices / sizeof *indices);
  return indices;
}

int body_count(void) {
  return the_stage.body_count;
}

/* Of each body: shape, position, rotation, radius, radius of the top, half height, and a float of padding. */
const float *write_bodies(void) {
  for (int32_t i = 0; i < the_stage.body_count; i++) {
    const cloth_collider *c = &the_stage.bodies[i].collider;
    int is_capsule = c->shape == CLOTH_SHAPE_CAPSULE;
    const float row[BODY_FLOATS] = {(float)c->shape,
                                    c->pose.position.x,
                                    c->pose.position.y,
                                    c->pose.position.z,
                                    c->pose.rotation.x,
                                    c->pose.rotation.y,
                                    c->pose.rotation.z,
                                    c->pose.rotation.w,
                                    c->radius,
                                    is_capsule ? c->radius_top : c->radius,
                                    is_capsule ? c->half_height : 0,
                                    0};
    __builtin_memcpy(bodies + BODY_FLOATS * i, row, sizeof row);
  }
  return bodies;
}

void sort_springs(void) {
  stage_sort_springs(&the_stage, &springs);
}

const uint16_t *spring_ends(int tier) {
  return springs.ends[tier];
}

int spring_count(int tier) {
  return springs.count[tier];
}

static uint64_t current_hash(void) {
  uint64_t hash = 0;
  cloth_hash(the_stage.sheet, &hash);
  return hash;
}

/* Two halves: a number of JavaScript holds 53 bits. */
uint32_t hash_high(void) {
  return (uint32_t)(current_hash() >> 32);
}

uint32_t hash_low(void) {
  return (uint32_t)current_hash();
}

int iterations(void) {
  if (the_stage.settings[STAGE_METHOD] > 0) return the_stage.report.iterations;
  cloth_statistics statistics;
  cloth_get_statistics(the_stage.sheet, &statistics);
  return statistics.iterations;
}

float kappa(int family) {
  cloth_statistics statistics;
  cloth_get_statistics(the_stage.sheet, &statistics);
  return statistics.kappa[family];
}

float largest_stretch(void) {
  cloth_measures measures;
  cloth_measure(the_stage.sheet, &measures);
  return measures.max_stretch;
}

int crossings(void) {
  return stage_count_crossings(&the_stage);
}

float floor_speed(void) {
  return the_stage.kind == STAGE_CAPE ? figure_speed : 0;
}
