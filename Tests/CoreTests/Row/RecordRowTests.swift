import SeededNumbers
import Testing

@_spi(Adapters) @testable import TidelogCore

@Suite struct RecordRowTests {
    @Test func `a record of any schema is exactly the same after encoding and decoding`() throws {
        var generator = SeededGenerator(11)
        for _ in 0..<200 {
            let layout = SchemaLayout(StoredSchema(first: try generator.schema()))
            for model in layout.models {
                for _ in 0..<5 {
                    let record = try generator.record(of: model.schema, in: layout.schema.declared)
                    let row = try EncodedRow(record, layout: model)
                    let decoded = try row.withRow { try Record($1, layout: model) }
                    #expect(decoded.values.exact == record.values.filled(model.schema.fields).exact)
                }
            }
        }
    }

    @Test func `one decoder for many rows gives the record of each row, whichever fields have values`() throws {
        var generator = SeededGenerator(14)
        for _ in 0..<50 {
            let layout = SchemaLayout(StoredSchema(first: try generator.schema()))
            for model in layout.models {
                var decoder = RecordDecoder(layout: model)
                for _ in 0..<12 {
                    let record = try generator.record(of: model.schema, in: layout.schema.declared)
                    let row = try EncodedRow(record, layout: model)
                    // Some rows are decoded again, so that the decoder often finds values in the same fields as before.
                    // After many rows with other fields, the decoder no longer expects this.
                    for _ in 0...generator.below(3) {
                        let decoded = try row.withRow { try decoder.record($1) }
                        #expect(decoded.model == record.model)
                        #expect(decoded.values.exact == record.values.filled(model.schema.fields).exact)
                    }
                }
            }
        }
    }

    @Test func `decoded rows have the values of their records at the positions of the fields`() throws {
        var generator = SeededGenerator(15)
        for _ in 0..<100 {
            let layout = SchemaLayout(StoredSchema(first: try generator.schema()))
            for model in layout.models {
                var rows = DecodedRows(layout: model)
                var records: [Record] = []
                for _ in 0..<generator.below(4) {
                    var part = DecodedRows(layout: model)
                    for _ in 0..<generator.below(3) {
                        let record = try generator.record(of: model.schema, in: layout.schema.declared)
                        let row = try EncodedRow(record, layout: model)
                        records.append(try row.withRow { try Record($1, layout: model) })
                        try row.withRow { try part.append($1) }
                    }
                    rows.append(contentsOf: part)
                }
                #expect(rows.count == records.count)
                #expect(rows.records.map(\.values.exact) == records.map(\.values.exact))
                for (row, record) in records.enumerated() {
                    #expect(rows.values(at: row).count == model.schema.fields.count)
                    for field in rows.fields {
                        let position = try #require(rows.position(of: field.name))
                        #expect(rows[row, position] == record[field.name])
                    }
                }
                #expect(rows.position(of: "no field") == nil)
            }
        }
    }

    @Test func `a row read under a changed schema has the values of the fields that both schemas declare`()
        throws
    {
        var generator = SeededGenerator(12)
        for _ in 0..<150 {
            let old = StoredSchema(first: try generator.schema())
            var new = old
            for _ in 0...generator.below(3) { new = new.adopting(generator.revised(new.declared)) }
            let (oldLayout, newLayout) = (SchemaLayout(old), SchemaLayout(new))
            for (oldModel, newModel) in zip(oldLayout.models, newLayout.models) {
                let record = try generator.record(of: oldModel.schema, in: old.declared)
                let row = try EncodedRow(record, layout: oldModel)
                let read = try row.withRow { try Record($1, layout: newModel) }
                let expected = record.values.filled(oldModel.schema.fields).upcast(newModel.row, newLayout)
                #expect(read.values.exact == expected.exact)
            }
        }
    }

