/*
 * What port/godot/extension.c uses of Godot's C interface, with the same names, parameters and order of fields as
 * Godot 4.2 to 4.4 have them: enough to compile it, and for host.c to be its engine. Written for the tests; Godot's own
 * header has all of it. Callbacks that the extension leaves out are void pointers here.
 */
#ifndef GDEXTENSION_STAND_IN_H
#define GDEXTENSION_STAND_IN_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
  GDEXTENSION_VARIANT_TYPE_NIL = 0,
  GDEXTENSION_VARIANT_TYPE_INT = 2,
  GDEXTENSION_VARIANT_TYPE_FLOAT = 3,
  GDEXTENSION_VARIANT_TYPE_STRING = 4,
  GDEXTENSION_VARIANT_TYPE_VECTOR3 = 9,
  GDEXTENSION_VARIANT_TYPE_STRING_NAME = 21,
  GDEXTENSION_VARIANT_TYPE_PACKED_INT32_ARRAY = 30,
  GDEXTENSION_VARIANT_TYPE_PACKED_VECTOR3_ARRAY = 36
} GDExtensionVariantType;

typedef enum {
  GDEXTENSION_CALL_OK,
  GDEXTENSION_CALL_ERROR_INVALID_METHOD,
  GDEXTENSION_CALL_ERROR_INVALID_ARGUMENT,
  GDEXTENSION_CALL_ERROR_TOO_MANY_ARGUMENTS,
  GDEXTENSION_CALL_ERROR_TOO_FEW_ARGUMENTS
} GDExtensionCallErrorType;

typedef enum { GDEXTENSION_METHOD_FLAGS_DEFAULT = 1 } GDExtensionClassMethodFlags;
typedef enum { GDEXTENSION_METHOD_ARGUMENT_METADATA_NONE } GDExtensionClassMethodArgumentMetadata;
typedef enum {
  GDEXTENSION_INITIALIZATION_CORE,
  GDEXTENSION_INITIALIZATION_SERVERS,
  GDEXTENSION_INITIALIZATION_SCENE
} GDExtensionInitializationLevel;

typedef void *GDExtensionVariantPtr, *GDExtensionTypePtr, *GDExtensionStringNamePtr, *GDExtensionStringPtr;
typedef void *GDExtensionObjectPtr, *GDExtensionClassInstancePtr, *GDExtensionClassLibraryPtr;
typedef const void *GDExtensionConstVariantPtr, *GDExtensionConstTypePtr, *GDExtensionConstStringNamePtr;
typedef int64_t GDExtensionInt;
typedef uint8_t GDExtensionBool;

typedef struct {
  GDExtensionCallErrorType error;
  int32_t argument;
  int32_t expected;
} GDExtensionCallError;

typedef struct {
  GDExtensionVariantType type;
  GDExtensionStringNamePtr name;
  GDExtensionStringNamePtr class_name;
  uint32_t hint;
  GDExtensionStringPtr hint_string;
  uint32_t usage;
} GDExtensionPropertyInfo;

typedef struct {
  GDExtensionBool is_virtual;
  GDExtensionBool is_abstract;
  GDExtensionBool is_exposed;
  void *set_func, *get_func, *get_property_list_func, *free_property_list_func;
  void *property_can_revert_func, *property_get_revert_func, *validate_property_func;
  void *notification_func, *to_string_func, *reference_func, *unreference_func;
  GDExtensionObjectPtr (*create_instance_func)(void *class_userdata);
  void (*free_instance_func)(void *class_userdata, GDExtensionClassInstancePtr instance);
  void *recreate_instance_func, *get_virtual_func, *get_virtual_call_data_func, *call_virtual_with_data_func;
  void *get_rid_func;
  void *class_userdata;
} GDExtensionClassCreationInfo2;

typedef void (*GDExtensionClassMethodCall)(void *method_userdata, GDExtensionClassInstancePtr instance,
                                           const GDExtensionConstVariantPtr *arguments, GDExtensionInt count,
                                           GDExtensionVariantPtr result, GDExtensionCallError *error);
typedef void (*GDExtensionClassMethodPtrCall)(void *method_userdata, GDExtensionClassInstancePtr instance,
                                              const GDExtensionConstTypePtr *arguments, GDExtensionTypePtr result);

