/*
 * Two processes play a game with a cloth over UDP, each simulating it whole and exchanging inputs only, with rollback.
 *
 *     lockstep PLAYER LOCAL_PORT REMOTE_PORT [--frames 3600] [--loss 20] [--delay 3] [--reorder 10] [--seed 1]
 *              [--grid 16x16] [--fps 0] [--timeout 120] [--corrupt FRAME]
 *
 * One is started as player 0, the other as player 1 with the ports exchanged, on any two machines' builds. Bots play.
 * With --fps 0 frames follow each other as fast as both sides can. --corrupt disturbs one's state at a frame, to see it
 * found. Ends with 0, 1 if something went wrong, 2 for wrong arguments, 3 if the port is taken.
 *
 * SPDX-License-Identifier: MIT
 */
#include "game.h"
#include "link.h"
#include "packet.h"
#include "random.h"
#include "session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { EXIT_USAGE = 2, EXIT_PORT = 3 };
/* After how long we repeat what we said, if there is nothing new to say. Who is ahead is patient: the other side is at
   work. */
enum { WAIT_MILLISECONDS = 5, PATIENT_MILLISECONDS = 50, FAREWELLS = 16 };
enum { SILENCE_LIMIT = 10000, LINGER_LIMIT = 1000 }; /* [ms] */

/// Options ///

typedef struct options {
  int player, local_port, remote_port;
  int frames, loss, delay, reorder, seed;
  int columns, rows;
  int fps, timeout, corrupt;
} options;

typedef struct option {
  const char *name;
  int *value;
  int least, most;
} option;

static int parse_number(const char *text, int least, int most, int *value) {
  char *end;
  long number = strtol(text, &end, 10);
  if (end == text || *end != '\0' || number < least || number > most)
    return 0;
  *value = (int)number;
  return 1;
}

static int parse_grid(const char *text, options *o) {
  char rest;
  return sscanf(text, "%dx%d%c", &o->columns, &o->rows, &rest) == 2;
}

static int parse_option(const char *name, const char *value, options *o) {
  const option known[] = {{"--frames", &o->frames, 1, 1 << 24},   {"--loss", &o->loss, 0, 90},
                          {"--delay", &o->delay, 0, 8},           {"--reorder", &o->reorder, 0, 100},
                          {"--seed", &o->seed, 0, 1 << 30},       {"--fps", &o->fps, 0, 1000},
                          {"--timeout", &o->timeout, 1, 1 << 20}, {"--corrupt", &o->corrupt, 0, 1 << 24}};
  if (!strcmp(name, "--grid"))
    return parse_grid(value, o);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(name, known[i].name))
      return parse_number(value, known[i].least, known[i].most, known[i].value);
  return 0;
}

static int parse_options(int count, char **arguments, options *o) {
  *o = (options){.frames = 3600, .loss = 20, .delay = 3, .reorder = 10, .seed = 1, .columns = 16, .rows = 16};
  o->timeout = 120;
  o->corrupt = -1;
  if (count < 4 || count % 2 != 0 || !parse_number(arguments[1], 0, PLAYERS - 1, &o->player) ||
      !parse_number(arguments[2], 1, 65535, &o->local_port) || !parse_number(arguments[3], 1, 65535, &o->remote_port))
    return 0;
  for (int i = 4; i < count; i += 2)
    if (!parse_option(arguments[i], arguments[i + 1], o))
      return 0;
  return 1;
}

/// The program ///

typedef struct program {
  options options;
  udp_link link;
  game game;
  session session;
  random_source bot;
  input bot_input;
  hello_packet hello;
  int greeted;              /* the other side's hello is here and agrees with ours */
  int answered;             /* the other side has got ours */
  const char *disagreement; /* what differs; NULL for nothing */
  int stalls;
  int silence;       /* how long packets have been waited for in vain [ms] */
  double told;       /* when we last told the other side how far we are [s] */
  double started;    /* [s] */
  double next_frame; /* [s] */
} program;

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int complain(const program *p, const char *what, const char *detail) {
  fprintf(stderr, "player %d, frame %" PRId32 ": %s%s\n", p->options.player, p->session.frame, what, detail);
  return EXIT_FAILURE;
}

static const char *time_is_up(const program *p) {
  if (p->silence > SILENCE_LIMIT)
    return "nothing heard for too long";
  return seconds() - p->started > p->options.timeout ? "out of time" : NULL;
}

/// The game, as the session sees it ///

static int save_game(void *context, void *saved, uint64_t *hash) {
  const game *g = &((program *)context)->game;
  int result = cloth_save(g->sheet, saved, g->memory.saved_bytes);
  return result < 0 ? result : cloth_hash(g->sheet, hash);
}

static int load_game(void *context, const void *saved) {
  const game *g = &((program *)context)->game;
  return cloth_load(g->sheet, saved, g->memory.saved_bytes);
}

