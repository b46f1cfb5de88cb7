/// Combines mutations to requests. While few requests are on their way, a mutation is sent at once. Otherwise it waits for the
/// end of a request, and is sent together with the mutations that have come in the meantime.
package struct MutationBatches: Sendable {
    /// The usual largest number of mutations in a request.
    package static let defaultSize = 25
    /// The largest number of requests on their way.
    static let maximumRequests = 16
    /// The number of full requests that are prepared first, if none is on its way.
    static let firstRequests = 4

    /// The largest number of mutations in a request. It is 1 after the server has refused a request with several.
    private(set) var size: Int
    /// The mutations that wait for room, in the order in which they are sent.
    private var waiting: [(mutation: OutgoingMutation, ticket: Outbox.Ticket)] = []
    /// The times at which the requests on their way count as lost, by their first tickets.
    private var deadlines: [Outbox.Ticket: Int64] = [:]

    init(size: Int) {
        precondition(size >= 1, "a request has at least one mutation")
        self.size = size
    }

    /// Whether the server takes several mutations in a request, as far as it is known.
    var isOn: Bool { size > 1 }

    mutating func add(_ mutation: OutgoingMutation, _ ticket: Outbox.Ticket) {
        assert(mutation.id == ticket.mutation, "a ticket names its mutation")
        waiting.append((mutation, ticket))
    }

    /// Notes that the server refuses requests with several mutations.
    mutating func refuse() { size = 1 }

    /// Notes that a request has its answer.
    mutating func ended(_ tickets: [Outbox.Ticket]) {
        assert(!tickets.isEmpty, "a request has at least one mutation")
        if let first = tickets.first { deadlines[first] = nil }
    }

    /// Takes the requests that may be sent now.
    ///
    /// - Parameters:
    ///   - timeLimit: The longest time of a request.
    ///   - isWanted: Whether a mutation still has to be sent. While it waited, its time may have run out.
    mutating func take(
        at now: Int64, timeLimit: Int64, _ isWanted: (Outbox.Ticket) -> Bool
    ) -> [SyncMachine.Request] {
        guard !waiting.isEmpty else { return [] }
        deadlines = deadlines.filter { $0.value > now }
        waiting.removeAll { !isWanted($0.ticket) }
        var requests: [SyncMachine.Request] = []
        while !waiting.isEmpty, deadlines.count < Self.maximumRequests {
            let batch = waiting.prefix(size)
            waiting.removeFirst(batch.count)
            assert(deadlines[batch[batch.startIndex].ticket] == nil, "a ticket is sent once")
            deadlines[batch[batch.startIndex].ticket] = now &+ timeLimit
            requests.append(.mutations(batch.map(\.mutation), batch.map(\.ticket)))
        }
        return requests
    }
}

extension Outbox.Options {
    /// Makes room for several requests with several mutations each.
    mutating func hold(_ batches: MutationBatches) {
        guard batches.isOn else { return }
        maximumInFlight = max(maximumInFlight, MutationBatches.maximumRequests * batches.size)
        firstInFlight = max(firstInFlight, MutationBatches.firstRequests * batches.size)
        maximumAhead = max(maximumAhead, maximumInFlight / 2)
        maximumMarked = max(maximumMarked, 2 * maximumInFlight + maximumAhead)
        beginInterval = 10
    }
}
