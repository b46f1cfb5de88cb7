@_spi(Adapters) internal import Tidelog
internal import TidelogSuggestion

extension SchemaLayout {
    /// The model called `name`.
    ///
    /// - Throws: ``CommandFailure`` with status 2 that lists the existing models.
    func model(called name: String) throws -> ModelLayout {
        if let model = model(named: name) { return model }
        throw CommandFailure.unknownModel(name, of: "store", among: models.map(\.name))
    }
}

extension CommandFailure {
    /// The failure that says that `owner`, a store or its schema, has no model called `name`.
    static func unknownModel(_ name: String, of owner: String, among names: [String]) -> CommandFailure {
        CommandFailure(
            .usage, "unknownModel", "The \(owner) has no model \(name)\(Suggestion.ending(for: name, among: names))",
            model: name, recovery: "Models: \(names.joined(separator: ", ")).")
    }
}

extension ModelLayout {
    /// The id from the arguments `texts`: one text for each key field, in schema order.
    ///
    /// - Throws: ``CommandFailure`` with status 2.
    func recordID(arguments texts: [String]) throws -> RecordID {
        let names = keyFields.map(\.name).joined(separator: " ")
        guard texts.count == keyFields.count else {
            throw CommandFailure(
                .usage, "usage",
                "A record of \(name) has \(counted(keyFields.count, "key field")), and \(texts.count.grouped) "
                    + "\(texts.count == 1 ? "was" : "were") given.",
                model: name, recovery: "Give one argument for each, in this order: \(names).")
        }
        return RecordID(
            try zip(keyFields, texts).map { field, text in
                guard let value = FieldValue(argument: text, for: field) else {
                    throw CommandFailure(
                        .usage, "usage", "\"\(text)\" is no value for \(name).\(field.name).", model: name,
                        recovery: "The field is of type \(field.type).")
                }
                return value
            })
    }
}
