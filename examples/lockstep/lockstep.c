/*
 * Two to four processes play a game with a cloth over UDP, each simulating it whole and exchanging inputs only, with
 * rollback. Each sends its inputs to every other one.
 *
 *     lockstep PLAYER PORT PORT_OF_ANOTHER... [--players N] [--frames 3600] [--loss 20] [--delay 3] [--reorder 10]
 *              [--flip 0] [--seed 1] [--grid 16x16] [--fps 0] [--timeout 10] [--corrupt FRAME] [--dump NAME]
 *     lockstep sync FRAMES_BACK [--players 2] [--frames 3600] [--seed 1] [--grid 16x16] [--corrupt FRAME]
 *              [--dump NAME]
 *     lockstep compare IMAGE IMAGE [--players 2] [--grid 16x16]
 *     lockstep costs
 *
 * They are started as players 0, 1, ..., on any machines' builds, each with its own port first and then those of the
 * others in the order of their numbers. There are as many players as ports; --players only says so again. Bots play.
 * With --fps 0 frames follow each other as fast as all sides can. --corrupt disturbs one's state at a frame, to see it
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
#include "options.h"
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
/* After how long we repeat what we said, if there is nothing new to say. Who is ahead is patient: the others are at
   work. */
enum { WAIT_MILLISECONDS = 5, PATIENT_MILLISECONDS = 50, FAREWELLS = 16 };
enum { LINGER_LIMIT = 1000 }; /* [ms] */

/// The program ///

/* How we stand with another player. */
typedef struct contact {
  int greeted;    /* his hello is here */
  int answered;   /* he has got ours */
  double silence; /* how long packets of his have been waited for in vain [ms] */
} contact;

