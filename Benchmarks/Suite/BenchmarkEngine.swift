import Foundation
import Tidelog

/// The sizes of one workload, the same for every engine.
struct WorkloadSize: Sendable {
    var records: Int
    var batch: Int
    var savers: Int
    var durability: Durability
    /// Whether the workload writes only a log. In that case raw LMDB is compared with its data synced. Otherwise raw LMDB syncs
    /// nothing when it is compared with a relaxed store.
    var isLogAlone = false
    /// How many reads or operations are timed, if this differs from the number of records.
    var operations: Int
}

/// One side of a comparison. It gets an empty directory for every round.
protocol BenchmarkEngine {
    /// The name of the engine in the results.
    var name: String { get }

    /// Whether the engine runs `workload`.
    func takesPart(in workload: Workload) -> Bool

    /// The size of `workload` for this engine, from the options.
    func size(_ workload: Workload, _ options: Options) -> WorkloadSize

    /// Runs `workload` and closes the store. Time and costs are only counted between the meter's `resume` and `pause`. Returns
    /// `nil` if the engine does not run the workload.
    func run(
        _ workload: Workload, _ size: WorkloadSize, in directory: String, _ meter: Meter
    ) async throws -> Measurement?
}

extension BenchmarkEngine {
    func takesPart(in workload: Workload) -> Bool { workload != .codec && !workload.hasPairs }

    func size(_ workload: Workload, _ options: Options) -> WorkloadSize { WorkloadSize(workload, options) }
}

/// An engine whose store grows step by step and is then opened again.
protocol GrowingEngine: BenchmarkEngine {
    associatedtype Store: GrowingStore

    /// Opens the store in `directory`, or creates it.
    func open(_ size: WorkloadSize, in directory: String) async throws -> Store
}

protocol GrowingStore {
    /// Saves new posts with `numbers`, one batch per call.
    func load(
        _ generator: PostGenerator, _ numbers: Range<Int>, _ size: WorkloadSize, _ meter: Meter
    ) async throws -> Measurement

    func close() async throws
}

extension PostGenerator {
    init(_ workload: Workload) { self.init(isOrdered: workload == .loadOrdered || workload == .open) }
}

/// The order in which records are read and updated. It follows a Zipf-like distribution and is the same in every run.
struct AccessPattern: Sendable {
    private var state: UInt64
    private let count: Int

    init(count: Int, seed: UInt64 = 42) {
        state = seed
        self.count = count
    }

    private mutating func random() -> UInt64 {
        state = state &+ 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A record chosen with equal probability.
    mutating func uniform() -> Int { Int(random() % UInt64(count)) }

    /// A record chosen so that few records come often. The exponent is YCSB's 0.99; the distribution is approximated by the
    /// inverse of its continuous form.
    mutating func zipf() -> Int {
        let unit = Double(random() >> 11) / Double(1 << 53)
        let exponent = 0.01
        let rank = (unit * (pow(Double(count), exponent) - 1) + 1)
        let position = Int(pow(rank, 1 / exponent)) - 1
        // Scatters the popular records over the key space.
        return Int(UInt64(min(max(position, 0), count - 1)) &* 2_654_435_761 % UInt64(count))
    }

    mutating func coin() -> Bool { random() & 1 == 0 }
}
