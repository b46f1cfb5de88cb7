import SeededNumbers
import Testing

@_spi(Adapters) @testable import TidelogCore

@Suite("Places of pages")
struct PagePlaceTests {
    private static func types(_ names: [String], of model: ModelSchema) -> [FieldType] {
        names.compactMap { model.field(named: $0)?.type }
    }

    /// A random sort of the records of a model.
    private static func sort(_ model: ModelSchema, _ generator: inout SeededGenerator) -> Sort {
        let ordered = model.fields.filter(\.type.isOrdered)
        return Sort(
            (0..<generator.below(4)).map { _ in
                Sort.Key(generator.pick(ordered).name, isDescending: generator.once(in: 2))
            })
    }

    @Test("a place gives back the values of the sorted fields, and the key of the row")
    func roundTrip() throws {
        var generator = SeededGenerator(91)
        for _ in 0..<200 {
            let declared = try generator.schema()
            for model in SchemaLayout(StoredSchema(first: declared)).models {
                let row = try EncodedRow(try generator.record(of: model.schema, in: declared), layout: model)
                let record = try row.withRow { try Record($1, layout: model) }
                let sort = Self.sort(model.schema, &generator)
                let place = PagePlace(of: record, in: sort, model: model.schema)
                #expect(place.isPlace(in: sort, of: model.schema))
                let found = try #require(
                    place.read(
                        Self.types(sort.keys.map(\.field), of: model.schema),
                        Self.types(model.schema.primaryKey, of: model.schema)))
                #expect(found.values == sort.keys.map { record[$0.field] })
                #expect(found.key == row.key)
                #expect(PagePlace(bytes: place.bytes) == place)
            }
        }
    }

    @Test("a place in another order is refused, and so are bytes that are no place")
    func refused() throws {
        let model = try SampleSchema.layout().schema
        let place = PagePlace(of: SampleSchema.record, in: Sort([.init("whole")]), model: model)
        #expect(place.isPlace(in: Sort([.init("whole", isDescending: true)]), of: model))
        for other in [Sort.byKey, Sort([.init("whole"), .init("title")]), Sort([.init("nothing")])] {
            #expect(!place.isPlace(in: other, of: model))
        }
        var record = SampleSchema.record
        record["whole"] = 7
        let number = PagePlace(of: record, in: Sort([.init("whole")]), model: model)
        for other in ["title", "number", "flag", "moment"] {
            #expect(!number.isPlace(in: Sort([.init(other)]), of: model), "\(other)")
        }
        for bytes in [[], number.bytes + [0], Array(number.bytes.dropLast()), [0x01], [0x99]] {
            #expect(!PagePlace(bytes: bytes).isPlace(in: Sort([.init("whole")]), of: model))
        }
        let long = PagePlace.components(of: [.string(String(repeating: "x", count: 300))])
        #expect(!PagePlace(bytes: long).isPlace(in: .byKey, of: model))
    }

    @Test("damaged places are refused or read as other places, and never cause a trap")
    func damaged() throws {
        var generator = SeededGenerator(92)
        for _ in 0..<100 {
            let declared = try generator.schema()
            let model = SchemaLayout(StoredSchema(first: declared)).models[0].schema
            let sort = Self.sort(model, &generator)
            let bytes = PagePlace(of: try generator.record(of: model, in: declared), in: sort, model: model).bytes
            for _ in 0..<100 {
                var damaged = generator.once(in: 4) ? generator.bytes(generator.below(60)) : bytes
                for _ in 0..<generator.below(4) where !damaged.isEmpty {
                    damaged[generator.below(damaged.count)] ^= 1 << generator.below(8)
                }
                _ = PagePlace(bytes: damaged).isPlace(in: sort, of: model)
            }
        }
        // These instants are at the ends of the range of their numbers, where some calculations with dates would overflow.
        for seconds: [UInt8] in [[UInt8](repeating: 0, count: 8), [UInt8](repeating: 0xFF, count: 8)] {
            for type in [FieldType.date, .time, .dateTime] {
                let bytes = [0x40] + seconds + [0, 0, 0, 0]
                #expect(PagePlace(bytes: bytes).read([], [type]) == nil)
            }
        }
    }
}
