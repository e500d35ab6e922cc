// The scene of flag.c in C#: prints the same, after it has checked the bindings.
//
//   mono Flag.exe LAYOUT     LAYOUT is what the program of port/bindings/layout.awk prints
using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.InteropServices;
using ClothSimulation;

public static unsafe class Flag {
  private const int columns = 24, rows = 16, frames = 120;
  private static int faults;

  private static void Expect(bool condition, string what) {
    if (!condition) {
      Console.WriteLine("failed: " + what);
      faults++;
    }
  }

  // Offsets and sizes as this compiler has them and as the marshaller has them, beside those of the C compiler.
  private static void CheckLayout(string path) {
    Dictionary<string, int> expected = new Dictionary<string, int>();
    foreach (string line in File.ReadAllLines(path)) {
      string[] words = line.Split(' ');
      expected.Add(words[0] + " " + words[1], int.Parse(words[2]));
    }
    int checkedRows = 0;
    Layout.Each((owner, field, value) => {
      int number;
      bool isThere = expected.TryGetValue(owner + " " + field, out number);
      Expect(isThere && number == value, owner + "." + field + ": " + value + " in C#, " + number + " in C");
      checkedRows++;
    });
    Expect(checkedRows == expected.Count && checkedRows > 300, checkedRows + " rows of " + expected.Count);
    foreach (Type type in Layout.Structs) {
      Expect(Marshal.SizeOf(type) == expected[type.Name + " size"], type.Name + " as the marshaller has it");
      try {
        GCHandle.Alloc(Activator.CreateInstance(type), GCHandleType.Pinned).Free();
      } catch (ArgumentException) {
        Expect(false, type.Name + " is not blittable");
      }
    }
    Console.WriteLine(checkedRows + " rows of layout, " + Layout.Structs.Length + " blittable structs");
  }

  private static cloth_config MakeConfig() {
    cloth_config config = Native.cloth_config_default();
    config.columns = columns;
    config.rows = rows;
    config.edge_warp = new cloth_vector { x = 1.25f };
    config.edge_weft = new cloth_vector { y = -0.75f };
    config.substeps = 8;
    config.fabric = ClothSheet.Fabric(cloth_fabric_kind.CLOTH_FABRIC_POLYESTER);
    return config;
  }

  private static int Equip(ClothSheet flag) {
    for (int row = 0; row < rows; row++) {
      flag.Pin(flag.ParticleAt(0, row));
    }
    cloth_collider collider = Native.cloth_collider_default();
    collider.shape = (int)cloth_shape.CLOTH_SHAPE_SPHERE;
    collider.radius = 0.125f;
    collider.pose.position = new cloth_vector { x = 0.75f, y = -0.5f, z = -1 };
    return flag.AddCollider(ref collider);
  }

  private static void Play(ClothSheet flag, int ball, int from, int to) {
    for (int frame = from; frame < to; frame++) {
      cloth_pose pose = new cloth_pose {
        position = new cloth_vector { x = 0.75f, y = -0.5f, z = -1.0f + frame / 64.0f },
        rotation = new cloth_rotation { w = 1 }
      };
      flag.Wind = new cloth_vector { x = 6.0f + 0.25f * (frame % 16), z = 0.5f };
      flag.MoveCollider(ball, ref pose);
      flag.Step(1.0f / 60.0f);
    }
  }

  // Vertices and positions are the same particles; a save brings a state back; errors are exceptions.
  private static void CheckCalls(ClothSheet flag, int ball) {
    float[] vertices = new float[8 * columns * rows];
    cloth_vertex_layout layout = new cloth_vertex_layout { stride = 32, normal_offset = 12, texcoord_offset = 24 };
    flag.WriteVertices(ref layout, vertices);
    ReadOnlySpan<float> x = flag.Positions.X();
    Expect(x.Length == columns * rows, "a view of all particles");
    for (int i = 0; i < x.Length; i++) {
      Expect(vertices[8 * i] == x[i] && flag.PositionOf(i).x == x[i], "vertex " + i);
    }
    ushort[] indices = new ushort[flag.IndexCount];
    flag.WriteIndices(indices);
    Expect(indices.Length == 6 * (columns - 1) * (rows - 1) && indices[indices.Length - 1] < columns * rows, "indices");
    Expect(flag.Wind.x > 6 && flag.Statistics.substeps == 8, "what was set is read");

    byte[] saved = new byte[flag.SavedBytes];
    flag.Save(saved);
    Play(flag, ball, frames, frames + 10);
    ulong later = flag.Hash;
    flag.Load(saved);
    Play(flag, ball, frames, frames + 10);
    Expect(flag.Hash == later, "a save brings the state back");
    try {
      flag.Pin(columns * rows);
      Expect(false, "an error is an exception");
    } catch (ClothException error) {
      Expect(error.Error == cloth_error.CLOTH_ERROR_INDEX && error.Message == "INDEX", "the exception's name");
    }
    flag.Dispose();
    try {
      flag.Step(0.1f);
      Expect(false, "a disposed cloth is refused");
    } catch (ClothException error) {
      Expect(error.Error == cloth_error.CLOTH_ERROR_NULL, "what is disposed is null");
    }
  }

