/*
 * An extension for Godot 4.2 and later, by its C interface alone: the class ClothSheet, a RefCounted.
 *
 *     var cape := ClothSheet.new()
 *     cape.make(24, 32, Vector3(0, 2, 0), Vector3(1, 0, 0), Vector3(0, -1.2, 0), 8)
 *     cape.pin(0)
 *     cape.step(delta)                      # at a fixed rate: in _physics_process()
 *     var vertices := cape.positions()      # a PackedVector3Array
 *
 * Every method but the last three returns what the function of cloth.h that it is named after returns: below 0 is an
 * error. Axes and units are those of Godot. Fronts of triangles are clockwise there: indices() has them so.
 *
 * gdextension_interface.h is Godot's: godot --headless --dump-gdextension-interface writes it. For builds of Godot with
 * single precision, which all official ones are.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cloth.h"

#include <gdextension_interface.h>

#include <stdlib.h>

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

#define INT GDEXTENSION_VARIANT_TYPE_INT
#define FLOAT GDEXTENSION_VARIANT_TYPE_FLOAT
#define VECTOR GDEXTENSION_VARIANT_TYPE_VECTOR3
#define VECTORS GDEXTENSION_VARIANT_TYPE_PACKED_VECTOR3_ARRAY
#define INTS GDEXTENSION_VARIANT_TYPE_PACKED_INT32_ARRAY

EXPORT GDExtensionBool cloth_godot_init(GDExtensionInterfaceGetProcAddress get, GDExtensionClassLibraryPtr library,
                                        GDExtensionInitialization *initialization);

/// Godot's functions ///

/* Godot's StringName and String: 8 bytes, on machines of 32 bits 4. */
typedef struct name {
  void *opaque;
} name;

/* What goes between Godot and a method: numbers as 64 bits, three floats, or an array's 16 bytes. */
typedef union value {
  int64_t number;
  double real;
  float vector[3];
  void *opaque[2];
} value;

static struct {
  GDExtensionClassLibraryPtr library;
  GDExtensionInterfaceStringNameNewWithLatin1Chars new_name;
  GDExtensionInterfaceStringNewWithUtf8Chars new_string;
  GDExtensionInterfaceVariantGetType type_of;
  GDExtensionInterfaceGetVariantFromTypeConstructor from_type;
  GDExtensionInterfaceGetVariantToTypeConstructor to_type;
  GDExtensionInterfaceVariantGetPtrConstructor constructor;
  GDExtensionInterfaceVariantGetPtrDestructor destructor;
  GDExtensionInterfaceVariantGetPtrBuiltinMethod method;
  GDExtensionInterfacePackedVector3ArrayOperatorIndex vector_at;
  GDExtensionInterfacePackedInt32ArrayOperatorIndex int_at;
  GDExtensionInterfaceClassdbConstructObject construct;
  GDExtensionInterfaceObjectSetInstance set_instance;
  GDExtensionInterfaceClassdbRegisterExtensionClass2 register_class;
  GDExtensionInterfaceClassdbRegisterExtensionClassMethod register_method;
  GDExtensionInterfaceClassdbUnregisterExtensionClass unregister_class;
} godot;

static name name_of(const char *text) {
  name n;
  godot.new_name(&n, text, 0);
  return n;
}

static void free_name(name *n) {
  godot.destructor(GDEXTENSION_VARIANT_TYPE_STRING_NAME)(n);
}

/* All packed arrays have resize(int) -> int with this signature. */
static void resize(GDExtensionVariantType type, GDExtensionTypePtr array, int64_t size) {
  name n = name_of("resize");
  const GDExtensionConstTypePtr arguments[] = {&size};
  int64_t result = 0;
  godot.method(type, &n, 848867239)(array, arguments, &result, 1);
  free_name(&n);
}

/// The sheet ///

typedef struct sheet {
  cloth *c;
  void *block; /* the arena lies in it */
} sheet;

static cloth_vector vector_of(GDExtensionConstTypePtr argument) {
  const float *v = argument;
  return (cloth_vector){v[0], v[1], v[2]};
}

static int32_t int_of(GDExtensionConstTypePtr argument) {
  int64_t number = *(const int64_t *)argument;
  return number < INT32_MIN ? INT32_MIN : number > INT32_MAX ? INT32_MAX : (int32_t)number;
}

static void give(GDExtensionTypePtr result, int64_t number) {
  *(int64_t *)result = number;
}

static int make_in_block(sheet *s, const cloth_config *config) {
  cloth_memory memory;
  int result = cloth_memory_needed(config, &memory);
  if (result < CLOTH_OK) return result;
  char *block = malloc(memory.total_bytes + CLOTH_ALIGNMENT);
  if (!block) return CLOTH_ERROR_ARENA;
  char *arena = block + (CLOTH_ALIGNMENT - (uintptr_t)block % CLOTH_ALIGNMENT);
  result = cloth_init(config, arena, memory.total_bytes, &s->c);
  free(result < CLOTH_OK ? block : s->block);
  if (result >= CLOTH_OK) s->block = block;
  return result;
}

