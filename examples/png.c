/* A small writer of PNG and animated PNG: adaptive row filters, then deflate with greedy matching and the fixed Huffman
   codes. SPDX-License-Identifier: MIT */
#include "png.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  CHANNELS = 3,
  FILTER_COUNT = 5,
  HASH_BITS = 15,
  WINDOW = 32768,
  SHORTEST_MATCH = 3,
  LONGEST_MATCH = 258,
  LONGEST_CHAIN = 24
};

/// Row filters ///

static inline int paeth(int left, int up, int corner) {
  int to_left = abs(up - corner);
  int to_up = abs(left - corner);
  int to_corner = abs(left + up - 2 * corner);
  if (to_left <= to_up && to_left <= to_corner) return left;
  return to_up <= to_corner ? up : corner;
}

static inline int predict(int filter, int left, int up, int corner) {
  switch (filter) {
  case 1:
    return left;
  case 2:
    return up;
  case 3:
    return (left + up) / 2;
  case 4:
    return paeth(left, up, corner);
  default:
    return 0;
  }
}

/* Filters one row to out, behind the filter's own byte. Returns the sum of the residuals: how well it predicts. */
static long filter_row(int filter, const uint8_t *row, const uint8_t *above, int bytes, uint8_t *out) {
  long sum = 0;
  out[0] = (uint8_t)filter;
  for (int i = 0; i < bytes; i++) {
    int left = i < CHANNELS ? 0 : row[i - CHANNELS];
    int up = above ? above[i] : 0;
    int corner = above && i >= CHANNELS ? above[i - CHANNELS] : 0;
    uint8_t residual = (uint8_t)(row[i] - predict(filter, left, up, corner));
    out[i + 1] = residual;
    sum += residual < 128 ? residual : 256 - residual;
  }
  return sum;
}

/* A rectangle of an image, whose rows lie `stride` bytes apart. */
typedef struct pixels {
  const uint8_t *rgb;
  int width, height;
  size_t stride;
} pixels;

static void filter_rows(const pixels *p, uint8_t *out) {
  int bytes = p->width * CHANNELS;
  for (int y = 0; y < p->height; y++) {
    const uint8_t *row = p->rgb + (size_t)y * p->stride;
    const uint8_t *above = y > 0 ? row - p->stride : NULL;
    int best = 0;
    long best_sum = filter_row(0, row, above, bytes, out);
    for (int filter = 1; filter < FILTER_COUNT; filter++) {
      long sum = filter_row(filter, row, above, bytes, out);
      if (sum < best_sum) {
        best = filter;
        best_sum = sum;
      }
    }
    filter_row(best, row, above, bytes, out);
    out += bytes + 1;
  }
}

/// Deflate ///

typedef struct bit_stream {
  uint8_t *data;
  size_t size;
  uint32_t pending;
  int pending_count;
} bit_stream;

static inline void put_bits(bit_stream *out, unsigned value, int count) {
  out->pending |= value << out->pending_count;
  out->pending_count += count;
  while (out->pending_count >= 8) {
    out->data[out->size++] = (uint8_t)out->pending;
    out->pending >>= 8;
    out->pending_count -= 8;
  }
}

/* Huffman codes go out with their highest bit first. */
static void put_code(bit_stream *out, unsigned code, int count) {
  for (int i = count - 1; i >= 0; i--)
    put_bits(out, code >> i & 1u, 1);
}

static void put_symbol(bit_stream *out, unsigned symbol) {
  if (symbol < 144)
    put_code(out, 0x30 + symbol, 8);
  else if (symbol < 256)
    put_code(out, 0x190 + symbol - 144, 9);
  else if (symbol < 280)
    put_code(out, symbol - 256, 7);
  else
    put_code(out, 0xc0 + symbol - 280, 8);
}

static int highest_bit(unsigned value) {
  int bit = 0;
  while (value >>= 1)
    bit++;
  return bit;
}

static void put_match(bit_stream *out, unsigned length, unsigned distance) {
  unsigned rest = length - SHORTEST_MATCH;
  if (length == LONGEST_MATCH) {
    put_symbol(out, 285);
  } else if (rest < 8) {
    put_symbol(out, 257 + rest);
  } else {
    int extra = highest_bit(rest) - 2;
    put_symbol(out, 257 + 4 * (unsigned)extra + (rest >> extra));
    put_bits(out, rest & ((1u << extra) - 1), extra);
  }
  rest = distance - 1;
  if (rest < 4) {
    put_code(out, rest, 5);
  } else {
    int extra = highest_bit(rest) - 1;
    put_code(out, 2 * (unsigned)extra + (rest >> extra), 5);
    put_bits(out, rest & ((1u << extra) - 1), extra);
  }
}

typedef struct matcher {
  const uint8_t *data;
  size_t size;
  long newest[1 << HASH_BITS]; /* last place where a hash was seen, or -1 */
  long older[WINDOW];          /* place before that with the same hash */
} matcher;

