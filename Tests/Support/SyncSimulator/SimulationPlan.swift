package import TidelogSync

/// One simulation: everything else follows from its numbers.
package struct SimulationPlan: Sendable {
    /// Faults of the network, the devices and the server.
    package enum Fault: String, Sendable, Hashable, CaseIterable {
        /// Requests, responses and pushes are lost, the latter two after the server did its part.
        case loss
        /// Requests, responses and pushes arrive twice.
        case duplication
        /// Messages overtake each other.
        case reordering
        /// A device has no network, and notices it or not.
        case partition
        /// A device's engine is killed at any step, and starts again with its store.
        case crash
        /// Tokens of a session expire.
        case expiry
        /// A device's clock is set.
        case skew
        /// Everyone is away for days, and tombstones are purged.
        case absence
        /// The server is restored from a backup.
        case restore
        /// A request hangs until the device gives up.
        case hang
        /// A socket stays silent.
        case silence
        /// The server has no time: status 503.
        case overload
        /// The server refuses the mutations of some records.
        case refusal
        /// A device does not see its own change before it handles a server's message.
        case race
        /// An item of a page cannot be decoded.
        case damage
        /// Something fails that neither the inbox nor the outbox can handle, so the engine ends and starts again.
        case failure
    }

    /// The store in which the devices keep their rows.
    package enum Adapter: String, Sendable, Hashable, CaseIterable {
        case inMemory, sqlite, lmdb
    }

    /// The seed of every choice.
    package var seed: UInt64
    /// How many devices there are.
    package var clientCount: Int
    /// How many local changes are made.
    package var changeCount: Int
    /// How many milliseconds a device may need until it sees its own change.
    package var longestRace: Int
    /// Whether the server knows the ids of mutations.
    package var serverKnowsIDs: Bool
    /// The store in which the devices keep their rows.
    package var adapter = Adapter.inMemory
    /// The faults that happen.
    package var faults: Set<Fault>
    /// A fault of the machines that the simulation is to find.
    package var planted: PlantedFault?

    /// A plan for `seed`, which also chooses the number of devices and changes.
    package init(seed: UInt64, faults: Set<Fault> = Set(Fault.allCases), planted: PlantedFault? = nil) {
        self.seed = seed
        clientCount = 2 + Int(seed % 7)
        changeCount = 24 + Int(seed % 5) * 6
        longestRace = seed % 3 == 1 ? 2_000 : 300
        serverKnowsIDs = seed % 8 != 7
        self.faults = faults
        self.planted = planted
    }
}

/// The outcome of a simulation that found nothing.
package struct SimulationSummary: Sendable, Hashable {
    /// A hash of everything that happened: the same seed gives the same hash.
    package var traceHash: UInt64
    /// How many events were handled.
    package var stepCount: Int
    /// How many local changes were made.
    package var changeCount: Int
    /// How many mutations the server wrote.
    package var writeCount: Int
    /// How often each thing happened, by its name.
    package var counts: [String: Int]
    /// How often each fault happened.
    package var faultCounts: [SimulationPlan.Fault: Int]
}
