@_spi(Adapters) public import TidelogCore

/// Runs the same random changes and queries over several adapters and a plain model of its own, and finds the first
/// difference.
///
/// The model keeps records in a dictionary and evaluates predicates over them by itself, so that the predicates which
/// Core compiles are under test as well. Equal seeds give equal runs.
public struct DifferentialFuzzer: Sendable {
    /// An adapter under test.
    public struct Candidate: Sendable {
        /// The adapter's name in reports.
        public let name: String
        let make: @Sendable (_ directory: String) throws -> any StorageAdapter

        /// The adapter that `make` opens on a fresh directory.
        @_spi(Adapters) public init(
            _ name: String, make: @escaping @Sendable (_ directory: String) throws -> any StorageAdapter
        ) {
            self.name = name
            self.make = make
        }
    }

    /// What a run did where it found no difference.
    public struct Summary: Sendable, Hashable {
        /// How many queries were asked.
        public internal(set) var queries = 0
        /// How many rows they gave.
        public internal(set) var rows = 0
        /// How many changes were applied.
        public internal(set) var changes = 0
        /// How many schemas were made.
        public internal(set) var schemas = 0
    }

    /// The adapters that must agree with the model.
    public let candidates: [Candidate]
    /// How many queries are asked of each schema.
    public let queriesPerSchema: Int

    /// A fuzzer of `candidates`.
    public init(_ candidates: [Candidate], queriesPerSchema: Int = 250) {
        precondition(queriesPerSchema > 0, "every schema is asked something")
        self.candidates = candidates
        self.queriesPerSchema = queriesPerSchema
    }

    /// Asks `queryCount` queries.
    ///
    /// - Throws: ``ConformanceFailure`` that names the adapter, the query and the seed of its schema, with which
    ///   `run(seed:queryCount:)` starts at that very schema.
    public func run(seed: UInt64, queryCount: Int) throws -> Summary {
        var summary = Summary()
        var schemaSeed = seed
        while summary.queries < queryCount {
            let count = min(queriesPerSchema, queryCount - summary.queries)
            do {
                var round = try FuzzRound(candidates, seed: schemaSeed)
                defer { round.close() }
                try round.run(queryCount: count, &summary)
            } catch let mismatch as Mismatch {
                throw failure(schemaSeed, mismatch.expected, mismatch.got, mismatch.hint)
            } catch {
                throw failure(schemaSeed, "no error", "\(error)", "Core let this through.")
            }
            summary.schemas += 1
            schemaSeed &+= 1
        }
        return summary
    }

    private func failure(_ seed: UInt64, _ expected: String, _ got: String, _ hint: String) -> ConformanceFailure {
        ConformanceFailure(
            rule: "same-answers", caseName: "differential fuzzer, seed \(seed)", expected: expected, got: got,
            hint: hint)
    }
}
