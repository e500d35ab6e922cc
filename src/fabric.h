#pragma once
#include "access.h"
#include "compiler.h"
#include "scalar.h"

/// Fabrics ///

static cloth_fabric fabric_default(void) {
  cloth_fabric f;
  f.density = 0.2f;
  f.stretch_warp = 1000.0f;
  f.stretch_weft = 1000.0f;
  f.shear = 700.0f;
  f.bend = 1.0e-5f;
  f.bend_transition = 0.05f;
  f.compression = 1.0f;
  f.shear_compression = 1.0f;
  f.stretch_damping = 0.05f;
  f.shear_damping = 0.05f;
  f.bend_damping = 0.2f;
  return f;
}

/* The range of a number in a struct, and the error of being outside. */
typedef struct float_limit {
  uint16_t offset;
  int16_t error;
  float low, high;
} float_limit;

typedef struct integer_limit {
  uint16_t offset;
  int16_t error;
  int32_t low, high;
} integer_limit;

#define FABRIC(field) (uint16_t) offsetof(cloth_fabric, field)
CLOTH_CONSTANT static const float_limit fabric_limits[] = {
    {FABRIC(density), CLOTH_ERROR_DENSITY, 0.001f, 1000.0f},
    {FABRIC(stretch_warp), CLOTH_ERROR_STIFFNESS, 0.0f, 1.0e7f},
    {FABRIC(stretch_weft), CLOTH_ERROR_STIFFNESS, 0.0f, 1.0e7f},
    {FABRIC(shear), CLOTH_ERROR_STIFFNESS, 0.0f, 1.0e7f},
    {FABRIC(bend), CLOTH_ERROR_STIFFNESS, 0.0f, 10.0f},
    {FABRIC(bend_transition), CLOTH_ERROR_STIFFNESS, 1.0e-6f, 0.5f},
    {FABRIC(compression), CLOTH_ERROR_STIFFNESS, 0.0f, 1.0f},
    {FABRIC(shear_compression), CLOTH_ERROR_STIFFNESS, 0.0f, 1.0f},
    {FABRIC(stretch_damping), CLOTH_ERROR_DAMPING, 0.0f, 1.0e4f},
    {FABRIC(shear_damping), CLOTH_ERROR_DAMPING, 0.0f, 1.0e4f},
    {FABRIC(bend_damping), CLOTH_ERROR_DAMPING, 0.0f, 1.0e4f},
};
#undef FABRIC

static int check_floats(const void *values, const float_limit *limits, size_t bytes) {
  const float_limit *end = limits + bytes / sizeof *limits;
  for (; limits < end; limits++) {
    const float *value = (const float *)(const void *)((const char *)values + limits->offset);
    if (!in_range(*value, limits->low, limits->high)) {
      return limits->error;
    }
  }
  return CLOTH_OK;
}

static int check_integers(const void *values, const integer_limit *limits, size_t bytes) {
  const integer_limit *end = limits + bytes / sizeof *limits;
  for (; limits < end; limits++) {
    const int32_t *value = (const int32_t *)(const void *)((const char *)values + limits->offset);
    if (*value < limits->low || *value > limits->high) {
      return limits->error;
    }
  }
  return CLOTH_OK;
}

static int check_fabric(const cloth_fabric *fabric) {
  return check_floats(fabric, fabric_limits, sizeof fabric_limits);
}

static void set_fabric(const cloth *c, const cloth_fabric *fabric) {
  cloth_fabric clean = *fabric;
  flush_floats(&clean.density, (int32_t)(sizeof clean / sizeof(float)));
  set_input(c, &inputs_of(c)->fabric, &clean, sizeof clean);
}

#if WITH_FABRICS

/*
 * Density, tensile and bias stiffness of cotton, wool and polyester: Penava, Simic Penava and Knezic 2014, stretch
 * = tensile - shear; their bending rigidities: Matsudaira 2015 (cotton broad, tropical wool, polyester faille).
 * Silk and denim are set inside the KES ranges of the literature (B 2..20 uN m, G 17..112 N/m) so that drape
 * stiffness orders silk < wool < cotton < denim: silk habutae about 0.06 kg/m^2 and 2 uN m, denim about 0.4 kg/m^2
 * and 20 uN m or more. Shear is twice the KES shear modulus, the diagonals acting in tension only.
 */
CLOTH_CONSTANT static const cloth_fabric fabric_presets[] = {
    /* density, warp, weft, shear, bend, transition, compression, of shear, damping of stretch, shear and bend */
    {0.0600f, 4000.0f, 3500.0f, 60.0f, 2.00e-6f, 0.05f, 1.0f, 1.0f, 0.01f, 0.01f, 0.01f},    /* silk */
    {0.1503f, 10400.0f, 4000.0f, 261.0f, 1.157e-5f, 0.05f, 1.0f, 1.0f, 0.01f, 0.01f, 0.01f}, /* cotton */
    {0.2348f, 12400.0f, 4600.0f, 97.0f, 6.57e-6f, 0.05f, 1.0f, 1.0f, 0.01f, 0.01f, 0.01f},   /* wool */
    {0.4000f, 20000.0f, 12000.0f, 450.0f, 6.00e-5f, 0.05f, 1.0f, 1.0f, 0.01f, 0.01f, 0.01f}, /* denim */
    {0.1646f, 1300.0f, 2900.0f, 120.0f, 1.863e-6f, 0.05f, 1.0f, 1.0f, 0.01f, 0.01f, 0.01f},  /* polyester */
};

int cloth_fabric_preset(cloth_fabric_kind kind, cloth_fabric *fabric) {
  if (!fabric) {
    return CLOTH_ERROR_NULL;
  }
  if ((unsigned)kind > CLOTH_FABRIC_POLYESTER) {
    return CLOTH_ERROR_STIFFNESS;
  }
  *fabric = fabric_presets[kind];
  return CLOTH_OK;
}

#endif
