/*
 * A flag in a window with SDL2: pull it with the mouse. One file and the library:
 *
 *     cc -O2 -ffp-contract=off -I../.. sdl2_flag.c ../../cloth.c $(pkg-config --cflags --libs sdl2) -lm -o sdl2_flag
 *
 *     sdl2_flag                            until the window is closed
 *     sdl2_flag --frames 90 --save f.bmp   that many frames, pulled by a hand that moves by itself; leaves a picture
 *
 * SPDX-License-Identifier: MIT
 */
#include "cloth.h"

#include <SDL.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 32, ROWS = 22, PARTICLES = COLUMNS * ROWS, INDICES = 6 * (COLUMNS - 1) * (ROWS - 1) };
enum { WINDOW_WIDTH = 960, WINDOW_HEIGHT = 600 };

static const float width = 1.5f, height = 1.0f;            /* of the flag [m] */
static const float eye_distance = 4.0f, pixels_per = 1700; /* perspective: pixels of a metre at a distance of 1 m */
static const float step_seconds = 1.0f / 60.0f;

CLOTH_ALIGNED static unsigned char arena[448 * 1024];
static cloth *flag;
static uint16_t indices[INDICES];
static float vertices[PARTICLES][6]; /* position, normal */

typedef struct hand {
  int particle; /* that it holds, or -1 */
  float depth;  /* z of what it holds [m] */
  int held;     /* frames in which it held something */
} hand;

static int make_flag(void) {
  cloth_config config = cloth_config_default();
  config.columns = COLUMNS;
  config.rows = ROWS;
  config.origin = (cloth_vector){-0.75f, 0.5f, 0};
  config.edge_warp = (cloth_vector){width, 0, 0};
  config.edge_weft = (cloth_vector){0, -height, 0};
  config.wind = (cloth_vector){5, 0, 1.5f};
  config.substeps = 8;
  cloth_fabric_preset(CLOTH_FABRIC_POLYESTER, &config.fabric);
  int result = cloth_init(&config, arena, sizeof arena, &flag);
  for (int row = 0; row < ROWS && result >= CLOTH_OK; row++)
    result = cloth_pin(flag, cloth_particle_at(flag, 0, row));
  if (result >= CLOTH_OK)
    result = cloth_set_gusts(flag, &(cloth_gusts){.strength = {2, 0.5f, 2}, .period = 1.5f, .seed = 1});
  return result < CLOTH_OK ? result : cloth_write_indices16(flag, 0, indices, INDICES);
}

/// The hand ///

/* The point of the window at a depth in the world [m]. */
static cloth_vector in_world(float x, float y, float depth) {
  float share = (eye_distance - depth) / pixels_per;
  return (cloth_vector){(x - WINDOW_WIDTH / 2) * share, (WINDOW_HEIGHT / 2 - y) * share, depth};
}

static SDL_FPoint on_screen(const float *position) {
  float scale = pixels_per / (eye_distance - position[2]);
  return (SDL_FPoint){WINDOW_WIDTH / 2 + position[0] * scale, WINDOW_HEIGHT / 2 - position[1] * scale};
}

/* Holds the corner of the triangle that the ray from the eye through the pointer meets first. */
static void grab(hand *h, float x, float y) {
  const cloth_vector through = in_world(x, y, 0);
  const cloth_ray ray = {{0, 0, eye_distance}, {through.x, through.y, -eye_distance}, 20, 0.02f};
  cloth_surface_point point;
  h->particle = -1;
  if (cloth_cast_ray(flag, &ray, &point) == 1 && cloth_get_freedom(flag, point.particle[0]) == 3) {
    h->particle = point.particle[0];
    h->depth = point.position.z;
    cloth_pin(flag, h->particle);
  }
}

static void pull(const hand *h, float x, float y) {
  if (h->particle >= 0) cloth_move_pin(flag, h->particle, in_world(x, y, h->depth));
}

static void let_go(hand *h) {
  if (h->particle >= 0) cloth_release(flag, h->particle);
  h->particle = -1;
}

/// Drawing ///

static float depth_of(const uint16_t *triangle) {
  return vertices[triangle[0]][2] + vertices[triangle[1]][2] + vertices[triangle[2]][2];
}

static int compare_depths(const void *a, const void *b) {
  float difference = depth_of(a) - depth_of(b);
  return (difference > 0) - (difference < 0);
}

static SDL_Color shade(int particle) {
  const float *n = vertices[particle] + 3;
  float light = 0.35f + 0.65f * fabsf(0.45f * n[0] + 0.3f * n[1] + 0.84f * n[2]);
  int stripe = particle / COLUMNS * 3 / ROWS; /* three stripes */
  const float colours[3][3] = {{200, 60, 50}, {235, 230, 220}, {50, 90, 170}};
  const float *c = colours[stripe];
  return (SDL_Color){(Uint8)(light * c[0]), (Uint8)(light * c[1]), (Uint8)(light * c[2]), 255};
}

