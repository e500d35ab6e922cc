// Vectors, rotations and arrays of Unity for cloths. SPDX-License-Identifier: MIT
//
// Unity's axes are left-handed and the library's are right-handed. z changes its sign between them, and so does the side
// that triangles face: see FlagOfCloth.
#if UNITY_5_3_OR_NEWER
using Unity.Collections;
using Unity.Collections.LowLevel.Unsafe;
using UnityEngine;

namespace ClothSimulation {
  public static unsafe class UnityTypes {
    public static cloth_vector ToCloth(this Vector3 v) {
      return new cloth_vector { x = v.x, y = v.y, z = -v.z };
    }

    public static Vector3 ToUnity(this cloth_vector v) {
      return new Vector3(v.x, v.y, -v.z);
    }

    // The reflection that turns z: the axis of a rotation is turned with it, and its sense the other way round.
    public static cloth_rotation ToCloth(this Quaternion q) {
      return new cloth_rotation { x = -q.x, y = -q.y, z = q.z, w = q.w };
    }

    public static Quaternion ToUnity(this cloth_rotation q) {
      return new Quaternion(-q.x, -q.y, q.z, q.w);
    }

    public static cloth_pose ToCloth(this Transform t) {
      return new cloth_pose { position = t.position.ToCloth(), rotation = t.rotation.ToCloth() };
    }

    // Writes interleaved vertices to a native array, of a mesh's vertex data for example: no copy in between.
    public static void WriteVertices<Vertex>(this ClothSheet sheet, ref cloth_vertex_layout layout,
                                             NativeArray<Vertex> vertices) where Vertex : struct {
      ulong bytes = (ulong)vertices.Length * (ulong)UnsafeUtility.SizeOf<Vertex>();
      sheet.WriteVertices(ref layout, vertices.GetUnsafePtr(), bytes);
    }
  }
}
#endif