    @Test func `rows are written and read under layouts with dropped, inserted and reordered fields`() throws {
        var generator = SeededGenerator(13)
        for _ in 0..<150 {
            var schema = StoredSchema(first: try generator.schema())
            for _ in 0...generator.below(3) { schema = schema.adopting(generator.revised(schema.declared)) }
            let layout = SchemaLayout(schema)
            for model in layout.models {
                let record = try generator.record(of: model.schema, in: schema.declared)
                let row = try EncodedRow(record, layout: model)
                let read = try row.withRow { try Record($1, layout: model) }
                #expect(read.values.exact == record.values.filled(model.schema.fields).exact)
            }
        }
    }

    @Test func `a value that does not fit its field is refused with the name of the field`() throws {
        let model = try SampleSchema.layout()
        func message(_ changes: (inout Record) -> Void) -> String? {
            var record = SampleSchema.record
            changes(&record)
            do {
                _ = try EncodedRow(record, layout: model)
                return nil
            } catch {
                return (error as? DataStoreError).map { "\($0.code): \($0.message)" }
            }
        }
        #expect(message { _ in } == nil)
        #expect(message { $0["id"] = nil }?.contains("Sample.id") == true)
        #expect(message { $0["nothing"] = 1 }?.contains("Sample.nothing") == true)
        #expect(message { $0["whole"] = "1" }?.contains("Sample.whole") == true)
        #expect(message { $0["whole"] = 1.0 }?.contains("Sample.whole") == true)
        #expect(message { $0["number"] = .double(.nan) }?.contains("Sample.number") == true)
        #expect(message { $0["number"] = .double(.infinity) }?.contains("Sample.number") == true)
        #expect(message { $0["number"] = .int(1 << 53 + 1) }?.contains("Sample.number") == true)
        #expect(message { $0["color"] = 1 }?.contains("Sample.color") == true)
        #expect(message { $0["day"] = "2026-02-30" }?.contains("Sample.day") == true)
        #expect(message { $0["names"] = .list([nil]) }?.contains("Sample.names") == true)
        #expect(message { $0["place"] = .embedded(["street": "x"]) }?.contains("Sample.place") == true)
        #expect(message { $0["place"] = .embedded(["city": "x", "planet": "y"]) }?.contains("Sample.place") == true)
    }

    @Test func `numbers and texts are converted to the type of their field if the conversion is lossless`() throws {
        let model = try SampleSchema.layout()
        var record = SampleSchema.record
        record["number"] = .int(1 << 53)
        record["day"] = "2026-11-21Z"
        let read = try EncodedRow(record, layout: model).withRow { try Record($1, layout: model) }
        #expect(read["number"]?.exact == FieldValue.double(0x1p53).exact)
        #expect(read["day"]?.exact == FieldValue.date(try Temporal.Date("2026-11-21Z")).exact)
    }

    @Test func `negative zero is stored as zero, in fields, lists and embedded values`() throws {
        let model = try SampleSchema.layout()
        var record = SampleSchema.record
        record["number"] = .double(-0.0)
        record["numbers"] = .list([.double(-0.0), nil])
        let read = try EncodedRow(record, layout: model).withRow { try Record($1, layout: model) }
        #expect(read["number"]?.exact == FieldValue.double(0).exact)
        #expect(read["numbers"]?.exact == FieldValue.list([.double(0), nil]).exact)
    }
}

extension [String: FieldValue] {
    /// The values that a row with these values has when it is read under `layout`.
    fileprivate func upcast(_ layout: RowLayout, _ schema: SchemaLayout) -> [String: FieldValue] {
        var values: [String: FieldValue] = [:]
        for field in layout.fields {
            values[field.name] = self[field.name].flatMap { $0.upcast(field.type, field.embedded, schema) }
        }
        return values
    }
}

extension FieldValue {
    fileprivate func upcast(_ type: FieldType, _ embedded: RowLayout?, _ schema: SchemaLayout) -> FieldValue {
        switch (type, self, embedded) {
        case (.embedded, .embedded(let values), let embedded?): .embedded(values.upcast(embedded, schema))
        case (.list(let element, _), .list(let values), _):
            .list(values.map { $0?.upcast(element, embedded, schema) })
        default: self
        }
    }
}
