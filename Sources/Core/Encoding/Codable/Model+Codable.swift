/// A model that is `Encodable` writes its fields through this conformance.
///
/// The names of the coding keys are the names of the fields. A property of an embedded type is `Encodable` too. This is slower
/// than an own `encode(into:)`, as the generator writes it.
extension Model where Self: Encodable {
    /// Writes every field through the conformance to `Encodable`.
    public func encode(into row: inout RowEncoder) { row.encodeFields(of: self) }
}

/// A model that is `Decodable` reads its fields through this conformance.
extension Model where Self: Decodable {
    /// Reads every field through the conformance to `Decodable`.
    public init(from row: inout RowDecoder) throws(RowDamage) { self = try row.decodeFields(Self.self) }
}

extension RowEncoder {
    /// Writes all fields: the values that `value` encodes under their names.
    ///
    /// Refused are a value under another name, a value of another type than its field, and a value that cannot be encoded.
    fileprivate mutating func encodeFields(of value: some Encodable) {
        let fields = plan.pointee.layout.fields
        var values: [String: FieldValue] = [:]
        do {
            values = try FieldValueEncoder.fields(of: value)
            let unknown = values.keys.filter { name in !fields.contains { $0.name == name } }
            if let name = unknown.min() { fail("the model has no field \(name), which the value encodes") }
        } catch {
            fail("it cannot be encoded: \(error)")
        }
        for field in fields {
            guard let value = values[field.name] else {
                encodeMissing()
                continue
            }
            if let value = value.converted(to: field) {
                encode(value)
            } else {
                fail("the value does not fit the type \(field.type)")
                encodeMissing()
            }
        }
    }
}

extension RowDecoder {
    /// Reads all fields, and gives them to the initializer of `type` under their names.
    fileprivate mutating func decodeFields<Value: Decodable>(_ type: Value.Type) throws(RowDamage) -> Value {
        let fields = plan.pointee.layout.fields
        var values: [String: FieldValue] = [:]
        values.reserveCapacity(fields.count)
        for field in fields { values[field.name] = try FieldValue(view, field: field) }
        ordinal = fields.count
        do {
            return try Value(from: FieldValueDecoder(.embedded(values)))
        } catch {
            throw RowDamage("it is no \(type): \(error)")
        }
    }
}
