/*
 * Plays the script without a window, in frames of varying length, and leaves a table and pictures.
 *
 *     game [directory [seed [steps]]]     where to write pictures, or - for none; the seed of the frames' lengths; how
 *                                         many steps to take
 *
 * SPDX-License-Identifier: MIT
 */
#include "clock.h"
#include "lockstep/random.h"
#include "png.h"
#include "pose.h"
#include "record.h"
#include "script.h"
#include "view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ACROSS = 4, VIEW_SIZE = 360, GUTTER = 4, SEGMENTS = 48, PATH_LENGTH = 512 };

/* A picture to take: the first frame that shows this step. The camera stands at an offset in the hero's frame, but is
   level and looks at the cape. */
typedef struct moment {
  int step;
  const char *caption;
  cloth_vector offset;
} moment;

static const moment moments[] = {
    {58, "stands", {-2.9f, 0.4f, 1.3f}},
    {150, "walks", {-2.9f, 0.4f, 1.3f}},
    {167, "", {-2.9f, 0.4f, 1.3f}},
    {184, "", {-2.9f, 0.4f, 1.3f}},
    {243, "parts a curtain", {2.9f, 0.5f, 1.5f}},
    {252, "", {2.9f, 0.5f, 1.5f}},
    {262, "", {2.9f, 0.5f, 1.5f}},
    {278, "", {2.9f, 0.5f, 1.5f}},
    {330, "in a shirt", {2.3f, 0.4f, 0.9f}},
    {345, "", {2.3f, 0.4f, 0.9f}},
    {360, "", {2.3f, 0.4f, 0.9f}},
    {375, "", {2.3f, 0.4f, 0.9f}},
    {480, "turns", {-2.3f, 0.4f, -2.1f}},
    {540, "", {-2.3f, 0.4f, -2.1f}},
    {590, "", {-2.3f, 0.4f, -2.1f}},
    {653, "jumps", {-0.6f, 0.4f, -3.1f}},
    {668, "", {-0.6f, 0.4f, -3.1f}},
    {684, "", {-0.6f, 0.4f, -3.1f}},
    {696, "lands", {-0.6f, 0.4f, -3.1f}},
    {880, "spins", {-2.9f, 0.4f, 1.3f}},
    {1079, "before a leap", {-2.9f, 0.4f, 1.3f}},
    {1081, "after it", {-2.9f, 0.4f, 1.3f}},
    {1110, "", {-2.9f, 0.4f, 1.3f}},
    {1300, "stands", {-2.9f, 0.4f, 1.3f}},
};
enum { MOMENTS = sizeof moments / sizeof *moments, DOWN = (MOMENTS + ACROSS - 1) / ACROSS };

typedef struct player {
  world world;
  record record;
  game_clock clock;
  random_source random;
  view view;
  image sheet;
  int32_t step_limit;
  int has_pictures, next_moment;
  cloth_vector shown;          /* where the last frame showed the hero */
  float pace_least, pace_most; /* of the hero as shown, while it walks straight on [m/s] */
} player;

static void must(int result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "game: %s: %s\n", what, result < CLOTH_ERROR_NULL ? cloth_result_name(result) : "failed");
  exit(EXIT_FAILURE);
}

/// Frames ///

/* Mostly 4 to 30 ms, and now and then a hitch. */
static int32_t next_frame_time(player *p) {
  return random_percent(&p->random, 1) ? 150000 : 4000 + random_below(&p->random, 26000);
}

static void take_steps(player *p, int count) {
  for (int i = 0; i < count && p->world.steps < p->step_limit; i++) {
    controls asked = script_controls(p->world.steps);
    must(world_step(&p->world, &asked), "world_step");
    must(record_step(&p->record, &p->world, asked.leap != NULL), "record_step");
  }
}

/* Without blending between states the hero would be shown to stutter. */
static void note_pace(player *p, int32_t frame_time, int has_dropped) {
  cloth_vector at = view_hero(&p->world, clock_share(&p->clock)).position;
  float pace = length(minus(at, p->shown)) * 1e6f / (float)frame_time;
  p->shown = at;
  if (has_dropped || p->world.steps < 120 || p->world.steps > 420) return;
  p->pace_least = pace < p->pace_least ? pace : p->pace_least;
  p->pace_most = pace > p->pace_most ? pace : p->pace_most;
}

/// Pictures ///

static void draw_moment(player *p, const moment *m, int place) {
  float share = clock_share(&p->clock);
  cloth_pose hero = view_hero(&p->world, share);
  cloth_vector target = plus(hero.position, vector(0, 0.92f, 0));
  rectangle area = {place % ACROSS * (VIEW_SIZE + GUTTER), place / ACROSS * (VIEW_SIZE + GUTTER), VIEW_SIZE, VIEW_SIZE};
  must(view_draw(&p->view, &p->world, share, plus(target, turned(hero.rotation, m->offset)), target, &p->sheet, area),
       "view_draw");
  image_text(&p->sheet, area.x + 11, area.y + VIEW_SIZE - 23, 2, 0xffffff, m->caption);
  image_text(&p->sheet, area.x + 10, area.y + VIEW_SIZE - 24, 2, 0x40464c, m->caption);
}

static void take_picture(player *p) {
  const moment *m = &moments[p->next_moment];
  if (!p->has_pictures || p->next_moment == MOMENTS || p->world.steps < m->step) return;
  draw_moment(p, m, p->next_moment++);
}

static void write_sheet(const player *p, const char *directory) {
  char path[PATH_LENGTH];
  snprintf(path, sizeof path, "%s/moments.png", directory);
  must(png_write(path, p->sheet.width, p->sheet.height, p->sheet.rgb), path);
  printf("written: %s\n", path);
}

/// Playing ///

static void play(player *p) {
  while (p->world.steps < p->step_limit) {
    int32_t frame_time = next_frame_time(p), dropped = p->clock.dropped;
    take_steps(p, clock_frame(&p->clock, frame_time));
    note_pace(p, frame_time, p->clock.dropped != dropped);
    take_picture(p);
  }
}

static void open_pictures(player *p) {
  const int width = ACROSS * (VIEW_SIZE + GUTTER) - GUTTER, height = DOWN * (VIEW_SIZE + GUTTER) - GUTTER;
  must(view_open(&p->view, &p->world, SEGMENTS), "view_open");
  must(image_create(&p->sheet, width, height, 0xffffff), "picture");
}

int main(int argument_count, char **arguments) {
  static player the_player;
  player *p = &the_player;
  const char *directory = argument_count > 1 ? arguments[1] : "build/game";
  p->random.state = argument_count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
  p->step_limit = argument_count > 3 ? atoi(arguments[3]) : SCRIPT_STEPS;
  p->has_pictures = strcmp(directory, "-") != 0;
  p->pace_least = 1e9f;
  must(world_open(&p->world), "world_open");
  if (p->has_pictures) open_pictures(p);
  play(p);
  record_print(&p->record, &p->world);
  printf("walks at %.2f to %.2f m/s as shown; %d steps dropped\n", (double)p->pace_least, (double)p->pace_most,
         p->clock.dropped);
  if (p->has_pictures) write_sheet(p, directory);
  view_close(&p->view);
  image_destroy(&p->sheet);
  return EXIT_SUCCESS;
}
