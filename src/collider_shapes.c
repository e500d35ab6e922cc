/// Collider shapes ///

static cloth_rotation rotation_conjugate(cloth_rotation q) {
  q.x = 0.0f - q.x;
  q.y = 0.0f - q.y;
  q.z = 0.0f - q.z;
  return q;
}

/* v + 2 w (u x v) + 2 u x (u x v), u the vector part. */
static cloth_vector rotate(cloth_rotation q, cloth_vector v) {
  cloth_vector u = vector(q.x, q.y, q.z);
  v = vector_clean(v);
  cloth_vector t = vector_clean(vector_scale(vector_cross(u, v), 2.0f));
  return vector_add(vector_add_scaled(v, t, q.w), vector_cross(u, t));
}

static cloth_rotation rotation_snapped(cloth_rotation q) {
  snap_floats(&q.x, 4);
  return q;
}

/* Snapped before it is squared, and again when it is scaled. */
static cloth_rotation rotation_normalised(cloth_rotation q) {
  q = rotation_snapped(q);
  float squared = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  float scale = 1.0f / square_root(maximum(squared, 1.0e-12f));
  q.x = q.x * scale;
  q.y = q.y * scale;
  q.z = q.z * scale;
  q.w = q.w * scale;
  return rotation_snapped(q);
}

/* A share t of the way from a to b, the short way round, at nearly even speed. */
static cloth_rotation rotation_between(cloth_rotation a, cloth_rotation b, float t) {
  float sign = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0.0f ? -1.0f : 1.0f;
  cloth_rotation q;
  q.x = a.x + (sign * b.x - a.x) * t;
  q.y = a.y + (sign * b.y - a.y) * t;
  q.z = a.z + (sign * b.z - a.z) * t;
  q.w = a.w + (sign * b.w - a.w) * t;
  return rotation_normalised(q);
}

static cloth_pose pose_between(const cloth_pose *a, const cloth_pose *b, float t) {
  if (t == 1.0f) {
    return *b;
  }
  cloth_pose pose;
  pose.position = vector_add_scaled(a->position, vector_subtract(b->position, a->position), t);
  pose.position = vector_snapped(pose.position, STATE_QUANTUM);
  pose.rotation = rotation_between(a->rotation, b->rotation, t);
  return pose;
}

static cloth_vector to_local(const cloth_pose *pose, cloth_vector p) {
  cloth_vector from = vector_snapped(vector_subtract(p, pose->position), STATE_QUANTUM);
  return vector_snapped(rotate(rotation_conjugate(pose->rotation), from), STATE_QUANTUM);
}

static cloth_vector to_world(const cloth_pose *pose, cloth_vector p) {
  return vector_add(pose->position, rotate(pose->rotation, p));
}

/* The distance functions give the distance of local points from the surface, negative inside, and the unit direction
   in which it grows. All are exact outside, which makes them safe bounds for sphere tracing. */

CLOTH_INLINE lanes distance_to_sphere(lanes3 p, lanes radius, lanes3 *normal) {
  lanes length = lanes3_length(p);
  lanes least = lanes_splat(1.0e-9f);
  lanes3 outward = lanes3_scale(p, lanes_divide(lanes_splat(1.0f), lanes_maximum(length, least)));
  *normal = lanes3_select(lanes_less(least, length), outward, lanes3_splat(vector(0.0f, 1.0f, 0.0f)));
  return lanes_subtract(length, radius);
}

/* Two spheres and the cone that touches both. In the plane through the axis the cone is a line whose normal leans by
   sin = (r0 - r1) / length towards the axis. */
CLOTH_INLINE lanes distance_to_capsule(const cloth_collider *body, lanes3 p, lanes3 *normal) {
  float length = 2.0f * body->half_height;
  float lean = (body->radius - body->radius_top) / length;
  float slope = square_root(maximum(1.0f - lean * lean, 1.0e-6f));
  lanes zero = lanes_splat(0.0f);
  lanes sine = lanes_splat(lean);
  lanes cosine = lanes_splat(slope);
  lanes out = lanes3_length(lanes3_of(p.x, zero, p.z));
  lanes up = lanes_add(p.y, lanes_splat(body->half_height));
  lanes along = lanes_subtract(lanes_multiply(up, cosine), lanes_multiply(out, sine));
  lanes_mask low = lanes_less(along, zero);
  lanes_mask high = lanes_less(lanes_splat(length * slope), along);
  lanes3 round_normal;
  lanes from = lanes_select(low, up, lanes_subtract(up, lanes_splat(length)));
  lanes radius = lanes_select(low, lanes_splat(body->radius), lanes_splat(body->radius_top));
  lanes round = distance_to_sphere(lanes3_of(p.x, from, p.z), radius, &round_normal);
  lanes least = lanes_splat(1.0e-9f);
  lanes outward = lanes_divide(cosine, lanes_maximum(out, least));
  lanes_mask aside = lanes_less(least, out);
  lanes3 cone_normal = lanes3_of(lanes_select(aside, lanes_multiply(p.x, outward), cosine), sine,
                                 lanes_keep(aside, lanes_multiply(p.z, outward)));
  lanes cone = lanes_add(lanes_multiply(out, cosine), lanes_multiply(up, sine));
  cone = lanes_subtract(cone, lanes_splat(body->radius));
  *normal = lanes3_select(low, round_normal, lanes3_select(high, round_normal, cone_normal));
  return lanes_select(low, round, lanes_select(high, round, cone));
}

CLOTH_INLINE lanes signed_one(lanes a) {
  return lanes_select(lanes_less(a, lanes_splat(0.0f)), lanes_splat(-1.0f), lanes_splat(1.0f));
}

