#pragma once
#include "../base/compiler.h"
#include "../base/scalar.h"
#include "access.h"
#include "settings.h"

/// Fabrics ///

/* Default, check and presets of a fabric; values below WORK_QUANTUM are flushed to 0. */

static cloth_fabric fabric_default(void) {
  cloth_fabric f;
  f.density = 0.2f;
  f.stretch_warp = 1000.0f;
  f.stretch_weft = 1000.0f;
  f.shear = 700.0f;
  f.bend = 1.0e-5f;
  f.compression = 1.0f;
  f.shear_compression = 1.0f;
  f.stretch_damping = 0.05f;
  f.shear_damping = 0.05f;
  f.bend_damping = 0.001f;
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

/* Presets, in the order of cloth_fabric_kind; docs/fabrics.md has their sources. Stretch is the measured tensile
   stiffness less the shear modulus, which the diagonals add. `bend` is the KES rigidity and the moment of inner
   friction at the curvature of a fold. */
#define PRESET(density, warp, weft, shear, bend)                                                                       \
  { density, warp - shear, weft - shear, shear, bend, 1.0f, 1.0f, 0.01f, 0.01f, 0.001f }
CLOTH_CONSTANT static const cloth_fabric fabric_presets[CLOTH_FABRIC_COUNT] = {
    /* density [kg/m^2], tensile stiffness along warp and weft, shear modulus [N/m], bending rigidity [N m] */
    PRESET(0.0600f, 3000.0f, 1800.0f, 20.0f, 1.3e-6f),         /* silk */
    PRESET(0.1503f, 10400.0f, 4000.0f, 66.0f, 2.0e-5f),        /* cotton */
    PRESET(0.2348f, 12400.0f, 4600.0f, 24.0f, 1.2e-5f),        /* wool */
    PRESET(0.3800f, 6000.0f, 3200.0f, 120.0f, 8.0e-5f),        /* denim */
    PRESET(0.1646f, 1300.0f, 2900.0f, 31.0f, 3.2e-6f),         /* polyester */
    PRESET(0.0830f, 1790.0f, 770.0f, 30.0f, 2.3e-6f),          /* satin */
    PRESET(0.1800f, 12000.0f, 9000.0f, 60.0f, 3.5e-5f),        /* linen */
    PRESET(0.1800f, 250.0f, 120.0f, 28.0f, 5.0e-6f),           /* jersey */
    PRESET(0.2500f, 3000.0f, 3000.0f, 300.0f, 9.0e-5f),        /* felt */
    PRESET(0.5000f, 8000.0f, 8000.0f, 3000.0f, 1.8e-5f),       /* leather */
    PRESET(0.2940f, 10500.0f, 2840.0f, 200.0f, 1.5e-4f),       /* canvas */
    PRESET(0.2380f, 300.0f, 300.0f, 100.0f, 2.1e-6f),          /* rubber */
    PRESET(0.0800f, 550000.0f, 270000.0f, 160000.0f, 3.6e-4f), /* paper */
};
#undef PRESET

int cloth_fabric_preset(cloth_fabric_kind kind, cloth_fabric *fabric) {
  if (!fabric) { return CLOTH_ERROR_NULL; }
  if ((unsigned)kind >= CLOTH_FABRIC_COUNT) { return CLOTH_ERROR_RANGE; }
  *fabric = fabric_presets[kind];
  return CLOTH_OK;
}

#endif
