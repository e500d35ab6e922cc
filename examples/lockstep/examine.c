/* SPDX-License-Identifier: MIT */
#include "examine.h"

#include "bot.h"
#include "callbacks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Differences ///

/* The first component that differs in a field of two cloths. Returns 1 if there is one. */
static int show_vectors(const char *name, const cloth_vector_view *a, const cloth_vector_view *b, int32_t count) {
  const float *first[3] = {a->x, a->y, a->z}, *second[3] = {b->x, b->y, b->z};
  for (int32_t i = 0; i < count; i++)
    for (int axis = 0; axis < 3; axis++)
      if (memcmp(&first[axis][i], &second[axis][i], sizeof(float)) != 0) {
        printf("%s of particle %" PRId32 ", %c: %.9g and %.9g\n", name, i, "xyz"[axis], (double)first[axis][i],
               (double)second[axis][i]);
        return 1;
      }
  return 0;
}

/* The first byte that differs in the images of two cloths. Returns 1 if there is one. */
static int show_bytes(const game *a, const game *b) {
  size_t bytes = a->memory.image_bytes, at = 0;
  uint8_t *first = malloc(bytes), *second = malloc(bytes);
  int written = first && second && cloth_write_image(a->sheet, first, bytes) >= 0 &&
                cloth_write_image(b->sheet, second, bytes) >= 0;
  while (written && at < bytes && first[at] == second[at])
    at++;
  free(first);
  free(second);
  if (!written)
    printf("an image cannot be written\n");
  else if (at < bytes)
    printf("neither positions nor velocities, but byte %zu of the image\n", at);
  return !written || at < bytes;
}

/* Prints the first difference of two games of the same config. Returns 1 if there is one. */
static int show_difference(const game *a, const game *b, int32_t count) {
  cloth_vector_view first, second;
  cloth_get_positions(a->sheet, &first);
  cloth_get_positions(b->sheet, &second);
  if (show_vectors("position", &first, &second, count)) return 1;
  cloth_get_velocities(a->sheet, &first);
  cloth_get_velocities(b->sheet, &second);
  return show_vectors("velocity", &first, &second, count) || show_bytes(a, b);
}

/// Dumps ///

int write_dump(const game *g, const char *name) {
  uint8_t *image = malloc(g->memory.image_bytes);
  FILE *file = image && cloth_write_image(g->sheet, image, g->memory.image_bytes) >= 0 ? fopen(name, "wb") : NULL;
  int written = file && fwrite(image, g->memory.image_bytes, 1, file) == 1;
  if (file) written &= fclose(file) == 0;
  free(image);
  return written;
}

/* Opens a game with the state of a dump. Returns 1, or 0 if it cannot be read. */
static int read_dump(game *g, const char *name, const dump_game *of) {
  if (game_open(g, of->columns, of->rows, of->players) < 0) return 0;
  uint8_t *image = malloc(g->memory.image_bytes);
  FILE *file = image ? fopen(name, "rb") : NULL;
  int is_read = file && fread(image, g->memory.image_bytes, 1, file) == 1 &&
                cloth_read_image(g->sheet, image, g->memory.image_bytes) >= 0;
  if (file) fclose(file);
  free(image);
  return is_read;
}

int compare_dumps(const char *first, const char *second, const dump_game *of) {
  game a = {.arena = NULL}, b = {.arena = NULL};
  int is_read = read_dump(&a, first, of) && read_dump(&b, second, of), differ = 1;
  if (is_read)
    differ = show_difference(&a, &b, (int32_t)(of->columns * of->rows));
  else
    fprintf(stderr, "no dumps of games with this grid and so many players: %s, %s\n", first, second);
  game_close(&a);
  game_close(&b);
  return differ ? EXIT_FAILURE : EXIT_SUCCESS;
}

/// The test that plays again ///

/* States and inputs of the last frames, by frame modulo `back` + 1. */
typedef struct sync_frame {
  unsigned char *saved; /* the state that the inputs meet */
  int bytes, checksum;
  input inputs[PLAYERS_MOST];
} sync_frame;

