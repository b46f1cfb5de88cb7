internal import TidelogSuggestion

extension Record {
    /// The record that `row` encodes.
    @_spi(Adapters) public init(_ row: RowView, layout: ModelLayout) throws(RowDamage) {
        var values: [String: FieldValue] = [:]
        values.reserveCapacity(layout.row.fields.count)
        for field in layout.row.fields { values[field.name] = try FieldValue(row, field: field) }
        self.init(model: layout.name, values: values)
    }

    /// Writes the record's fields in declaration order.
    ///
    /// - Parameter isReceived: Whether a server has the record. An optional field without a value then stays without one,
    ///   because default values are only for new records.
    /// - Throws: ``DataStoreError`` with code `invalidValue` that names the first field whose value does not fit.
    func encode(into row: inout RowEncoder, layout: ModelLayout, isReceived: Bool = false) throws {
        for name in values.keys where layout.row.field(named: name) == nil {
            let guess = Suggestion.ending(for: name, among: layout.row.fields.map(\.name))
            throw misfit(name, "the model has no such field", ending: guess)
        }
        for field in layout.row.fields {
            let hasDefault = !isReceived || field.schema.isRequired
            guard let value = values[field.name] ?? (hasDefault ? field.schema.defaultValue : nil) else {
                if field.schema.isRequired { throw misfit(field.name, "it is required and missing") }
                row.encodeMissing()
                continue
            }
            guard let value = value.converted(to: field) else {
                throw misfit(field.name, "the value does not fit the type \(field.type)")
            }
            row.encode(value)
        }
    }

    private func misfit(_ field: String, _ reason: String, ending: String = ".") -> DataStoreError {
        DataStoreError(
            .invalidValue, "\(model).\(field) cannot be stored: \(reason)\(ending)", model: model,
            recovery: "Give a value that the schema allows.")
    }
}

extension RowEncoder {
    /// Writes the next field: `value`, which was converted to the field's type.
    package mutating func encode(_ value: FieldValue) {
        switch value {
        case .string(let text): encode(text)
        case .int(let number): encode(number)
        case .double(let number): encode(number)
        case .bool(let flag): encode(flag)
        case .date(let date): encode(date)
        case .time(let time): encode(time)
        case .dateTime(let dateTime): encode(dateTime)
        case .embedded(let values): encodeEmbedded { $0.encode(embedded: values) }
        case .list(let values): encodeList { $0.append(values) }
        }
    }

    fileprivate mutating func encode(embedded values: [String: FieldValue]) {
        for name in fieldNames {
            if let value = values[name] { encode(value) } else { encodeMissing() }
        }
    }
}

extension ListEncoder {
    /// Writes the next elements: `values`, which were converted to the list's type.
    mutating func append(_ values: [FieldValue?]) {
        for value in values {
            switch value {
            case nil: appendMissing()
            case .string(let text)?: append(text)
            case .int(let number)?: append(number)
            case .double(let number)?: append(number)
            case .bool(let flag)?: append(flag)
            case .date(let date)?: append(date)
            case .time(let time)?: append(time)
            case .dateTime(let dateTime)?: append(dateTime)
            case .embedded(let values)?: appendEmbedded { $0.encode(embedded: values) }
            case .list(let values)?: appendList { $0.append(values) }
            }
        }
    }
}
