/// Fabrics ///

#ifndef CLOTH_NO_FABRICS

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

