import SeededNumbers
import Testing
import TidelogCore
import TidelogSDL
import TidelogSchema

@Suite struct PrintingTests {
    @Test func `a random schema is the same after it is printed and read again, and prints the same text`() throws {
        var generator = SeededGenerator(1)
        var lowered = 0
        var joins = 0
        for _ in 0..<600 {
            let document = generator.document()
            let schema: Schema
            do {
                schema = try Schema(sdl: document)
            } catch {
                // The generator may make two relations that refer to each other, or two that have one counterpart.
                #expect(
                    error.message.contains("refer to each other")
                        || error.message.contains("answers one @hasOne"), "\(error)\n\(document)")
                continue
            }
            lowered += 1
            joins += schema.models.count { $0.name.hasPrefix("Join") }
            let text = schema.sdl
            let again = try Schema(sdl: text)
            #expect(SchemaDifference(from: schema, to: again).changes.map(\.description) == [], "\(document)")
            #expect(again == schema)
            #expect(again.sdl == text)
        }
        #expect(lowered > 300)
        #expect(joins > 50)
    }

    @Test func `a schema made in code without timestamps is the same after it is printed and read again`() throws {
        let schema = Schema(
            models: [
                ModelSchema(
                    name: "Note",
                    fields: [
                        FieldSchema("id", .id, isRequired: true), FieldSchema("title", .string, defaultValue: "x"),
                        FieldSchema("tags", .list(.string, elementIsRequired: true), isRequired: true),
                    ],
                    indexes: [
                        IndexSchema(name: "byTitle", fields: ["title", "id"]),
                        IndexSchema(name: "other", fields: ["title"], queryField: "notesByTitle"),
                    ], documentation: "A note.")
            ])
        #expect(try Schema(sdl: schema.sdl) == schema)
        #expect(
            schema.sdl == """
                \"""
                A note.
                \"""
                type Note @model(timestamps: null) {
                  id: ID!
                  title: String @index(name: "byTitle", sortKeyFields: ["id"], queryField: null) @index(name: "other") \
                @default(value: "x")
                  tags: [String!]!
                }

                """)
    }

    @Test func `a document with changed bytes gives a valid schema or is refused, and never causes a trap`() throws {
        var generator = SeededGenerator(2)
        for _ in 0..<60 {
            let document = Array(generator.document().utf8)
            for _ in 0..<20 {
                var changed = document
                for _ in 0...generator.below(3) {
                    let index = generator.below(changed.count)
                    switch generator.below(3) {
                    case 0: changed[index] = generator.pick(Array("{}[]()!@:\"a1 ".utf8))
                    case 1: changed.remove(at: index)
                    default: changed.removeSubrange(index..<min(changed.count, index + generator.below(30)))
                    }
                }
                guard let schema = try? Schema(sdl: changed) else { continue }
                try schema.validate()
                #expect(try Schema(sdl: schema.sdl) == schema)
            }
        }
    }
}
