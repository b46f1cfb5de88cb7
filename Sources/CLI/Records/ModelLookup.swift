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
