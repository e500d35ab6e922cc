/*
 * A rollback session of two to four players. It knows no sockets and no clock, and of the game only three functions.
 *
 * The present is as far ahead of the other players' known inputs as it must be, up to SESSION_ROLLBACK frames; what is
 * not known of a player is guessed to be what was known of him last. When a guess about any of them proves wrong the
 * state of that frame is loaded and the frames since are played again. Once the inputs of all players for a frame are
 * known its state is final, and its hash is compared with that of every other side.
 *
 * Each side sends its own inputs and hashes to each other one: nobody passes on what he has heard.
 *
 * A round of the caller:
 *
 *     session_read(s, player, bytes, count);               // each packet that has come, and who has sent it
 *     session_settle(s);                                   // correct the past
 *     if (session_turn_of(s) == SESSION_READY)
 *       session_advance(s, &what_my_player_does);
 *     count = session_write(s, player, bytes);             // a packet to send to each other player
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
  SESSION_LEAD = 2       /* frames that one side may be ahead of the slowest before it waits */
};

typedef enum session_result {
  SESSION_OK = 0,
  SESSION_DESYNC = -1,      /* this side and another have computed different states */
  SESSION_GAME_FAILED = -2, /* a function of the game has failed */
  SESSION_NO_MEMORY = -3,
  SESSION_LOST_STATE = -4 /* the state of a frame to go back to is not kept any more: a fault of the session */
} session_result;

typedef enum session_turn {
  SESSION_READY,   /* the next frame may be played */
  SESSION_AHEAD,   /* wait: another side is to catch up */
  SESSION_STALLED, /* wait: as many frames are guessed as can be taken back */
  SESSION_PLAYED   /* all frames have been played */
} session_turn;

/* What the session needs of the game. The functions return a negative number on failure. */
typedef struct session_game {
  void *context;
  size_t saved_bytes;
  int (*save)(void *context, void *saved, uint64_t *hash); /* the state, and its hash */
  int (*load)(void *context, const void *saved);
  int (*advance)(void *context, int32_t frame, const input *inputs); /* those of all players, in their order */
} session_game;

typedef struct session_statistics {
  int rollbacks, deepest, resimulated;
} session_statistics;

/* Frames of inputs and hashes that are kept. A side is never more than SESSION_ROLLBACK ahead of what it knows of any
   other, so inputs are acknowledged within 2 times that many frames and hashes within 3 times. */
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

/* What is known of a player. */
typedef struct session_side {
  input inputs[SESSION_HISTORY];    /* by frame, modulo; guesses from `known_inputs` on */
  int32_t known_inputs;             /* his inputs of the frames below this are known */
  uint64_t hashes[SESSION_HISTORY]; /* by frame, modulo */
  int32_t known_hashes;             /* his final states below this are hashed */

  /* Only of other players. */
  uint32_t number;         /* of his program, from its hello; 0 before that */
  int32_t inputs_acked;    /* he has our inputs below this */
  int32_t hashes_acked;    /* he has our hashes below this */
  int32_t hashes_compared; /* his hashes below this are ours */
  int32_t frame, lead;     /* as he told last */
  int done;                /* he needs nothing more of us */
} session_side;

/* The state of frame n is the one that its inputs meet; the state after the last frame counts as one more. */
typedef struct session {
  session_game game;
  uint32_t number; /* of our program */
  int players;
  int player;          /* which of them is ours */
  int32_t frames;      /* to play in all */
  int32_t frame;       /* the present */
  int32_t first_wrong; /* the earliest frame played with a wrong guess; INT32_MAX for none */
  int desync_player;   /* after SESSION_DESYNC: whose state differs from ours */
  session_side sides[PLAYERS_MOST];
  session_slot slots[SESSION_SLOTS]; /* by frame, modulo */
  void *memory;
  session_statistics statistics;
} session;

/* Who plays, and how long. */
typedef struct session_players {
  int count;      /* PLAYERS_LEAST to PLAYERS_MOST */
  int own;        /* which of them plays here: 0 to count - 1 */
  int32_t frames; /* to play in all */
} session_players;

/* Starts with the game's present state. Returns SESSION_OK, SESSION_NO_MEMORY or SESSION_GAME_FAILED. Set `number` and
   that of every other side before the first packet. */
session_result session_open(session *s, const session_game *game, const session_players *players);
void session_close(session *s);

/* Takes in what a packet from another player tells. Packets that are damaged, late, doubled or for others do no
   harm. */
void session_read(session *s, int player, const uint8_t *bytes, size_t count);

/* Plays again what was played with wrong guesses, and compares the hashes that are known of both this side and
   another. */
session_result session_settle(session *s);

session_turn session_turn_of(const session *s);

/* Plays the next frame. Only when it is SESSION_READY and the session settled. */
session_result session_advance(session *s, const input *local);

/* Writes a packet of at most PACKET_BYTES with all that another player is not known to have. Returns its size. */
size_t session_write(const session *s, int player, uint8_t *bytes);

/* Whether everything has been played, and compared with another player's and acknowledged by him. */
int session_is_done_with(const session *s, int player);

/* The first frame whose state differs from that of session.desync_player, after SESSION_DESYNC. */
int32_t session_desync_frame(const session *s);

/* How many states have been compared with every other player's. */
int32_t session_compared(const session *s);

/* The saved state of a frame, or NULL if it is not kept any more. */
const void *session_state_of(const session *s, int32_t frame);

/* A player's hash of a state that is still remembered. */
uint64_t session_hash_of(const session *s, int player, int32_t frame);

#endif /* LOCKSTEP_SESSION_H */
