@_spi(Adapters) public import TidelogCore

/// Runs the same random changes and queries with several adapters and with a plain model, and finds the first difference.
///
/// The model keeps records in a dictionary and has its own evaluation of predicates, so that the predicates that Core compiles
/// are tested as well. Runs with the same seed are identical.
public struct DifferentialFuzzer: Sendable {
    /// An adapter under test.
    public struct Candidate: Sendable {
        /// The adapter's name in reports.
        public let name: String
        let make: @Sendable (_ directory: String) throws -> any StorageAdapter

        /// The adapter that `make` opens in a new directory.
        @_spi(Adapters) public init(
            _ name: String, make: @escaping @Sendable (_ directory: String) throws -> any StorageAdapter
        ) {
            self.name = name
            self.make = make
        }
    }

    /// The counts of a run that found no difference.
    public struct Summary: Sendable, Hashable {
        /// The number of queries.
        public internal(set) var queries = 0
        /// The number of rows in the results.
        public internal(set) var rows = 0
        /// The number of changes.
        public internal(set) var changes = 0
        /// The number of schemas.
        public internal(set) var schemas = 0
    }

    /// The adapters that must give the same results as the model.
    public let candidates: [Candidate]
    /// The number of queries for each schema.
    public let queriesPerSchema: Int
    /// Whether the stored texts may contain U+0000, which some databases refuse. Queries may always compare with it.
    public let storesZeroCharacters: Bool

    /// A fuzzer of `candidates`.
    public init(_ candidates: [Candidate], queriesPerSchema: Int = 250, storesZeroCharacters: Bool = true) {
        precondition(queriesPerSchema > 0, "every schema is asked something")
        self.candidates = candidates
        self.queriesPerSchema = queriesPerSchema
        self.storesZeroCharacters = storesZeroCharacters
    }

    /// Runs `queryCount` queries.
    ///
    /// - Throws: ``ConformanceFailure`` with the adapter, the query and the seed of the schema. `run(seed:queryCount:)` with
    ///   that seed begins with the same schema.
    public func run(seed: UInt64, queryCount: Int) throws -> Summary {
        var summary = Summary()
        var schemaSeed = seed
        while summary.queries < queryCount {
            let count = min(queriesPerSchema, queryCount - summary.queries)
            do {
                var round = try FuzzRound(candidates, seed: schemaSeed, storesZeroCharacters: storesZeroCharacters)
                defer { round.close() }
                try round.run(queryCount: count, &summary)
            } catch let mismatch as ConformanceFailure.Mismatch {
                throw failure(schemaSeed, expected: mismatch.expected, got: mismatch.got, hint: mismatch.hint)
            } catch {
                throw failure(schemaSeed, expected: "no error", got: "\(error)", hint: "Core let this through.")
            }
            summary.schemas += 1
            schemaSeed &+= 1
        }
        return summary
    }

    private func failure(_ seed: UInt64, expected: String, got: String, hint: String) -> ConformanceFailure {
        ConformanceFailure(
            rule: "same-answers", caseName: "differential fuzzer, seed \(seed)", expected: expected, got: got,
            hint: hint)
    }
}
