#pragma once
#include "../base/compiler.h"
#include "types.h"

/// What the layout of types must be ///

/* Conditions on the types in memory that other parts rely on. */

LAYOUT_CONTRACT(save_header_is_first, offsetof(cloth, config_hash) == SAVE_CONFIG * sizeof(uint32_t));
/* The versions fit into SAVE_VERSIONS. */
LAYOUT_CONTRACT(major_version_has_room, CLOTH_VERSION_MAJOR < 16);
LAYOUT_CONTRACT(versions_have_room, CLOTH_VERSION_MINOR < 128 && CLOTH_VERSION_PATCH < 128 &&
                                        CLOTH_STATE_VERSION < 128 && CLOTH_NUMERICS_VERSION < 128);
/* Grid and settings are hashed word by word: padding bytes would be hashed, too. */
LAYOUT_CONTRACT(grid_has_no_gaps, sizeof(grid_shape) == 8 * sizeof(uint32_t));
#define SETTINGS_WORDS 41
#define SCRATCH_OFFSETS 20
#define INPUT_WHOLE_WORDS 16
LAYOUT_CONTRACT(settings_have_no_gaps, sizeof(cloth_settings) == SETTINGS_WORDS * sizeof(uint32_t));
LAYOUT_CONTRACT(self_settings_are_words, sizeof(self_settings) == 6 * sizeof(uint32_t));
LAYOUT_CONTRACT(self_node_has_no_gaps, sizeof(self_node) == 100);
LAYOUT_CONTRACT(pair_memory_has_no_gaps, sizeof(pair_memory) == 20);
LAYOUT_CONTRACT(cell_memory_has_no_gaps, sizeof(cell_memory) == 40);
/* State is saved and hashed as words, and read from images as words. */
LAYOUT_CONTRACT(inputs_are_words,
                sizeof(cloth_inputs) == (INPUT_WHOLE_WORDS + 3 * 3 + 1 + 1 + 1 + 10) * sizeof(uint32_t));
LAYOUT_CONTRACT(collider_slots_are_words, sizeof(collider_slot) == (1 + 1 + 4 + 7 + 3 + 3 + 2 + 7) * sizeof(uint32_t));
LAYOUT_CONTRACT(confinements_are_words, sizeof(confinement) == 8 * sizeof(uint32_t));
LAYOUT_CONTRACT(bodies_are_words, sizeof(rigid_body) == 12 * sizeof(uint32_t));
LAYOUT_CONTRACT(attachments_are_words, sizeof(attachment) == 5 * sizeof(uint32_t));
/* From last_substep on the inputs are floats, which images check as one run. */
LAYOUT_CONTRACT(inputs_end_with_floats, offsetof(cloth_inputs, last_substep) == INPUT_WHOLE_WORDS * sizeof(uint32_t));
/* flush_floats() takes a fabric as an array of floats. */
LAYOUT_CONTRACT(fabric_is_floats, sizeof(cloth_fabric) == 10 * sizeof(float));
/* flush_floats() takes a quaternion as an array of four floats. */
LAYOUT_CONTRACT(rotation_is_floats, sizeof(cloth_rotation) == 4 * sizeof(float));
LAYOUT_CONTRACT(vector_is_floats, sizeof(cloth_vector) == 3 * sizeof(float));
/* The struct has the same size in every build: see `pads`. */
LAYOUT_CONTRACT(cloth_size, sizeof(cloth) == (10 + 2 * SCRATCH_OFFSETS + 2 + 16 + 2 + 8 + 8 + SETTINGS_WORDS + 3) *
                                                 sizeof(uint32_t));
