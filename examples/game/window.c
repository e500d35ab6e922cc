/*
 * The game in a window.
 *
 *     window [frames]         plays the script for so many frames and ends; without, the keyboard plays
 *
 * Up and down walk, left and right turn, space jumps, T teleports, escape ends.
 *
 * SPDX-License-Identifier: MIT
 */
#include "clock.h"
#include "pose.h"
#include "script.h"
#include "view.h"

#include <SDL.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 480, HEIGHT = 320, ZOOM = 2, SEGMENTS = 16 };

static const spot spots[] = {{{0, 0, 0}, 0}, {{19, 0, 6}, 0.3f}, {{6.5f, 0, 0}, 0.5f}};
enum { SPOTS = sizeof spots / sizeof *spots };

typedef struct player {
  SDL_Window *window;
  SDL_Renderer *renderer;
  SDL_Texture *texture;
  world world;
  game_clock clock;
  view view;
  image picture;
  uint64_t before; /* of SDL's counter */
  int frames, frame_limit;
  int spot;
  int has_leapt, has_ended;
} player;

static void must(int is_well, const char *what) {
  if (is_well) return;
  fprintf(stderr, "window: %s: %s\n", what, SDL_GetError());
  exit(EXIT_FAILURE);
}

static void open_window(player *p) {
  must(SDL_Init(SDL_INIT_VIDEO) == 0, "SDL_Init");
  p->window = SDL_CreateWindow("cloth", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, ZOOM * WIDTH, ZOOM * HEIGHT,
                               SDL_WINDOW_RESIZABLE);
  must(p->window != NULL, "SDL_CreateWindow");
  p->renderer = SDL_CreateRenderer(p->window, -1, p->frame_limit ? 0 : SDL_RENDERER_PRESENTVSYNC);
  must(p->renderer != NULL, "SDL_CreateRenderer");
  SDL_SetHint(SDL_HINT_RENDER_SCALE_QUALITY, "linear");
  p->texture = SDL_CreateTexture(p->renderer, SDL_PIXELFORMAT_RGB24, SDL_TEXTUREACCESS_STREAMING, WIDTH, HEIGHT);
  must(p->texture != NULL, "SDL_CreateTexture");
}

static void close_window(player *p) {
  SDL_DestroyTexture(p->texture);
  SDL_DestroyRenderer(p->renderer);
  SDL_DestroyWindow(p->window);
  SDL_Quit();
}

/// Controls ///

static void take_events(player *p) {
  SDL_Event event;
  while (SDL_PollEvent(&event)) {
    int key = event.type == SDL_KEYDOWN && !event.key.repeat ? event.key.keysym.sym : 0;
    p->has_ended |= event.type == SDL_QUIT || key == SDLK_ESCAPE;
    p->has_leapt |= key == SDLK_t;
  }
}

static controls read_keys(player *p) {
  const Uint8 *keys = SDL_GetKeyboardState(NULL);
  controls asked = {0};
  asked.forward = (float)(keys[SDL_SCANCODE_UP] - keys[SDL_SCANCODE_DOWN]);
  asked.turn = (float)(keys[SDL_SCANCODE_LEFT] - keys[SDL_SCANCODE_RIGHT]);
  asked.jump = keys[SDL_SCANCODE_SPACE];
  if (p->has_leapt) asked.leap = &spots[++p->spot % SPOTS];
  p->has_leapt = 0;
  return asked;
}

/// Frames ///

static int32_t next_frame_time(player *p) {
  uint64_t now = SDL_GetPerformanceCounter();
  uint64_t passed = (now - p->before) * 1000000 / SDL_GetPerformanceFrequency();
  p->before = now;
  return passed < 1000000 ? (int32_t)passed : 1000000; /* of a machine that was asleep */
}

static void take_steps(player *p, int count) {
  for (int i = 0; i < count; i++) {
    controls asked = p->frame_limit ? script_controls(p->world.steps) : read_keys(p);
    int result = world_step(&p->world, &asked);
    must(result >= 0, cloth_result_name(result));
  }
}

static void draw(player *p) {
  float share = clock_share(&p->clock);
  cloth_vector target = plus(view_hero(&p->world, share).position, vector(0, 0.95f, 0));
  const rectangle all = {0, 0, WIDTH, HEIGHT};
  must(view_draw(&p->view, &p->world, share, mixed(p->world.eye_before, p->world.eye, share), target, &p->picture,
                 all) == 0,
       "view_draw");
  SDL_UpdateTexture(p->texture, NULL, p->picture.rgb, 3 * WIDTH);
  SDL_RenderCopy(p->renderer, p->texture, NULL, NULL);
  SDL_RenderPresent(p->renderer);
}

static void play(player *p) {
  p->before = SDL_GetPerformanceCounter();
  while (!p->has_ended && (!p->frame_limit || p->frames < p->frame_limit)) {
    take_events(p);
    take_steps(p, clock_frame(&p->clock, next_frame_time(p)));
    draw(p);
    p->frames++;
  }
}

int main(int argument_count, char **arguments) {
  static player the_player;
  player *p = &the_player;
  p->frame_limit = argument_count > 1 ? atoi(arguments[1]) : 0;
  must(world_open(&p->world) >= 0, "world_open");
  p->view.sketch = 1;
  must(view_open(&p->view, &p->world, SEGMENTS) == 0, "view_open");
  must(image_create(&p->picture, WIDTH, HEIGHT, 0) == 0, "picture");
  open_window(p);
  play(p);
  printf("%d frames, %d steps in %.1f s\n", p->frames, p->world.steps, (double)SDL_GetTicks64() / 1000);
  close_window(p);
  view_close(&p->view);
  image_destroy(&p->picture);
  return EXIT_SUCCESS;
}