static void remember(matcher *m, size_t place) {
  if (place + SHORTEST_MATCH > m->size) return;
  const uint8_t *p = m->data + place;
  uint32_t hash = ((uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2]) * 2654435761u >> (32 - HASH_BITS);
  m->older[place % WINDOW] = m->newest[hash];
  m->newest[hash] = (long)place;
}

static unsigned match_length(const matcher *m, size_t earlier, size_t place) {
  unsigned length = 0;
  while (length < LONGEST_MATCH && place + length < m->size && m->data[earlier + length] == m->data[place + length])
    length++;
  return length;
}

/* Finds the longest earlier match for the place just remembered. Returns its length, 0 if none is worth it. */
static unsigned find_match(const matcher *m, size_t place, unsigned *distance) {
  unsigned longest = 0;
  if (place + SHORTEST_MATCH > m->size) return 0;
  long earlier = m->older[place % WINDOW];
  for (int i = 0; i < LONGEST_CHAIN && earlier >= 0 && place - (size_t)earlier < WINDOW; i++) {
    unsigned length = match_length(m, (size_t)earlier, place);
    if (length > longest) {
      longest = length;
      *distance = (unsigned)(place - (size_t)earlier);
    }
    earlier = m->older[(size_t)earlier % WINDOW];
  }
  return longest >= SHORTEST_MATCH ? longest : 0;
}

static void deflate(matcher *m, bit_stream *out) {
  put_bits(out, 1, 1); /* the last block */
  put_bits(out, 1, 2); /* fixed codes */
  for (size_t place = 0; place < m->size;) {
    unsigned distance = 0;
    remember(m, place);
    unsigned length = find_match(m, place, &distance);
    if (length == 0) {
      put_symbol(out, m->data[place++]);
      continue;
    }
    put_match(out, length, distance);
    for (unsigned i = 1; i < length; i++)
      remember(m, place + i);
    place += length;
  }
  put_symbol(out, 256);
  put_bits(out, 0, 7); /* flushes the last byte */
}

static void put_big_endian(uint8_t *out, uint32_t value) {
  for (int i = 0; i < 4; i++)
    out[i] = (uint8_t)(value >> (24 - 8 * i));
}

static uint32_t adler32(const uint8_t *data, size_t size) {
  uint32_t low = 1, high = 0;
  for (size_t i = 0; i < size; i++) {
    low = (low + data[i]) % 65521;
    high = (high + low) % 65521;
  }
  return high << 16 | low;
}

/* Compresses to a zlib stream in new memory. Returns NULL if there is none. */
static uint8_t *compress_bytes(const uint8_t *data, size_t size, size_t *compressed_size) {
  bit_stream out = {malloc(size + size / 8 + 64), 0, 0, 0}; /* no symbol is longer than 9 bits */
  matcher *m = malloc(sizeof *m);
  if (out.data && m) {
    m->data = data;
    m->size = size;
    for (int i = 0; i < 1 << HASH_BITS; i++)
      m->newest[i] = -1;
    out.data[out.size++] = 0x78;
    out.data[out.size++] = 0x01;
    deflate(m, &out);
    put_big_endian(out.data + out.size, adler32(data, size));
    out.size += 4;
    *compressed_size = out.size;
  } else {
    free(out.data);
    out.data = NULL;
  }
  free(m);
  return out.data;
}

/// File ///

static uint32_t crc32_more(uint32_t crc, const uint8_t *data, size_t size) {
  for (size_t i = 0; i < size; i++) {
    crc ^= data[i];
    for (int bit = 0; bit < 8; bit++)
      crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1u)));
  }
  return crc;
}

/* A failed write leaves the file's error flag set, which png_write() asks for at the end. */
static void write_chunk(FILE *file, const char *type, const uint8_t *data, size_t size) {
  uint8_t head[8], tail[4];
  put_big_endian(head, (uint32_t)size);
  memcpy(head + 4, type, 4);
  put_big_endian(tail, ~crc32_more(crc32_more(0xffffffffu, head + 4, 4), data, size));
  fwrite(head, 1, sizeof head, file);
  if (size > 0) fwrite(data, 1, size, file);
  fwrite(tail, 1, sizeof tail, file);
}

/* Filters and compresses to new memory. Returns NULL if there is none. */
static uint8_t *pack(const pixels *p, size_t *packed_size) {
  size_t size = (size_t)p->height * ((size_t)p->width * CHANNELS + 1);
  uint8_t *filtered = malloc(size);
  uint8_t *packed = NULL;
  if (filtered) {
    filter_rows(p, filtered);
    packed = compress_bytes(filtered, size, packed_size);
  }
  free(filtered);
  return packed;
}

