/* SPDX-License-Identifier: MIT */
#include "session.h"

#include <stdlib.h>
#include <string.h>

static int32_t smaller(int32_t a, int32_t b) {
  return a < b ? a : b;
}

static int32_t larger(int32_t a, int32_t b) {
  return a > b ? a : b;
}

static input *input_at(session *s, int player, int32_t frame) {
  return &s->sides[player].inputs[frame % SESSION_HISTORY];
}

static session_slot *slot_at(session *s, int32_t frame) {
  return &s->slots[frame % SESSION_SLOTS];
}

/// The game ///

static session_result save_present(session *s) {
  session_slot *slot = slot_at(s, s->frame);
  slot->frame = s->frame;
  return s->game.save(s->game.context, slot->saved, &slot->hash) < 0 ? SESSION_GAME_FAILED : SESSION_OK;
}

/* A player's input of the present frame. What is not known is guessed: he goes on as he was last known to. */
static const input *input_to_play(session *s, int player) {
  const int32_t known = s->sides[player].known_inputs;
  input *to_play = input_at(s, player, s->frame);
  if (s->frame >= known) *to_play = known > 0 ? *input_at(s, player, known - 1) : input_neutral;
  return to_play;
}

static session_result play_frame(session *s) {
  input inputs[PLAYERS_MOST];
  for (int player = 0; player < s->players; player++)
    inputs[player] = *input_to_play(s, player);
  if (s->game.advance(s->game.context, s->frame, inputs) < 0) return SESSION_GAME_FAILED;
  s->frame++;
  return save_present(s);
}

const void *session_state_of(const session *s, int32_t frame) {
  const session_slot *slot = &s->slots[frame % SESSION_SLOTS];
  return slot->frame == frame ? slot->saved : NULL;
}

static session_result roll_back(session *s) {
  int32_t present = s->frame, depth = present - s->first_wrong;
  if (!session_state_of(s, s->first_wrong)) return SESSION_LOST_STATE;
  if (s->game.load(s->game.context, slot_at(s, s->first_wrong)->saved) < 0) return SESSION_GAME_FAILED;
  s->frame = s->first_wrong;
  s->first_wrong = INT32_MAX;
  s->statistics.rollbacks++;
  s->statistics.resimulated += depth;
  s->statistics.deepest = larger(s->statistics.deepest, depth);
  session_result result = SESSION_OK;
  while (s->frame < present && result == SESSION_OK)
    result = play_frame(s);
  return result;
}

/// Final states ///

/* A state is final once the inputs of all players for all frames before it are known. Our own are known up to the
   present. */
static int32_t last_final_state(const session *s) {
  int32_t last = s->sides[0].known_inputs;
  for (int player = 1; player < s->players; player++)
    last = smaller(last, s->sides[player].known_inputs);
  return last;
}

static session_result note_final_hashes(session *s) {
  session_side *own = &s->sides[s->player];
  int32_t last = last_final_state(s);
  for (; own->known_hashes <= last; own->known_hashes++) {
    if (!session_state_of(s, own->known_hashes)) return SESSION_LOST_STATE;
    own->hashes[own->known_hashes % SESSION_HISTORY] = slot_at(s, own->known_hashes)->hash;
  }
  return SESSION_OK;
}

static session_result compare_hashes_with(session *s, int player) {
  session_side *side = &s->sides[player];
  int32_t end = smaller(s->sides[s->player].known_hashes, side->known_hashes);
  for (; side->hashes_compared < end; side->hashes_compared++)
    if (session_hash_of(s, s->player, side->hashes_compared) != session_hash_of(s, player, side->hashes_compared)) {
      s->desync_player = player;
      return SESSION_DESYNC;
    }
  return SESSION_OK;
}

static session_result compare_hashes(session *s) {
  session_result result = SESSION_OK;
  for (int player = 0; player < s->players && result == SESSION_OK; player++)
    if (player != s->player) result = compare_hashes_with(s, player);
  return result;
}

uint64_t session_hash_of(const session *s, int player, int32_t frame) {
  return s->sides[player].hashes[frame % SESSION_HISTORY];
}

int32_t session_desync_frame(const session *s) {
  return s->sides[s->desync_player].hashes_compared;
}

int32_t session_compared(const session *s) {
  int32_t compared = INT32_MAX;
  for (int player = 0; player < s->players; player++)
    if (player != s->player) compared = smaller(compared, s->sides[player].hashes_compared);
  return compared;
}

/// Packets ///

/* What is unknown follows what is known without a gap, and overwrites nothing that is still needed: a peer that keeps
   to the protocol is within these bounds. */
static int is_plausible(const session *s, const session_side *side, const play_packet *packet) {
  int32_t horizon = s->frame + SESSION_HISTORY / 2;
  return packet->input_ack <= s->frame && packet->hash_ack <= s->sides[s->player].known_hashes &&
         packet->frame <= horizon && packet->first_input <= side->known_inputs &&
         packet->first_input + packet->input_count <= horizon && packet->first_hash <= side->known_hashes &&
         packet->first_hash + packet->hash_count <= horizon;
}

static void learn_input(session *s, int player, int32_t frame, const input *truth) {
  input *known = input_at(s, player, frame);
  if (frame < s->frame && memcmp(known->bytes, truth->bytes, INPUT_BYTES) != 0)
    s->first_wrong = smaller(s->first_wrong, frame);
  *known = *truth;
  s->sides[player].known_inputs = frame + 1;
}

