@_spi(Adapters) internal import TidelogCore
internal import TidelogJSON
internal import TidelogSuggestion

extension RowJSONReader {
    /// Encodes the value at the reader's position, which must not be `null`. `type` is the type of `field` or of its elements.
    mutating func encode<Sink: ValueSink & ~Copyable>(
        _ reader: inout JSONReader, _ type: FieldType, _ field: ObjectShape.Field, into sink: inout Sink, depth: Int
    ) throws(RecordJSONError) {
        switch type {
        case .id, .string:
            put(try reading(field) { () throws(JSONError) in try reader.readStringSlice() }, into: &sink)
        case .enumeration:
            let slice = try readCase(&reader, field)
            // The reader keeps an unknown text. The schema of another build may have this case, and the reader must be able to
            // read what any store has written.
            if !field.cases.contains(where: { slice.matches($0) }) {
                if unknownCases[field.path] == nil {
                    probableCases[field.path] = Suggestion.nearest(to: slice.string, among: field.caseNames)
                }
                unknownCases[field.path, default: 0] += 1
            }
            put(slice, into: &sink)
        case .int, .timestamp:
            sink.put(try reading(field) { () throws(JSONError) in try reader.readInt64() })
        case .double: sink.put(try reading(field) { () throws(JSONError) in try reader.readDouble() })
        case .bool: sink.put(try reading(field) { () throws(JSONError) in try reader.readBool() })
        case .date: sink.put(try temporal(Temporal.Date.self, &reader, field))
        case .time: sink.put(try temporal(Temporal.Time.self, &reader, field))
        case .dateTime: sink.put(try temporal(Temporal.DateTime.self, &reader, field))
        case .embedded: try encodeEmbedded(&reader, field, into: &sink, depth: depth)
        case .list(let element, let elementIsRequired):
            try encodeList(
                &reader, of: element, elementIsRequired: elementIsRequired, field, into: &sink, depth: depth)
        }
    }

    @inline(__always)
    private mutating func put<Sink: ValueSink & ~Copyable>(_ slice: JSONStringSlice, into sink: inout Sink) {
        guard slice.hasEscapes else { return sink.put(text: slice.rawBytes) }
        text.removeAll(keepingCapacity: true)
        slice.append(to: &text)
        text.withUnsafeBytes { sink.put(text: $0) }
    }

    /// Reads the text of an enum. The error for another kind of value lists the cases.
    private func readCase(
        _ reader: inout JSONReader, _ field: ObjectShape.Field
    ) throws(RecordJSONError) -> JSONStringSlice {
        do {
            return try reader.readStringSlice()
        } catch {
            let failure = RecordJSONError(error, model: layout.name, field: field.path)
            guard failure.code == .wrongType else { throw failure }
            throw RecordJSONError(
                .wrongType, "\(failure.message); the cases are \(field.caseNames.joined(separator: ", "))",
                at: failure.position, model: layout.name, field: field.path)
        }
    }

    func temporal<Value: TemporalText>(
        _ type: Value.Type, _ reader: inout JSONReader, _ field: ObjectShape.Field
    ) throws(RecordJSONError) -> Value {
        let place = reader
        let slice = try reading(field) { () throws(JSONError) in try reader.readStringSlice() }
        do {
            return try Value(slice.string)
        } catch {
            throw failure(.invalidTemporal, error.description, at: place, field)
        }
    }

    private mutating func encodeEmbedded<Sink: ValueSink & ~Copyable>(
        _ reader: inout JSONReader, _ field: ObjectShape.Field, into sink: inout Sink, depth: Int
    ) throws(RecordJSONError) {
        try checkDepth(depth, reader, field)
        guard let index = field.embedded else { preconditionFailure("an embedded field has a layout") }
        let object = reader
        try locateFields(&reader, shapes[index], of: field)
        try sink.putEmbedded { (row) throws(RecordJSONError) in
            try encodeFields(shapes[index], of: object, keeping: nil, into: &row, depth: depth + 1)
        }
    }

    private mutating func encodeList<Sink: ValueSink & ~Copyable>(
        _ reader: inout JSONReader, of element: FieldType, elementIsRequired: Bool, _ field: ObjectShape.Field,
        into sink: inout Sink, depth: Int
    ) throws(RecordJSONError) {
        try checkDepth(depth, reader, field)
        try reading(field) { () throws(JSONError) in try reader.beginArray() }
        try sink.putList { (list) throws(RecordJSONError) in
            while try reading(field, { () throws(JSONError) in try reader.nextElement() }) {
                if try reading(field, { () throws(JSONError) in try reader.peekKind() }) == .null {
                    guard !elementIsRequired else {
                        throw failure(
                            .missingElement, "an element is null where the schema requires a value", at: reader,
                            field)
                    }
                    try reading(field) { () throws(JSONError) in try reader.readNull() }
                    list.appendMissing()
                } else {
                    try encode(&reader, element, field, into: &list, depth: depth + 1)
                }
            }
        }
    }

    private func checkDepth(_ depth: Int, _ place: JSONReader, _ field: ObjectShape.Field) throws(RecordJSONError) {
        guard depth >= Limits.nestingDepth else { return }
        throw failure(.tooDeep, "values nest deeper than \(Limits.nestingDepth) levels", at: place, field)
    }
}
