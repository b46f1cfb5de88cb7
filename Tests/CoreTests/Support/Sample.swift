import TidelogCore

/// The typed model of ``SampleSchema``.
struct Sample: Model, Hashable {
    enum Color: String, FieldConvertible { case red, green }

    struct Place: Hashable, Sendable {
        var city: String
        var height: Double?
        var inside: [Place] = []
        var near: [Place?]?
    }

    var id: String
    var title: String?
    var whole: Int?
    var number: Double?
    var flag: Bool?
    var color: Color?
    var day: Temporal.Date?
    var clock: Temporal.Time?
    var moment: Temporal.DateTime?
    var stamp: Temporal.Timestamp?
    var place: Place?
    var names: [String]?
    var wholes: [Int?]?
    var numbers: [Double?]?
    var places: [Place?]?
    var grid: [[Int?]?]?
    var moments: [Temporal.DateTime]?
    var colors: [Color]?
    var flags: [Bool?]?

    static let schema = SampleSchema.declared.models[0]

    init(id: String) { self.id = id }
}

extension Sample {
    func encode(into row: inout RowEncoder) {
        row.encode(id)
        if let title { row.encode(title) } else { row.encodeMissing() }
        if let whole { row.encode(whole) } else { row.encodeMissing() }
        if let number { row.encode(number) } else { row.encodeMissing() }
        if let flag { row.encode(flag) } else { row.encodeMissing() }
        if let color { row.encode(color) } else { row.encodeMissing() }
        if let day { row.encode(day) } else { row.encodeMissing() }
        if let clock { row.encode(clock) } else { row.encodeMissing() }
        if let moment { row.encode(moment) } else { row.encodeMissing() }
        if let stamp { row.encode(stamp) } else { row.encodeMissing() }
        if let place { row.encodeEmbedded { place.encode(into: &$0) } } else { row.encodeMissing() }
        encodeList(names, into: &row) { $0.append($1) }
        encodeList(wholes, into: &row) { if let value = $1 { $0.append(value) } else { $0.appendMissing() } }
        encodeList(numbers, into: &row) { if let value = $1 { $0.append(value) } else { $0.appendMissing() } }
        encodeList(places, into: &row) { list, place in
            if let place { list.appendEmbedded { place.encode(into: &$0) } } else { list.appendMissing() }
        }
        encodeList(grid, into: &row) { list, line in
            guard let line else { return list.appendMissing() }
            list.appendList { inner in
                for value in line { if let value { inner.append(value) } else { inner.appendMissing() } }
            }
        }
        encodeList(moments, into: &row) { $0.append($1) }
        encodeList(colors, into: &row) { $0.append($1.rawValue) }
        encodeList(flags, into: &row) { if let value = $1 { $0.append(value) } else { $0.appendMissing() } }
    }

    private func encodeList<Element>(
        _ elements: [Element]?, into row: inout RowEncoder, _ body: (inout ListEncoder, Element) -> Void
    ) {
        guard let elements else { return row.encodeMissing() }
        row.encodeList { list in for element in elements { body(&list, element) } }
    }

    init(from row: inout RowDecoder) throws(RowDamage) {
        id = try row.decode(String.self)
        title = try row.decodeIfPresent(String.self)
        whole = try row.decodeIfPresent(Int.self)
        number = try row.decodeIfPresent(Double.self)
        flag = try row.decodeIfPresent(Bool.self)
        color = try row.decodeIfPresent(Color.self)
        day = try row.decodeIfPresent(Temporal.Date.self)
        clock = try row.decodeIfPresent(Temporal.Time.self)
        moment = try row.decodeIfPresent(Temporal.DateTime.self)
        stamp = try row.decodeIfPresent(Temporal.Timestamp.self)
        place = try row.decodeEmbeddedIfPresent { (row) throws(RowDamage) in try Place(from: &row) }
        names = try Self.list(&row) { (list) throws(RowDamage) in try list.next(String.self) ?? "" }
        wholes = try Self.list(&row) { (list) throws(RowDamage) in try list.next(Int.self) }
        numbers = try Self.list(&row) { (list) throws(RowDamage) in try list.next(Double.self) }
        places = try Self.list(&row) { (list) throws(RowDamage) in
            try list.nextEmbedded { (row) throws(RowDamage) in try Place(from: &row) }
        }
        grid = try Self.list(&row) { (list) throws(RowDamage) in
            try list.nextList { (inner) throws(RowDamage) in
                var line: [Int?] = []
                for _ in 0..<inner.count { line.append(try inner.next(Int.self)) }
                return line
            }
        }
        moments = try Self.list(&row) { (list) throws(RowDamage) in
            guard let moment = try list.next(Temporal.DateTime.self) else { throw RowDamage("an element is missing") }
            return moment
        }
        colors = try Self.list(&row) { (list) throws(RowDamage) in
            guard let color = Color(rawValue: try list.next(String.self) ?? "") else { throw RowDamage("no color") }
            return color
        }
        flags = try Self.list(&row) { (list) throws(RowDamage) in try list.next(Bool.self) }
    }

    private static func list<Element>(
        _ row: inout RowDecoder, _ element: (inout ListDecoder) throws(RowDamage) -> Element
    ) throws(RowDamage) -> [Element]? {
        try row.decodeListIfPresent { (list) throws(RowDamage) in
            var elements: [Element] = []
            for _ in 0..<list.count { elements.append(try element(&list)) }
            return elements
        }
    }
}

extension Sample.Place {
    func encode(into row: inout RowEncoder) {
        row.encode(city)
        if let height { row.encode(height) } else { row.encodeMissing() }
        if let first = inside.first { row.encodeEmbedded { first.encode(into: &$0) } } else { row.encodeMissing() }
        guard let near else { return row.encodeMissing() }
        row.encodeList { list in
            for place in near {
                if let place { list.appendEmbedded { place.encode(into: &$0) } } else { list.appendMissing() }
            }
        }
    }

    init(from row: inout RowDecoder) throws(RowDamage) {
        city = try row.decode(String.self)
        height = try row.decodeIfPresent(Double.self)
        if let place = try row.decodeEmbeddedIfPresent({ (row) throws(RowDamage) in try Self(from: &row) }) {
            inside = [place]
        }
        near = try row.decodeListIfPresent { (list) throws(RowDamage) in
            var places: [Self?] = []
            for _ in 0..<list.count {
                places.append(try list.nextEmbedded { (row) throws(RowDamage) in try Self(from: &row) })
            }
            return places
        }
    }
}
