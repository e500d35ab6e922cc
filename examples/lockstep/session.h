/*
 * A rollback session of two players. It knows no sockets and no clock, and of the game only three functions.
 *
 * The present is as far ahead of the other player's known inputs as it must be, up to SESSION_ROLLBACK frames; what is
 * not known is guessed to be what was known last. When a guess proves wrong the state of that frame is loaded and the
 * frames since are played again. Once a frame's inputs are all known its state is final, and its hash is compared with
 * the other side's.
 *
 * A round of the caller:
 *
 *     session_read(s, bytes, count);                       // each packet that has come
 *     session_settle(s);                                   // correct the past
 *     if (session_turn_of(s) == SESSION_READY)
 *       session_advance(s, &what_my_player_does);
 *     count = session_write(s, bytes);                     // a packet to send
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LOCKSTEP_SESSION_H
#define LOCKSTEP_SESSION_H

#include "input.h"
#include "packet.h"

#include <stddef.h>
#include <stdint.h>

enum {
  SESSION_ROLLBACK = 10, /* frames that may be guessed */
  SESSION_LEAD = 2       /* frames that one side may be ahead of the other before it waits */
};

typedef enum session_result {
  SESSION_OK = 0,
  SESSION_DESYNC = -1,      /* the two sides have computed different states */
  SESSION_GAME_FAILED = -2, /* a function of the game has failed */
  SESSION_NO_MEMORY = -3,
  SESSION_LOST_STATE = -4 /* the state of a frame to go back to is not kept any more: a fault of the session */
} session_result;

typedef enum session_turn {
  SESSION_READY,   /* the next frame may be played */
  SESSION_AHEAD,   /* wait: the other side is to catch up */
  SESSION_STALLED, /* wait: as many frames are guessed as can be taken back */
  SESSION_PLAYED   /* all frames have been played */
} session_turn;

/* What the session needs of the game. The functions return a negative number on failure. */
typedef struct session_game {
  void *context;
  size_t saved_bytes;
  int (*save)(void *context, void *saved, uint64_t *hash); /* the state, and its hash */
  int (*load)(void *context, const void *saved);
  int (*advance)(void *context, int32_t frame, const input inputs[PLAYERS]);
} session_game;

typedef struct session_statistics {
  int rollbacks, deepest, resimulated;
} session_statistics;

/* Frames of inputs and hashes that are kept. A side is never more than SESSION_ROLLBACK ahead of what it knows, so
   inputs are acknowledged within 2 times that many frames and hashes within 3 times. */
enum { SESSION_HISTORY = PACKET_FRAMES };

/* Saved states. A rollback needs those of SESSION_ROLLBACK frames and of the present; whoever wants to look at the two
   states that differ needs all whose hashes may still have to be compared. */
enum { SESSION_SLOTS = SESSION_HISTORY };

/* A state that may have to be gone back to. */
typedef struct session_slot {
  void *saved;
  int32_t frame;
  uint64_t hash;
} session_slot;

/* The state of frame n is the one that its inputs meet; the state after the last frame counts as one more. */
typedef struct session {
  session_game game;
  int player;
  packet_address address;            /* of what we send */
  int32_t frames;                    /* to play in all */
  int32_t frame;                     /* the present */
  int32_t first_wrong;               /* the earliest frame played with a wrong guess; INT32_MAX for none */
  int32_t remote_frame, remote_lead; /* as the other side told last */
  int remote_done;

  input inputs[PLAYERS][SESSION_HISTORY]; /* by frame, modulo */
  int32_t remote_inputs;                  /* known of the other side: those of the frames below this */
  int32_t inputs_acked;                   /* the other side has our inputs below this */

  uint64_t hashes[PLAYERS][SESSION_HISTORY];
  int32_t local_hashes;  /* the final states below this are hashed */
  int32_t remote_hashes; /* known of the other side */
  int32_t hashes_acked;
  int32_t hashes_compared;

  session_slot slots[SESSION_SLOTS]; /* by frame, modulo */
  void *memory;
  session_statistics statistics;
} session;

/* Starts with the game's present state. Returns SESSION_OK, SESSION_NO_MEMORY or SESSION_GAME_FAILED. Set `address`
   before the first packet. */
session_result session_open(session *s, const session_game *game, int player, int32_t frames);
void session_close(session *s);

/* Takes in what a packet tells. Packets that are damaged, late, doubled or for others do no harm. */
void session_read(session *s, const uint8_t *bytes, size_t count);

/* Plays again what was played with wrong guesses, and compares the hashes that are known of both sides. */
session_result session_settle(session *s);

session_turn session_turn_of(const session *s);

/* Plays the next frame. Only when it is SESSION_READY and the session settled. */
session_result session_advance(session *s, const input *local);

/* Writes a packet of at most PACKET_BYTES with all that the other side is not known to have. Returns its size. */
size_t session_write(const session *s, uint8_t *bytes);

/* Whether everything has been played, compared and acknowledged. */
int session_is_done(const session *s);

/* The first frame whose states differ, after SESSION_DESYNC. */
int32_t session_desync_frame(const session *s);

/* The saved state of a frame, or NULL if it is not kept any more. */
const void *session_state_of(const session *s, int32_t frame);

/* Both sides' hashes of a state that is still remembered. */
uint64_t session_hash_of(const session *s, int player, int32_t frame);

#endif /* LOCKSTEP_SESSION_H */
