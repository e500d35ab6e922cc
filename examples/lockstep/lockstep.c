/*
 * Two processes play a game with a cloth over UDP, each simulating it whole and exchanging inputs only, with rollback.
 *
 *     lockstep PLAYER LOCAL_PORT REMOTE_PORT [--frames 3600] [--loss 20] [--delay 3] [--reorder 10] [--flip 0]
 *              [--seed 1] [--grid 16x16] [--fps 0] [--timeout 10] [--corrupt FRAME] [--dump NAME]
 *     lockstep sync FRAMES_BACK [--frames 3600] [--seed 1] [--grid 16x16] [--corrupt FRAME]
 *              [--dump NAME]
 *     lockstep compare IMAGE IMAGE [--grid 16x16]
 *     lockstep costs
 *
 * One is started as player 0, the other as player 1 with the ports exchanged, on any two machines' builds. Bots play.
 * With --fps 0 frames follow each other as fast as both sides can. --corrupt disturbs one's state at a frame, to see it
 * found; --dump names the file for the state of a frame that differs. "sync" plays on one machine and plays every frame
 * again from a state FRAMES_BACK before; "compare" names the first difference of two dumps; "costs" prints what
 * rollbacks take. Ends with 0, 1 if something went wrong, 2 for wrong arguments, 3 if the port is taken.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bot.h"
#include "examine.h"
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
#include <unistd.h>

enum { EXIT_USAGE = 2, EXIT_PORT = 3 };
/* After how long we repeat what we said, if there is nothing new to say. Who is ahead is patient: the other side is at
   work. */
enum { WAIT_MILLISECONDS = 5, PATIENT_MILLISECONDS = 50, FAREWELLS = 16 };
enum { LINGER_LIMIT = 1000 }; /* [ms] */

/// Options ///

typedef struct options {
  int player, local_port, remote_port;
  int frames, loss, delay, reorder, flip, seed;
  int columns, rows;
  int fps, timeout, corrupt;
  const char *dump;
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
  const option known[] = {{"--frames", &o->frames, 1, 1 << 24},
                          {"--loss", &o->loss, 0, 90},
                          {"--delay", &o->delay, 0, 8},
                          {"--reorder", &o->reorder, 0, 100},
                          {"--seed", &o->seed, 0, 1 << 30},
                          {"--fps", &o->fps, 0, 1000},
                          {"--timeout", &o->timeout, 1, 1 << 20},
                          {"--corrupt", &o->corrupt, 0, 1 << 24},
                          {"--flip", &o->flip, 0, 100}};
  if (!strcmp(name, "--dump")) {
    o->dump = value;
    return 1;
  }
  if (!strcmp(name, "--grid"))
    return parse_grid(value, o);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(name, known[i].name))
      return parse_number(value, known[i].least, known[i].most, known[i].value);
  return 0;
}

static options default_options(void) {
  options o = {.frames = 3600, .loss = 20, .delay = 3, .reorder = 10, .seed = 1, .columns = 16, .rows = 16};
  o.timeout = 10;
  o.corrupt = -1;
  return o;
}

/* Those from an argument on. */
static int parse_options(int count, char **arguments, int first, options *o) {
  for (int i = first; i + 1 < count; i += 2)
    if (!parse_option(arguments[i], arguments[i + 1], o))
      return 0;
  return (count - first) % 2 == 0;
}

static int parse_player(int count, char **arguments, options *o) {
  return count >= 4 && parse_number(arguments[1], 0, PLAYERS - 1, &o->player) &&
         parse_number(arguments[2], 1, 65535, &o->local_port) &&
         parse_number(arguments[3], 1, 65535, &o->remote_port) && parse_options(count, arguments, 4, o);
}

/// The program ///

