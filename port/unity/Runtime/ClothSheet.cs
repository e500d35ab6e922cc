// One cloth as an object of C#. SPDX-License-Identifier: MIT
//
// Every call is one call of the shared library on memory of the caller: no copies, and nothing for the garbage collector
// in a frame. What has no method here is called as Native.cloth_...(sheet.Pointer, ...).
using System;
using System.Runtime.InteropServices;

namespace ClothSimulation {
  // What a call refused: a negative cloth_error. Nothing was changed.
  public sealed class ClothException : Exception {
    public readonly cloth_error Error;

    public ClothException(int result) : base(ClothSheet.NameOf(result)) {
      Error = (cloth_error)result;
    }
  }

  public sealed unsafe class ClothSheet : IDisposable {
    private cloth* sheet;
    private IntPtr owned; // what was allocated for the arena, or zero

    // Makes a cloth in memory of its own, which Dispose() frees.
    public ClothSheet(ref cloth_config config) {
      cloth_memory memory;
      fixed (cloth_config* settings = &config) {
        Check(Native.cloth_memory_needed(settings, &memory));
        ulong bytes = memory.total_bytes.ToUInt64();
        owned = Marshal.AllocHGlobal(new IntPtr((long)bytes + Native.CLOTH_ALIGNMENT));
        long start = (owned.ToInt64() + Native.CLOTH_ALIGNMENT - 1) & ~(Native.CLOTH_ALIGNMENT - 1L);
        try {
          Make(settings, (void*)start, bytes);
        } catch {
          Dispose();
          throw;
        }
      }
    }

    // Makes a cloth in memory of the caller, aligned to Native.CLOTH_ALIGNMENT, that outlives it.
    public ClothSheet(ref cloth_config config, void* arena, ulong bytes) {
      fixed (cloth_config* settings = &config) {
        Make(settings, arena, bytes);
      }
    }

    // Frees the memory of its own. There is no finalizer, which could run during the last call: a cloth that is not
    // disposed keeps its memory.
    public void Dispose() {
      sheet = null;
      if (owned != IntPtr.Zero) {
        Marshal.FreeHGlobal(owned);
        owned = IntPtr.Zero;
      }
    }

    // The cloth for the functions of Native; null after Dispose(), which they refuse.
    public cloth* Pointer {
      get { return sheet; }
    }

    public static string NameOf(int result) {
      return Marshal.PtrToStringAnsi((IntPtr)Native.cloth_result_name(result));
    }

    // Throws what is an error, and returns what is none.
    public static int Check(int result) {
      if (result < 0) {
        throw new ClothException(result);
      }
      return result;
    }

    // Bytes of an arena for this config.
    public static ulong BytesNeeded(ref cloth_config config) {
      cloth_memory memory;
      fixed (cloth_config* settings = &config) {
        Check(Native.cloth_memory_needed(settings, &memory));
      }
      return memory.total_bytes.ToUInt64();
    }

    // What is wrong with a config in words, or "ok".
    public static string Explain(ref cloth_config config) {
      byte* text = stackalloc byte[256];
      fixed (cloth_config* settings = &config) {
        Native.cloth_config_explain(settings, text, new UIntPtr(256));
      }
      return Marshal.PtrToStringAnsi((IntPtr)text);
    }

    public static cloth_fabric Fabric(cloth_fabric_kind kind) {
      cloth_fabric fabric;
      Check(Native.cloth_fabric_preset(kind, &fabric));
      return fabric;
    }

    // Returns a sum of cloth_note.
    public cloth_note Step(float seconds) {
      return (cloth_note)Check(Native.cloth_step(sheet, seconds));
    }

    public int ParticleAt(int column, int row) {
      return Check(Native.cloth_particle_at(sheet, column, row));
    }

    public void Pin(int particle) {
      Check(Native.cloth_pin(sheet, particle));
    }

    public void MovePin(int particle, cloth_vector target) {
      Check(Native.cloth_move_pin(sheet, particle, target));
    }

    public void Release(int particle) {
      Check(Native.cloth_release(sheet, particle));
    }

    public int AddCollider(ref cloth_collider collider) {
      fixed (cloth_collider* shape = &collider) {
        return Check(Native.cloth_add_collider(sheet, shape));
      }
    }

    public void MoveCollider(int index, ref cloth_pose pose) {
      fixed (cloth_pose* current = &pose) {
        Check(Native.cloth_move_collider(sheet, index, null, current));
      }
    }