static void make(sheet *s, const GDExtensionConstTypePtr *arguments, GDExtensionTypePtr result) {
  cloth_config config = cloth_config_default();
  config.columns = int_of(arguments[0]);
  config.rows = int_of(arguments[1]);
  config.origin = vector_of(arguments[2]);
  config.edge_warp = vector_of(arguments[3]);
  config.edge_weft = vector_of(arguments[4]);
  config.substeps = int_of(arguments[5]);
  give(result, make_in_block(s, &config));
}

static void use_fabric(sheet *s, const GDExtensionConstTypePtr *arguments, GDExtensionTypePtr result) {
  cloth_fabric fabric;
  int code = cloth_fabric_preset((cloth_fabric_kind)int_of(arguments[0]), &fabric);
  give(result, code < CLOTH_OK ? code : cloth_set_fabric(s->c, &fabric));
}

static void pin(sheet *s, const GDExtensionConstTypePtr *arguments, GDExtensionTypePtr result) {
  give(result, cloth_pin(s->c, int_of(arguments[0])));
}

static void move_pin(sheet *s, const GDExtensionConstTypePtr *arguments, GDExtensionTypePtr result) {
  give(result, cloth_move_pin(s->c, int_of(arguments[0]), vector_of(arguments[1])));
}

static void release(sheet *s, const GDExtensionConstTypePtr *arguments, GDExtensionTypePtr result) {
  give(result, cloth_release(s->c, int_of(arguments[0])));
}

static void set_wind(sheet *s, const GDExtensionConstTypePtr *arguments, GDExtensionTypePtr result) {
  give(result, cloth_set_wind(s->c, vector_of(arguments[0])));
}

static void add_sphere(sheet *s, const GDExtensionConstTypePtr *arguments, GDExtensionTypePtr result) {
  cloth_collider sphere = cloth_collider_default();
  sphere.pose.position = vector_of(arguments[0]);
  sphere.radius = (float)*(const double *)arguments[1];
  give(result, cloth_add_collider(s->c, &sphere));
}

static void move_collider(sheet *s, const GDExtensionConstTypePtr *arguments, GDExtensionTypePtr result) {
  const cloth_pose pose = {vector_of(arguments[1]), {0, 0, 0, 1}};
  give(result, cloth_move_collider(s->c, int_of(arguments[0]), NULL, &pose));
}

static void step(sheet *s, const GDExtensionConstTypePtr *arguments, GDExtensionTypePtr result) {
  give(result, cloth_step(s->c, (float)*(const double *)arguments[0]));
}

static void hash(sheet *s, const GDExtensionConstTypePtr *arguments, GDExtensionTypePtr result) {
  (void)arguments;
  uint64_t bits = 0;
  cloth_hash(s->c, &bits);
  give(result, (int64_t)bits);
}

/* One attribute of 12 bytes goes straight to the elements of the array, which is empty without a cloth. Vertices are
   the particles, and more of a tube or a cloth that may tear, if make() is changed to make such. */
static void write_vectors(const sheet *s, const cloth_vertex_layout *layout, GDExtensionTypePtr array) {
  int count = cloth_get_vertex_count(s->c);
  if (count <= 0) return;
  resize(VECTORS, array, count);
  cloth_write_vertices(s->c, layout, godot.vector_at(array, 0), 12 * (size_t)count);
}

static void positions(sheet *s, const GDExtensionConstTypePtr *arguments, GDExtensionTypePtr result) {
  const cloth_vertex_layout layout = {12, 0, CLOTH_ATTRIBUTE_NONE, CLOTH_ATTRIBUTE_NONE};
  (void)arguments;
  write_vectors(s, &layout, result);
}

static void normals(sheet *s, const GDExtensionConstTypePtr *arguments, GDExtensionTypePtr result) {
  const cloth_vertex_layout layout = {12, CLOTH_ATTRIBUTE_NONE, 0, CLOTH_ATTRIBUTE_NONE};
  (void)arguments;
  write_vectors(s, &layout, result);
}

static void indices(sheet *s, const GDExtensionConstTypePtr *arguments, GDExtensionTypePtr result) {
  (void)arguments;
  int count = cloth_get_index_count(s->c);
  if (count <= 0) return;
  resize(INTS, result, count);
  uint32_t *index = (uint32_t *)godot.int_at(result, 0);
  cloth_write_indices32(s->c, 0, index, (size_t)count);
  for (int i = 0; i < count; i += 3) { /* clockwise */
    uint32_t second = index[i + 1];
    index[i + 1] = index[i + 2];
    index[i + 2] = second;
  }
}

