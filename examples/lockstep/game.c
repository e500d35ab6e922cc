/* SPDX-License-Identifier: MIT */
#include "game.h"

#include <stdlib.h>
#include <string.h>

static const float frame_time = 1.0f / 60.0f;
static const float floor_height = -1.5f, ball_radius = 0.15f;

/* What a stick pushed all the way does. */
static const float hand_reach = 0.25f;   /* [m] */
static const float ball_reach = 0.5f;    /* [m] */
static const float blow_speed = 4.0f;    /* [m/s] */
static const float kick_impulse = 0.01f; /* [N s] */

/// The start ///

static cloth_config describe_cloth(int columns, int rows, int players) {
  cloth_config config = cloth_config_default();
  config.columns = columns;
  config.rows = rows;
  config.origin = (cloth_vector){-0.5f, 0, 0};
  config.edge_weft = (cloth_vector){0, -1, 0};
  config.max_colliders = 1 + players;
  config.capacity.max_confined = 0;
  return config;
}

/* -1 for the players on the left, 1 for those on the right. */
static float side_of(int player) {
  return player % 2 == 0 ? -1.0f : 1.0f;
}

/* Players 0 and 1 hold the upper corners, 2 and 3 the lower ones. */
static int is_low(int player) {
  return player >= 2;
}

static int add_floor(game *g) {
  cloth_collider ground = cloth_collider_default();
  ground.shape = CLOTH_SHAPE_PLANE;
  ground.pose.position.y = floor_height;
  return cloth_add_collider(g->sheet, &ground);
}

/* Those of the upper corners in front of the sheet, those of the lower ones behind it. */
static cloth_pose ball_pose(int player, float push) {
  const float depth = is_low(player) ? -0.4f : 0.4f;
  cloth_pose pose = {{0.25f * side_of(player), is_low(player) ? -0.75f : -0.5f, depth + push}, {0, 0, 0, 1}};
  return pose;
}

static int add_player(game *g, int player, const cloth_config *config) {
  const int32_t column = player % 2 == 0 ? 0 : config->columns - 1, row = is_low(player) ? config->rows - 1 : 0;
  cloth_collider ball = cloth_collider_default();
  ball.radius = ball_radius;
  ball.pose = ball_pose(player, 0);
  g->ball[player] = cloth_add_collider(g->sheet, &ball);
  g->corner[player] = cloth_particle_at(g->sheet, column, row);
  return g->ball[player] < 0 ? g->ball[player] : cloth_pin(g->sheet, g->corner[player]);
}

static int set_the_stage(game *g, const cloth_config *config) {
  int result = cloth_init(config, g->arena, g->memory.total_bytes, &g->sheet);
  g->middle = config->rows / 2 * config->columns + config->columns / 2;
  result = result < 0 ? result : add_floor(g);
  for (int player = 0; player < g->players && result >= 0; player++)
    result = add_player(g, player, config);
  return result;
}

int game_open(game *g, int columns, int rows, int players) {
  cloth_config config = describe_cloth(columns, rows, players);
  memset(g, 0, sizeof *g);
  g->players = players;
  int result = cloth_memory_needed(&config, &g->memory);
  if (result < 0) return result;
  if (posix_memalign(&g->arena, CLOTH_ALIGNMENT, g->memory.total_bytes) != 0) return CLOTH_ERROR_ARENA;
  result = set_the_stage(g, &config);
  if (result < 0) game_close(g);
  return result < 0 ? result : CLOTH_OK;
}

void game_close(game *g) {
  free(g->arena);
  memset(g, 0, sizeof *g);
}

/// A frame ///

/* -1 to 1. A small integer times a power of two: exact, and so the same everywhere. */
static float stick(const input *in, int which) {
  return (float)(in->bytes[which] - INPUT_CENTRE) * (1.0f / INPUT_CENTRE);
}

static int hold_corner(game *g, int player, const input *in) {
  int32_t corner = g->corner[player];
  cloth_vector target = {0.5f * side_of(player) + hand_reach * stick(in, INPUT_HAND_ACROSS),
                         (is_low(player) ? -1.0f : 0.0f) + hand_reach * stick(in, INPUT_HAND_UP), 0};
  if (cloth_get_freedom(g->sheet, corner) > 0) cloth_pin(g->sheet, corner);
  return cloth_move_pin(g->sheet, corner, target);
}

static int play_hand(game *g, int player, const input *in) {
  if (in->bytes[INPUT_BUTTONS] & BUTTON_LET_GO) return cloth_release(g->sheet, g->corner[player]);
  return hold_corner(g, player, in);
}

static int play_ball(game *g, int player, const input *in) {
  cloth_pose pose = ball_pose(player, ball_reach * stick(in, INPUT_BALL));
  return cloth_move_collider(g->sheet, g->ball[player], NULL, &pose);
}

static int play_kick(game *g, const input *in) {
  cloth_vector impulse = {0, 0, kick_impulse};
  if (!(in->bytes[INPUT_BUTTONS] & BUTTON_KICK)) return CLOTH_OK;
  return cloth_apply_impulse(g->sheet, g->middle, impulse);
}

static int play_player(game *g, int player, const input *in) {
  int result = play_hand(g, player, in);
  result = result < 0 ? result : play_ball(g, player, in);
  return result < 0 ? result : play_kick(g, in);
}

/* Sticks are small multiples of a power of two: their sum is exact. */
static int play_wind(game *g, const input *inputs) {
  float sum = 0;
  for (int player = 0; player < g->players; player++)
    sum += stick(&inputs[player], INPUT_BLOW);
  cloth_vector wind = {0, 0, blow_speed * sum};
  return cloth_set_wind(g->sheet, wind);
}

int game_advance(game *g, const input *inputs) {
  int result = play_wind(g, inputs);
  for (int player = 0; player < g->players && result >= 0; player++)
    result = play_player(g, player, &inputs[player]);
  return result < 0 ? result : cloth_step(g->sheet, frame_time);
}

int game_corrupt(game *g) {
  cloth_vector speck = {1.0e-7f, 0, 0};
  return cloth_apply_impulse(g->sheet, g->middle, speck);
}

/// Agreement ///

/* FNV-1a */
static uint64_t hash_of_bytes(const uint8_t *bytes, size_t count) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < count; i++)
    hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}

int game_image_hash(const game *g, uint64_t *hash) {
  uint8_t *image = malloc(g->memory.image_bytes);
  if (!image) return CLOTH_ERROR_BUFFER;
  int result = cloth_write_image(g->sheet, image, g->memory.image_bytes);
  *hash = hash_of_bytes(image, g->memory.image_bytes);
  free(image);
  return result;
}
