import FleetingRows
@_spi(Adapters) import TidelogConformance
@_spi(Adapters) import TidelogLMDBAdapter
@_spi(Adapters) import TidelogMemoryAdapter
import TidelogPlatform
@_spi(Adapters) import TidelogSQLiteAdapter

/// Runs many random queries on all adapters: `QueryFuzzer COUNT [SEED]`.
///
/// This is a separate program, so that an optimized build of it does not need to build the tests as well.
@main
struct QueryFuzzer {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst().map { UInt64($0) }
        guard let count = arguments.first ?? nil, !arguments.contains(nil), arguments.count <= 2 else {
            print("usage: QueryFuzzer COUNT [SEED]")
            exit(2)
        }
        let seed = arguments.count > 1 ? arguments[1] ?? 0 : .random(in: 0...999_999_999)
        print("differential fuzzer: seed \(seed), \(count) queries")
        let fuzzer = DifferentialFuzzer([
            DifferentialFuzzer.Candidate("in memory") { _ in InMemoryAdapter() },
            DifferentialFuzzer.Candidate("lmdb") { try LMDBAdapter(directory: $0) },
            DifferentialFuzzer.Candidate("sqlite") { try SQLiteAdapter(directory: $0) },
            DifferentialFuzzer.Candidate("fleeting") { _ in FleetingAdapter(InMemoryAdapter()) },
        ])
        do {
            let summary = try fuzzer.run(seed: seed, queryCount: Int(count))
            guard summary.queries == Int(count), summary.rows > summary.queries / 2 else {
                print("The queries found too little: \(summary)")
                exit(1)
            }
            print("All adapters agree: \(summary)")
        } catch {
            print("\(error)")
            exit(1)
        }
    }
}
