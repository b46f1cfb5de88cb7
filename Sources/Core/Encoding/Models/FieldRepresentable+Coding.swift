/// Writing fields and elements of types that are stored as another type.
extension RowEncoder {
    /// Writes the next field: `value`, in its stored type.
    public mutating func encode<Value: FieldRepresentable>(_ value: Value) { value.storedValue.encode(into: &self) }

    /// Writes the next field: the raw value of `value`.
    public mutating func encode<Value: RawRepresentable>(_ value: Value) where Value.RawValue: StoredFieldValue {
        value.rawValue.encode(into: &self)
    }
}

extension RowDecoder {
    /// Reads the next field of a type that is stored as another type, or `nil` if it is missing.
    public mutating func decodeIfPresent<Value: FieldRepresentable>(_ type: Value.Type) throws(RowDamage) -> Value? {
        guard let stored = try Value.StoredValue.decodeIfPresent(from: &self) else { return nil }
        guard let value = Value(storedValue: stored) else { throw RowDamage("the field \(field.name) is no \(type)") }
        return value
    }

    /// Reads the next field, a required one of a type that is stored as another type.
    public mutating func decode<Value: FieldRepresentable>(_ type: Value.Type) throws(RowDamage) -> Value {
        guard let value = try decodeIfPresent(type) else { throw missing() }
        return value
    }

    /// Reads the next field, a raw value, or `nil` if it is missing.
    public mutating func decodeIfPresent<Value: RawRepresentable>(
        _ type: Value.Type
    ) throws(RowDamage) -> Value? where Value.RawValue: StoredFieldValue {
        guard let raw = try Value.RawValue.decodeIfPresent(from: &self) else { return nil }
        guard let value = Value(rawValue: raw) else { throw RowDamage("the field \(field.name) is no \(type)") }
        return value
    }

    /// Reads the next field, a required raw value.
    public mutating func decode<Value: RawRepresentable>(
        _ type: Value.Type
    ) throws(RowDamage) -> Value where Value.RawValue: StoredFieldValue {
        guard let value = try decodeIfPresent(type) else { throw missing() }
        return value
    }
}

extension ListEncoder {
    /// Writes the next element: `value`, in its stored type.
    public mutating func append<Value: FieldRepresentable>(_ value: Value) { value.storedValue.append(to: &self) }

    /// Writes the next element: the raw value of `value`.
    public mutating func append<Value: RawRepresentable>(_ value: Value) where Value.RawValue: StoredFieldValue {
        value.rawValue.append(to: &self)
    }
}

extension ListDecoder {
    /// Reads the next element of a type that is stored as another type, or `nil` if it is missing.
    public mutating func next<Value: FieldRepresentable>(_ type: Value.Type) throws(RowDamage) -> Value? {
        guard let stored = try Value.StoredValue.next(from: &self) else { return nil }
        guard let value = Value(storedValue: stored) else { throw RowDamage("an element of a list is no \(type)") }
        return value
    }

    /// Reads the next element, a raw value, or `nil` if it is missing.
    public mutating func next<Value: RawRepresentable>(
        _ type: Value.Type
    ) throws(RowDamage) -> Value? where Value.RawValue: StoredFieldValue {
        guard let raw = try Value.RawValue.next(from: &self) else { return nil }
        guard let value = Value(rawValue: raw) else { throw RowDamage("an element of a list is no \(type)") }
        return value
    }
}