  // A sheet that is cut, and drawn in every frame by the counts that it says.
  private static void CheckTearing() {
    cloth_config config = MakeConfig();
    config.tearing.max_breaks = 20;
    ClothSheet sheet = new ClothSheet(ref config);
    Equip(sheet);
    int count = sheet.VertexCount, whole = sheet.IndexCount, threads = 0;
    Expect(count > columns * rows, "room for pieces");
    cloth_vertex_layout layout = new cloth_vertex_layout { stride = 32, normal_offset = 12, texcoord_offset = 24 };
    for (int frame = 0; frame < 20; frame++) {
      sheet.Step(1.0f / 60.0f);
      if (frame == 10) {
        cloth_cut_line line = new cloth_cut_line { column = 11.5f, row = -1, end_column = 11.5f, end_row = rows };
        threads = sheet.Cut(ref line);
      }
      sheet.WriteVertices(ref layout, new float[8 * count]);
      uint[] indices = new uint[sheet.IndexCount];
      sheet.WriteIndices(indices);
      Expect(Array.TrueForAll(indices, index => index < count), "indices of frame " + frame);
    }
    Expect(threads == rows && sheet.IndexCount != whole && sheet.VertexCount == count, threads + " threads cut");
    sheet.Dispose();
    config.tearing.max_breaks = 0;
    config.grid.wrap = 1;
    ClothSheet tube = new ClothSheet(ref config);
    Expect(tube.VertexCount == (columns + 1) * rows, "vertices of a tube");
    tube.Dispose();
  }

  // A flag in memory of the caller, as a NativeArray gives it, plays the same; frames make no garbage.
  private static void CheckCallersMemory(ulong expected) {
    cloth_config config = MakeConfig();
    config.columns = 2000;
    Expect(ClothSheet.Explain(ref config).StartsWith("columns: "), ClothSheet.Explain(ref config));
    config.columns = columns;
    ulong bytes = ClothSheet.BytesNeeded(ref config);
    byte[] memory = new byte[bytes + Native.CLOTH_ALIGNMENT];
    fixed (byte* first = memory) {
      byte* arena = first + (Native.CLOTH_ALIGNMENT - (long)first % Native.CLOTH_ALIGNMENT) % Native.CLOTH_ALIGNMENT;
      ClothSheet flag = new ClothSheet(ref config, arena, bytes);
      Expect(flag.Pointer == arena, "the cloth lies at the start of its arena");
      int ball = Equip(flag);
      Play(flag, ball, 0, frames);
      Expect(flag.Hash == expected, "the same flag in memory of the caller");
      int collections = GC.CollectionCount(0);
      for (int i = 0; i < 200000; i++) {
        flag.Wind = new cloth_vector { x = i % 4 };
        flag.PositionOf(i % columns);
      }
      Expect(GC.CollectionCount(0) == collections, "calls make no garbage");
    }
  }

  public static int Main(string[] arguments) {
    CheckLayout(arguments[0]);
    cloth_config config = MakeConfig();
    ClothSheet flag = new ClothSheet(ref config);
    int ball = Equip(flag);
    Play(flag, ball, 0, frames);
    ulong hash = flag.Hash;
    CheckCalls(flag, ball);
    CheckCallersMemory(hash);
    CheckTearing();
    Console.WriteLine("flag, hash " + hash.ToString("x16"));
    return faults == 0 ? 0 : 1;
  }
}