/// Methods ///

enum { MOST_ARGUMENTS = 6 };

typedef struct method {
  const char *name;
  GDExtensionVariantType result;
  uint32_t count;
  GDExtensionVariantType types[MOST_ARGUMENTS];
  const char *names[MOST_ARGUMENTS];
  void (*call)(sheet *s, const GDExtensionConstTypePtr *arguments, GDExtensionTypePtr result);
} method;

static const method methods[] = {
    {"make",
     INT,
     6,
     {INT, INT, VECTOR, VECTOR, VECTOR, INT},
     {"columns", "rows", "origin", "edge_warp", "edge_weft", "substeps"},
     make},
    {"use_fabric", INT, 1, {INT}, {"kind"}, use_fabric},
    {"pin", INT, 1, {INT}, {"particle"}, pin},
    {"move_pin", INT, 2, {INT, VECTOR}, {"particle", "target"}, move_pin},
    {"release", INT, 1, {INT}, {"particle"}, release},
    {"set_wind", INT, 1, {VECTOR}, {"wind"}, set_wind},
    {"add_sphere", INT, 2, {VECTOR, FLOAT}, {"center", "radius"}, add_sphere},
    {"move_collider", INT, 2, {INT, VECTOR}, {"index", "position"}, move_collider},
    {"step", INT, 1, {FLOAT}, {"seconds"}, step},
    {"hash", INT, 0, {0}, {0}, hash},
    {"positions", VECTORS, 0, {0}, {0}, positions},
    {"normals", VECTORS, 0, {0}, {0}, normals},
    {"indices", INTS, 0, {0}, {0}, indices},
};

/* By values of known types, as typed scripts call. */
static void call_typed(void *userdata, GDExtensionClassInstancePtr instance, const GDExtensionConstTypePtr *arguments,
                       GDExtensionTypePtr result) {
  ((const method *)userdata)->call(instance, arguments, result);
}

static void refuse(GDExtensionCallError *error, GDExtensionCallErrorType kind, int32_t argument, int32_t expected) {
  error->error = kind;
  error->argument = argument;
  error->expected = expected;
}

/* A whole number serves as a float. Returns 0 if the variant is of another type. */
static int read_variant(GDExtensionConstVariantPtr variant, GDExtensionVariantType type, value *v) {
  GDExtensionVariantType has = godot.type_of(variant);
  if (has != type && !(has == INT && type == FLOAT)) return 0;
  godot.to_type(has)(v, (GDExtensionVariantPtr)(uintptr_t)variant);
  if (has != type) v->real = (double)v->number;
  return 1;
}

/* By variants, as untyped scripts call. */
static void call_untyped(void *userdata, GDExtensionClassInstancePtr instance,
                         const GDExtensionConstVariantPtr *arguments, GDExtensionInt count,
                         GDExtensionVariantPtr result, GDExtensionCallError *error) {
  const method *m = userdata;
  if (count != m->count) {
    refuse(error,
           count < m->count ? GDEXTENSION_CALL_ERROR_TOO_FEW_ARGUMENTS : GDEXTENSION_CALL_ERROR_TOO_MANY_ARGUMENTS,
           (int32_t)m->count, (int32_t)m->count);
    return;
  }
  value values[MOST_ARGUMENTS];
  GDExtensionConstTypePtr addresses[MOST_ARGUMENTS];
  for (uint32_t i = 0; i < m->count; i++) {
    addresses[i] = &values[i];
    if (!read_variant(arguments[i], m->types[i], &values[i])) {
      refuse(error, GDEXTENSION_CALL_ERROR_INVALID_ARGUMENT, (int32_t)i, (int32_t)m->types[i]);
      return;
    }
  }
  value returned = {0};
  if (m->result != INT) godot.constructor(m->result, 0)(&returned, NULL);
  m->call(instance, addresses, &returned);
  godot.from_type(m->result)(result, &returned);
  if (m->result != INT) godot.destructor(m->result)(&returned);
  error->error = GDEXTENSION_CALL_OK;
}

