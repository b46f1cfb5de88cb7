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
        "an app that imports Tidelog does not see what adapters are made of",
        arguments: [
            "StorageAdapter", "AdapterTransaction", "StorageQuery", "KeyEncoder", "ModelLayout", "RowChange",
            "Checkpoint", "RowPredicate", "SQLiteAdapter", "RowJSONReader",
        ])
    func hidden(_ name: String) throws {
        let findings = try Compiler.findings(in: [("App.swift", "import Tidelog\n\nlet type = \(name).self\n")])
        #expect(findings.contains("cannot find '\(name)' in scope"), "\(findings)")
    }

    @Test("the author of an adapter imports Tidelog with that interface and sees it")
    func visible() throws {
        let findings = try Compiler.findings(in: [("Adapter.swift", "@_spi(Adapters) import Tidelog\n" + Self.adapter)])
        #expect(findings.isEmpty, "\(findings)")
    }

    @Test("an app sees models written by hand, factories of adapters and plans of queries")
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
                try await store.read { snapshot in try snapshot.plan(Note.self) }
            }
            """
        let findings = try Compiler.findings(in: [("App.swift", app)])
        #expect(findings.isEmpty, "\(findings)")
    }
}