CLOTH_INLINE lanes distance_to_box(cloth_vector half, lanes3 p, lanes3 *normal) {
  lanes zero = lanes_splat(0.0f);
  lanes3 side = lanes3_of(signed_one(p.x), signed_one(p.y), signed_one(p.z));
  lanes3 q = lanes3_of(lanes_multiply(p.x, side.x), lanes_multiply(p.y, side.y), lanes_multiply(p.z, side.z));
  q = lanes3_subtract(q, lanes3_splat(half));
  lanes deepest = lanes_maximum(q.x, lanes_maximum(q.y, q.z));
  lanes3 beyond = lanes3_of(lanes_maximum(q.x, zero), lanes_maximum(q.y, zero), lanes_maximum(q.z, zero));
  lanes3 corner;
  lanes outside = distance_to_sphere(beyond, zero, &corner);
  lanes_mask not_x = lanes_less(q.x, lanes_maximum(q.y, q.z));
  lanes_mask not_y = lanes_less(q.y, q.z);
  lanes one = lanes_splat(1.0f);
  lanes3 face = lanes3_of(lanes_select(not_x, zero, one), lanes_keep(not_x, lanes_select(not_y, zero, one)),
                          lanes_keep(not_x, lanes_keep(not_y, one)));
  lanes_mask is_outside = lanes_less(lanes_splat(STATE_QUANTUM), deepest);
  lanes3 outward = lanes3_select(is_outside, corner, face);
  *normal = lanes3_of(lanes_multiply(outward.x, side.x), lanes_multiply(outward.y, side.y),
                      lanes_multiply(outward.z, side.z));
  return lanes_select(is_outside, outside, deepest);
}

/* A rectangle turned about the axis. */
CLOTH_INLINE lanes distance_to_cylinder(const cloth_collider *body, lanes3 p, lanes3 *normal) {
  lanes zero = lanes_splat(0.0f);
  lanes out = lanes3_length(lanes3_of(p.x, zero, p.z));
  lanes3 flat;
  cloth_vector half = vector(body->radius, body->half_height, 1.0e4f);
  lanes distance = distance_to_box(half, lanes3_of(out, p.y, zero), &flat);
  lanes least = lanes_splat(1.0e-9f);
  lanes_mask aside = lanes_less(least, out);
  lanes inverse = lanes_divide(flat.x, lanes_maximum(out, least));
  *normal = lanes3_of(lanes_select(aside, lanes_multiply(p.x, inverse), flat.x), flat.y,
                      lanes_keep(aside, lanes_multiply(p.z, inverse)));
  return distance;
}

CLOTH_ONCE lanes distance_to_body(const cloth_collider *body, lanes3 p, lanes3 *normal) {
  switch (body->shape) {
  case CLOTH_SHAPE_PLANE:
    *normal = lanes3_splat(vector(0.0f, 1.0f, 0.0f));
    return p.y;
  case CLOTH_SHAPE_SPHERE:
    return distance_to_sphere(p, lanes_splat(body->radius), normal);
  case CLOTH_SHAPE_CAPSULE:
    return distance_to_capsule(body, p, normal);
  case CLOTH_SHAPE_BOX:
    return distance_to_box(body->half_extents, p, normal);
  default:
    return distance_to_cylinder(body, p, normal);
  }
}

/* The same for one point. */
CLOTH_SEPARATE float distance_of_point(const cloth_collider *body, cloth_vector p, cloth_vector *normal) {
  lanes3 outward;
  float distance = lanes_first_value(distance_to_body(body, lanes3_splat(p), &outward));
  *normal = vector(lanes_first_value(outward.x), lanes_first_value(outward.y), lanes_first_value(outward.z));
  return distance;
}

/* v + 2 w (u x v) + 2 u x (u x v), u the vector part. */
CLOTH_INLINE lanes3 lanes3_rotate(cloth_rotation q, lanes3 v) {
  lanes3 u = lanes3_splat(vector(q.x, q.y, q.z));
  v = lanes3_snapped(v);
  lanes3 t = lanes3_snapped(lanes3_scale(lanes3_cross(u, v), lanes_splat(2.0f)));
  return lanes3_add(lanes3_add_scaled(v, t, lanes_splat(q.w)), lanes3_cross(u, t));
}

/* Sum of small whole numbers. */
static uint32_t lanes_count(lanes a) {
  float values[CLOTH_LANES];
  uint32_t count = 0;
  lanes_store(values, a);
  for (int32_t lane = 0; lane < CLOTH_LANES; lane++) {
    count += (uint32_t)values[lane];
  }
  return count;
}

CLOTH_INLINE lanes clamped_to_one(lanes a) {
  return lanes_minimum(lanes_maximum(a, lanes_splat(0.0f)), lanes_splat(1.0f));
}

/* The capsule around a body, its axis turned as the body is. Returns its radius. */
static float capsule_around(const cloth_collider *body, cloth_rotation rotation, cloth_vector *from,
                            cloth_vector *along) {
  float reach = maximum(body->radius, body->radius_top);
  cloth_vector half = vector(0.0f, body->half_height, 0.0f);
  if (body->shape == CLOTH_SHAPE_BOX) {
    cloth_vector h = body->half_extents;
    int is_x = h.x >= h.y && h.x >= h.z;
    int is_y = !is_x && h.y >= h.z;
    half = vector(is_x ? h.x : 0.0f, is_y ? h.y : 0.0f, is_x || is_y ? 0.0f : h.z);
    reach = vector_length(vector_subtract(h, half));
  }
  half = rotate(rotation, half);
  *from = vector_scale(half, -1.0f);
  *along = vector_snapped(vector_scale(half, 2.0f), STATE_QUANTUM);
  return reach;
}

#if WITH_PROJECTION

