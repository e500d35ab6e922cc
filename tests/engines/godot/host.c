/*
 * Plays Godot for port/godot: loads the extension as Godot does, by its entry symbol, and plays the scene of
 * tests/engines/flag.c by untyped and typed calls. Counts names, strings and arrays, which the extension must give
 * back. Prints what flag.c prints.
 */
#include <gdextension_interface.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_METHODS = 32, COLUMNS = 24, ROWS = 16, FRAMES = 120 };

#define INT GDEXTENSION_VARIANT_TYPE_INT
#define VECTOR GDEXTENSION_VARIANT_TYPE_VECTOR3
#define VECTORS GDEXTENSION_VARIANT_TYPE_PACKED_VECTOR3_ARRAY

/* Arrays are counted by those who hold them, as in Godot: a copy is another holder. */
typedef struct array {
  int64_t size;
  int holders;
  char *elements;
} array;

typedef struct variant {
  GDExtensionVariantType type;
  union {
    int64_t number;
    double real;
    float vector[3];
    array *items;
  } as;
} variant;

typedef struct method {
  char name[32];
  GDExtensionClassMethodInfo info;
} method;

static int faults, held; /* names, strings and arrays that somebody holds */
static method methods[MOST_METHODS];
static int method_count, has_class;
static GDExtensionClassCreationInfo2 creation;
static void *instance;

static void expect(int condition, const char *what) {
  if (!condition) {
    printf("failed: %s\n", what);
    faults++;
  }
}

/// The interface ///

static void new_text(void *to, const char *text) {
  size_t bytes = strlen(text) + 1;
  char *copy = malloc(bytes);
  memcpy(copy, text, bytes);
  *(char **)to = copy;
  held++;
}

static void new_name(GDExtensionStringNamePtr to, const char *text, GDExtensionBool is_static) {
  (void)is_static;
  new_text(to, text);
}

static const char *text_of(const void *name) {
  return *(char *const *)name;
}

static void free_text(GDExtensionTypePtr base) {
  free(*(char **)base);
  held--;
}

static void new_array(GDExtensionTypePtr base, const GDExtensionConstTypePtr *arguments) {
  (void)arguments;
  array *a = calloc(1, sizeof *a);
  a->holders = 1;
  *(array **)base = a;
  held++;
}

static void free_array(GDExtensionTypePtr base) {
  array *a = *(array **)base;
  if (--a->holders > 0) return;
  free(a->elements);
  free(a);
  held--;
}

static void resize_array(GDExtensionTypePtr base, const GDExtensionConstTypePtr *arguments, GDExtensionTypePtr result,
                         int count) {
  array *a = *(array **)base;
  expect(count == 1, "resize has an argument");
  a->size = *(const int64_t *)arguments[0];
  a->elements = realloc(a->elements, 12 * (size_t)a->size);
  *(int64_t *)result = 0;
}

static GDExtensionPtrBuiltInMethod builtin(GDExtensionVariantType type, GDExtensionConstStringNamePtr name,
                                           GDExtensionInt hash) {
  (void)type;
  return strcmp(text_of(name), "resize") == 0 && hash == 848867239 ? resize_array : NULL;
}

static GDExtensionPtrConstructor constructor(GDExtensionVariantType type, int32_t which) {
  return type >= GDEXTENSION_VARIANT_TYPE_PACKED_INT32_ARRAY && which == 0 ? new_array : NULL;
}

static GDExtensionPtrDestructor destructor(GDExtensionVariantType type) {
  return type >= GDEXTENSION_VARIANT_TYPE_PACKED_INT32_ARRAY ? free_array : free_text;
}

static GDExtensionTypePtr vector_at(GDExtensionTypePtr base, GDExtensionInt index) {
  return (*(array **)base)->elements + 12 * index;
}

static int32_t *int_at(GDExtensionTypePtr base, GDExtensionInt index) {
  return (int32_t *)(void *)(*(array **)base)->elements + index;
}

static GDExtensionVariantType type_of(GDExtensionConstVariantPtr v) {
  return ((const variant *)v)->type;
}

static void from_number(GDExtensionVariantPtr to, GDExtensionTypePtr from) {
  *(variant *)to = (variant){INT, {.number = *(int64_t *)from}};
}

static void from_array(GDExtensionVariantPtr to, GDExtensionTypePtr from) {
  array *a = *(array **)from;
  a->holders++;
  *(variant *)to = (variant){VECTORS, {.items = a}};
}

static GDExtensionVariantFromTypeConstructorFunc from_type(GDExtensionVariantType type) {
  return type == INT ? from_number : from_array;
}

static void to_number(GDExtensionTypePtr to, GDExtensionVariantPtr from) {
  *(int64_t *)to = ((variant *)from)->as.number;
}

static void to_real(GDExtensionTypePtr to, GDExtensionVariantPtr from) {
  *(double *)to = ((variant *)from)->as.real;
}

static void to_vector(GDExtensionTypePtr to, GDExtensionVariantPtr from) {
  memcpy(to, ((variant *)from)->as.vector, 12);
}

