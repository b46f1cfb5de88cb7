/// The names of models and fields in the file (FORMATS, section 7.4).
///
/// SQLite ignores case when it compares names, and reserves some names. If a model or field with a lower number already has a
/// name, `~` and the own number are appended to the later one. Names in a schema contain no `~`, so these names are always
/// free. A name stays taken forever, and depends only on lower numbers. Therefore the names depend only on the stored schema
/// and never change.
enum ObjectNames {
    static let meta = "_meta"
    static let auxiliary = "_auxiliary"
    static let key = "_key"
    static let sequence = "_sequence"

    /// The name of the table of `model`, which has the given `number`.
    static func table(_ model: String, _ number: UInt32, among numbers: [String: UInt32]) -> String {
        let folded = model.lowercased()
        let isTaken =
            folded == meta || folded == auxiliary
            || numbers.contains { $0.value < number && $0.key.lowercased() == folded }
        let name = isTaken ? alternative(model, number) : model
        return reserved(name)
    }

    /// The two possible names of the table of `model`. The second is used only if the first is taken.
    static func tableCandidates(_ model: String, _ number: UInt32) -> (plain: String, alternative: String) {
        (reserved(model), reserved(alternative(model, number)))
    }

    /// A name that does not begin with `sqlite_`, because SQLite reserves such names.
    private static func reserved(_ name: String) -> String {
        name.lowercased().hasPrefix("sqlite_") ? "~" + name : name
    }

    static func alternative(_ name: String, _ number: some BinaryInteger) -> String { "\(name)~\(number)" }

    /// The column of a field and, if it is a temporal, the column of its instant.
    struct FieldNames: Hashable {
        let value: String
        let instant: String
    }

    /// The columns of all present and earlier fields of a model, by name.
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

    /// The name of the index `index` on `table`. Names in a schema contain no dot, so no table has the same name.
    static func index(_ index: String, _ number: UInt16, on table: String, among others: [String: UInt16]) -> String {
        let folded = index.lowercased()
        let isTaken = others.contains { $0.value < number && $0.key.lowercased() == folded }
        return "\(table).\(isTaken ? alternative(index, number) : index)"
    }
}
