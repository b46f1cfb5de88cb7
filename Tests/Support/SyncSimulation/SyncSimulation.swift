import SyncSimulator
import TidelogSync

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Runs simulations of devices that sync: `SyncSimulation COUNT [FIRST SEED]`.
///
/// A program of its own, so that an optimized run need not build the tests as well.
@main
struct SyncSimulation {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst().map { UInt64($0) }
        guard let count = arguments.first ?? nil, !arguments.contains(nil), arguments.count <= 2 else {
            print("usage: SyncSimulation COUNT [FIRST SEED]")
            exit(2)
        }
        let first = arguments.count > 1 ? arguments[1] ?? 0 : 0
        var (changeCount, writeCount, hash) = (0, 0, UInt64(0))
        var counts: [String: Int] = [:]
        var failureCount = 0
        for seed in first..<first + count {
            do {
                let summary = try await SimulationPlan(seed: seed).run()
                changeCount += summary.changeCount
                writeCount += summary.writeCount
                hash = hash &* 31 &+ summary.traceHash
                counts.merge(summary.counts) { $0 + $1 }
            } catch {
                // The first failure in full, of the others the first line.
                let text = "\(error)"
                print(failureCount == 0 ? text : String(text.prefix { $0 != "\n" }))
                failureCount += 1
            }
        }
        print("\(count) simulations: \(changeCount) changes, \(writeCount) writes, hash \(String(hash, radix: 16))")
        print(counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
        if failureCount > 0 {
            print("\(failureCount) of \(count) simulations failed.")
            exit(1)
        }
    }
}