/* Triangles from far to near, each with the colours of its corners. */
static void draw(SDL_Renderer *renderer) {
  static const cloth_vertex_layout layout = {sizeof vertices[0], 0, 12, CLOTH_ATTRIBUTE_NONE};
  static SDL_Vertex corners[INDICES];
  cloth_write_vertices(flag, &layout, vertices, sizeof vertices);
  qsort(indices, INDICES / 3, 3 * sizeof *indices, compare_depths);
  for (int i = 0; i < INDICES; i++)
    corners[i] = (SDL_Vertex){on_screen(vertices[indices[i]]), shade(indices[i]), {0, 0}};
  SDL_SetRenderDrawColor(renderer, 28, 34, 44, 255);
  SDL_RenderClear(renderer);
  SDL_SetRenderDrawColor(renderer, 150, 140, 120, 255);
  SDL_FPoint top = on_screen((float[]){-0.77f, 0.55f, 0});
  SDL_RenderFillRectF(renderer, &(SDL_FRect){top.x, top.y, 8, WINDOW_HEIGHT});
  SDL_RenderGeometry(renderer, NULL, corners, INDICES, NULL, 0);
}

/// The program ///

static int handle_events(hand *h) {
  for (SDL_Event event; SDL_PollEvent(&event);) {
    if (event.type == SDL_QUIT) return 0;
    if (event.type == SDL_MOUSEBUTTONDOWN) grab(h, (float)event.button.x, (float)event.button.y);
    if (event.type == SDL_MOUSEMOTION) pull(h, (float)event.motion.x, (float)event.motion.y);
    if (event.type == SDL_MOUSEBUTTONUP) let_go(h);
  }
  return 1;
}

/* Mouse events as a user makes them: at frame 30 the middle of the flag is taken, then pulled down, at 80 let go. */
static void push_events(int frame) {
  SDL_Event event = {0};
  if (frame == 30 || frame == 80) {
    event.type = frame == 30 ? SDL_MOUSEBUTTONDOWN : SDL_MOUSEBUTTONUP;
    event.button.x = WINDOW_WIDTH / 2;
    event.button.y = WINDOW_HEIGHT / 2;
    SDL_PushEvent(&event);
  } else if (frame > 30 && frame < 80) {
    event.type = SDL_MOUSEMOTION;
    event.motion.x = WINDOW_WIDTH / 2;
    event.motion.y = WINDOW_HEIGHT / 2 + 3 * (frame - 30);
    SDL_PushEvent(&event);
  }
}

static void save_picture(SDL_Renderer *renderer, const char *name) {
  SDL_Surface *picture = SDL_CreateRGBSurfaceWithFormat(0, WINDOW_WIDTH, WINDOW_HEIGHT, 32, SDL_PIXELFORMAT_ARGB8888);
  if (!picture || SDL_RenderReadPixels(renderer, NULL, SDL_PIXELFORMAT_ARGB8888, picture->pixels, picture->pitch) ||
      SDL_SaveBMP(picture, name))
    fprintf(stderr, "no picture: %s\n", SDL_GetError());
  SDL_FreeSurface(picture);
}

/* Steps of a sixtieth of a second, as many as have passed, at most four. The picture is of the 76th frame, or the last
   one if that comes before. Returns the number of frames. */
static int play(SDL_Renderer *renderer, hand *h, int frames, const char *picture) {
  const int pictured = frames && frames < 76 ? frames - 1 : 75;
  Uint64 last = SDL_GetTicks64();
  float time = 0;
  int frame = 0;
  for (; (frames == 0 || frame < frames) && handle_events(h); frame++) {
    Uint64 now = SDL_GetTicks64();
    time = frames ? step_seconds : fminf(time + (float)(now - last) / 1000.0f, 4 * step_seconds);
    last = now;
    if (frames) push_events(frame);
    for (; time >= step_seconds; time -= step_seconds)
      cloth_step(flag, step_seconds);
    h->held += h->particle >= 0;
    draw(renderer);
    if (frame == pictured && picture) save_picture(renderer, picture);
    SDL_RenderPresent(renderer);
  }
  return frame;
}

int main(int count, char **arguments) {
  int frames = 0;
  const char *picture = NULL;
  for (int i = 1; i + 1 < count; i += 2) {
    if (strcmp(arguments[i], "--frames") == 0) frames = atoi(arguments[i + 1]);
    if (strcmp(arguments[i], "--save") == 0) picture = arguments[i + 1];
  }
  int result = make_flag();
  if (result < CLOTH_OK) {
    fprintf(stderr, "%s\n", cloth_result_name(result));
    return 1;
  }
  SDL_Window *window = NULL;
  SDL_Renderer *renderer = NULL;
  if (SDL_Init(SDL_INIT_VIDEO) != 0 ||
      SDL_CreateWindowAndRenderer(WINDOW_WIDTH, WINDOW_HEIGHT, SDL_WINDOW_RESIZABLE, &window, &renderer) != 0) {
    fprintf(stderr, "%s\n", SDL_GetError());
    return 1;
  }
  SDL_RenderSetLogicalSize(renderer, WINDOW_WIDTH, WINDOW_HEIGHT);
  SDL_SetWindowTitle(window, "cloth: pull the flag");
  hand h = {.particle = -1};
  int played = play(renderer, &h, frames, picture);
  uint64_t hash = 0;
  cloth_hash(flag, &hash);
  printf("%d frames, %d of them pulled, hash %08lx%08lx\n", played, h.held, (unsigned long)(hash >> 32),
         (unsigned long)(hash & 0xffffffffu));
  SDL_Quit();
  return 0;
}