    public cloth_vector Wind {
      get {
        cloth_vector wind;
        Check(Native.cloth_get_wind(sheet, &wind));
        return wind;
      }
      set { Check(Native.cloth_set_wind(sheet, value)); }
    }

    // Addresses of the x, y and z of all particles: no copy, valid until the next call that changes the cloth.
    public cloth_vector_view Positions {
      get {
        cloth_vector_view view;
        Check(Native.cloth_get_positions(sheet, &view));
        return view;
      }
    }

    public cloth_vector PositionOf(int particle) {
      cloth_vector position;
      Check(Native.cloth_get_position(sheet, particle, &position));
      return position;
    }

    // Vertices that WriteVertices() writes: those of tubes and of cloth that may tear are more than its particles.
    public int VertexCount {
      get { return Check(Native.cloth_get_vertex_count(sheet)); }
    }

    // Cuts along a line and returns the number of threads; needs tearing.max_breaks.
    public int Cut(ref cloth_cut_line line) {
      fixed (cloth_cut_line* from = &line) {
        return Check(Native.cloth_cut(sheet, from));
      }
    }

    // Indices as the cloth is now: cuts, tears and Load() change it.
    public int IndexCount {
      get { return Check(Native.cloth_get_index_count(sheet)); }
    }

    // Writes interleaved vertices, for a mesh or a graphics buffer.
    public void WriteVertices(ref cloth_vertex_layout layout, void* vertices, ulong bytes) {
      fixed (cloth_vertex_layout* offsets = &layout) {
        Check(Native.cloth_write_vertices(sheet, offsets, vertices, new UIntPtr(bytes)));
      }
    }

    public void WriteVertices(ref cloth_vertex_layout layout, Span<float> vertices) {
      fixed (float* first = &MemoryMarshal.GetReference(vertices)) {
        WriteVertices(ref layout, first, (ulong)vertices.Length * sizeof(float));
      }
    }

    public void WriteIndices(Span<ushort> indices) {
      fixed (ushort* first = &MemoryMarshal.GetReference(indices)) {
        Check(Native.cloth_write_indices16(sheet, 0, first, new UIntPtr((uint)indices.Length)));
      }
    }

    public void WriteIndices(Span<uint> indices) {
      fixed (uint* first = &MemoryMarshal.GetReference(indices)) {
        Check(Native.cloth_write_indices32(sheet, 0, first, new UIntPtr((uint)indices.Length)));
      }
    }

    public cloth_statistics Statistics {
      get {
        cloth_statistics statistics;
        Check(Native.cloth_get_statistics(sheet, &statistics));
        return statistics;
      }
    }

    // The same on every machine for equal calls.
    public ulong Hash {
      get {
        ulong hash;
        Check(Native.cloth_hash(sheet, &hash));
        return hash;
      }
    }

    // Bytes of a save, for rollback in this build.
    public int SavedBytes {
      get {
        cloth_memory memory;
        Check(Native.cloth_get_memory(sheet, &memory));
        return (int)memory.saved_bytes.ToUInt64();
      }
    }

    public void Save(Span<byte> buffer) {
      fixed (byte* first = &MemoryMarshal.GetReference(buffer)) {
        Check(Native.cloth_save(sheet, first, new UIntPtr((uint)buffer.Length)));
      }
    }

    public void Load(ReadOnlySpan<byte> buffer) {
      fixed (byte* first = &MemoryMarshal.GetReference(buffer)) {
        Check(Native.cloth_load(sheet, first, new UIntPtr((uint)buffer.Length)));
      }
    }

    private void Make(cloth_config* config, void* arena, ulong bytes) {
      cloth* made;
      Check(Native.cloth_init(config, arena, new UIntPtr(bytes), &made));
      sheet = made;
    }
  }

  // The three arrays of a view as spans.
  public static unsafe class ViewSpans {
    public static ReadOnlySpan<float> X(this cloth_vector_view view) {
      return new ReadOnlySpan<float>(view.x, view.count);
    }

    public static ReadOnlySpan<float> Y(this cloth_vector_view view) {
      return new ReadOnlySpan<float>(view.y, view.count);
    }

    public static ReadOnlySpan<float> Z(this cloth_vector_view view) {
      return new ReadOnlySpan<float>(view.z, view.count);
    }
  }
}
