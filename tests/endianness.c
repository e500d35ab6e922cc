/*
 * Half of a simulation on one machine, half on another: tests/endianness.sh carries the image over.
 *
 *   endianness write FILE   simulates FRAMES frames, writes the image to FILE, goes on
 *   endianness read FILE    goes on from the image in FILE
 *
 * Both print the hash after every frame that follows the image.
 */
#include "cloth.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 13
#define ROWS 10
#define FRAMES 12
#define FRAME_SECONDS (1.0f / 60.0f)

static unsigned char arena[131072] __attribute__((aligned(CLOTH_ALIGNMENT)));
static unsigned char image[16384];

static void must(int result, const char *what) {
  if (result < 0) {
    fprintf(stderr, "%s: %s\n", what, cloth_result_name(result));
    exit(2);
  }
}

static cloth_vector vector_of(float x, float y, float z) {
  cloth_vector v = {x, y, z};
  return v;
}

/* With all that a state can hold: pins that move, confined particles, contacts, a collider under way. */
static cloth_config make_config(void) {
  cloth_config config = cloth_config_default();
  config.columns = COLUMNS;
  config.rows = ROWS;
  config.origin = vector_of(-0.5f, 0.0f, -0.5f);
  config.solver.max_iterations = 40;
  config.solver.tolerance = 1e-2f;
  config.air.drag = 1.0f;
  config.air.lift = 0.5f;
  config.substeps = 4;
  return config;
}

static void prepare(cloth *sheet) {
  must(cloth_pin(sheet, 0), "cloth_pin");
  must(cloth_pin(sheet, COLUMNS - 1), "cloth_pin");
  must(cloth_set_pin_velocity(sheet, 0, vector_of(0.125f, 0.25f, 0.0f)), "cloth_set_pin_velocity");
  must(cloth_confine_to_line(sheet, COLUMNS, vector_of(1.0f, 2.0f, 0.5f)), "cloth_confine_to_line");
  must(cloth_confine_to_plane(sheet, 2 * COLUMNS, vector_of(0.5f, 2.0f, 1.0f)), "cloth_confine_to_plane");
  cloth_collider sphere = cloth_collider_default();
  sphere.pose.position = vector_of(0.0f, -0.265625f, 0.0f);
  must(cloth_add_collider(sheet, &sphere), "cloth_add_collider");
  cloth_collider box = cloth_collider_default();
  box.shape = CLOTH_SHAPE_BOX;
  box.pose.position = vector_of(0.375f, -0.5f, 0.25f);
  box.half_extents = vector_of(0.25f, 0.125f, 0.25f);
  must(cloth_add_collider(sheet, &box), "cloth_add_collider");
}

/* What a player would do before a frame. For the frame after the image it is done before the image is written. */
static void act(cloth *sheet, int frame) {
  cloth_pose pose = {{0.0f, -0.265625f + 0.0078125f * (float)frame, 0.0f}, {0.0f, 0.6f, 0.0f, 0.8f}};
  must(cloth_move_collider(sheet, 0, NULL, &pose), "cloth_move_collider");
  must(cloth_set_wind(sheet, vector_of(0.5f * (float)frame, 0.0f, 3.0f)), "cloth_set_wind");
}

static void run_to(cloth *sheet, int first, int last, int print) {
  for (int frame = first; frame < last; frame++) {
    if (frame != FRAMES) act(sheet, frame);
    must(cloth_step(sheet, FRAME_SECONDS), "cloth_step");
    uint64_t hash = 0;
    must(cloth_hash(sheet, &hash), "cloth_hash");
    if (print) printf("frame %d %016" PRIx64 "\n", frame, hash);
  }
}

static void write_file(const char *path, const void *bytes, size_t count) {
  FILE *file = fopen(path, "wb");
  if (file == NULL || fwrite(bytes, 1, count, file) != count || fclose(file) != 0) {
    perror(path);
    exit(2);
  }
}

static void read_file(const char *path, void *bytes, size_t count) {
  FILE *file = fopen(path, "rb");
  if (file == NULL || fread(bytes, 1, count, file) != count || fclose(file) != 0) {
    perror(path);
    exit(2);
  }
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: endianness write|read FILE\n");
    return 2;
  }
  cloth_config config = make_config();
  cloth_memory memory;
  must(cloth_memory_needed(&config, &memory), "cloth_memory_needed");
  if (memory.image_bytes > sizeof image) return 2;

  cloth *sheet = NULL;
  must(cloth_init(&config, arena, sizeof arena, &sheet), "cloth_init");
  if (strcmp(argv[1], "write") == 0) {
    prepare(sheet);
    run_to(sheet, 0, FRAMES, 0);
    act(sheet, FRAMES);
    must(cloth_write_image(sheet, image, memory.image_bytes), "cloth_write_image");
    write_file(argv[2], image, memory.image_bytes);
  } else {
    read_file(argv[2], image, memory.image_bytes);
    must(cloth_read_image(sheet, image, memory.image_bytes), "cloth_read_image");
  }
  run_to(sheet, FRAMES, 2 * FRAMES, 1);
  return 0;
}