typedef struct program {
  options options;
  udp_link link;
  game game;
  session session;
  bot bot;
  hello_packet hello; /* to all; its address is filled in for each */
  contact contacts[PLAYERS_MOST];
  int is_over;      /* there is no game, or no more, */
  char reason[100]; /* because of this */
  int stalls;
  double told;       /* when we last told the others how far we are [s] */
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

/* Whether there is such a player, who is not ours. */
static int is_other(const program *p, int player) {
  return player < p->options.players && player != p->options.player;
}

static int is_silent(const program *p, int player) {
  return p->contacts[player].silence > 1e3 * p->options.timeout;
}

/* From now on our hello says that we have ended the game because of a player. Only the first reason counts. */
static void end_game(program *p, packet_refusal refusal, int cause, const char *what) {
  if (p->is_over) return;
  p->is_over = 1;
  p->hello.refusal = (int)refusal;
  p->hello.cause = cause;
  snprintf(p->reason, sizeof p->reason, "player %d %s", cause, what);
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

static int advance_game(void *context, int32_t frame, const input *inputs) {
  program *p = context;
  if (frame == p->options.corrupt) game_corrupt(&p->game);
  return game_advance(&p->game, inputs);
}

/// Packets ///

/* What differs between us and another player; NULL for nothing. */
static const char *find_difference(const hello_packet *ours, const hello_packet *theirs, int player) {
  if (theirs->protocol != ours->protocol) return "protocol";
  if (theirs->players != ours->players) return "number of players";
  if (theirs->player != player) return "who is which player";
  if (theirs->state_version != ours->state_version) return "CLOTH_STATE_VERSION";
  if (theirs->numerics_version != ours->numerics_version) return "CLOTH_NUMERICS_VERSION";
  if (theirs->frames != ours->frames) return "number of frames";
  return theirs->image_hash != ours->image_hash ? "config or state at the start" : NULL;
}

/* Ends the game if there is a reason to. What we see ourselves is told rather than what another player tells. */
static void compare_hellos(program *p, int player, const hello_packet *theirs) {
  const int refusal = theirs->protocol == PACKET_PROTOCOL ? theirs->refusal : REFUSAL_NONE;
  const char *difference = find_difference(&p->hello, theirs, player);
  char what[sizeof p->reason - sizeof "player 0"];
  if (refusal == REFUSAL_SELF_TEST)
    snprintf(what, sizeof what, "has another arithmetic: his self-test gives %s", cloth_result_name(theirs->result));
  else if (refusal == REFUSAL_RESTART)
    snprintf(what, sizeof what, "is in a game already, with a program that was here before");
  else if (difference)
    snprintf(what, sizeof what, "does not agree on: %s", difference);
  else if (refusal == REFUSAL_ENDED)
    snprintf(what, sizeof what, "has ended the game because of player %d", theirs->cause);
  else
    return;
  end_game(p, REFUSAL_ENDED, player, what);
}

/* That he has started anew is told to him alone. */
static void send_hello(program *p, int player) {
  uint8_t bytes[PACKET_BYTES];
  hello_packet hello = p->hello;
  hello.address = (packet_address){p->session.number, p->session.sides[player].number};
  if (hello.refusal == REFUSAL_RESTART && hello.cause != player) hello.refusal = REFUSAL_ENDED;
  link_send(&p->link, player, bytes, packet_write_hello(&hello, bytes));
}

static void send_play(program *p, int player) {
  uint8_t bytes[PACKET_BYTES];
  link_send(&p->link, player, bytes, session_write(&p->session, player, bytes));
}

/* Who greets us with another number than before has started anew: the game with his program before is over, and he is
   told so. */
static void take_hello(program *p, int player, const uint8_t *bytes, size_t count) {
  hello_packet theirs;
  contact *him = &p->contacts[player];
  uint32_t *number = &p->session.sides[player].number;
  const uint32_t ours = p->session.number;
  if (!packet_read_hello(&theirs, bytes, count)) return;
  if (him->greeted && theirs.address.sender != *number) {
    end_game(p, REFUSAL_RESTART, player, "has started anew");
    *number = theirs.address.sender;
    return;
  }
  if (theirs.address.receiver != ours && theirs.address.receiver != 0)
    return; /* meant for a program that was here before */
  compare_hellos(p, player, &theirs);
  him->greeted = 1;
  him->answered |= theirs.address.receiver == ours;
  *number = theirs.address.sender;
  if (theirs.address.receiver != ours) send_hello(p, player);
}

/* Only who agrees with our hello plays. */
static void take_play(program *p, int player, const uint8_t *bytes, size_t count) {
  play_packet packet;
  if (packet_read_play(&packet, bytes, count) && packet.address.receiver == p->session.number)
    p->contacts[player].answered = 1;
  session_read(&p->session, player, bytes, count);
}

static void take_packets(program *p) {
  uint8_t bytes[PACKET_BYTES];
  size_t count;
  int player;
  while ((count = link_receive(&p->link, &player, bytes)) > 0) {
    packet_kind kind = packet_kind_of(bytes, count);
    if (kind != PACKET_UNKNOWN) p->contacts[player].silence = 0;
    if (kind == PACKET_HELLO) take_hello(p, player, bytes, count);
    if (kind == PACKET_PLAY) take_play(p, player, bytes, count);
  }
}

/* Silence is the sum of such waits, and of each no more than was meant, not what a clock says: a machine that has slept
   has not listened. */
static void wait_for_packets(program *p, int milliseconds) {
  const double start = seconds();
  link_wait(&p->link, milliseconds);
  const double waited = 1e3 * (seconds() - start);
  for (int player = 0; player < p->options.players; player++)
    p->contacts[player].silence += waited < milliseconds ? waited : milliseconds;
}

/// Rounds ///

static void tell(program *p, void (*send)(program *, int)) {
  for (int player = 0; player < p->options.players; player++)
    if (is_other(p, player)) send(p, player);
  link_tick(&p->link);
}

static void tell_play(program *p) {
  tell(p, send_play);
  p->told = seconds();
}

/* So that a packet more or less does not leave the others in the dark. */
static void repeat(program *p, void (*send)(program *, int)) {
  for (int i = 0; i < FAREWELLS; i++)
    tell(p, send);
}

static int report_end(program *p) {
  repeat(p, send_hello);
  return complain(p, p->reason, "");
}

/* Ends the game if a player whom we still need has not been heard for too long. */
static void listen_for_silence(program *p) {
  for (int player = 0; player < p->options.players; player++)
    if (is_other(p, player) && is_silent(p, player) && !session_is_done_with(&p->session, player))
      end_game(p, REFUSAL_ENDED, player, "has not been heard for too long");
}

static int has_met_all(const program *p) {
  for (int player = 0; player < p->options.players; player++)
    if (is_other(p, player) && !(p->contacts[player].greeted && p->contacts[player].answered)) return 0;
  return 1;
}

static int greet(program *p) {
  while (!has_met_all(p) && !p->is_over) {
    tell(p, send_hello);
    wait_for_packets(p, WAIT_MILLISECONDS);
    take_packets(p);
    listen_for_silence(p);
  }
  return p->is_over ? report_end(p) : EXIT_SUCCESS;
}

static int report_desync(program *p) {
  const session *s = &p->session;
  int32_t frame = session_desync_frame(s);
  repeat(p, send_play);
  fprintf(stderr, "player %d: desync at frame %" PRId32 ": %016" PRIx64 " here, %016" PRIx64 " of player %d\n",
          s->player, frame, session_hash_of(s, s->player, frame), session_hash_of(s, s->desync_player, frame),
          s->desync_player);
  const void *state = session_state_of(s, frame);
  if (p->options.dump && (!state || load_game(p, state) < 0 || !write_dump(&p->game, p->options.dump)))
    return complain(p, "no dump: ", p->options.dump);
  return EXIT_FAILURE;
}

static int report_result(program *p, session_result result) {
  if (result == SESSION_OK) return EXIT_SUCCESS;
  if (result == SESSION_DESYNC) return report_desync(p);
  end_game(p, REFUSAL_ENDED, p->options.player,
           result == SESSION_LOST_STATE ? "does not keep a state any more" : "cannot go on: the game has failed");
  return report_end(p);
}

static session_result play_next(program *p) {
  session_result result = session_advance(&p->session, bot_plays(&p->bot));
  p->next_frame = p->options.fps ? p->next_frame + 1.0 / p->options.fps : 0;
  tell_play(p);
  return result;
}

static double end_of_wait(const program *p, session_turn turn) {
  if (turn == SESSION_READY) return p->next_frame;
  return p->told + 1e-3 * (turn == SESSION_AHEAD ? PATIENT_MILLISECONDS : WAIT_MILLISECONDS);
}

/* Hearing others is no reason not to repeat: they may be waiting for what they have never got from us. */
static void wait_for_turn(program *p, session_turn turn) {
  double end = end_of_wait(p, turn), left = end - seconds();
  wait_for_packets(p, left > 0 ? (int)(1e3 * left) + 1 : 0);
  if (turn != SESSION_READY && seconds() >= end) tell_play(p);
}

static session_result play_round(program *p, session_turn *turn) {
  session_turn before = *turn;
  take_packets(p);
  session_result result = session_settle(&p->session);
  *turn = session_turn_of(&p->session);
  p->stalls += *turn == SESSION_STALLED && before != SESSION_STALLED;
  if (result == SESSION_OK && *turn == SESSION_READY && seconds() >= p->next_frame) return play_next(p);
  if (result == SESSION_OK) wait_for_turn(p, *turn);
  return result;
}

/* The last to be done needs the others a little longer. */
static int may_leave(const program *p) {
  for (int player = 0; player < p->options.players; player++)
    if (is_other(p, player) && !(session_is_done_with(&p->session, player) &&
                                 (p->session.sides[player].done || p->contacts[player].silence > LINGER_LIMIT)))
      return 0;
  return 1;
}

static int play(program *p) {
  session_turn turn = SESSION_READY;
  p->next_frame = seconds();
  while (!may_leave(p)) {
    session_result result = play_round(p, &turn);
    if (result != SESSION_OK) return report_result(p, result);
    listen_for_silence(p);
    if (p->is_over) return report_end(p);
  }
  repeat(p, send_play);
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
         l->reordered, l->flipped, session_compared(&p->session), hash);
}

/// Start and end ///

static link_options describe_link(const options *o) {
  link_options described = {.players = o->players,
                            .player = o->player,
                            .loss = o->loss,
                            .delay = o->delay,
                            .reorder = o->reorder,
                            .flip = o->flip,
                            .seed = link_seed_of(o->seed, o->player)};
  memcpy(described.ports, o->ports, sizeof described.ports);
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
                            .players = o->players,
                            .result = cloth_self_test(),
                            .state_version = CLOTH_STATE_VERSION,
                            .numerics_version = CLOTH_NUMERICS_VERSION,
                            .frames = o->frames};
  p->hello.refusal = p->hello.result < 0 ? REFUSAL_SELF_TEST : REFUSAL_NONE;
  p->bot = bot_of(o->seed, o->player);
  int result = p->hello.result < 0 ? CLOTH_OK : game_open(&p->game, o->columns, o->rows, o->players);
  return result < 0 || p->hello.refusal ? result : game_image_hash(&p->game, &p->hello.image_hash);
}