typedef struct {
  GDExtensionStringNamePtr name;
  void *method_userdata;
  GDExtensionClassMethodCall call_func;
  GDExtensionClassMethodPtrCall ptrcall_func;
  uint32_t method_flags;
  GDExtensionBool has_return_value;
  GDExtensionPropertyInfo *return_value_info;
  GDExtensionClassMethodArgumentMetadata return_value_metadata;
  uint32_t argument_count;
  GDExtensionPropertyInfo *arguments_info;
  GDExtensionClassMethodArgumentMetadata *arguments_metadata;
  uint32_t default_argument_count;
  GDExtensionVariantPtr *default_arguments;
} GDExtensionClassMethodInfo;

typedef struct {
  GDExtensionInitializationLevel minimum_initialization_level;
  void *userdata;
  void (*initialize)(void *userdata, GDExtensionInitializationLevel level);
  void (*deinitialize)(void *userdata, GDExtensionInitializationLevel level);
} GDExtensionInitialization;

typedef void (*GDExtensionVariantFromTypeConstructorFunc)(GDExtensionVariantPtr, GDExtensionTypePtr);
typedef void (*GDExtensionTypeFromVariantConstructorFunc)(GDExtensionTypePtr, GDExtensionVariantPtr);
typedef void (*GDExtensionPtrConstructor)(GDExtensionTypePtr base, const GDExtensionConstTypePtr *arguments);
typedef void (*GDExtensionPtrDestructor)(GDExtensionTypePtr base);
typedef void (*GDExtensionPtrBuiltInMethod)(GDExtensionTypePtr base, const GDExtensionConstTypePtr *arguments,
                                            GDExtensionTypePtr result, int argument_count);

typedef void (*GDExtensionInterfaceFunctionPtr)(void);
typedef GDExtensionInterfaceFunctionPtr (*GDExtensionInterfaceGetProcAddress)(const char *name);
typedef void (*GDExtensionInterfaceStringNameNewWithLatin1Chars)(GDExtensionStringNamePtr, const char *,
                                                                 GDExtensionBool is_static);
typedef void (*GDExtensionInterfaceStringNewWithUtf8Chars)(GDExtensionStringPtr, const char *);
typedef GDExtensionVariantType (*GDExtensionInterfaceVariantGetType)(GDExtensionConstVariantPtr);
typedef GDExtensionVariantFromTypeConstructorFunc (*GDExtensionInterfaceGetVariantFromTypeConstructor)(
    GDExtensionVariantType);
typedef GDExtensionTypeFromVariantConstructorFunc (*GDExtensionInterfaceGetVariantToTypeConstructor)(
    GDExtensionVariantType);
typedef GDExtensionPtrConstructor (*GDExtensionInterfaceVariantGetPtrConstructor)(GDExtensionVariantType,
                                                                                  int32_t constructor);
typedef GDExtensionPtrDestructor (*GDExtensionInterfaceVariantGetPtrDestructor)(GDExtensionVariantType);
typedef GDExtensionPtrBuiltInMethod (*GDExtensionInterfaceVariantGetPtrBuiltinMethod)(GDExtensionVariantType,
                                                                                      GDExtensionConstStringNamePtr,
                                                                                      GDExtensionInt hash);
typedef GDExtensionTypePtr (*GDExtensionInterfacePackedVector3ArrayOperatorIndex)(GDExtensionTypePtr, GDExtensionInt);
typedef int32_t *(*GDExtensionInterfacePackedInt32ArrayOperatorIndex)(GDExtensionTypePtr, GDExtensionInt);
typedef GDExtensionObjectPtr (*GDExtensionInterfaceClassdbConstructObject)(GDExtensionConstStringNamePtr);
typedef void (*GDExtensionInterfaceObjectSetInstance)(GDExtensionObjectPtr, GDExtensionConstStringNamePtr,
                                                      GDExtensionClassInstancePtr);
typedef void (*GDExtensionInterfaceClassdbRegisterExtensionClass2)(GDExtensionClassLibraryPtr,
                                                                   GDExtensionConstStringNamePtr class_name,
                                                                   GDExtensionConstStringNamePtr parent,
                                                                   const GDExtensionClassCreationInfo2 *);
typedef void (*GDExtensionInterfaceClassdbRegisterExtensionClassMethod)(GDExtensionClassLibraryPtr,
                                                                        GDExtensionConstStringNamePtr class_name,
                                                                        const GDExtensionClassMethodInfo *);
typedef void (*GDExtensionInterfaceClassdbUnregisterExtensionClass)(GDExtensionClassLibraryPtr,
                                                                    GDExtensionConstStringNamePtr class_name);

#endif
