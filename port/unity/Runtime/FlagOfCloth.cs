// A flag, as a component of Unity. SPDX-License-Identifier: MIT
#if UNITY_5_3_OR_NEWER
using Unity.Collections;
using Unity.Collections.LowLevel.Unsafe;
using UnityEngine;
using UnityEngine.Rendering;

namespace ClothSimulation {
  // Position, normal and texture coordinates of a vertex: 32 bytes.
  public struct ClothVertex {
    public Vector3 position, normal;
    public Vector2 texcoord;
  }

  // A flag of 24 x 16 particles, whose left edge follows this object. Add it to an object with a MeshFilter and a
  // MeshRenderer whose transform has the identity: positions are those of the world.
  [RequireComponent(typeof(MeshFilter))]
  public unsafe class FlagOfCloth : MonoBehaviour {
    public Transform pole;
    public Vector3 wind = new Vector3(6, 0, 1);

    private const int columns = 24, rows = 16;
    private const float width = 1.2f, height = 0.8f;
    private ClothSheet sheet;
    private Mesh mesh;
    private NativeArray<ClothVertex> vertices;

    // What cannot be made is disabled: a pole that is not set, or that lies nowhere.
    private void OnEnable() {
      try {
        MakeSheet();
        MakeMesh();
      } catch {
        Free();
        enabled = false;
        throw;
      }
    }

    private void OnDisable() {
      Free();
    }

    // As often as it is called, whatever there is.
    private void Free() {
      if (sheet != null) {
        sheet.Dispose();
        sheet = null;
      }
      if (vertices.IsCreated) {
        vertices.Dispose();
      }
      if (mesh != null) {
        Destroy(mesh);
        mesh = null;
      }
    }

    private void MakeSheet() {
      cloth_config config = Native.cloth_config_default();
      config.columns = columns;
      config.rows = rows;
      config.origin = pole.position.ToCloth();
      config.edge_warp = new cloth_vector { x = width };
      config.edge_weft = new cloth_vector { y = -height };
      config.fabric = ClothSheet.Fabric(cloth_fabric_kind.CLOTH_FABRIC_POLYESTER);
      config.substeps = 8;
      sheet = new ClothSheet(ref config);
      for (int row = 0; row < rows; row++) {
        sheet.Pin(sheet.ParticleAt(0, row));
      }
    }

    private void FixedUpdate() {
      for (int row = 0; row < rows; row++) {
        Vector3 place = pole.position + new Vector3(0, -height * row / (rows - 1), 0);
        sheet.MovePin(sheet.ParticleAt(0, row), place.ToCloth());
      }
      sheet.Wind = wind.ToCloth();
      sheet.Step(Time.fixedDeltaTime);
    }

    private void Update() {
      cloth_vertex_layout layout = new cloth_vertex_layout { stride = sizeof(ClothVertex), position_offset = 0,
                                                             normal_offset = 12, texcoord_offset = 24 };
      sheet.WriteVertices(ref layout, vertices);
      ClothVertex* vertex = (ClothVertex*)vertices.GetUnsafePtr();
      for (int i = 0; i < vertices.Length; i++) {
        vertex[i].position.z = -vertex[i].position.z;
        vertex[i].normal.z = -vertex[i].normal.z;
      }
      mesh.SetVertexBufferData(vertices, 0, 0, vertices.Length);
      mesh.RecalculateBounds();
    }

    // Once: indices change only where cloth tears or is cut.
    private void MakeMesh() {
      vertices = new NativeArray<ClothVertex>(sheet.VertexCount, Allocator.Persistent);
      mesh = new Mesh();
      mesh.SetVertexBufferParams(vertices.Length, new VertexAttributeDescriptor(VertexAttribute.Position),
                                 new VertexAttributeDescriptor(VertexAttribute.Normal),
                                 new VertexAttributeDescriptor(VertexAttribute.TexCoord0, VertexAttributeFormat.Float32, 2));
      ushort[] indices = new ushort[sheet.IndexCount];
      sheet.WriteIndices(indices);
      for (int i = 0; i < indices.Length; i += 3) {
        ushort second = indices[i + 1];
        indices[i + 1] = indices[i + 2];
        indices[i + 2] = second;
      }
      mesh.SetIndexBufferParams(indices.Length, IndexFormat.UInt16);
      mesh.SetIndexBufferData(indices, 0, 0, indices.Length);
      mesh.SetSubMesh(0, new SubMeshDescriptor(0, indices.Length));
      GetComponent<MeshFilter>().sharedMesh = mesh;
    }
  }
}
#endif