/* Whether all who can still be heard have got our hello. */
static int is_told(const program *p) {
  for (int player = 0; player < p->options.players; player++)
    if (is_other(p, player) && !p->contacts[player].answered && !is_silent(p, player)) return 0;
  return 1;
}

/* Says what is wrong until the others have heard it. */
static int refuse(program *p) {
  p->is_over = 1; /* whatever they say */
  while (!is_told(p)) {
    tell(p, send_hello);
    wait_for_packets(p, WAIT_MILLISECONDS);
    take_packets(p);
  }
  repeat(p, send_hello);
  return complain(p, "cannot start: the self-test gives ", cloth_result_name(p->hello.result));
}

static int run(program *p) {
  session_game functions = {p, p->game.memory.saved_bytes, save_game, load_game, advance_game};
  session_players players = {p->options.players, p->options.player, p->options.frames};
  session_result opened = p->hello.refusal ? SESSION_OK : session_open(&p->session, &functions, &players);
  p->session.number = draw_number();
  if (p->hello.refusal) return refuse(p);
  int status = report_result(p, opened);
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
    fprintf(stderr, "port %d: %s\n", o->ports[o->player], strerror(errno));
    return EXIT_PORT;
  }
  int result = prepare_game(&p);
  int status = result < 0 ? complain(&p, "cannot start: ", cloth_result_name(result)) : run(&p);
  game_close(&p.game);
  link_close(&p.link);
  return status;
}

