@_spi(Adapters) package import TidelogCore

/// The reason why texts are no key of a model.
package struct KeyRefusal: Error, Sendable {
    /// The reason, as a sentence.
    package let message: String
    /// The name of the model.
    package let model: String
    /// The advice to the user.
    package let recovery: String
}

extension ModelLayout {
    /// The id of a record from `texts`: one text for each key field, in the order of the schema.
    package func recordID(fromTexts texts: [String]) throws(KeyRefusal) -> RecordID {
        guard texts.count == keyFields.count else {
            throw KeyRefusal(
                message: "A record of \(name) has \(counted(keyFields.count, "key field")), and \(texts.count.grouped) "
                    + "\(texts.count == 1 ? "was" : "were") given.", model: name,
                recovery: "Give one argument for each, in this order: "
                    + "\(keyFields.map(\.name).joined(separator: " ")).")
        }
        var values: [FieldValue] = []
        for (field, text) in zip(keyFields, texts) {
            guard let value = FieldValue(argument: text, for: field) else {
                throw KeyRefusal(
                    message: "\"\(text)\" is no value for \(name).\(field.name).", model: name,
                    recovery: "The field is of type \(field.type).")
            }
            values.append(value)
        }
        return RecordID(values)
    }
}
