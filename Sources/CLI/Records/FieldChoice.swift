@_spi(Adapters) internal import Tidelog
internal import TidelogSuggestion

/// The fields to show: all fields, or the fields that `--fields` names.
struct FieldChoice: Sendable {
    private let names: [String]?

    init(_ arguments: Arguments) throws(UsageError) {
        guard let text = arguments.text("fields") else {
            names = nil
            return
        }
        var names: [String] = []
        for part in text.split(separator: ",") {
            let name = String(part.drop { $0 == " " })
            if !names.contains(name) { names.append(name) }
        }
        guard !names.isEmpty else { throw UsageError("--fields takes names of fields: --fields a,b.") }
        self.names = names
    }

    /// The chosen fields of `model`, in the order of the choice.
    ///
    /// - Throws: ``CommandFailure`` with status 2 that lists the existing fields.
    func fields(of model: ModelLayout) throws -> [FieldLayout] {
        guard let names else { return model.row.fields }
        return try names.map { name in
            if let field = model.row.field(named: name) { return field }
            let fields = model.row.fields.map(\.name)
            throw CommandFailure(
                .usage, "usage", "\(model.name) has no field \(name)\(Suggestion.ending(for: name, among: fields))",
                model: model.name,
                recovery: "Fields: \(fields.joined(separator: ", ")).")
        }
    }
}
