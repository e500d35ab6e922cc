/*
 * The two packets of the protocol and their bytes. All numbers are little-endian, written byte by byte: another machine
 * may have another byte order and other struct padding.
 *
 *     hello    kind 1 | sender 4 | receiver 4 | protocol 1 | player 1 | players 1 | refusal 1 | cause 1 | result 1 |
 *              state version 4 | numerics version 4 | frames 4 | image hash 8 | checksum 4
 *     play     kind 1 | sender 4 | receiver 4 | flags 1 | lead 2 | frame 4 | input ack 4 | hash ack 4 | first input 4 |
 *              input count 1 | hash count 1 | first hash 4 | inputs, INPUT_BYTES each | hashes, 8 each | checksum 4
 *
 * Sender and receiver are numbers that each program draws when it starts, so that one that has started anew is known.
 * The checksum is FNV-1a of all bytes before it: whatever changes within one byte is found, other changes but for one
 * in 2^32.
 *
 * A packet goes from one player to one other. It carries every input and hash of the sender that the receiver has not
 * acknowledged, so that a lost one costs time only until the next arrives.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LOCKSTEP_PACKET_H
#define LOCKSTEP_PACKET_H

#include "input.h"

#include <stddef.h>
#include <stdint.h>

enum {
  PACKET_PROTOCOL = 3, /* change it with the layout above; kind to protocol of a hello stay where they are */
  PACKET_BYTES = 1024, /* largest packet, below what any network splits */
  PACKET_FRAMES = 64   /* most inputs, and most hashes, in one */
};

typedef enum packet_kind { PACKET_UNKNOWN, PACKET_HELLO, PACKET_PLAY } packet_kind;

/* Who sends a packet, and to whom. */
typedef struct packet_address {
  uint32_t sender;   /* number of the program that sends */
  uint32_t receiver; /* that of the receiver, from its hello; 0 until that has come */
} packet_address;

/* Why there will be no game. */
typedef enum packet_refusal {
  REFUSAL_NONE,
  REFUSAL_SELF_TEST, /* the sender's cloth_self_test() has failed, with hello_packet.result */
  REFUSAL_RESTART,   /* the sender plays with a program that the receiver has followed */
  REFUSAL_ENDED      /* the sender has ended its game because of the player hello_packet.cause */
} packet_refusal;

/* What must be the same on all sides before the first frame. */
typedef struct hello_packet {
  packet_address address;
  int protocol;
  int player;
  int players; /* in the game */
  int refusal; /* a packet_refusal */
  int cause;   /* a player, with REFUSAL_ENDED */
  int result;  /* the cloth_error of the self-test, 0 or below */
  uint32_t state_version, numerics_version;
  int32_t frames;
  uint64_t image_hash; /* of the portable image of the start: covers config, sizes and state */
} hello_packet;

typedef struct play_packet {
  packet_address address;
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

/* Of a packet that is whole: PACKET_UNKNOWN if its checksum is not that of its bytes. */
packet_kind packet_kind_of(const uint8_t *bytes, size_t count);

/* Write a packet to PACKET_BYTES bytes. Return how many it took. */
size_t packet_write_hello(const hello_packet *packet, uint8_t *bytes);
size_t packet_write_play(const play_packet *packet, uint8_t *bytes);

/* Read a packet. Return 1, or 0 if these are not exactly its bytes. Numbers may still be nonsense. Of a hello of
   another protocol only address and protocol are read; the rest is 0. */
int packet_read_hello(hello_packet *packet, const uint8_t *bytes, size_t count);
int packet_read_play(play_packet *packet, const uint8_t *bytes, size_t count);

#endif /* LOCKSTEP_PACKET_H */
