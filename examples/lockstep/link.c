/* SPDX-License-Identifier: MIT */
#include "link.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Ticks that a reordered packet is late, at most: up to that many later ones overtake it. */
enum { LATEST = 4 };

static struct sockaddr_in loopback(int port) {
  struct sockaddr_in address;
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_port = htons((uint16_t)port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

static int bind_port(int socket, int port) {
  struct sockaddr_in local = loopback(port);
  if (bind(socket, (struct sockaddr *)&local, sizeof local) < 0 || fcntl(socket, F_SETFL, O_NONBLOCK) < 0) return -1;
  return 0;
}

int link_open(udp_link *link, const link_options *options) {
  memset(link, 0, sizeof *link);
  link->options = *options;
  link->noise.state = options->seed;
  for (int i = 0; i < LINK_HELD_LIMIT; i++)
    link->held[i].due = -1;
  link->socket = socket(AF_INET, SOCK_DGRAM, 0);
  return link->socket < 0 ? -1 : bind_port(link->socket, options->ports[options->player]);
}

void link_close(udp_link *link) {
  close(link->socket);
}

static link_held *free_place(udp_link *link) {
  for (int i = 0; i < LINK_HELD_LIMIT; i++)
    if (link->held[i].due < 0) return &link->held[i];
  return NULL;
}

/* UDP has a checksum of its own; here it is as if that had missed the damage. */
static void flip_a_bit(udp_link *link, link_held *packet) {
  packet->bytes[random_below(&link->noise, (int)packet->count)] ^= (uint8_t)(1 << random_below(&link->noise, 8));
  link->statistics.flipped++;
}

void link_send(udp_link *link, int player, const uint8_t *bytes, size_t count) {
  int lost = random_percent(&link->noise, link->options.loss);
  int late = random_percent(&link->noise, link->options.reorder) ? 1 + random_below(&link->noise, LATEST) : 0;
  link_held *place = free_place(link);
  link->statistics.sent++;
  if (lost || !place) {
    link->statistics.lost++;
    return;
  }
  link->statistics.reordered += late > 0;
  place->due = link->tick + link->options.delay + late;
  place->player = player;
  place->count = count;
  memcpy(place->bytes, bytes, count);
  if (link->options.flip && random_percent(&link->noise, link->options.flip)) flip_a_bit(link, place);
}

/* A packet that the socket refuses is one more that the network has lost. */
static void let_go(udp_link *link, link_held *packet) {
  struct sockaddr_in to = loopback(link->options.ports[packet->player]);
  sendto(link->socket, packet->bytes, packet->count, 0, (struct sockaddr *)&to, sizeof to);
  packet->due = -1;
}

void link_tick(udp_link *link) {
  for (int i = 0; i < LINK_HELD_LIMIT; i++)
    if (link->held[i].due >= 0 && link->held[i].due <= link->tick) let_go(link, &link->held[i]);
  link->tick++;
}

/* Whose address this is, or -1. */
static int player_at(const udp_link *link, const struct sockaddr_in *address) {
  for (int player = 0; player < link->options.players; player++) {
    const struct sockaddr_in known = loopback(link->options.ports[player]);
    if (player != link->options.player && address->sin_port == known.sin_port &&
        address->sin_addr.s_addr == known.sin_addr.s_addr)
      return player;
  }
  return -1;
}

size_t link_receive(udp_link *link, int *player, uint8_t *bytes) {
  for (;;) {
    struct sockaddr_in from;
    socklen_t size = sizeof from;
    ssize_t count = recvfrom(link->socket, bytes, PACKET_BYTES, 0, (struct sockaddr *)&from, &size);
    if (count < 0) return 0;
    *player = player_at(link, &from);
    if (count > 0 && *player >= 0) return (size_t)count;
  }
}

void link_wait(const udp_link *link, int milliseconds) {
  struct pollfd waiting = {link->socket, POLLIN, 0};
  poll(&waiting, 1, milliseconds);
}
