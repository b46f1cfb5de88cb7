@_spi(Adapters) internal import Tidelog
internal import TidelogJSON
@_spi(Adapters) internal import TidelogRecordJSON
@_spi(Adapters) internal import TidelogRecordText

/// Saves one record, or each record of a stream.
struct SaveCommand: Command {
    static let syntax = CommandSyntax(
        name: "save", summary: "insert or replace a record",
        discussion: """
            The JSON object is the whole record; with --patch it has the key and what is to change, and null clears a field.
            From standard input each line is a commit of its own; --atomic makes all of them one.
            """,
        operands: [
            .model,
            .init(name: "JSON", help: "the record as a JSON object, - for standard input, an object a line"),
        ],
        options: Option.forStore + [
            Option(name: "patch", help: "change only the fields given; the record must exist"),
            Option(name: "where", value: Option.predicate, help: "only if this holds of the record as it is (exit 4)"),
            Option(name: "atomic", help: "one commit: all lines or none"),
        ],
        examples: [
            .init(
                "Insert or replace",
                "save --store ./world Country '{\"id\":\"XX\",\"name\":\"Atlantis\",\"continent\":\"EU\",\"population\":1}'"
            ),
            .init("Change one field", "save --store ./world Country '{\"id\":\"XX\",\"population\":2}' --patch"),
            .init(
                "Only if the record has not changed",
                "save --store ./world Country '{\"id\":\"XX\",\"population\":3}' --patch --where 'population == 2'"),
        ])

    private let access: StoreAccess
    private let model: String
    private let json: String
    private let patches: Bool
    private let condition: PredicateText
    private let isAtomic: Bool

    init(_ arguments: Arguments) throws {
        access = try StoreAccess(arguments)
        model = try arguments.operand(0)
        json = try arguments.operand(1)
        patches = arguments.has("patch")
        condition = try PredicateText(arguments.text("where"))
        isAtomic = arguments.has("atomic")
    }

    func run(_ console: Console) async throws -> ExitStatus {
        let store = try access.openForChanges(console: console)
        let unknownCases = UnknownCases()
        let result = try await store.closing { store in
            let layout = try store.layout.model(called: model)
            let condition = try condition.fitted(to: layout, in: store.layout)
            let saver = RecordSaver(
                model: layout, patches: patches, condition: condition.predicate, store: store,
                unknownCases: unknownCases)
            if json == "-" { return try await saver.save(linesOf: InputSource("-"), isAtomic: isAtomic) }
            let last = try await saver.save(Array(json.utf8))
            return (count: 1, last: last)
        }
        console.warn(of: unknownCases.all)
        if console.isJSON {
            try console.output.writeObject { writer in
                writer.member("saved", result.count)
                writer.member("sequence", result.last.value)
            }
        } else {
            console.success("Saved \(counted(result.count, "record")) of \(model); the log is at \(result.last).")
        }
        return .done
    }
}

/// Saves records given as JSON, either whole or as patches.
private struct RecordSaver: Sendable {
    let model: ModelLayout
    let patches: Bool
    let condition: QueryPredicate
    let store: DataStore
    let unknownCases: UnknownCases

    /// Saves one record; returns the log's head after it.
    func save(_ json: [UInt8]) async throws -> SequenceNumber {
        do {
            return try await store.write { try stage(json, $0) }.last
        } catch let error as RecordJSONError {
            throw CommandFailure(error, of: json)
        }
    }

    /// Saves a record for each line.
    func save(linesOf source: InputSource, isAtomic: Bool) async throws -> (count: Int, last: SequenceNumber) {
        var splitter = JSONLineSplitter()
        var lines: [(number: Int, json: [UInt8])] = []
        var count = 0
        var last = try store.head.sequence
        while true {
            let chunk = try source.read(1 << 16)
            if chunk.isEmpty {
                try splitter.finish { lines.append(($0.position.line, Array($0.bytes))) }
            } else {
                try splitter.append(chunk) { lines.append(($0.position.line, Array($0.bytes))) }
            }
            if isAtomic, !chunk.isEmpty { continue }
            let ready = lines
            lines = []
            for commit in isAtomic ? [ready] : ready.map({ [$0] }) where !commit.isEmpty {
                try Interruption.check()
                last = try await store.write { transaction in
                    for line in commit { try stage(line.json, transaction, line: line.number) }
                }.last
                count += commit.count
            }
            if chunk.isEmpty { return (count, last) }
        }
    }

    private func stage(_ json: [UInt8], _ transaction: StoreTransaction, line: Int) throws {
        do {
            try stage(json, transaction)
        } catch let error as RecordJSONError where error.isOfWholeText {
            throw json.withUnsafeBytes { bytes in
                BadLine(bytes, line, error, of: InputSource.standardInput, command: "save", model: model.name).failure
            }
        } catch {
            throw CommandFailure(error).at(line: line)
        }
    }

    private func stage(_ json: [UInt8], _ transaction: StoreTransaction) throws {
        var reader = RowJSONReader(layout: model)
        defer { unknownCases.add(reader.unknownFindings) }
        try json.withUnsafeBytes { bytes in
            guard patches else {
                return try reader.withRow(bytes) { try transaction.save($0, of: model, where: condition) }
            }
            let id = try recordID(in: json)
            let present = try transaction.withRow(of: id, in: model) { row in
                guard let row else { throw CommandFailure.noRecord(of: model, id) }
                return Array(row.bytes)
            }
            try present.withUnsafeBytes { present in
                try reader.withRow(patching: RowView(present), with: bytes) {
                    try transaction.save($0, of: model, where: condition)
                }
            }
        }
    }

    /// The id that the patch contains.
    private func recordID(in json: [UInt8]) throws -> RecordID {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: json)
        } catch {
            throw RecordJSONError(.malformed, error.message, at: error.position, model: model.name)
        }
        return RecordID(
            try model.keyFields.map { field in
                guard let text = value[field.name]?.keyText, let value = FieldValue(argument: text, for: field) else {
                    throw RecordJSONError(
                        .missingField, "a patch needs the whole key of its record", at: .start, model: model.name,
                        field: "\(model.name).\(field.name)")
                }
                return value
            })
    }
}

extension JSONValue {
    /// The scalar in the form that a command's argument has.
    fileprivate var keyText: String? {
        switch self {
        case .string(let text): text
        case .int(let value): String(value)
        case .double(let value): value.description
        case .bool(let value): value ? "true" : "false"
        default: nil
        }
    }
}