/* Opens a file and writes what precedes the pixels. Returns NULL if that fails. */
static FILE *open_file(const char *path, int width, int height) {
  static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  uint8_t header[13] = {0};
  FILE *file = fopen(path, "wb");
  if (!file) return NULL;
  put_big_endian(header, (uint32_t)width);
  put_big_endian(header + 4, (uint32_t)height);
  header[8] = 8; /* bits a channel */
  header[9] = 2; /* RGB */
  fwrite(signature, 1, sizeof signature, file);
  write_chunk(file, "IHDR", header, sizeof header);
  return file;
}

/* Returns 0, or -1 if a write has failed. */
static int close_file(FILE *file) {
  write_chunk(file, "IEND", NULL, 0);
  int failed = ferror(file);
  return fclose(file) != 0 || failed ? -1 : 0;
}

int png_write(const char *path, int width, int height, const uint8_t *rgb) {
  const pixels whole = {rgb, width, height, (size_t)width * CHANNELS};
  size_t packed_size = 0;
  uint8_t *packed = pack(&whole, &packed_size);
  FILE *file = packed ? open_file(path, width, height) : NULL;
  int result = -1;
  if (file) {
    write_chunk(file, "IDAT", packed, packed_size);
    result = close_file(file);
  }
  free(packed);
  return result;
}

/// Animation ///

int png_animation_begin(png_animation *a, const char *path, int width, int height, int frames) {
  uint8_t control[8] = {0}; /* the second number, of repetitions, is 0: for ever */
  *a = (png_animation){.width = width, .height = height, .frames_per_second = 20};
  a->current = malloc((size_t)width * (size_t)height * CHANNELS);
  a->file = a->current ? open_file(path, width, height) : NULL;
  if (!a->file) {
    free(a->current);
    return -1;
  }
  put_big_endian(control, (uint32_t)frames);
  write_chunk(a->file, "acTL", control, sizeof control);
  return 0;
}

/* Extends the bounds from..to - 1 so that they contain a number. */
static void include_number(int bounds[2], int number) {
  bounds[0] = number < bounds[0] ? number : bounds[0];
  bounds[1] = number >= bounds[1] ? number + 1 : bounds[1];
}

/* Finds the columns x and rows y that hold every pixel that differs from the current frame: at least one pixel. */
static void find_changes(const png_animation *a, const uint8_t *rgb, int x[2], int y[2]) {
  x[0] = a->width;
  y[0] = a->height;
  x[1] = y[1] = 0;
  for (int i = 0; i < a->width * a->height; i++) {
    if (a->written == 0 || memcmp(rgb + (size_t)i * CHANNELS, a->current + (size_t)i * CHANNELS, CHANNELS) != 0) {
      include_number(x, i % a->width);
      include_number(y, i / a->width);
    }
  }
  if (x[1] == 0) {
    include_number(x, 0);
    include_number(y, 0);
  }
}

/* Writes the chunk that says where the frame lies and how long it shows. It replaces what was there. */
static void write_frame_control(png_animation *a, const int x[2], const int y[2]) {
  uint8_t control[26] = {0};
  put_big_endian(control, a->number++);
  put_big_endian(control + 4, (uint32_t)(x[1] - x[0]));
  put_big_endian(control + 8, (uint32_t)(y[1] - y[0]));
  put_big_endian(control + 12, (uint32_t)x[0]);
  put_big_endian(control + 16, (uint32_t)y[0]);
  control[21] = 1; /* shows for 1 / frames_per_second seconds: two numbers of 16 bits */
  control[23] = (uint8_t)a->frames_per_second;
  write_chunk(a->file, "fcTL", control, sizeof control);
}

/* Writes the pixels of a frame: those of the first are also the picture that programs without animation show. */
static void write_frame_data(png_animation *a, const uint8_t *packed, size_t packed_size) {
  if (a->written == 0) {
    write_chunk(a->file, "IDAT", packed, packed_size);
    return;
  }
  uint8_t *numbered = malloc(packed_size + 4);
  if (!numbered) {
    a->failed = 1;
    return;
  }
  put_big_endian(numbered, a->number++);
  memcpy(numbered + 4, packed, packed_size);
  write_chunk(a->file, "fdAT", numbered, packed_size + 4);
  free(numbered);
}

void png_animation_add(png_animation *a, const uint8_t *rgb) {
  const size_t stride = (size_t)a->width * CHANNELS;
  int x[2], y[2];
  find_changes(a, rgb, x, y);
  const pixels changed = {rgb + (size_t)y[0] * stride + (size_t)x[0] * CHANNELS, x[1] - x[0], y[1] - y[0], stride};
  size_t packed_size = 0;
  uint8_t *packed = pack(&changed, &packed_size);
  if (!packed) {
    a->failed = 1;
    return;
  }
  write_frame_control(a, x, y);
  write_frame_data(a, packed, packed_size);
  memcpy(a->current, rgb, stride * (size_t)a->height);
  a->written++;
  free(packed);
}

int png_animation_end(png_animation *a) {
  int result = close_file(a->file);
  free(a->current);
  return a->failed ? -1 : result;
}