static int advance_game(void *context, int32_t frame, const input inputs[PLAYERS]) {
  program *p = context;
  if (frame == p->options.corrupt)
    game_corrupt(&p->game);
  return game_advance(&p->game, inputs);
}

/* A player who now and then moves one of his sticks or presses or releases a button. */
static const input *bot_plays(program *p) {
  uint8_t *bytes = p->bot_input.bytes;
  if (random_percent(&p->bot, 15)) {
    uint8_t *stick = &bytes[random_below(&p->bot, INPUT_STICKS)];
    int moved = *stick + random_below(&p->bot, 81) - 40;
    *stick = (uint8_t)(moved < 0 ? 0 : moved > UINT8_MAX ? UINT8_MAX : moved);
  }
  if (random_percent(&p->bot, 3))
    bytes[INPUT_BUTTONS] = (uint8_t)(random_percent(&p->bot, 70) ? 0 : 1 << random_below(&p->bot, 2));
  return &p->bot_input;
}

/// Packets ///

static const char *find_disagreement(const hello_packet *a, const hello_packet *b) {
  if (a->protocol != b->protocol)
    return "protocol";
  if (a->player == b->player)
    return "who is which player";
  if (a->state_version != b->state_version)
    return "CLOTH_STATE_VERSION";
  if (a->numerics_version != b->numerics_version)
    return "CLOTH_NUMERICS_VERSION";
  if (a->frames != b->frames)
    return "number of frames";
  return a->image_hash != b->image_hash ? "config or state at the start" : NULL;
}

static void send_hello(program *p) {
  uint8_t bytes[PACKET_BYTES];
  p->hello.heard = p->greeted;
  link_send(&p->link, bytes, packet_write_hello(&p->hello, bytes));
}

static void send_play(program *p) {
  uint8_t bytes[PACKET_BYTES];
  link_send(&p->link, bytes, session_write(&p->session, bytes));
}

static void take_hello(program *p, const uint8_t *bytes, size_t count) {
  hello_packet theirs;
  if (!packet_read_hello(&theirs, bytes, count))
    return;
  p->disagreement = find_disagreement(&p->hello, &theirs);
  p->greeted = 1;
  p->answered |= theirs.heard;
  if (!theirs.heard)
    send_hello(p);
}

/* Only who agrees with our hello plays. */
static void take_play(program *p, const uint8_t *bytes, size_t count) {
  p->answered = 1;
  session_read(&p->session, bytes, count);
}

static void take_packets(program *p) {
  uint8_t bytes[PACKET_BYTES];
  size_t count;
  while ((count = link_receive(&p->link, bytes)) > 0) {
    p->silence = 0;
    if (packet_kind_of(bytes, count) == PACKET_HELLO)
      take_hello(p, bytes, count);
    if (packet_kind_of(bytes, count) == PACKET_PLAY)
      take_play(p, bytes, count);
  }
}

/* Silence is the sum of such waits, not what a clock says: a machine that has slept has not listened. */
static int wait_for_packets(program *p, int milliseconds) {
  int packets = link_wait(&p->link, milliseconds);
  if (!packets)
    p->silence += milliseconds;
  return packets;
}

/// Rounds ///

static void tell_hello(program *p) {
  send_hello(p);
  link_tick(&p->link);
}

static void tell_play(program *p) {
  send_play(p);
  link_tick(&p->link);
  p->told = seconds();
}

/* So that a packet more or less does not leave the other side in the dark. */
static void repeat(program *p, void (*tell)(program *)) {
  for (int i = 0; i < FAREWELLS; i++)
    tell(p);
}

static int report_disagreement(program *p) {
  repeat(p, tell_hello);
  return complain(p, "the players do not agree on: ", p->disagreement);
}

static int greet(program *p) {
  while (!p->greeted || !p->answered) {
    if (time_is_up(p))
      return complain(p, "no agreement: ", time_is_up(p));
    tell_hello(p);
    wait_for_packets(p, WAIT_MILLISECONDS);
    take_packets(p);
    if (p->disagreement)
      return report_disagreement(p);
  }
  return EXIT_SUCCESS;
}

static int report_desync(program *p) {
  const session *s = &p->session;
  int32_t frame = session_desync_frame(s);
  repeat(p, tell_play);
  fprintf(stderr, "player %d: desync at frame %" PRId32 ": %016" PRIx64 " here, %016" PRIx64 " there\n",
          p->options.player, frame, session_hash_of(s, p->options.player, frame),
          session_hash_of(s, 1 - p->options.player, frame));
  return EXIT_FAILURE;
}

static int report_result(program *p, session_result result) {
  if (result == SESSION_OK)
    return EXIT_SUCCESS;
  return result == SESSION_DESYNC ? report_desync(p) : complain(p, "the game has failed", "");
}

