/// Targets ///

#if WITH_TARGETS || !defined(CLOTH_NO_VERTICES)

/* Does an attribute of some floats fit into a vertex? */
static int attribute_fits(int32_t offset, int32_t floats, int32_t stride) {
  return offset == CLOTH_ATTRIBUTE_NONE || (offset >= 0 && offset <= stride - floats * (int32_t)sizeof(float));
}

/* Vertices of a row: round a tube the first column comes twice, with either end of the texture. */
static int32_t row_vertices(const cloth *c) {
  return cells_along_warp(c) + 1;
}

/* Does a layout fit its stride, and are all vertices there? */
static int check_vertices(const cloth *c, const cloth_vertex_layout *layout, size_t bytes) {
  if (layout->stride < 1 || layout->stride > 65536 || !attribute_fits(layout->position_offset, 3, layout->stride) ||
      !attribute_fits(layout->normal_offset, 3, layout->stride) ||
      !attribute_fits(layout->texcoord_offset, 2, layout->stride) ||
      bytes / (size_t)layout->stride < (size_t)(row_vertices(c) * c->rows)) {
    return CLOTH_ERROR_BUFFER;
  }
  return CLOTH_OK;
}

/* Byte by byte: the caller's buffer may have any alignment. */
static void copy_floats(void *to, const void *from, int32_t count) {
  for (int32_t i = 0; i < count * (int32_t)sizeof(float); i++) {
    ((uint8_t *)to)[i] = ((const uint8_t *)from)[i];
  }
}

#endif

#if WITH_TARGETS

cloth_motion_constraint cloth_motion_constraint_default(void) {
  cloth_motion_constraint free = {CLOTH_ANY_DISTANCE, 0.0f, 0.0f};
  return free;
}

int cloth_set_motion_constraint(cloth *sheet, int32_t particle, const cloth_motion_constraint *constraint) {
  int error = check_particle(sheet, particle);
  if (error || !constraint) {
    return error ? error : CLOTH_ERROR_NULL;
  }
  cloth_vector limit = vector(constraint->max_distance, constraint->backstop_distance, constraint->backstop_radius);
  if (!sheet->targets || !is_motion_limit(limit)) {
    return CLOTH_ERROR_TARGETS;
  }
  set_particle_vector(sheet, target_planes(sheet, TARGET_LIMIT), particle, vector_snapped(limit, STATE_QUANTUM));
  return CLOTH_OK;
}

/* The vertex of a particle. */
static const uint8_t *vertex_of(const cloth *c, const cloth_vertex_layout *layout, const void *vertices, int32_t i) {
  int32_t vertex = i / c->columns * row_vertices(c) + i % c->columns;
  return (const uint8_t *)vertices + (size_t)vertex * (size_t)layout->stride;
}

/* Reads three floats of a vertex, or none. */
static cloth_vector read_attribute(const uint8_t *vertex, int32_t offset) {
  cloth_vector a = {0.0f, 0.0f, 0.0f};
  if (offset != CLOTH_ATTRIBUTE_NONE) {
    copy_floats(&a, vertex + offset, 3);
  }
  return a;
}

static int check_targets(const cloth *c, const cloth_vertex_layout *layout, const void *vertices) {
  for (int32_t i = 0; i < c->count; i++) {
    const uint8_t *vertex = vertex_of(c, layout, vertices, i);
    if (!vector_in_range(read_attribute(vertex, layout->position_offset), CLOTH_POSITION_LIMIT) ||
        !vector_in_range(read_attribute(vertex, layout->normal_offset), 1.0e6f)) {
      return CLOTH_ERROR_VECTOR;
    }
  }
  return CLOTH_OK;
}

int cloth_move_targets(cloth *sheet, const cloth_vertex_layout *layout, const void *vertices, size_t bytes) {
  int error = check_call(sheet, layout);
  if (error || !vertices) {
    return error ? error : CLOTH_ERROR_NULL;
  }
  if (!sheet->targets) {
    return CLOTH_ERROR_TARGETS;
  }
  error = layout->position_offset == CLOTH_ATTRIBUTE_NONE ? CLOTH_ERROR_BUFFER : check_vertices(sheet, layout, bytes);
  error = error ? error : check_targets(sheet, layout, vertices);
  if (error) {
    return error;
  }
  for (int32_t i = 0; i < sheet->count; i++) {
    const uint8_t *vertex = vertex_of(sheet, layout, vertices, i);
    cloth_vector place = read_attribute(vertex, layout->position_offset);
    cloth_vector normal = unit_or_zero(read_attribute(vertex, layout->normal_offset));
    set_particle_vector(sheet, target_planes(sheet, TARGET_PLACE), i, vector_snapped(place, STATE_QUANTUM));
    set_particle_vector(sheet, target_planes(sheet, TARGET_NORMAL), i, normal);
  }
  if (inputs_of(sheet)->targets == TARGETS_NONE) {
    wake(sheet);
    rest_targets(sheet);
  }
  inputs_of(sheet)->targets = WITH_SLEEP && is_asleep(sheet) ? TARGETS_STILL : TARGETS_MOVING;
  return CLOTH_OK;
}

int cloth_set_targets(cloth *sheet, const cloth_vertex_layout *layout, const void *vertices, size_t bytes) {
  int error = cloth_move_targets(sheet, layout, vertices, bytes);
  if (!error) {
    rest_targets(sheet);
  }
  return error;
}

#endif

