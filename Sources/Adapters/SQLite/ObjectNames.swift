/// Which names models and fields have in the file (FORMATS, section 7.4).
///
/// SQLite compares names without regard to case and keeps some for itself. A name that another one with a lower number
/// has claimed gets `~` and its own number behind it; schema names hold no `~`, so that these are free. Claims never
/// lapse and depend on lower numbers only: the names are a function of the stored schema and never change.
enum ObjectNames {
    static let meta = "_meta"
    static let auxiliary = "_auxiliary"
    static let key = "_key"
    static let sequence = "_sequence"

    /// The table of `model`, whose number is `number`.
    static func table(_ model: String, _ number: UInt32, among numbers: [String: UInt32]) -> String {
        let folded = model.lowercased()
        let isTaken =
            folded == meta || folded == auxiliary
            || numbers.contains { $0.value < number && $0.key.lowercased() == folded }
        let name = isTaken ? alternative(model, number) : model
        return reserved(name)
    }

    /// The two names that the table of `model` may have; the second one only if the first is taken.
    static func tableCandidates(_ model: String, _ number: UInt32) -> (plain: String, alternative: String) {
        (reserved(model), reserved(alternative(model, number)))
    }

    /// A name that starts with `sqlite_` is the library's.
    private static func reserved(_ name: String) -> String {
        name.lowercased().hasPrefix("sqlite_") ? "~" + name : name
    }

    static func alternative(_ name: String, _ number: some BinaryInteger) -> String { "\(name)~\(number)" }

    /// The column of a field and, should it be a temporal, of its instant.
    struct FieldNames: Hashable {
        let value: String
        let instant: String
    }

    /// The columns of all fields of a model, now and before, by name.
    static func columns(_ numbers: [String: UInt16]) -> [String: FieldNames] {
        var claimed: Set<String> = [key, sequence]
        var columns: [String: FieldNames] = [:]
        for (name, number) in numbers.sorted(by: { $0.value < $1.value }) {
            func claim(_ plain: String) -> String {
                let free = claimed.insert(plain.lowercased()).inserted
                return free ? plain : alternative(plain, number)
            }
            columns[name] = FieldNames(value: claim(name), instant: claim(name + "_instant"))
        }
        return columns
    }

    /// The index called `index` on `table`. A dot stands in no name of a schema, so that no table is called so.
    static func index(_ index: String, _ number: UInt16, on table: String, among others: [String: UInt16]) -> String {
        let folded = index.lowercased()
        let isTaken = others.contains { $0.value < number && $0.key.lowercased() == folded }
        return "\(table).\(isTaken ? alternative(index, number) : index)"
    }
}