static void learn_inputs(session *s, int player, const play_packet *packet) {
  for (int32_t i = s->sides[player].known_inputs - packet->first_input; i < packet->input_count; i++)
    learn_input(s, player, packet->first_input + i, &packet->inputs[i]);
}

static void learn_hashes(session_side *side, const play_packet *packet) {
  for (int32_t i = side->known_hashes - packet->first_hash; i < packet->hash_count; i++)
    side->hashes[side->known_hashes++ % SESSION_HISTORY] = packet->hashes[i];
}

void session_read(session *s, int player, const uint8_t *bytes, size_t count) {
  play_packet packet;
  session_side *side = &s->sides[player];
  if (player == s->player || packet_kind_of(bytes, count) != PACKET_PLAY || !packet_read_play(&packet, bytes, count) ||
      packet.address.sender != side->number || packet.address.receiver != s->number || !is_plausible(s, side, &packet))
    return;
  learn_inputs(s, player, &packet);
  learn_hashes(side, &packet);
  side->inputs_acked = larger(side->inputs_acked, packet.input_ack);
  side->hashes_acked = larger(side->hashes_acked, packet.hash_ack);
  side->done |= packet.done;
  if (packet.frame >= side->frame) {
    side->frame = packet.frame;
    side->lead = packet.lead;
  }
}

static void pack_inputs(const session *s, play_packet *packet) {
  packet->input_count = s->frame - packet->first_input;
  for (int32_t i = 0; i < packet->input_count; i++)
    packet->inputs[i] = s->sides[s->player].inputs[(packet->first_input + i) % SESSION_HISTORY];
}

static void pack_hashes(const session *s, play_packet *packet) {
  packet->hash_count = s->sides[s->player].known_hashes - packet->first_hash;
  for (int32_t i = 0; i < packet->hash_count; i++)
    packet->hashes[i] = session_hash_of(s, s->player, packet->first_hash + i);
}

size_t session_write(const session *s, int player, uint8_t *bytes) {
  play_packet packet;
  const session_side *side = &s->sides[player];
  packet.address = (packet_address){s->number, side->number};
  packet.done = session_is_done_with(s, player);
  packet.lead = s->frame - side->frame;
  packet.frame = s->frame;
  packet.input_ack = side->known_inputs;
  packet.hash_ack = side->known_hashes;
  packet.first_input = side->inputs_acked;
  packet.first_hash = side->hashes_acked;
  pack_inputs(s, &packet);
  pack_hashes(s, &packet);
  return packet_write_play(&packet, bytes);
}

/// The session ///

static session_result allocate_slots(session *s) {
  s->memory = malloc(SESSION_SLOTS * s->game.saved_bytes);
  for (int i = 0; i < SESSION_SLOTS; i++) {
    s->slots[i].saved = (char *)s->memory + (size_t)i * s->game.saved_bytes;
    s->slots[i].frame = -1;
  }
  return s->memory ? SESSION_OK : SESSION_NO_MEMORY;
}

session_result session_open(session *s, const session_game *game, const session_players *players) {
  memset(s, 0, sizeof *s);
  s->game = *game;
  s->players = players->count;
  s->player = players->own;
  s->frames = players->frames;
  s->first_wrong = INT32_MAX;
  session_result result = allocate_slots(s);
  return result == SESSION_OK ? save_present(s) : result;
}

void session_close(session *s) {
  free(s->memory);
  memset(s, 0, sizeof *s);
}

session_result session_settle(session *s) {
  session_result result = s->first_wrong < s->frame ? roll_back(s) : SESSION_OK;
  result = result == SESSION_OK ? note_final_hashes(s) : result;
  return result == SESSION_OK ? compare_hashes(s) : result;
}

/* Two sides see each other late, and equally late if they are level. So half of the difference is what one is really
   ahead. Without this the faster machine would run into its limit all the time, and do all the guessing. */
static int is_ahead_of(const session *s, const session_side *side) {
  return s->frame - side->frame - side->lead >= 2 * SESSION_LEAD;
}

/* Neither more guesses than can be taken back, nor more that is not acknowledged than is kept. */
static int is_stalled_by(const session *s, const session_side *side) {
  int32_t acked = smaller(smaller(side->inputs_acked, side->hashes_acked), side->hashes_compared);
  return s->frame - side->known_inputs >= SESSION_ROLLBACK || s->frame - acked >= SESSION_HISTORY - 1;
}

/* The slowest of the others decides. */
session_turn session_turn_of(const session *s) {
  session_turn turn = SESSION_READY;
  if (s->frame == s->frames) return SESSION_PLAYED;
  for (int player = 0; player < s->players; player++) {
    const session_side *side = &s->sides[player];
    if (player != s->player && is_stalled_by(s, side)) return SESSION_STALLED;
    if (player != s->player && is_ahead_of(s, side)) turn = SESSION_AHEAD;
  }
  return turn;
}

session_result session_advance(session *s, const input *local) {
  *input_at(s, s->player, s->frame) = *local;
  s->sides[s->player].known_inputs = s->frame + 1;
  session_result result = play_frame(s);
  return result == SESSION_OK ? note_final_hashes(s) : result;
}

int session_is_done_with(const session *s, int player) {
  const session_side *side = &s->sides[player];
  return side->hashes_compared > s->frames && side->inputs_acked == s->frames && side->hashes_acked > s->frames;
}
