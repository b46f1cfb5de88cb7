@_spi(Adapters) internal import Tidelog
internal import TidelogJSON
@_spi(Adapters) internal import TidelogRecordText

/// Deletes a record, or all records that fulfil a predicate.
struct DeleteCommand: Command {
    static let syntax = CommandSyntax(
        name: "delete", summary: "delete a record, or all that a predicate holds for",
        discussion: """
            With a key and --where the record is deleted only if the predicate holds (exit 4).
            What belongs to a deleted record goes with it.
            """,
        operands: [
            .model,
            .init(name: "KEY", help: "each field of the key, in schema order", isOptional: true, isRepeated: true),
        ],
        options: Option.forStore + [
            Option(name: "where", value: Option.predicate, help: "only if the predicate holds"),
            Option(name: "no-cascade", help: "leave what belongs to the record alone"),
        ],
        examples: [
            .init("One record", "delete --store ./world Country XX"),
            .init("Only as it is known", "delete --store ./world Country AQ --where 'population == 0'"),
            .init("All small cities", "delete --store ./world City --where 'population < 20000'"),
        ])

    private let access: StoreAccess
    private let model: String
    private let key: [String]
    private let condition: PredicateText
    private let cascades: Bool

    init(_ arguments: Arguments) throws {
        access = try StoreAccess(arguments)
        model = try arguments.operand(0)
        key = Array(arguments.operands.dropFirst())
        guard !key.isEmpty || arguments.text("where") != nil else {
            throw UsageError("delete needs a KEY, or --where for all that a predicate holds for.")
        }
        condition = try PredicateText(arguments.text("where"))
        cascades = !arguments.has("no-cascade")
    }

    func run(_ console: Console) async throws -> ExitStatus {
        let store = try access.openForChanges(console: console)
        let result = try await store.closing { store in
            let layout = try store.layout.model(called: model)
            let condition = try condition.fitted(to: layout, in: store.layout).predicate
            return try await key.isEmpty ? deleteAll(condition, store) : deleteOne(layout, condition, store)
        }
        if console.isJSON {
            try console.output.writeObject { writer in
                writer.member("deleted", result.recordCount)
                writer.member("sequence", result.commits.last.value)
            }
        } else {
            console.success("Deleted \(counted(result.recordCount, "record")) of \(model).")
        }
        return .done
    }

    private typealias Result = (recordCount: Int, commits: BulkCommit)

    private func deleteAll(_ condition: QueryPredicate, _ store: DataStore) async throws -> Result {
        try await store.deleteCounting(Record.all(of: model).where(condition), cascading: cascades)
    }

    private func deleteOne(
        _ layout: ModelLayout, _ condition: QueryPredicate, _ store: DataStore
    ) async throws -> Result {
        let id = try layout.recordID(fromTexts: key)
        guard try await store.record(layout.name, id: id) != nil else { throw CommandFailure.noRecord(of: layout, id) }
        let commits = try await store.delete(layout.name, id: id, where: condition, cascading: cascades)
        return (commits.isEmpty ? 0 : 1, commits)
    }
}