static GDExtensionTypeFromVariantConstructorFunc to_type(GDExtensionVariantType type) {
  return type == INT ? to_number : type == VECTOR ? to_vector : to_real;
}

static GDExtensionObjectPtr construct(GDExtensionConstStringNamePtr name) {
  expect(strcmp(text_of(name), "RefCounted") == 0, "the object is of the parent's class");
  return &instance;
}

static void set_instance(GDExtensionObjectPtr object, GDExtensionConstStringNamePtr name, void *own) {
  expect(strcmp(text_of(name), "ClothSheet") == 0, "the instance is of the class");
  *(void **)object = own;
}

static void register_class(void *library, const void *name, const void *parent,
                           const GDExtensionClassCreationInfo2 *info) {
  (void)library;
  expect(strcmp(text_of(name), "ClothSheet") == 0 && strcmp(text_of(parent), "RefCounted") == 0, "the class's name");
  expect(info->is_exposed && !info->is_virtual && !info->is_abstract, "the class is to be used");
  creation = *info;
  has_class = 1;
}

static void register_method(void *library, const void *name, const GDExtensionClassMethodInfo *info) {
  (void)library;
  expect(strcmp(text_of(name), "ClothSheet") == 0 && method_count < MOST_METHODS, "a method of the class");
  for (uint32_t i = 0; i < info->argument_count; i++)
    expect(text_of(info->arguments_info[i].name)[0] != 0, "arguments have names");
  method *m = &methods[method_count++];
  snprintf(m->name, sizeof m->name, "%s", text_of(info->name));
  m->info = *info;
}

static void unregister_class(void *library, const void *name) {
  (void)library;
  has_class -= strcmp(text_of(name), "ClothSheet") == 0;
}

static GDExtensionInterfaceFunctionPtr get(const char *name) {
  static const struct {
    const char *name;
    GDExtensionInterfaceFunctionPtr function;
  } functions[] = {
      {"string_name_new_with_latin1_chars", (GDExtensionInterfaceFunctionPtr)new_name},
      {"string_new_with_utf8_chars", (GDExtensionInterfaceFunctionPtr)new_text},
      {"variant_get_type", (GDExtensionInterfaceFunctionPtr)type_of},
      {"get_variant_from_type_constructor", (GDExtensionInterfaceFunctionPtr)from_type},
      {"get_variant_to_type_constructor", (GDExtensionInterfaceFunctionPtr)to_type},
      {"variant_get_ptr_constructor", (GDExtensionInterfaceFunctionPtr)constructor},
      {"variant_get_ptr_destructor", (GDExtensionInterfaceFunctionPtr)destructor},
      {"variant_get_ptr_builtin_method", (GDExtensionInterfaceFunctionPtr)builtin},
      {"packed_vector3_array_operator_index", (GDExtensionInterfaceFunctionPtr)vector_at},
      {"packed_int32_array_operator_index", (GDExtensionInterfaceFunctionPtr)int_at},
      {"classdb_construct_object", (GDExtensionInterfaceFunctionPtr)construct},
      {"object_set_instance", (GDExtensionInterfaceFunctionPtr)set_instance},
      {"classdb_register_extension_class2", (GDExtensionInterfaceFunctionPtr)register_class},
      {"classdb_register_extension_class_method", (GDExtensionInterfaceFunctionPtr)register_method},
      {"classdb_unregister_extension_class", (GDExtensionInterfaceFunctionPtr)unregister_class},
  };
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    if (strcmp(functions[i].name, name) == 0) return functions[i].function;
  }
  printf("failed: no function %s\n", name);
  faults++;
  return NULL;
}

/// A script ///

static variant number(int64_t n) {
  return (variant){INT, {.number = n}};
}

static variant real(double r) {
  return (variant){GDEXTENSION_VARIANT_TYPE_FLOAT, {.real = r}};
}

static variant vector(float x, float y, float z) {
  return (variant){VECTOR, {.vector = {x, y, z}}};
}

static variant call(const char *name, int count, const variant *arguments, GDExtensionCallErrorType expected) {
  const void *addresses[8];
  for (int i = 0; i < count; i++)
    addresses[i] = &arguments[i];
  variant result = {0};
  GDExtensionCallError error = {GDEXTENSION_CALL_ERROR_INVALID_METHOD, 0, 0};
  for (int i = 0; i < method_count; i++) {
    const GDExtensionClassMethodInfo *info = &methods[i].info;
    if (strcmp(methods[i].name, name) == 0)
      info->call_func(info->method_userdata, instance, addresses, count, &result, &error);
  }
  expect(error.error == expected, name);
  return result;
}

#define CALL(name, ...)                                                                                                \
  call(name, (int)(sizeof((variant[]){__VA_ARGS__}) / sizeof(variant)), (variant[]){__VA_ARGS__}, GDEXTENSION_CALL_OK)

/* As typed scripts call: by addresses of values, with a result that is there already. */
static void call_typed(const char *name, const void *const *arguments, void *result) {
  int found = 0;
  for (int i = 0; i < method_count; i++) {
    if (strcmp(methods[i].name, name) == 0) {
      methods[i].info.ptrcall_func(methods[i].info.method_userdata, instance, arguments, result);
      found++;
    }
  }
  expect(found == 1, name);
}

