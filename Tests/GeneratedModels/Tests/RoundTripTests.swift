import Foundation
import ReferenceModels
import Testing
import Tidelog

import enum ReservedMembers.ReservedMembers
import enum ReservedTypes.ReservedTypes

/// Compares every generated model with dynamic records, which do not use generated code.
@Suite("Generated models keep every value")
struct RoundTripTests {
    private static let schemas = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Reference")

    @Test("the generated schema is the file's schema", arguments: ReferenceSchema.all.map { $0.name })
    func schema(name: String) throws {
        let reference = try #require(ReferenceSchema.all.first { $0.name == name })
        let text = try String(
            contentsOf: Self.schemas.appending(path: "\(name).graphql"), encoding: .utf8)
        #expect(try Schema(sdl: text) == reference.schema)
        #expect(reference.models.map { $0.schema }.count == reference.schema.models.count)
    }

    @Test("every schema file is among the tested schemas")
    func complete() throws {
        let names = try FileManager.default.contentsOfDirectory(
            atPath: Self.schemas.path)
        let schemas = names.filter { $0.hasSuffix(".graphql") }.map { String($0.dropLast(8)) }
        #expect(Set(schemas) == Set(ReferenceSchema.all.map(\.name)))
        #expect(schemas.count + 2 >= 25)
    }

    @Test(
        "a record that is read as a model and saved again has the same row, byte for byte",
        arguments: ReferenceSchema.all.map { $0.name })
    func rows(name: String) async throws {
        let reference = try #require(ReferenceSchema.all.first { $0.name == name })
        try await Self.rewriteAll(reference.models, of: reference.schema)
    }

    @Test("models and fields with names that Swift or Tidelog also use keep every value")
    func reserved() async throws {
        try await Self.rewriteAll(ReservedTypes.generatedModels, of: ReservedTypes.declared)
        try await Self.rewriteAll(ReservedMembers.generatedModels, of: ReservedMembers.declared)
    }

    private static func rewriteAll(
        _ models: [any ReferenceSchema.GeneratedModel.Type], of schema: Schema
    ) async throws {
        let store = try await DataStore.inMemory(schema: schema)
        var samples = Samples(schema: schema)
        for model in schema.models {
            for kind in Samples.Kind.allCases {
                let record = Record(model: model.name, values: samples.values(of: model, kind))
                try await store.write(requireParents: false) { try $0.save(record) }
            }
        }
        let before = try #require(try await store.verify().stateHash)
        for model in models { try await rewrite(model, in: store) }
        #expect(try await store.verify().stateHash == before)
        try await store.close()
    }

    /// Reads every record as the model, and converts it to JSON and back. Then it deletes all records, and saves them again.
    private static func rewrite<Value: ReferenceSchema.GeneratedModel>(
        _ type: Value.Type, in store: DataStore
    ) async throws {
        let values = try await store.query(type)
        #expect(values.count == Samples.Kind.allCases.count, "\(type)")
        #expect(Set(values).count == values.count)
        let decoded = try JSONDecoder().decode([Value].self, from: JSONEncoder().encode(values))
        #expect(decoded == values)
        try await store.delete(all: type.all)
        #expect(try await store.count(type.all) == 0)
        try await store.write(requireParents: false) { try $0.save(decoded) }
    }
}
