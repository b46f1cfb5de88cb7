import SeededNumbers
import Testing

@_spi(Adapters) @testable import TidelogCore

@Suite struct RowLayoutTests {
    @Test func `a first schema is laid out in declaration order`() throws {
        let model = try SampleSchema.layout()
        #expect(model.row.isSequential)
        #expect(model.row.slotCount == model.row.fields.count)
        #expect(model.row.fields.allSatisfy { $0.slot == $0.ordinal })
        #expect(model.keyFields.map(\.name) == ["id"])
        #expect(model.indexes.map(\.name) == ["byTitle"])
        #expect(model.indexes[0].fields.map(\.name) == ["title", "whole"])
        #expect(model.row.field(named: "color")?.cases == ["red", "green"])
        #expect(model.row.field(named: "places")?.embedded?.name == "Place")
        #expect(model.row.field(named: "nothing") == nil)
    }

    @Test func `a field keeps its slot when others are dropped, inserted or reordered`() throws {
        var declared = SampleSchema.declared
        let first = StoredSchema(first: declared)
        declared.models[0].fields.removeAll { $0.name == "title" }
        declared.models[0].indexes = []
        declared.models[0].fields.insert(FieldSchema("inserted", .int), at: 0)
        let before = SchemaLayout(first).models[0].row
        let layout = SchemaLayout(first.adopting(declared))
        let after = layout.models[0].row
        #expect(!after.isSequential)
        #expect(after.slotCount == before.slotCount + 1)
        #expect(after.field(named: "inserted")?.slot == before.slotCount)
        for field in before.fields where field.name != "title" {
            #expect(after.field(named: field.name)?.slot == field.slot)
        }
    }

    @Test func `a field appended at the end leaves the slots in declaration order`() throws {
        var declared = SampleSchema.declared
        let first = StoredSchema(first: declared)
        declared.models[0].fields.append(FieldSchema("appended", .int))
        #expect(SchemaLayout(first.adopting(declared)).models[0].row.isSequential)
    }

    @Test func `a model's layout keeps the layouts of embedded types alive after the schema's layout is gone`() throws {
        var schema: SchemaLayout? = SchemaLayout(StoredSchema(first: SampleSchema.declared))
        let model = try #require(schema?.models[0])
        weak let embedded = schema?.models[0].row.field(named: "place")?.embedded
        schema = nil
        withExtendedLifetime(model) { #expect(embedded != nil) }
    }

    @Test func `models are found by name and by number`() throws {
        var generator = SeededGenerator(14)
        let layout = SchemaLayout(StoredSchema(first: try generator.schema()))
        for model in layout.models {
            #expect(layout.model(named: model.name) === model)
            #expect(layout.model(numbered: model.number) === model)
        }
        #expect(layout.model(named: "Nothing") == nil)
        #expect(layout.model(numbered: 0) == nil)
    }
}
