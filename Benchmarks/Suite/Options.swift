import Tidelog

/// The options of the command line.
struct Options: Sendable {
    var workload: Workload?
    var adapter = Adapter.lmdb
    var durability: Durability?
    var batch: Int?
    var records: Int?
    var savers: Int?
    var rounds = 3
    var isJSON = false
    var directory: String?
    /// The address of a PostgreSQL database. The servers of the workload `server` then keep their records in new databases of
    /// its cluster.
    var database: String?
    /// The protocol that is compared with the versioned one in the workload `sync`; `nil` for the other parts of that workload.
    var syncProtocol: SyncProtocol?
    var includesAmplify = true
    /// The names of the engines to run. If it is empty, all engines run.
    var engines: Set<String> = []
    /// The file to which the results are added as JSON lines.
    var results: String?
    /// The file to which a report of this run is written.
    var report: String?
    /// A file with earlier results. The report shows its results for each kind that this run did not measure.
    var baselineFile: String?

    func includes(_ engine: String) -> Bool { engines.isEmpty || engines.contains(engine) }

    static let usage = """
        tidelog-bench: Tidelog beside raw LMDB, raw SQLite and the Amplify save path, on the same bytes in the same run

        usage: tidelog-bench [--workload NAME] [--adapter lmdb|sqlite] [--durability full|relaxed]
                             [--batch N] [--records N] [--savers N] [--rounds N] [--directory DIR] [--json]
                             [--protocol timestamps]
                             [--database postgres://…] [--engine NAME,…] [--no-amplify] [--results FILE.jsonl] [--report FILE.html]
                             [--baseline-file FILE.jsonl]
               tidelog-bench report RESULTS.jsonl --output FILE.html
               tidelog-bench targets RESULTS.jsonl
               tidelog-bench round ENGINE --workload NAME […]     one round of one engine, to profile
               tidelog-bench memory [--records N] [--adapter lmdb|sqlite] [--directory DIR]
                                                    the anonymous memory of an app with a live query and the sync engine

        workloads: \(Workload.allCases.map(\.rawValue).joined(separator: " "))
        engines:   tidelog tidelog-observed tidelog-main-actor raw-lmdb raw-sqlite raw-sqlite-normal
                   raw-lmdb-rebuild amplify-path amplify-path-wal
        of server: server-mutations engine-savers server-base-sync server-filtered-sync engine-json-rows
                   server-fan-out
        of server --database: database-mutations pgbench database-two-servers database-documents
                   database-base-sync database-copy
        of sync:   sync-base engine-batches sync-drain bare-clients sync-attached sync-offline
                   unattached-savers
        of sync --protocol timestamps: sync-base sync-base-timestamps sync-drain sync-drain-timestamps
        of sync-delayed: sync-base sync-base-delayed sync-drain sync-drain-delayed
        of codec:  tidelog c-struct codable-json, each also with -encode or -decode, and string-creation
        Without --workload all of them run at a small size. --results adds to a file what `report` and `targets` read.

        examples:
          tidelog-bench --workload load-random --durability relaxed --batch 10000 --records 1000000
          tidelog-bench --workload savers --savers 64 --durability full --records 20000
          tidelog-bench --workload growth --records 5000000
          tidelog-bench --workload open --records 10000000
          tidelog-bench --workload server --engine server-mutations,engine-savers --savers 64
          tidelog-bench --workload server --database postgres:///postgres --engine database-mutations,pgbench
          tidelog-bench --workload sync --engine sync-drain,bare-clients --records 10000
          tidelog-bench --workload sync --protocol timestamps
          tidelog-bench --workload point-read --records 1000000 --json

        """

    init(_ arguments: some Sequence<String>) throws(UsageError) {
        var arguments = Arguments(arguments)
        while let argument = arguments.next() { try read(argument, &arguments) }
    }

    private mutating func read(_ argument: String, _ arguments: inout Arguments) throws(UsageError) {
        switch argument {
        case "--workload":
            let name = try arguments.value(argument)
            guard let workload = Workload(rawValue: name) else { throw UsageError("there is no workload \(name)") }
            self.workload = workload
        case "--adapter":
            guard let adapter = Adapter(rawValue: try arguments.value(argument)) else {
                throw UsageError("--adapter is lmdb or sqlite")
            }
            self.adapter = adapter
        case "--durability":
            let name = try arguments.value(argument)
            guard let durability = Durability.allCases.first(where: { $0.name == name }) else {
                throw UsageError("--durability is full or relaxed")
            }
            self.durability = durability
        case "--batch": batch = try arguments.number(argument)
        case "--records": records = try arguments.number(argument)
        case "--savers": savers = try arguments.number(argument)
        case "--rounds": rounds = try arguments.number(argument)
        case "--directory": directory = try arguments.value(argument)
        case "--database": database = try arguments.value(argument)
        case "--protocol":
            guard try arguments.value(argument) == SyncProtocol.timestamps.rawValue else {
                throw UsageError("--protocol is timestamps: the versioned protocol is always the other side")
            }
            syncProtocol = .timestamps
        case "--json": isJSON = true
        case "--no-amplify": includesAmplify = false
        case "--engine": engines.formUnion(try arguments.value(argument).split(separator: ",").map(String.init))
        case "--results": results = try arguments.value(argument)
        case "--report": report = try arguments.value(argument)
        case "--baseline-file": baselineFile = try arguments.value(argument)
        default: throw UsageError("\(argument) is not an option")
        }
    }
}

/// The words of a command line, read from the first to the last.
struct Arguments {
    private var rest: ArraySlice<String>

    init(_ words: some Sequence<String>) { rest = Array(words)[...] }

    mutating func next() -> String? { rest.popFirst() }

    mutating func value(_ name: String) throws(UsageError) -> String {
        guard let value = rest.popFirst() else { throw UsageError("\(name) needs a value") }
        return value
    }

    mutating func number(_ name: String) throws(UsageError) -> Int {
        let text = try value(name)
        guard let number = Int(text), number > 0 else { throw UsageError("\(name) needs a positive number") }
        return number
    }
}

struct UsageError: Error {
    let message: String
    init(_ message: String) { self.message = message }
}
