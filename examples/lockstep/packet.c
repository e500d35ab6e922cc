/* SPDX-License-Identifier: MIT */
#include "packet.h"

#include <string.h>

/// Bytes ///

static uint8_t *put(uint8_t *to, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; i++)
    *to++ = (uint8_t)(value >> (8 * i));
  return to;
}

/* Reads past the end give 0 and are remembered: one look at `whole` at the end is enough. */
typedef struct reader {
  const uint8_t *at, *end;
  int whole;
} reader;

static uint64_t get(reader *from, int bytes) {
  uint64_t value = 0;
  if (from->end - from->at < bytes) {
    from->whole = 0;
    return 0;
  }
  for (int i = 0; i < bytes; i++)
    value |= (uint64_t)*from->at++ << (8 * i);
  return value;
}

/* Frame numbers are never negative: one that came out so is nonsense and becomes 0. */
static int32_t get_frame(reader *from) {
  uint64_t value = get(from, 4);
  return value <= INT32_MAX ? (int32_t)value : 0;
}

static int32_t get_signed_16(reader *from) {
  int32_t value = (int32_t)get(from, 2);
  return value < 0x8000 ? value : value - 0x10000;
}

static int read_whole(const reader *from) {
  return from->whole && from->at == from->end;
}

enum { CHECKSUM_BYTES = 4 };

/* FNV-1a */
static uint32_t checksum_of(const uint8_t *bytes, size_t count) {
  uint32_t hash = UINT32_C(0x811c9dc5);
  for (size_t i = 0; i < count; i++)
    hash = (hash ^ bytes[i]) * UINT32_C(0x01000193);
  return hash;
}

/* Ends a packet. Returns its size. */
static size_t put_checksum(uint8_t *bytes, uint8_t *to) {
  to = put(to, checksum_of(bytes, (size_t)(to - bytes)), CHECKSUM_BYTES);
  return (size_t)(to - bytes);
}

/* The bytes of a whole packet after its kind. */
static reader read_content(const uint8_t *bytes, size_t count) {
  reader from = {bytes + 1, bytes + count - CHECKSUM_BYTES, 1};
  return from;
}

static uint8_t *put_address(uint8_t *to, const packet_address *address) {
  to = put(to, address->sender, 4);
  return put(to, address->receiver, 4);
}

static packet_address get_address(reader *from) {
  packet_address address;
  address.sender = (uint32_t)get(from, 4);
  address.receiver = (uint32_t)get(from, 4);
  return address;
}

packet_kind packet_kind_of(const uint8_t *bytes, size_t count) {
  if (count <= CHECKSUM_BYTES || (bytes[0] != PACKET_HELLO && bytes[0] != PACKET_PLAY)) return PACKET_UNKNOWN;
  reader end = {bytes + count - CHECKSUM_BYTES, bytes + count, 1};
  if (get(&end, CHECKSUM_BYTES) != checksum_of(bytes, count - CHECKSUM_BYTES)) return PACKET_UNKNOWN;
  return (packet_kind)bytes[0];
}

/// Hello ///

size_t packet_write_hello(const hello_packet *packet, uint8_t *bytes) {
  uint8_t *to = bytes;
  to = put(to, PACKET_HELLO, 1);
  to = put_address(to, &packet->address);
  to = put(to, (uint64_t)packet->protocol, 1);
  to = put(to, (uint64_t)packet->player, 1);
  to = put(to, (uint64_t)packet->players, 1);
  to = put(to, (uint64_t)packet->refusal, 1);
  to = put(to, (uint64_t)packet->cause, 1);
  to = put(to, (uint64_t)-packet->result, 1);
  to = put(to, packet->state_version, 4);
  to = put(to, packet->numerics_version, 4);
  to = put(to, (uint64_t)packet->frames, 4);
  to = put(to, packet->image_hash, 8);
  return put_checksum(bytes, to);
}

int packet_read_hello(hello_packet *packet, const uint8_t *bytes, size_t count) {
  reader from = read_content(bytes, count);
  memset(packet, 0, sizeof *packet);
  packet->address = get_address(&from);
  packet->protocol = (int)get(&from, 1);
  if (packet->protocol != PACKET_PROTOCOL) return from.whole;
  packet->player = (int)get(&from, 1);
  packet->players = (int)get(&from, 1);
  packet->refusal = (int)get(&from, 1);
  packet->cause = (int)get(&from, 1);
  packet->result = -(int)get(&from, 1);
  packet->state_version = (uint32_t)get(&from, 4);
  packet->numerics_version = (uint32_t)get(&from, 4);
  packet->frames = get_frame(&from);
  packet->image_hash = get(&from, 8);
  return read_whole(&from);
}

/// Play ///

size_t packet_write_play(const play_packet *packet, uint8_t *bytes) {
  uint8_t *to = bytes;
  to = put(to, PACKET_PLAY, 1);
  to = put_address(to, &packet->address);
  to = put(to, (uint64_t)packet->done, 1);
  to = put(to, (uint64_t)packet->lead, 2);
  to = put(to, (uint64_t)packet->frame, 4);
  to = put(to, (uint64_t)packet->input_ack, 4);
  to = put(to, (uint64_t)packet->hash_ack, 4);
  to = put(to, (uint64_t)packet->first_input, 4);
  to = put(to, (uint64_t)packet->input_count, 1);
  to = put(to, (uint64_t)packet->hash_count, 1);
  to = put(to, (uint64_t)packet->first_hash, 4);
  for (int32_t i = 0; i < packet->input_count; i++, to += INPUT_BYTES)
    memcpy(to, packet->inputs[i].bytes, INPUT_BYTES);
  for (int32_t i = 0; i < packet->hash_count; i++)
    to = put(to, packet->hashes[i], 8);
  return put_checksum(bytes, to);
}

int packet_read_play(play_packet *packet, const uint8_t *bytes, size_t count) {
  reader from = read_content(bytes, count);
  packet->address = get_address(&from);
  packet->done = (int)get(&from, 1);
  packet->lead = get_signed_16(&from);
  packet->frame = get_frame(&from);
  packet->input_ack = get_frame(&from);
  packet->hash_ack = get_frame(&from);
  packet->first_input = get_frame(&from);
  packet->input_count = (int32_t)get(&from, 1);
  packet->hash_count = (int32_t)get(&from, 1);
  packet->first_hash = get_frame(&from);
  if (packet->input_count > PACKET_FRAMES || packet->hash_count > PACKET_FRAMES) return 0;
  for (int32_t i = 0; i < packet->input_count; i++)
    for (int b = 0; b < INPUT_BYTES; b++)
      packet->inputs[i].bytes[b] = (uint8_t)get(&from, 1);
  for (int32_t i = 0; i < packet->hash_count; i++)
    packet->hashes[i] = get(&from, 8);
  return read_whole(&from);
}