static void play(void) {
  const int polyester = 4;
  expect(CALL("step", real(0.1)).as.number == -1, "a step without a cloth is NULL");
  expect(CALL("make", number(1), number(2), vector(0, 0, 0), vector(1, 0, 0), vector(0, 0, 1), number(8)).as.number ==
             -3,
         "a wrong number of columns is RANGE");
  CALL("make", number(COLUMNS), number(ROWS), vector(0, 0, 0), vector(1.25f, 0, 0), vector(0, -0.75f, 0), number(8));
  CALL("use_fabric", number(polyester));
  for (int row = 0; row < ROWS; row++)
    CALL("pin", number(COLUMNS * row));
  variant ball = CALL("add_sphere", vector(0.75f, -0.5f, -1), real(0.125));
  for (int frame = 0; frame < FRAMES; frame++) {
    const float wind[3] = {6.0f + 0.25f * (float)(frame % 16), 0, 0.5f};
    int64_t result = -1;
    call_typed("set_wind", (const void *[]){wind}, &result);
    expect(result == 0, "a typed call");
    CALL("move_collider", ball, vector(0.75f, -0.5f, -1.0f + (float)frame / 64.0f));
    CALL("step", real(1.0 / 60.0));
  }
}

static void look_at_arrays(void) {
  variant p = call("positions", 0, NULL, GDEXTENSION_CALL_OK), n = call("normals", 0, NULL, GDEXTENSION_CALL_OK);
  variant t = call("indices", 0, NULL, GDEXTENSION_CALL_OK);
  expect(p.as.items->size == COLUMNS * ROWS && n.as.items->size == COLUMNS * ROWS, "a vector for each particle");
  expect(t.as.items->size == 6 * (COLUMNS - 1) * (ROWS - 1), "three indices for each triangle");
  const float(*position)[3] = (void *)p.as.items->elements, (*normal)[3] = (void *)n.as.items->elements;
  const int32_t *index = (void *)t.as.items->elements;
  int clockwise = 0;
  for (int64_t i = 0; i < t.as.items->size; i += 3) {
    const float *a = position[index[i]], *b = position[index[i + 1]], *c = position[index[i + 2]];
    const float *out = normal[index[i]];
    float u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    clockwise += (u[1] * v[2] - u[2] * v[1]) * out[0] + (u[2] * v[0] - u[0] * v[2]) * out[1] +
                     (u[0] * v[1] - u[1] * v[0]) * out[2] <
                 0;
  }
  /* In a sharp fold the normal of a particle may point away from one of its triangles. */
  expect(20 * clockwise >= 19 * (t.as.items->size / 3), "fronts are clockwise");
  array *typed;
  new_array(&typed, NULL);
  call_typed("positions", NULL, &typed);
  expect(typed->size == p.as.items->size && memcmp(typed->elements, position, 12 * (size_t)typed->size) == 0,
         "a typed call for an array");
  free_array(&typed);
  free_array(&p.as.items);
  free_array(&n.as.items);
  free_array(&t.as.items);
}

int main(int count, char **arguments) {
  void *library = count > 1 ? dlopen(arguments[1], RTLD_NOW) : NULL;
  GDExtensionBool (*entry)(GDExtensionInterfaceGetProcAddress, void *, GDExtensionInitialization *) = NULL;
  if (library) *(void **)&entry = dlsym(library, "cloth_godot_init");
  GDExtensionInitialization initialization = {0};
  if (!entry || !entry(get, library, &initialization)) {
    printf("failed: the extension does not start\n");
    return 1;
  }
  for (int level = 0; level <= GDEXTENSION_INITIALIZATION_SCENE; level++)
    initialization.initialize(initialization.userdata, (GDExtensionInitializationLevel)level);
  expect(has_class == 1, "a class is registered");
  instance = *(void **)creation.create_instance_func(creation.class_userdata);
  play();
  look_at_arrays();
  call("pin", 0, NULL, GDEXTENSION_CALL_ERROR_TOO_FEW_ARGUMENTS);
  call("pin", 1, (variant[]){vector(0, 0, 0)}, GDEXTENSION_CALL_ERROR_INVALID_ARGUMENT);
  call("step", 2, (variant[]){real(1), real(1)}, GDEXTENSION_CALL_ERROR_TOO_MANY_ARGUMENTS);
  uint64_t hash = (uint64_t)call("hash", 0, NULL, GDEXTENSION_CALL_OK).as.number;
  expect(CALL("step", number(1)).as.number >= 0, "a whole number serves as a float");
  creation.free_instance_func(creation.class_userdata, instance);
  initialization.deinitialize(initialization.userdata, GDEXTENSION_INITIALIZATION_SCENE);
  expect(has_class == 0, "the class is gone");
  expect(held == 0, "names, strings and arrays are given back");
  printf("flag, hash %08lx%08lx\n", (unsigned long)(hash >> 32), (unsigned long)(hash & 0xffffffffu));
  return faults != 0;
}
