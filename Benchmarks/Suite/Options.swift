import Tidelog

/// What to run, as the command line says it.
struct Options: Sendable {
    enum Workload: String, CaseIterable, Sendable {
        case append
        case loadRandom = "load-random"
        case loadOrdered = "load-ordered"
        case update
        case savers
        case pointRead = "point-read"
        case scan
        case indexRange = "index-range"
        case ycsbA = "ycsb-a"
        case rebuild
    }

    enum Adapter: String, CaseIterable, Sendable {
        case lmdb, sqlite
    }

    var workload: Workload?
    var adapter = Adapter.lmdb
    var durability: Durability?
    var batch: Int?
    var records: Int?
    var savers: Int?
    var rounds = 3
    var isJSON = false
    var directory: String?
    var includesAmplify = true
    /// Runs only the engine of this name: for profiling, since there is nothing to compare with.
    var engine: String?

    static let usage = """
        tidelog-bench: Tidelog beside raw LMDB, raw SQLite and the Amplify save path, on the same bytes in the same run

        usage: tidelog-bench [--workload NAME] [--adapter lmdb|sqlite] [--durability full|relaxed|unsynced]
                             [--batch N] [--records N] [--savers N] [--rounds N] [--directory DIR] [--json] [--no-amplify]
                             [--engine tidelog|raw-lmdb|raw-sqlite]

        workloads: \(Workload.allCases.map(\.rawValue).joined(separator: " "))
        Without --workload all of them run at a small size.

        examples:
          tidelog-bench --workload load-random --durability unsynced --batch 10000 --records 1000000
          tidelog-bench --workload savers --savers 64 --durability full --records 20000
          tidelog-bench --workload point-read --records 1000000 --json

        """

    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        func value(_ name: String) throws(UsageError) -> String {
            guard let value = rest.popFirst() else { throw UsageError("\(name) needs a value") }
            return value
        }
        func number(_ name: String) throws(UsageError) -> Int {
            let text = try value(name)
            guard let number = Int(text), number > 0 else { throw UsageError("\(name) needs a positive number") }
            return number
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--workload":
                let name = try value(argument)
                guard let workload = Workload(rawValue: name) else { throw UsageError("there is no workload \(name)") }
                self.workload = workload
            case "--adapter":
                guard let adapter = Adapter(rawValue: try value(argument)) else {
                    throw UsageError("--adapter is lmdb or sqlite")
                }
                self.adapter = adapter
            case "--durability":
                let name = try value(argument)
                guard let durability = Durability.allCases.first(where: { $0.name == name }) else {
                    throw UsageError("--durability is full, relaxed or unsynced")
                }
                self.durability = durability
            case "--batch": batch = try number(argument)
            case "--records": records = try number(argument)
            case "--savers": savers = try number(argument)
            case "--rounds": rounds = try number(argument)
            case "--directory": directory = try value(argument)
            case "--json": isJSON = true
            case "--no-amplify": includesAmplify = false
            case "--engine": engine = try value(argument)
            default: throw UsageError("\(argument) is not an option")
            }
        }
    }
}

struct UsageError: Error {
    let message: String
    init(_ message: String) { self.message = message }
}
