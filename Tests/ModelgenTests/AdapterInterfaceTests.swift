import TestCompiler
import Testing

/// An app does not see the interface that only authors of adapters need.
@Suite("Interface of adapters")
struct AdapterInterfaceTests {
    private static let adapter = """

        func begin(_ adapter: any StorageAdapter) throws -> any AdapterTransaction { try adapter.begin() }
        func layout(_ store: DataStore) throws -> SchemaLayout { try store.layout }
        func key(_ buffer: UnsafeMutableRawBufferPointer) -> Int { KeyEncoder(buffer).byteCount }
        """

    @Test(
        "an app that imports Tidelog does not see the types for authors of adapters",
        arguments: [
            "StorageAdapter", "AdapterTransaction", "StorageQuery", "KeyEncoder", "ModelLayout", "RowChange",
            "Checkpoint", "RowPredicate", "SQLiteAdapter", "RowJSONReader",
        ])
    func hidden(_ name: String) throws {
        let findings = try Compiler.findings(in: [("App.swift", "import Tidelog\n\nlet type = \(name).self\n")])
        #expect(findings.contains("cannot find '\(name)' in scope"), "\(findings)")
    }

    @Test("an adapter that imports Tidelog with @_spi(Adapters) sees the types for authors of adapters")
    func visible() throws {
        let findings = try Compiler.findings(in: [("Adapter.swift", "@_spi(Adapters) import Tidelog\n" + Self.adapter)])
        #expect(findings.isEmpty, "\(findings)")
    }

    @Test("an app can use models written by hand, adapter factories and query plans")
    func app() throws {
        let app = """
            import Tidelog

            struct Note: Model {
                var id: String
                static let schema = ModelSchema(name: "Note", fields: [FieldSchema("id", .id, isRequired: true)])
                func encode(into row: inout RowEncoder) { row.encode(id) }
                init(from row: inout RowDecoder) throws(RowDamage) { id = try row.decode(String.self) }
            }

            let factories: [AdapterFactory] = [.lmdb(), .sqlite(), .inMemory()]

            func plan(_ store: DataStore) async throws -> QueryPlan {
                try await store.read { snapshot in try snapshot.plan(Note.all) }
            }
            """
        let findings = try Compiler.findings(in: [("App.swift", app)])
        #expect(findings.isEmpty, "\(findings)")
    }
}
