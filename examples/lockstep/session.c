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

static int remote_player(const session *s) {
  return 1 - s->player;
}

static input *input_at(session *s, int player, int32_t frame) {
  return &s->inputs[player][frame % SESSION_HISTORY];
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

/* Guesses that the other player goes on as he was last known to. */
static void guess_remote_input(session *s, int32_t frame) {
  if (frame >= s->remote_inputs) {
    const input *last = s->remote_inputs ? input_at(s, remote_player(s), s->remote_inputs - 1) : &input_neutral;
    *input_at(s, remote_player(s), frame) = *last;
  }
}

static session_result play_frame(session *s) {
  input inputs[PLAYERS];
  guess_remote_input(s, s->frame);
  for (int player = 0; player < PLAYERS; player++)
    inputs[player] = *input_at(s, player, s->frame);
  if (s->game.advance(s->game.context, s->frame, inputs) < 0)
    return SESSION_GAME_FAILED;
  s->frame++;
  return save_present(s);
}

const void *session_state_of(const session *s, int32_t frame) {
  const session_slot *slot = &s->slots[frame % SESSION_SLOTS];
  return slot->frame == frame ? slot->saved : NULL;
}

static session_result roll_back(session *s) {
  int32_t present = s->frame, depth = present - s->first_wrong;
  if (!session_state_of(s, s->first_wrong))
    return SESSION_LOST_STATE;
  if (s->game.load(s->game.context, slot_at(s, s->first_wrong)->saved) < 0)
    return SESSION_GAME_FAILED;
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

/* A state is final once the inputs of all frames before it are known. */
static session_result note_final_hashes(session *s) {
  int32_t last = smaller(s->frame, s->remote_inputs);
  for (; s->local_hashes <= last; s->local_hashes++) {
    if (!session_state_of(s, s->local_hashes))
      return SESSION_LOST_STATE;
    s->hashes[s->player][s->local_hashes % SESSION_HISTORY] = slot_at(s, s->local_hashes)->hash;
  }
  return SESSION_OK;
}

static session_result compare_hashes(session *s) {
  int32_t end = smaller(s->local_hashes, s->remote_hashes);
  for (; s->hashes_compared < end; s->hashes_compared++)
    if (session_hash_of(s, 0, s->hashes_compared) != session_hash_of(s, 1, s->hashes_compared))
      return SESSION_DESYNC;
  return SESSION_OK;
}

uint64_t session_hash_of(const session *s, int player, int32_t frame) {
  return s->hashes[player][frame % SESSION_HISTORY];
}

int32_t session_desync_frame(const session *s) {
  return s->hashes_compared;
}

/// Packets ///

/* What is unknown follows what is known without a gap, and overwrites nothing that is still needed: a peer that keeps
   to the protocol is within these bounds. */
static int is_plausible(const session *s, const play_packet *packet) {
  int32_t horizon = s->frame + SESSION_HISTORY / 2;
  return packet->input_ack <= s->frame && packet->hash_ack <= s->local_hashes && packet->frame <= horizon &&
         packet->first_input <= s->remote_inputs && packet->first_input + packet->input_count <= horizon &&
         packet->first_hash <= s->remote_hashes && packet->first_hash + packet->hash_count <= horizon;
}

static void learn_input(session *s, int32_t frame, const input *truth) {
  input *known = input_at(s, remote_player(s), frame);
  if (frame < s->frame && memcmp(known->bytes, truth->bytes, INPUT_BYTES) != 0)
    s->first_wrong = smaller(s->first_wrong, frame);
  *known = *truth;
  s->remote_inputs = frame + 1;
}

static void learn_inputs(session *s, const play_packet *packet) {
  for (int32_t i = s->remote_inputs - packet->first_input; i < packet->input_count; i++)
    learn_input(s, packet->first_input + i, &packet->inputs[i]);
}

static void learn_hashes(session *s, const play_packet *packet) {
  for (int32_t i = s->remote_hashes - packet->first_hash; i < packet->hash_count; i++)
    s->hashes[remote_player(s)][s->remote_hashes++ % SESSION_HISTORY] = packet->hashes[i];
}

void session_read(session *s, const uint8_t *bytes, size_t count) {
  play_packet packet;
  if (packet_kind_of(bytes, count) != PACKET_PLAY || !packet_read_play(&packet, bytes, count) ||
      packet.address.sender != s->address.receiver || packet.address.receiver != s->address.sender ||
      !is_plausible(s, &packet))
    return;
  learn_inputs(s, &packet);
  learn_hashes(s, &packet);
  s->inputs_acked = larger(s->inputs_acked, packet.input_ack);
  s->hashes_acked = larger(s->hashes_acked, packet.hash_ack);
  s->remote_done |= packet.done;
  if (packet.frame >= s->remote_frame) {
    s->remote_frame = packet.frame;
    s->remote_lead = packet.lead;
  }
}

static void pack_inputs(const session *s, play_packet *packet) {
  packet->first_input = s->inputs_acked;
  packet->input_count = s->frame - s->inputs_acked;
  for (int32_t i = 0; i < packet->input_count; i++)
    packet->inputs[i] = s->inputs[s->player][(packet->first_input + i) % SESSION_HISTORY];
}

static void pack_hashes(const session *s, play_packet *packet) {
  packet->first_hash = s->hashes_acked;
  packet->hash_count = s->local_hashes - s->hashes_acked;
  for (int32_t i = 0; i < packet->hash_count; i++)
    packet->hashes[i] = session_hash_of(s, s->player, packet->first_hash + i);
}

size_t session_write(const session *s, uint8_t *bytes) {
  play_packet packet;
  packet.address = s->address;
  packet.done = session_is_done(s);
  packet.lead = s->frame - s->remote_frame;
  packet.frame = s->frame;
  packet.input_ack = s->remote_inputs;
  packet.hash_ack = s->remote_hashes;
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

session_result session_open(session *s, const session_game *game, int player, int32_t frames) {
  memset(s, 0, sizeof *s);
  s->game = *game;
  s->player = player;
  s->frames = frames;
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

/* Both sides see each other late, and equally late if they are level. So half of the difference is what one is really
   ahead. Without this the faster machine would run into its limit all the time, and do all the guessing. */
static int is_ahead(const session *s) {
  return s->frame - s->remote_frame - s->remote_lead >= 2 * SESSION_LEAD;
}

/* Neither more guesses than can be taken back, nor more that is not acknowledged than is kept. */
static int is_stalled(const session *s) {
  int32_t acked = smaller(smaller(s->inputs_acked, s->hashes_acked), s->hashes_compared);
  return s->frame - s->remote_inputs >= SESSION_ROLLBACK || s->frame - acked >= SESSION_HISTORY - 1;
}

session_turn session_turn_of(const session *s) {
  if (s->frame == s->frames)
    return SESSION_PLAYED;
  if (is_stalled(s))
    return SESSION_STALLED;
  return is_ahead(s) ? SESSION_AHEAD : SESSION_READY;
}

session_result session_advance(session *s, const input *local) {
  *input_at(s, s->player, s->frame) = *local;
  session_result result = play_frame(s);
  return result == SESSION_OK ? note_final_hashes(s) : result;
}

int session_is_done(const session *s) {
  return s->hashes_compared > s->frames && s->inputs_acked == s->frames && s->hashes_acked > s->frames;
}
