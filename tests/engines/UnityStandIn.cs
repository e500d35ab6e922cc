// What port/unity uses of Unity, with the same names and parameters: enough to compile it and to play FlagOfCloth.
using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.InteropServices;

namespace Unity.Collections {
  public enum Allocator { Persistent = 4 }

  public unsafe struct NativeArray<T> : IDisposable where T : struct {
    internal void* memory;
    private int length;

    public NativeArray(int length, Allocator allocator) {
      this.length = length;
      memory = (void*)Marshal.AllocHGlobal(length * Marshal.SizeOf(typeof(T)));
    }

    public int Length {
      get { return length; }
    }

    public bool IsCreated {
      get { return memory != null; }
    }

    public void Dispose() {
      if (!IsCreated) {
        throw new ObjectDisposedException("the array was not made, or is disposed of");
      }
      Marshal.FreeHGlobal((IntPtr)memory);
      memory = null;
    }
  }
}

namespace Unity.Collections.LowLevel.Unsafe {
  public static unsafe class NativeArrayUnsafeUtility {
    public static void* GetUnsafePtr<T>(this NativeArray<T> array) where T : struct {
      return array.memory;
    }
  }

  public static class UnsafeUtility {
    public static int SizeOf<T>() where T : struct {
      return Marshal.SizeOf(typeof(T));
    }
  }
}

namespace UnityEngine.Rendering {
  public enum VertexAttribute { Position, Normal, Tangent, Color, TexCoord0 }
  public enum VertexAttributeFormat { Float32 }
  public enum IndexFormat { UInt16, UInt32 }

  public struct VertexAttributeDescriptor {
    public int dimension;

    public VertexAttributeDescriptor(VertexAttribute attribute,
                                     VertexAttributeFormat format = VertexAttributeFormat.Float32, int dimension = 3,
                                     int stream = 0) {
      this.dimension = dimension;
    }
  }

  public struct SubMeshDescriptor {
    public SubMeshDescriptor(int start, int count) {
    }
  }
}

namespace UnityEngine {
  using Unity.Collections;
  using Unity.Collections.LowLevel.Unsafe;
  using UnityEngine.Rendering;

  public struct Vector2 {
    public float x, y;
  }

  public struct Vector3 {
    public float x, y, z;

    public Vector3(float x, float y, float z) {
      this.x = x;
      this.y = y;
      this.z = z;
    }

    public static Vector3 operator +(Vector3 a, Vector3 b) {
      return new Vector3(a.x + b.x, a.y + b.y, a.z + b.z);
    }
  }

  public struct Quaternion {
    public float x, y, z, w;

    public Quaternion(float x, float y, float z, float w) {
      this.x = x;
      this.y = y;
      this.z = z;
      this.w = w;
    }
  }

  public class Object {
    public static int destroyed;

    public static void Destroy(Object o) {
      if (o == null) {
        throw new ArgumentNullException("o");
      }
      destroyed++;
    }
  }

  public class Transform : Object {
    public Vector3 position;
    public Quaternion rotation = new Quaternion(0, 0, 0, 1);
  }

  public sealed class RequireComponent : Attribute {
    public RequireComponent(Type type) {
    }
  }

  public static class Time {
    public const float fixedDeltaTime = 0.02f;
  }

  // Keeps the last data, as floats, to look at.
  public unsafe class Mesh : Object {
    public float[] vertices;
    public ushort[] triangles;

    private int stride, count;

    public void SetVertexBufferParams(int vertexCount, params VertexAttributeDescriptor[] attributes) {
      count = vertexCount;
      foreach (VertexAttributeDescriptor attribute in attributes) {
        stride += 4 * attribute.dimension;
      }
    }

    public void SetVertexBufferData<T>(NativeArray<T> data, int from, int to, int amount) where T : struct {
      if (amount != count || UnsafeUtility.SizeOf<T>() != stride) {
        throw new ArgumentException("data do not fit the parameters");
      }
      vertices = new float[amount * stride / 4];
      Marshal.Copy((IntPtr)data.GetUnsafePtr(), vertices, 0, vertices.Length);
    }

    public void SetIndexBufferParams(int indexCount, IndexFormat format) {
    }

    public void SetIndexBufferData<T>(T[] data, int from, int to, int amount) where T : struct {
      triangles = (ushort[])(object)data;
    }

    public void SetSubMesh(int index, SubMeshDescriptor descriptor) {
    }

