/*
 * The two packets of the protocol and their bytes. All numbers are little-endian, written byte by byte: the other
 * machine may have another byte order and other struct padding.
 *
 *     hello    kind 1 | protocol 1 | heard 1 | player 1 | state version 4 | numerics version 4 | frames 4 |
 *              image hash 8
 *     frames   kind 1 | flags 1 | lead 2 | frame 4 | input ack 4 | hash ack 4 |
 *              first input 4 | input count 1 | hash count 1 | first hash 4 | inputs, INPUT_BYTES each | hashes, 8 each
 *
 * A packet carries every input and hash that the other side has not acknowledged, so that a lost one costs time only
 * until the next arrives.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LOCKSTEP_PACKET_H
#define LOCKSTEP_PACKET_H

#include "input.h"

#include <stddef.h>
#include <stdint.h>

enum {
  PACKET_PROTOCOL = 1, /* change it with the layout above */
  PACKET_BYTES = 1024, /* largest packet, below what any network splits */
  PACKET_FRAMES = 64   /* most inputs, and most hashes, in one */
};

typedef enum packet_kind { PACKET_UNKNOWN, PACKET_HELLO, PACKET_PLAY } packet_kind;

/* What must be the same on both sides before the first frame. */
typedef struct hello_packet {
  int protocol;
  int heard; /* the sender has got the receiver's hello */
  int player;
  uint32_t state_version, numerics_version;
  int32_t frames;
  uint64_t image_hash; /* of the portable image of the start: covers config, sizes and state */
} hello_packet;

typedef struct play_packet {
  int done;          /* the sender needs nothing more */
  int32_t lead;      /* how many frames the sender seems to be ahead of the receiver */
  int32_t frame;     /* frames that the sender has simulated */
  int32_t input_ack; /* the sender has the receiver's inputs of the frames below this */
  int32_t hash_ack;  /* and the hashes of the states below this */
  int32_t first_input, input_count;
  int32_t first_hash, hash_count;
  input inputs[PACKET_FRAMES];
  uint64_t hashes[PACKET_FRAMES];
} play_packet;

packet_kind packet_kind_of(const uint8_t *bytes, size_t count);

/* Write a packet to PACKET_BYTES bytes. Return how many it took. */
size_t packet_write_hello(const hello_packet *packet, uint8_t *bytes);
size_t packet_write_play(const play_packet *packet, uint8_t *bytes);

/* Read a packet. Return 1, or 0 if these are not exactly its bytes. Numbers may still be nonsense. */
int packet_read_hello(hello_packet *packet, const uint8_t *bytes, size_t count);
int packet_read_play(play_packet *packet, const uint8_t *bytes, size_t count);

#endif /* LOCKSTEP_PACKET_H */