typedef struct sync_run {
  const sync_options *options;
  game game, witness; /* the game; and another, to look at a state beside it */
  bot bots[PLAYERS_MOST];
  sync_frame frames[SYNC_FRAMES_LIMIT + 1];
  int32_t particles;
} sync_run;

static sync_frame *frame_of(sync_run *r, int frame) {
  return &r->frames[frame % (r->options->back + 1)];
}

static int open_run(sync_run *r, const sync_options *o) {
  memset(r, 0, sizeof *r);
  r->options = o;
  for (int player = 0; player < o->players; player++)
    r->bots[player] = bot_of(o->seed, player);
  r->particles = (int32_t)(o->columns * o->rows);
  return game_open(&r->game, o->columns, o->rows, o->players) >= 0 &&
         game_open(&r->witness, o->columns, o->rows, o->players) >= 0;
}

static void close_run(sync_run *r) {
  for (int i = 0; i <= r->options->back; i++)
    world_free(r->frames[i].saved);
  game_close(&r->game);
  game_close(&r->witness);
}

static cloth_world world_of(const sync_run *r) {
  cloth_world world = {&r->game.sheet, 1};
  return world;
}

static int keep(sync_run *r, int frame) {
  const cloth_world world = world_of(r);
  sync_frame *kept = frame_of(r, frame);
  world_free(kept->saved);
  return world_save(&world, &kept->saved, &kept->bytes, &kept->checksum);
}

/* Plays a frame with the inputs that are kept. */
static int play_kept(sync_run *r, int frame) {
  return game_advance(&r->game, frame_of(r, frame)->inputs) >= 0;
}

/* Plays a frame for the first time. */
static int play_new(sync_run *r, int frame) {
  for (int player = 0; player < r->options->players; player++)
    frame_of(r, frame)->inputs[player] = *bot_plays(&r->bots[player]);
  if (frame == r->options->corrupt) game_corrupt(&r->game);
  return play_kept(r, frame) && keep(r, frame + 1);
}

/* Says how the state of the game differs from that which was kept, and writes the latter as text. */
static int report_frame(sync_run *r, int frame) {
  const cloth_world world = world_of(r), witness = {&r->witness.sheet, 1};
  const sync_frame *kept = frame_of(r, frame);
  printf("frame %d differs when it is played again: ", frame);
  if (world_read(&witness, kept->saved, (size_t)kept->bytes)) show_difference(&r->witness, &r->game, r->particles);
  if (r->options->dump && !world_log(&world, r->options->dump, kept->saved, (size_t)kept->bytes))
    printf("no log: %s\n", r->options->dump);
  return 0;
}

/* Plays the frames before `frame` again. Returns 1 if they lead to the same states. */
static int play_again(sync_run *r, int frame) {
  const cloth_world world = world_of(r);
  const int first = frame - r->options->back;
  if (!world_read(&world, frame_of(r, first)->saved, (size_t)frame_of(r, first)->bytes)) return 0;
  for (int n = first; n < frame; n++) {
    uint64_t hash = 0;
    if (!play_kept(r, n) || cloth_hash(r->game.sheet, &hash) < 0) return 0;
    if ((int)cloth_hash_fold(hash) != frame_of(r, n + 1)->checksum) return report_frame(r, n + 1);
  }
  return 1;
}

int sync_test(const sync_options *options) {
  static sync_run r;
  int good = open_run(&r, options) && keep(&r, 0), frame = 0;
  for (; good && frame < options->frames; frame++)
    good = play_new(&r, frame) && (frame + 1 < options->back || play_again(&r, frame + 1));
  if (good)
    printf("%d frames, the last %d played again after each: the same states, final checksum %08x\n", frame,
           options->back, (unsigned)frame_of(&r, frame)->checksum);
  else
    printf("ended at frame %d\n", frame);
  close_run(&r);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
