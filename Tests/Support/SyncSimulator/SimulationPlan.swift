package import TidelogSync

/// The plan of one simulation. Everything else follows from its numbers.
package struct SimulationPlan: Sendable {
    /// Faults of the network, the devices and the server.
    package enum Fault: String, Sendable, Hashable, CaseIterable {
        /// Requests, responses and pushes are lost. The server has processed the request if the response or the push is lost.
        case loss
        /// Requests, responses and pushes arrive twice.
        case duplication
        /// Messages overtake each other.
        case reordering
        /// A device has no network. It may notice this or not.
        case partition
        /// A device's engine is killed at any step, and starts again with its store.
        case crash
        /// Tokens of a session expire.
        case expiry
        /// A device's clock is set.
        case skew
        /// All devices are offline for days, and tombstones are purged.
        case absence
        /// The server is restored from a backup.
        case restore
        /// A request hangs until the device gives up.
        case hang
        /// A socket stays silent.
        case silence
        /// The server is overloaded and answers with status 503.
        case overload
        /// The server refuses the mutations of some records.
        case refusal
        /// The queries of one model fail.
        case modelFailure
        /// The WebSockets of a device are refused, or its subscriptions are never acknowledged.
        case noSocket
        /// A device does not see its own change before it handles a server's message.
        case race
        /// A device cannot decode an item of a page.
        case damage
        /// A device's store is replaced by an earlier copy of its files, or by a copy of another device's files.
        case copy
        /// A push has only the fields that its writer selected. This fault and the next two only happen with a server whose
        /// records cannot be relied on.
        case selection
        /// The response to a mutation hides a field.
        case redaction
        /// A base query, or a request for a record, does not see a change that was made just before it.
        case staleness
        /// Another engine has the lease of a device's store for a while.
        case lease
        /// An app stops its engine, and starts it again later.
        case stop
        /// A failure happens that neither the inbox nor the outbox can handle, so the engine ends and starts again.
        case failure
        /// A read shows an earlier state of the server. This fault and the following ones only happen with a server without
        /// versions.
        case lag
        /// The clock of the server stands still for a while, so that changes get equal times.
        case frozenClock
        /// Changes get the times of computers with different clocks.
        case hostSkew
        /// Another program changes a record without a new time and without a push.
        case bypass
        /// Another client changes or deletes a record without a condition, and selects only some of its fields.
        case foreignWriter
        /// A list has an element without a usable record.
        case nullElement
        /// Lists lack most records for a while.
        case listLoss
        /// A device may not read some records for a while.
        case lostAccess

        /// The faults that can happen with a protocol.
        package static func cases(of chosen: SyncProtocol) -> [Fault] {
            let stamped: Set<Fault> = [
                .lag, .frozenClock, .hostSkew, .bypass, .foreignWriter, .nullElement, .listLoss, .lostAccess,
            ]
            return allCases.filter { chosen == .timestamps ? ![.staleness].contains($0) : !stamped.contains($0) }
        }
    }

    /// The adapter of the devices' stores.
    package enum Adapter: String, Sendable, Hashable, CaseIterable {
        case inMemory, sqlite, lmdb
    }

    /// The seed of every choice.
    package var seed: UInt64
    /// The number of devices.
    package var clientCount: Int
    /// The number of local changes.
    package var changeCount: Int
    /// The longest time in milliseconds until a device sees its own change.
    package var longestRace: Int
    /// Whether the server recognises mutations by their ids.
    package var serverKnowsIDs: Bool
    /// Whether the server takes only one mutation in a request.
    package var refusesBatches: Bool
    /// The largest number of mutations in a request.
    package var mutationsPerRequest: Int
    /// Whether a network that a device has lost without noticing returns and ends again and again.
    package var hasUnsteadyNetwork: Bool
    /// Whether stores have a directory of their own, so that they can be copied as files.
    package var copiesStores: Bool
    /// Whether the server sends whole records, and its queries see every earlier change.
    package var isServerExact: Bool
    /// The adapter of the devices' stores.
    package var adapter = Adapter.inMemory
    /// The faults that happen.
    package var faults: Set<Fault>
    /// A fault planted in the machines, which the simulation is expected to find.
    package var planted: PlantedFault?

    /// The protocol of the server.
    package var `protocol`: SyncProtocol
    /// Whether the devices know the protocol. Otherwise the server's answers tell it.
    package var isProtocolKnown: Bool
    /// Whether the models have the field `tidelog`. Without versions, it removes the errors that equal times cause.
    package var hasTags: Bool
    /// Whether the server has rules about owners, so that it does not tell a missing record from a record of another person.
    package var hasOwners: Bool

    /// Whether posts have an index by blog and time.
    package var hasTimeIndex: Bool
    /// Whether the server has the index. Otherwise only the devices' schema has it.
    package var servesTimeIndex: Bool

    /// Whether the models with tags have the field `deletedAt`, so that deletions mark records.
    package var marksDeletions: Bool

    /// A plan for `seed`. The seed also determines the number of devices and changes.
    ///
    /// - Parameter faults: The faults that happen; `nil` for all faults of the protocol.
    package init(
        seed: UInt64, protocol: SyncProtocol = .versioned, faults: Set<Fault>? = nil, planted: PlantedFault? = nil
    ) {
        self.seed = seed
        self.protocol = `protocol`
        isProtocolKnown = seed % 10 != 6
        (hasTags, hasOwners) = (seed % 2 == 0, seed % 5 < 2)
        (hasTimeIndex, servesTimeIndex) = (`protocol` == .timestamps && seed % 3 == 0, seed % 4 != 1)
        marksDeletions = seed % 8 < 3
        clientCount = 2 + Int(seed % 7)
        changeCount = 24 + Int(seed % 5) * 6
        longestRace = seed % 3 == 1 ? 2_000 : 300
        serverKnowsIDs = seed % 8 != 7 && `protocol` != .timestamps
        refusesBatches = seed % 9 == 4
        mutationsPerRequest = seed % 5 == 2 ? 1 : 2 + Int(seed % 4)
        hasUnsteadyNetwork = seed % 8 == 3
        copiesStores = seed % 3 == 1
        isServerExact = seed % 4 != 3 && `protocol` != .timestamps
        var all = Set(Fault.cases(of: `protocol`))
        // Without these faults, each comparison must find every change, so that the check need not wait for a full list.
        if hasTimeIndex ? seed % 9 > 0 : seed % 7 == 5 { all.subtract([.bypass, .nullElement, .frozenClock]) }
        self.faults = faults ?? all
        self.planted = planted
    }
}

/// The outcome of a simulation without failures.
package struct SimulationSummary: Sendable, Hashable {
    /// A hash of all steps. The same seed gives the same hash.
    package var traceHash: UInt64
    /// The number of events that were handled.
    package var stepCount: Int
    /// The number of local changes.
    package var changeCount: Int
    /// The number of mutations that the server wrote.
    package var writeCount: Int
    /// How often each step happened, by its name.
    package var counts: [String: Int]
    /// How often each fault happened.
    package var faultCounts: [SimulationPlan.Fault: Int]
    /// How often each case of the machine's inputs and actions happened (``MachineCases``).
    package var cases: [String: Int]
}