static void add_method(const method *m, name *class_name) {
  name empty = name_of(""), own = name_of(m->name), hint, names[MOST_ARGUMENTS];
  godot.new_string(&hint, "");
  GDExtensionPropertyInfo properties[MOST_ARGUMENTS];
  GDExtensionClassMethodArgumentMetadata metadata[MOST_ARGUMENTS] = {GDEXTENSION_METHOD_ARGUMENT_METADATA_NONE};
  for (uint32_t i = 0; i < m->count; i++) {
    names[i] = name_of(m->names[i]);
    properties[i] = (GDExtensionPropertyInfo){m->types[i], &names[i], &empty, 0, &hint, 6}; /* usage: default */
  }
  GDExtensionPropertyInfo result = {m->result, &empty, &empty, 0, &hint, 6};
  GDExtensionClassMethodInfo info = {.name = &own,
                                     .method_userdata = (void *)(uintptr_t)m,
                                     .call_func = call_untyped,
                                     .ptrcall_func = call_typed,
                                     .method_flags = GDEXTENSION_METHOD_FLAGS_DEFAULT,
                                     .has_return_value = 1,
                                     .return_value_info = &result,
                                     .argument_count = m->count,
                                     .arguments_info = properties,
                                     .arguments_metadata = metadata};
  godot.register_method(godot.library, class_name, &info);
  for (uint32_t i = 0; i < m->count; i++)
    free_name(&names[i]);
  free_name(&own);
  free_name(&empty);
  godot.destructor(GDEXTENSION_VARIANT_TYPE_STRING)(&hint);
}

/// The class ///

static GDExtensionObjectPtr create(void *userdata) {
  (void)userdata;
  name parent = name_of("RefCounted"), own = name_of("ClothSheet");
  GDExtensionObjectPtr object = godot.construct(&parent);
  godot.set_instance(object, &own, calloc(1, sizeof(sheet)));
  free_name(&parent);
  free_name(&own);
  return object;
}

static void destroy(void *userdata, GDExtensionClassInstancePtr instance) {
  (void)userdata;
  free(((sheet *)instance)->block);
  free(instance);
}

static void initialize(void *userdata, GDExtensionInitializationLevel level) {
  (void)userdata;
  if (level != GDEXTENSION_INITIALIZATION_SCENE) return;
  name parent = name_of("RefCounted"), own = name_of("ClothSheet");
  const GDExtensionClassCreationInfo2 info = {
      .is_exposed = 1, .create_instance_func = create, .free_instance_func = destroy};
  godot.register_class(godot.library, &own, &parent, &info);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    add_method(&methods[i], &own);
  free_name(&parent);
  free_name(&own);
}

static void deinitialize(void *userdata, GDExtensionInitializationLevel level) {
  (void)userdata;
  if (level != GDEXTENSION_INITIALIZATION_SCENE) return;
  name own = name_of("ClothSheet");
  godot.unregister_class(godot.library, &own);
  free_name(&own);
}

/* What the .gdextension file names as its entry symbol. Refuses a machine that does not compute the known bits. */
GDExtensionBool cloth_godot_init(GDExtensionInterfaceGetProcAddress get, GDExtensionClassLibraryPtr library,
                                 GDExtensionInitialization *initialization) {
  godot.library = library;
  godot.new_name = (GDExtensionInterfaceStringNameNewWithLatin1Chars)get("string_name_new_with_latin1_chars");
  godot.new_string = (GDExtensionInterfaceStringNewWithUtf8Chars)get("string_new_with_utf8_chars");
  godot.type_of = (GDExtensionInterfaceVariantGetType)get("variant_get_type");
  godot.from_type = (GDExtensionInterfaceGetVariantFromTypeConstructor)get("get_variant_from_type_constructor");
  godot.to_type = (GDExtensionInterfaceGetVariantToTypeConstructor)get("get_variant_to_type_constructor");
  godot.constructor = (GDExtensionInterfaceVariantGetPtrConstructor)get("variant_get_ptr_constructor");
  godot.destructor = (GDExtensionInterfaceVariantGetPtrDestructor)get("variant_get_ptr_destructor");
  godot.method = (GDExtensionInterfaceVariantGetPtrBuiltinMethod)get("variant_get_ptr_builtin_method");
  godot.vector_at = (GDExtensionInterfacePackedVector3ArrayOperatorIndex)get("packed_vector3_array_operator_index");
  godot.int_at = (GDExtensionInterfacePackedInt32ArrayOperatorIndex)get("packed_int32_array_operator_index");
  godot.construct = (GDExtensionInterfaceClassdbConstructObject)get("classdb_construct_object");
  godot.set_instance = (GDExtensionInterfaceObjectSetInstance)get("object_set_instance");
  godot.register_class = (GDExtensionInterfaceClassdbRegisterExtensionClass2)get("classdb_register_extension_class2");
  godot.register_method =
      (GDExtensionInterfaceClassdbRegisterExtensionClassMethod)get("classdb_register_extension_class_method");
  godot.unregister_class =
      (GDExtensionInterfaceClassdbUnregisterExtensionClass)get("classdb_unregister_extension_class");
  initialization->minimum_initialization_level = GDEXTENSION_INITIALIZATION_SCENE;
  initialization->initialize = initialize;
  initialization->deinitialize = deinitialize;
  return godot.register_class != NULL && cloth_self_test() >= CLOTH_OK;
}
