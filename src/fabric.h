#pragma once
#include "access.h"
#include "compiler.h"
#include "scalar.h"
#include "settings.h"

/// Fabrics ///

/*
 * Default, check and presets of a fabric. In: a cloth_fabric. Out: the fabric in the inputs of a cloth, with values
 * below WORK_QUANTUM flushed to 0; scratch is not used.
 */

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

/* Number of the first field of a fabric outside its range, 0 for none. */
static int find_fabric_fault(const cloth_fabric *fabric) {
  return find_float_outside(fabric, fabric_ranges, FABRIC_RANGE_COUNT);
}

static int check_fabric(const cloth_fabric *fabric) {
  return find_fabric_fault(fabric) ? CLOTH_ERROR_RANGE : CLOTH_OK;
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
    /* density, stretch warp and weft, shear, bend, transition, compression of stretch and shear, damping of all three
     */
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
    return CLOTH_ERROR_RANGE;
  }
  *fabric = fabric_presets[kind];
  return CLOTH_OK;
}

#endif
