import SeededNumbers
import Testing

@testable import TidelogCore

@Suite struct StoredSchemaTests {
    @Test func `a first schema numbers everything from 1 in declaration order`() throws {
        let schema = StoredSchema(first: SampleSchema.declared)
        #expect(schema.version == 1)
        #expect(schema.modelNumbers == ["Sample": 1])
        #expect(schema.fieldNumbers["Place"] == ["city": 1, "height": 2, "inside": 3, "near": 4])
        #expect(schema.indexNumbers["Sample"] == ["byTitle": 1])
    }

    @Test func `numbers are never changed and never given to another name, whatever is dropped and added`() throws {
        var generator = SeededGenerator(111)
        for _ in 0..<60 {
            var schema = StoredSchema(first: try generator.schema())
            for _ in 0..<6 {
                var declared = generator.revised(schema.declared)
                if declared.models.count > 1, generator.once(in: 2) { declared.models.removeFirst() }
                if generator.once(in: 2) {
                    var model = declared.models[0]
                    model.name = "New\(generator.below(1_000_000))"
                    declared.models.insert(model, at: 0)
                }
                let next = schema.adopting(declared)
                #expect(next.version == schema.version + 1)
                #expect(next.declared == declared)
                #expect(schema.modelNumbers.allSatisfy { next.modelNumbers[$0.key] == $0.value })
                #expect(Set(next.modelNumbers.values).count == next.modelNumbers.count)
                for (old, new) in [(schema.fieldNumbers, next.fieldNumbers), (schema.indexNumbers, next.indexNumbers)] {
                    for (type, numbers) in old {
                        #expect(numbers.allSatisfy { new[type]?[$0.key] == $0.value })
                    }
                    for numbers in new.values { #expect(Set(numbers.values).count == numbers.count) }
                }
                schema = next
            }
        }
    }

    @Test func `a dropped field keeps its number, and no new field gets that number`() {
        let key = FieldSchema("id", .id, isRequired: true)
        let declare = { (names: [String]) in
            Schema(models: [ModelSchema(name: "M", fields: [key] + names.map { FieldSchema($0, .int) })])
        }
        let schema = StoredSchema(first: declare(["a", "b"])).adopting(declare(["a"])).adopting(declare(["a", "c"]))
        #expect(schema.fieldNumbers["M"] == ["id": 1, "a": 2, "b": 3, "c": 4])
        #expect(schema.adopting(declare(["b"])).fieldNumbers["M"]?["b"] == 3)
    }
}