    public void RecalculateBounds() {
    }
  }

  public class MeshFilter : Object {
    public Mesh sharedMesh;
  }

  public class MonoBehaviour : Object {
    private bool isEnabled = true;
    private readonly Dictionary<Type, Object> components = new Dictionary<Type, Object>();

    public T GetComponent<T>() where T : Object, new() {
      if (!components.ContainsKey(typeof(T))) {
        components.Add(typeof(T), new T());
      }
      return (T)components[typeof(T)];
    }

    public bool enabled {
      get { return isEnabled; }
      set {
        bool isTurnedOff = isEnabled && !value;
        isEnabled = value;
        if (isTurnedOff) {
          Receive("OnDisable");
        }
      }
    }

    // Unity finds these methods by their names, private or not.
    public void Receive(string message) {
      GetType().GetMethod(message, BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public).Invoke(this, null);
    }
  }
}

// Plays the component for a second as Unity does, and looks at what it would draw.
public static class PlayFlagOfCloth {
  // A flag that cannot be made says so, is disabled, and leaves nothing behind; with a pole it is made after all.
  private static bool IsDisabledByFailure(UnityEngine.Transform pole, Type expected) {
    var flag = new ClothSimulation.FlagOfCloth { pole = pole };
    Exception thrown = null;
    try {
      flag.Receive("OnEnable");
    } catch (TargetInvocationException trouble) {
      thrown = trouble.InnerException;
    }
    bool isDisabled = thrown != null && thrown.GetType() == expected && !flag.enabled;
    flag.Receive("OnDisable");
    int destroyed = UnityEngine.Object.destroyed;
    flag.pole = new UnityEngine.Transform();
    flag.enabled = true;
    flag.Receive("OnEnable");
    flag.Receive("Update");
    flag.Receive("OnDisable");
    flag.Receive("OnDisable");
    return isDisabled && UnityEngine.Object.destroyed == destroyed + 1;
  }

  public static int Main() {
    bool isSafe = IsDisabledByFailure(null, typeof(NullReferenceException));
    var nowhere = new UnityEngine.Transform { position = new UnityEngine.Vector3(float.NaN, 0, 0) };
    isSafe &= IsDisabledByFailure(nowhere, typeof(ClothSimulation.ClothException));
    UnityEngine.Transform pole = new UnityEngine.Transform { position = new UnityEngine.Vector3(1, 2, 3) };
    var flag = new ClothSimulation.FlagOfCloth { pole = pole };
    flag.Receive("OnEnable");
    for (int i = 0; i < 50; i++) {
      pole.position.x += 0.01f;
      flag.Receive("FixedUpdate");
    }
    flag.Receive("Update");
    UnityEngine.Mesh mesh = flag.GetComponent<UnityEngine.MeshFilter>().sharedMesh;
    flag.Receive("OnDisable");

    float[] v = mesh.vertices;
    int facing = 0;
    for (int i = 0; i < mesh.triangles.Length; i += 3) {
      int a = 8 * mesh.triangles[i], b = 8 * mesh.triangles[i + 1], c = 8 * mesh.triangles[i + 2];
      float[] p = { v[b] - v[a], v[b + 1] - v[a + 1], v[b + 2] - v[a + 2] };
      float[] q = { v[c] - v[a], v[c + 1] - v[a + 1], v[c + 2] - v[a + 2] };
      // In left-handed axes the cross product of the edges of a clockwise triangle points to who sees it.
      float x = p[1] * q[2] - p[2] * q[1], y = p[2] * q[0] - p[0] * q[2], z = p[0] * q[1] - p[1] * q[0];
      facing += x * v[a + 3] + y * v[a + 4] + z * v[a + 5] > 0 ? 1 : 0;
    }
    // The wind blows along x and z of Unity.
    int last = 8 * 23;
    bool isHeld = Math.Abs(v[0] - 1.5f) < 1e-5f && v[1] == 2 && v[2] == 3;
    bool isBlown = v[last] > 2 && v[last + 2] > 3;
    Console.WriteLine("corner at " + v[last] + " " + v[last + 1] + " " + v[last + 2] + ", " + facing + " of " +
                      mesh.triangles.Length / 3 + " triangles face as their normals; failures are " + (isSafe ? "safe" : "not safe"));
    return isSafe && isHeld && isBlown && facing == mesh.triangles.Length / 3 ? 0 : 1;
  }
}