static session_result play_next(program *p) {
  session_result result = session_advance(&p->session, bot_plays(p));
  p->next_frame = p->options.fps ? p->next_frame + 1.0 / p->options.fps : 0;
  tell_play(p);
  return result;
}

static double end_of_wait(const program *p, session_turn turn) {
  if (turn == SESSION_READY)
    return p->next_frame;
  return p->told + 1e-3 * (turn == SESSION_AHEAD ? PATIENT_MILLISECONDS : WAIT_MILLISECONDS);
}

/* Hearing the other side is no reason not to repeat: it may be waiting for what it has never got from us. */
static void wait_for_turn(program *p, session_turn turn) {
  double end = end_of_wait(p, turn), left = end - seconds();
  wait_for_packets(p, left > 0 ? (int)(1e3 * left) + 1 : 0);
  if (turn != SESSION_READY && seconds() >= end)
    tell_play(p);
}

static session_result play_round(program *p, session_turn *turn) {
  session_turn before = *turn;
  take_packets(p);
  session_result result = session_settle(&p->session);
  *turn = session_turn_of(&p->session);
  p->stalls += *turn == SESSION_STALLED && before != SESSION_STALLED;
  if (result == SESSION_OK && *turn == SESSION_READY && seconds() >= p->next_frame)
    return play_next(p);
  if (result == SESSION_OK)
    wait_for_turn(p, *turn);
  return result;
}

/* The last to be done needs the other a little longer. */
static int may_leave(const program *p) {
  return session_is_done(&p->session) && (p->session.remote_done || p->silence > LINGER_LIMIT);
}

static int play(program *p) {
  session_turn turn = SESSION_READY;
  p->next_frame = seconds();
  while (!may_leave(p)) {
    session_result result = play_round(p, &turn);
    if (result != SESSION_OK)
      return report_result(p, result);
    if (time_is_up(p))
      return complain(p, "gave up: ", time_is_up(p));
  }
  repeat(p, tell_play);
  return EXIT_SUCCESS;
}

static void report(const program *p) {
  const session_statistics *s = &p->session.statistics;
  const link_statistics *l = &p->link.statistics;
  uint64_t hash = 0;
  cloth_hash(p->game.sheet, &hash);
  printf("player %d: frames %" PRId32 ", rollbacks %d, deepest %d, resimulated %d, stalls %d, sent %d, lost %d, "
         "reordered %d, hashes %" PRId32 ", final hash %016" PRIx64 "\n",
         p->options.player, p->session.frame, s->rollbacks, s->deepest, s->resimulated, p->stalls, l->sent, l->lost,
         l->reordered, p->session.hashes_compared, hash);
}

/// Start and end ///

static link_options describe_link(const options *o) {
  link_options described = {o->local_port, o->remote_port, o->loss, o->delay, o->reorder, 0};
  described.seed = (uint64_t)o->seed * 4 + (uint64_t)o->player;
  return described;
}

static int prepare_game(program *p) {
  const options *o = &p->options;
  int result = cloth_self_test();
  result = result < 0 ? result : game_open(&p->game, o->columns, o->rows);
  if (result < 0)
    return result;
  p->hello = (hello_packet){.protocol = PACKET_PROTOCOL,
                            .player = o->player,
                            .state_version = CLOTH_STATE_VERSION,
                            .numerics_version = CLOTH_NUMERICS_VERSION,
                            .frames = o->frames};
  p->bot.state = (uint64_t)o->seed * 4 + PLAYERS + (uint64_t)o->player;
  p->bot_input = input_neutral;
  return game_image_hash(&p->game, &p->hello.image_hash);
}

static int run(program *p) {
  session_game functions = {p, p->game.memory.saved_bytes, save_game, load_game, advance_game};
  int status = report_result(p, session_open(&p->session, &functions, p->options.player, p->options.frames));
  p->started = seconds();
  status = status ? status : greet(p);
  if (status == EXIT_SUCCESS) {
    status = play(p);
    report(p);
  }
  session_close(&p->session);
  return status;
}

int main(int count, char **arguments) {
  static program p;
  if (!parse_options(count, arguments, &p.options)) {
    fprintf(stderr, "lockstep PLAYER LOCAL_PORT REMOTE_PORT [--frames N] [--loss %%] [--delay FRAMES] [--reorder %%]\n"
                    "         [--seed N] [--grid 16x16] [--fps N] [--timeout SECONDS] [--corrupt FRAME]\n");
    return EXIT_USAGE;
  }
  link_options described = describe_link(&p.options);
  if (link_open(&p.link, &described) < 0) {
    fprintf(stderr, "port %d: %s\n", p.options.local_port, strerror(errno));
    return EXIT_PORT;
  }
  int result = prepare_game(&p);
  int status = result < 0 ? complain(&p, "cannot start: ", cloth_result_name(result)) : run(&p);
  game_close(&p.game);
  link_close(&p.link);
  return status;
}
