/// Fields and elements of types that are stored as others.
extension RowEncoder {
    /// The next field is `value`, written as what it is stored as.
    public mutating func encode<Value: FieldRepresentable>(_ value: Value) { value.storedValue.encode(into: &self) }

    /// The next field is the raw value of `value`.
    public mutating func encode<Value: RawRepresentable>(_ value: Value) where Value.RawValue: StoredFieldValue {
        value.rawValue.encode(into: &self)
    }
}

extension RowDecoder {
    /// The next field, which is stored as another type, or `nil` if it is missing.
    public mutating func decodeIfPresent<Value: FieldRepresentable>(_ type: Value.Type) throws(RowDamage) -> Value? {
        guard let stored = try Value.StoredValue.decodeIfPresent(from: &self) else { return nil }
        guard let value = Value(storedValue: stored) else { throw RowDamage("the field \(field.name) is no \(type)") }
        return value
    }

    /// The next field, a required one which is stored as another type.
    public mutating func decode<Value: FieldRepresentable>(_ type: Value.Type) throws(RowDamage) -> Value {
        guard let value = try decodeIfPresent(type) else { throw missing() }
        return value
    }

    /// The next field, a raw value, or `nil` if it is missing.
    public mutating func decodeIfPresent<Value: RawRepresentable>(
        _ type: Value.Type
    ) throws(RowDamage) -> Value? where Value.RawValue: StoredFieldValue {
        guard let raw = try Value.RawValue.decodeIfPresent(from: &self) else { return nil }
        guard let value = Value(rawValue: raw) else { throw RowDamage("the field \(field.name) is no \(type)") }
        return value
    }

    /// The next field, a required raw value.
    public mutating func decode<Value: RawRepresentable>(
        _ type: Value.Type
    ) throws(RowDamage) -> Value where Value.RawValue: StoredFieldValue {
        guard let value = try decodeIfPresent(type) else { throw missing() }
        return value
    }
}

extension ListEncoder {
    /// The next element is `value`, written as what it is stored as.
    public mutating func append<Value: FieldRepresentable>(_ value: Value) { value.storedValue.append(to: &self) }

    /// The next element is the raw value of `value`.
    public mutating func append<Value: RawRepresentable>(_ value: Value) where Value.RawValue: StoredFieldValue {
        value.rawValue.append(to: &self)
    }
}

extension ListDecoder {
    /// The next element, which is stored as another type, or `nil` if it is missing.
    public mutating func next<Value: FieldRepresentable>(_ type: Value.Type) throws(RowDamage) -> Value? {
        guard let stored = try Value.StoredValue.next(from: &self) else { return nil }
        guard let value = Value(storedValue: stored) else { throw RowDamage("an element of a list is no \(type)") }
        return value
    }

    /// The next element, a raw value, or `nil` if it is missing.
    public mutating func next<Value: RawRepresentable>(
        _ type: Value.Type
    ) throws(RowDamage) -> Value? where Value.RawValue: StoredFieldValue {
        guard let raw = try Value.RawValue.next(from: &self) else { return nil }
        guard let value = Value(rawValue: raw) else { throw RowDamage("an element of a list is no \(type)") }
        return value
    }
}