typedef struct program {
  options options;
  udp_link link;
  game game;
  session session;
  bot bot;
  hello_packet hello;
  int greeted;              /* the other side's hello is here and agrees with ours */
  int answered;             /* the other side has got ours */
  const char *disagreement; /* why there is no game, or no more; NULL for nothing */
  char reason[80];          /* room for it */
  int stalls;
  int silence;       /* how long packets have been waited for in vain [ms] */
  double told;       /* when we last told the other side how far we are [s] */
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

static int is_silent(const program *p) {
  return p->silence > 1000 * p->options.timeout;
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

/// Packets ///

static const char *find_disagreement(program *p, const hello_packet *theirs) {
  const hello_packet *ours = &p->hello;
  if (theirs->protocol != ours->protocol)
    return "protocol";
  if (theirs->refusal == REFUSAL_SELF_TEST) {
    snprintf(p->reason, sizeof p->reason, "arithmetic: the other side's self-test gives %s",
             cloth_result_name(theirs->result));
    return p->reason;
  }
  if (theirs->refusal == REFUSAL_RESTART)
    return "the game: the other side is in one already, with a program that was here before";
  if (theirs->player == ours->player)
    return "who is which player";
  if (theirs->state_version != ours->state_version)
    return "CLOTH_STATE_VERSION";
  if (theirs->numerics_version != ours->numerics_version)
    return "CLOTH_NUMERICS_VERSION";
  if (theirs->frames != ours->frames)
    return "number of frames";
  return theirs->image_hash != ours->image_hash ? "config or state at the start" : NULL;
}

static void send_hello(program *p) {
  uint8_t bytes[PACKET_BYTES];
  link_send(&p->link, bytes, packet_write_hello(&p->hello, bytes));
}

static void send_play(program *p) {
  uint8_t bytes[PACKET_BYTES];
  link_send(&p->link, bytes, session_write(&p->session, bytes));
}

/* Who greets us with another number than before has started anew: the game with its predecessor is over, and it is told
   so. */
static void take_hello(program *p, const uint8_t *bytes, size_t count) {
  hello_packet theirs;
  const uint32_t ours = p->hello.address.sender;
  if (!packet_read_hello(&theirs, bytes, count) || p->disagreement)
    return;
  if (p->greeted && theirs.address.sender != p->hello.address.receiver) {
    p->disagreement = "the game: the other side has started anew";
    p->hello.refusal = REFUSAL_RESTART;
    p->hello.address.receiver = theirs.address.sender;
    return;
  }
  if (theirs.address.receiver != ours && theirs.address.receiver != 0)
    return; /* meant for a program that was here before */
  p->disagreement = find_disagreement(p, &theirs);
  p->greeted = 1;
  p->hello.address.receiver = p->session.address.receiver = theirs.address.sender;
  p->answered |= theirs.address.receiver == ours;
  if (theirs.address.receiver != ours)
    send_hello(p);
}

/* Only who agrees with our hello plays. */
static void take_play(program *p, const uint8_t *bytes, size_t count) {
  play_packet packet;
  if (packet_read_play(&packet, bytes, count) && packet.address.receiver == p->hello.address.sender)
    p->answered = 1;
  session_read(&p->session, bytes, count);
}

static void take_packets(program *p) {
  uint8_t bytes[PACKET_BYTES];
  size_t count;
  while ((count = link_receive(&p->link, bytes)) > 0) {
    packet_kind kind = packet_kind_of(bytes, count);
    if (kind != PACKET_UNKNOWN)
      p->silence = 0;
    if (kind == PACKET_HELLO)
      take_hello(p, bytes, count);
    if (kind == PACKET_PLAY)
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
    if (is_silent(p))
      return complain(p, "no agreement: ", "nothing heard for too long");
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
  const void *state = session_state_of(s, frame);
  if (p->options.dump && (!state || load_game(p, state) < 0 || !write_dump(&p->game, p->options.dump)))
    return complain(p, "no dump: ", p->options.dump);
  return EXIT_FAILURE;
}

static int report_result(program *p, session_result result) {
  if (result == SESSION_OK)
    return EXIT_SUCCESS;
  if (result == SESSION_DESYNC)
    return report_desync(p);
  return complain(p, result == SESSION_LOST_STATE ? "a state is not kept any more" : "the game has failed", "");
}

static session_result play_next(program *p) {
  session_result result = session_advance(&p->session, bot_plays(&p->bot));
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
    if (p->disagreement)
      return report_disagreement(p);
    if (is_silent(p))
      return complain(p, "gave up: ", "nothing heard for too long");
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
         "reordered %d, flipped %d, hashes %" PRId32 ", final hash %016" PRIx64 "\n",
         p->options.player, p->session.frame, s->rollbacks, s->deepest, s->resimulated, p->stalls, l->sent, l->lost,
         l->reordered, l->flipped, p->session.hashes_compared, hash);
}

/// Start and end ///

static link_options describe_link(const options *o) {
  link_options described = {o->local_port, o->remote_port, o->loss, o->delay, o->reorder, o->flip, 0};
  described.seed = (uint64_t)o->seed * 4 + (uint64_t)o->player;
  return described;
}

/* A number that no earlier program had, but for one in 2^32; not 0. */
static uint32_t draw_number(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  random_source noise = {(uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec + (uint64_t)getpid()};
  return (uint32_t)random_bits(&noise) | 1u;
}

static int prepare_game(program *p) {
  const options *o = &p->options;
  p->hello = (hello_packet){.protocol = PACKET_PROTOCOL,
                            .player = o->player,
                            .result = cloth_self_test(),
                            .state_version = CLOTH_STATE_VERSION,
                            .numerics_version = CLOTH_NUMERICS_VERSION,
                            .frames = o->frames};
  p->hello.address.sender = draw_number();
  p->hello.refusal = p->hello.result < 0 ? REFUSAL_SELF_TEST : REFUSAL_NONE;
  p->bot = bot_of(o->seed, o->player);
  int result = p->hello.result < 0 ? CLOTH_OK : game_open(&p->game, o->columns, o->rows);
  return result < 0 || p->hello.refusal ? result : game_image_hash(&p->game, &p->hello.image_hash);
}

/* Says what is wrong until the other side has heard it. */
static int refuse(program *p) {
  while (!p->answered && !is_silent(p)) {
    tell_hello(p);
    wait_for_packets(p, WAIT_MILLISECONDS);
    take_packets(p);
  }
  repeat(p, tell_hello);
  return complain(p, "cannot start: the self-test gives ", cloth_result_name(p->hello.result));
}

static int run(program *p) {
  if (p->hello.refusal)
    return refuse(p);
  session_game functions = {p, p->game.memory.saved_bytes, save_game, load_game, advance_game};
  int status = report_result(p, session_open(&p->session, &functions, p->options.player, p->options.frames));
  p->session.address.sender = p->hello.address.sender;
  status = status ? status : greet(p);
  if (status == EXIT_SUCCESS) {
    status = play(p);
    report(p);
  }
  session_close(&p->session);
  return status;
}

static int play_over_network(const options *o) {
  static program p;
  p.options = *o;
  link_options described = describe_link(o);
  if (link_open(&p.link, &described) < 0) {
    fprintf(stderr, "port %d: %s\n", o->local_port, strerror(errno));
    return EXIT_PORT;
  }
  int result = prepare_game(&p);
  int status = result < 0 ? complain(&p, "cannot start: ", cloth_result_name(result)) : run(&p);
  game_close(&p.game);
  link_close(&p.link);
  return status;
}

static int usage(void) {
  fprintf(stderr, "lockstep PLAYER LOCAL_PORT REMOTE_PORT [--frames N] [--loss %%] [--delay FRAMES] [--reorder %%]\n"
                  "         [--flip %%] [--seed N] [--grid 16x16] [--fps N] [--timeout SECONDS] [--corrupt FRAME]\n"
                  "         [--dump NAME]\n"
                  "lockstep sync FRAMES_BACK [--frames N] [--seed N] [--grid 16x16] [--corrupt FRAME]\n"
                  "         [--dump NAME]\n"
                  "lockstep compare IMAGE IMAGE [--grid 16x16]\n"
                  "lockstep costs\n");
  return EXIT_USAGE;
}

int main(int count, char **arguments) {
  options o = default_options();
  int back = 0;
  if (count >= 3 && !strcmp(arguments[1], "sync")) {
    if (!parse_number(arguments[2], 1, SYNC_FRAMES_LIMIT, &back) || !parse_options(count, arguments, 3, &o))
      return usage();
    sync_options described = {o.columns, o.rows, o.frames, back, o.seed, o.corrupt, o.dump};
    return sync_test(&described);
  }
  if (count == 2 && !strcmp(arguments[1], "costs"))
    return print_costs();
  if (count >= 4 && !strcmp(arguments[1], "compare"))
    return parse_options(count, arguments, 4, &o) ? compare_dumps(arguments[2], arguments[3], o.columns, o.rows)
                                                  : usage();
  return parse_player(count, arguments, &o) ? play_over_network(&o) : usage();
}