/* Says which argument is wrong, if any, and which there are. */
static int usage(const options *o) {
  if (o->fault[0]) fprintf(stderr, "%s\n", o->fault);
  fprintf(stderr,
          "lockstep PLAYER PORT PORT_OF_ANOTHER... [--players N] [--frames N] [--loss %%] [--delay FRAMES]\n"
          "         [--reorder %%] [--flip %%] [--seed N] [--grid 16x16] [--fps N] [--timeout SECONDS]\n"
          "         [--corrupt FRAME] [--dump NAME]\n"
          "lockstep sync FRAMES_BACK [--players N] [--frames N] [--seed N] [--grid 16x16] [--corrupt FRAME]\n"
          "         [--dump NAME]\n"
          "lockstep compare IMAGE IMAGE [--players N] [--grid 16x16]\n"
          "lockstep costs\n"
          "There are %d to %d players.\n",
          PLAYERS_LEAST, PLAYERS_MOST);
  return EXIT_USAGE;
}

static int play_again_and_again(const options *o) {
  const sync_options described = {.columns = o->columns,
                                  .rows = o->rows,
                                  .players = o->players,
                                  .frames = o->frames,
                                  .back = o->back,
                                  .seed = o->seed,
                                  .corrupt = o->corrupt,
                                  .dump = o->dump};
  return sync_test(&described);
}

static int compare(const options *o) {
  const dump_game of = {o->columns, o->rows, o->players};
  return compare_dumps(o->images[0], o->images[1], &of);
}

int main(int count, char **arguments) {
  options o;
  switch (options_read(&o, count, arguments)) {
  case COMMAND_PLAY:
    return play_over_network(&o);
  case COMMAND_SYNC:
    return play_again_and_again(&o);
  case COMMAND_COMPARE:
    return compare(&o);
  case COMMAND_COSTS:
    return print_costs();
  case COMMAND_NONE:
    break;
  }
  return usage(&o);
}
