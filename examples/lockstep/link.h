/*
 * A UDP socket on the loopback between a player and each other one that behaves like a bad network: what is sent is
 * delayed, lost, reordered and damaged by a seeded generator. Its time is counted in ticks of the caller, a frame each.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LOCKSTEP_LINK_H
#define LOCKSTEP_LINK_H

#include "packet.h"
#include "random.h"

#include <stddef.h>
#include <stdint.h>

enum { LINK_HELD_LIMIT = 64 * (PLAYERS_MOST - 1) };

typedef struct link_options {
  int players;             /* on the network */
  int player;              /* which of them is ours */
  int ports[PLAYERS_MOST]; /* by player */
  int loss;                /* packets lost [%] */
  int delay;               /* ticks that every packet is held */
  int reorder;             /* packets held longer than those behind them [%] */
  int flip;                /* packets of which one bit is changed [%] */
  uint64_t seed;
} link_options;

typedef struct link_statistics {
  int sent, lost, reordered, flipped;
} link_statistics;

/* A packet on its way. */
typedef struct link_held {
  int64_t due; /* tick; below 0 for a free place */
  int player;  /* to whom */
  size_t count;
  uint8_t bytes[PACKET_BYTES];
} link_held;

typedef struct udp_link {
  int socket;
  link_options options;
  random_source noise;
  int64_t tick;
  link_held held[LINK_HELD_LIMIT];
  link_statistics statistics;
} udp_link;

/* Return 0, or -1 with errno set. */
int link_open(udp_link *link, const link_options *options);
void link_close(udp_link *link);

/* Each player of a seed loses other packets. */
static inline uint64_t link_seed_of(int seed, int player) {
  return (uint64_t)seed * 2 * PLAYERS_MOST + (uint64_t)player;
}

/* Sends a packet of at most PACKET_BYTES to another player, or loses it. */
void link_send(udp_link *link, int player, const uint8_t *bytes, size_t count);

/* Lets a tick pass: what is due goes out. */
void link_tick(udp_link *link);

/* Fetches a packet of another player into PACKET_BYTES bytes, and says whose it is by the port that it comes from.
   Returns its size, 0 if there is none. Packets from elsewhere are dropped. */
size_t link_receive(udp_link *link, int *player, uint8_t *bytes);

/* Waits for a packet, or until the time has passed. */
void link_wait(const udp_link *link, int milliseconds);

#endif /* LOCKSTEP_LINK_H */
