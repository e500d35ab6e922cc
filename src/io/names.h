#pragma once
#include "../bodies/colliders.h"
#include "../cloth/config.h"
#include "../contact/build_geometry.h"

/// Names and explanations ///

/* Names of errors, and explanations of faults in words. */

#if WITH_NAMES

/* Texts one after the other, each ended by a 0: tables of pointers would need relocation at start-up. */
CLOTH_CONSTANT static const char result_names[] =
    "OK\0NULL\0CONFIG\0RANGE\0CONFLICT\0LEFT_OUT\0ARENA\0NOT_A_CLOTH\0INDEX\0STATE\0FULL\0BUFFER\0UNSTABLE\0"
    "NO_PLAN\0IMAGE_VERSION\0IMAGE_CONFIG\0IMAGE_DAMAGED\0IMAGE_CONTENT\0CONTRACTION\0ROUNDING\0"
    "EXCESS_PRECISION\0SQUARE_ROOT\0LANES\0GEOMETRY\0";

#define TEXT_OF(value) #value
#define TEXT(value) TEXT_OF(value)
#define RANGE_TEXT(field, low, high, unit) #field ": " TEXT(low) ".." TEXT(high) unit "\0"
#define FAULT_TEXT(name, error, text) text "\0"
#define LEFT_OUT_TEXT(name, with, needed, text) TEXT_WITHOUT(with, text) "\0"
#define TEXT_WITHOUT(with, text) TEXT_WITHOUT_(with, text)
#define TEXT_WITHOUT_(with, text) TEXT_WITHOUT_##with(text)
#define TEXT_WITHOUT_0(text) text
#define TEXT_WITHOUT_1(text) "-"
CLOTH_CONSTANT static const char fabric_texts[] = "ok\0" FABRIC_RANGES(RANGE_TEXT);
CLOTH_CONSTANT static const char config_texts[] = "ok\0" CONFIG_INTEGERS(RANGE_TEXT) CONFIG_FLOATS(RANGE_TEXT)
    CONFIG_FAULTS(FAULT_TEXT) CONFIG_CONFLICTS(FAULT_TEXT) LEFT_OUT_FAULTS(LEFT_OUT_TEXT);
#if WITH_COLLIDERS
CLOTH_CONSTANT static const char collider_texts[] = "ok\0" COLLIDER_FAULTS(FAULT_TEXT);
#endif
#if WITH_GEOMETRY
CLOTH_CONSTANT static const char geometry_texts[] = "ok\0" GEOMETRY_FAULTS(FAULT_TEXT);
#endif

/* Text number `number`, counted from 0. */
static const char *find_text(const char *texts, int number) {
  for (; number > 0 && *texts; number--) {
    while (*texts++) {}
  }
  return texts;
}

const char *cloth_result_name(int result) {
  const char *name = find_text(result_names, result < 0 && result >= CLOTH_ERROR_GEOMETRY ? -result : 0);
  return result >= CLOTH_ERROR_GEOMETRY ? name : "unknown";
}

/* How many letters at `text`, after `before`, C alone needs: f after a digit, and .0 before a suffix or exponent. */
static int mark_letters(const char *text, char before) {
  if (before < '0' || before > '9') { return 0; }
  if (text[0] == '.' && text[1] == '0' && (text[2] == 'f' || text[2] == 'e')) { return 2; }
  return text[0] == 'f';
}

/* Appends a text without the marks of C to the `used` letters of a buffer of `bytes` bytes and ends it with a 0. What
   does not fit is dropped. Returns the letters used then. */
static size_t append_text(char *to, size_t bytes, size_t used, const char *text) {
  char before = 0;
  while (*text && used + 1 < bytes) {
    int marks = mark_letters(text, before);
    before = marks ? '0' : *text;
    if (marks) {
      text += marks;
    } else {
      to[used++] = *text++;
    }
  }
  if (bytes > 0) { to[used] = 0; }
  return used;
}

/* Writes the text of a fault. Returns its error. */
static int explain(char *text, size_t bytes, const char *texts, int fault, int error) {
  append_text(text, bytes, 0, find_text(texts, fault));
  return error;
}

int cloth_config_explain(const cloth_config *config, char *text, size_t bytes) {
  if (!text) { return CLOTH_ERROR_NULL; }
  const int fault = find_config_fault(config);
  if (fault <= CONFIG_FABRIC) { return explain(text, bytes, config_texts, fault, config_error(fault)); }
  const size_t used = append_text(text, bytes, 0, "fabric.");
  append_text(text, bytes, used, find_text(fabric_texts, fault - CONFIG_FABRIC));
  return config_error(fault);
}

int cloth_fabric_explain(const cloth_fabric *fabric, char *text, size_t bytes) {
  if (!text) { return CLOTH_ERROR_NULL; }
  append_text(text, bytes, 0, fabric ? find_text(fabric_texts, find_fabric_fault(fabric)) : "fabric: NULL");
  return fabric ? check_fabric(fabric) : CLOTH_ERROR_NULL;
}

#if WITH_COLLIDERS

int cloth_collider_explain(const cloth_collider *collider, char *text, size_t bytes) {
  if (!text) { return CLOTH_ERROR_NULL; }
  const int fault = find_collider_fault(collider);
  return explain(text, bytes, collider_texts, fault, collider_error(fault));
}

#endif

#if WITH_GEOMETRY

int cloth_geometry_explain(const cloth_geometry_data *data, char *text, size_t bytes) {
  if (!text) { return CLOTH_ERROR_NULL; }
  int fault = find_layout_fault(data);
  fault = fault ? fault : find_data_fault(data);
#if WITH_HULL
  fault = !fault && data->shape == CLOTH_SHAPE_HULL ? find_hull_fault(&data->hull) : fault;
#endif
  return explain(text, bytes, geometry_texts, fault, geometry_error(fault));
}

#endif

#endif
