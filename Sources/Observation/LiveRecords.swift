public import Observation
public import TidelogCore

/// The records of a query, as an object that views observe.
///
/// ```swift
/// let notes = LiveRecords(Note.where(Note.keys.rating >= 4), in: store)
/// // A view that reads notes.items is drawn again after each change.
/// notes.query = Note.all.limit(20)
/// ```
///
/// A store reads the query away from the main actor. Each result becomes visible in one turn of the main actor: an observer
/// never sees the items of one result together with ``isSynced`` of another. Results are shown at most once a frame, and the
/// latest result is always shown. A result whose items equal the shown items does not notify the observers of ``items``.
///
/// After the store was cleared, the object continues with the records of the empty store. While the store is suspended, the
/// items stay. The object ends its reading when it is released. Nothing has to be cancelled.
@Observable @MainActor
public final class LiveRecords<Value: Fetchable> {
    /// The records, in the query's order.
    ///
    /// After ``query`` was replaced, these are the records of the previous query until the first result of the new query. They
    /// are empty until a store has given its first result.
    public private(set) var items: [Value] = []
    /// The phase of the object: it has no store, loads, is live, or has failed.
    public private(set) var phase = Phase.idle
    /// Whether the store has received all data that the server has of every model in the query.
    public private(set) var isSynced = false

    /// The error that ended the reading, or `nil`. ``retry()`` begins again.
    public var error: (any Error)? {
        if case .failed(let error) = phase { error } else { nil }
    }

    /// The query whose records these are. A new query replaces the running one. An equal query changes nothing.
    public var query: Query<Value> {
        didSet {
            guard query != oldValue else { return }
            // Only the rows of the query's own model count in a fingerprint, and relations are loaded differently.
            if query.model != oldValue.model || query.usesRelations || oldValue.usesRelations { fingerprint = nil }
            restart()
        }
    }

    /// The store that has the records. Without a store the object waits in the phase `idle`. The records of one store are
    /// never shown as records of another store.
    @ObservationIgnored public var store: DataStore? {
        didSet {
            guard store !== oldValue else { return }
            fingerprint = nil
            if !items.isEmpty { items = [] }
            if isSynced { isSynced = false }
            restart()
        }
    }

    @ObservationIgnored private let pacing: FramePacing
    /// The query of the last call of ``follow(_:in:)``.
    @ObservationIgnored private var followed: Query<Value>
    /// The state of the shown items; `nil` if the next result is shown in any case.
    @ObservationIgnored private var fingerprint: Int?
    /// The task that reads the query, and its number. Results of an earlier task are ignored.
    @ObservationIgnored private var reading: Task<Void, Never>?
    @ObservationIgnored private var number = 0

    /// The records of `query` in `store`.
    ///
    /// - Parameter pacing: How long to wait between two results.
    public init(_ query: Query<Value>, in store: DataStore? = nil, pacing: FramePacing = .display) {
        self.query = query
        self.store = store
        self.pacing = pacing
        followed = query
        if store != nil { restart() }
    }

    deinit { reading?.cancel() }

    /// Runs the query again after an error. In other phases, this method does nothing.
    public func retry() {
        if case .failed = phase { restart() }
    }

    /// Follows the query and the store that a view declares. Views call this method each time before they are drawn.
    ///
    /// If `query` equals the query of the last call, a query that was assigned in the meantime stays.
    public func follow(_ query: Query<Value>, in store: DataStore?) {
        if query != followed {
            followed = query
            self.query = query
        }
        if store !== self.store { self.store = store }
    }
}

// MARK: - Reading

extension LiveRecords {
    /// A phase of a ``LiveRecords`` object.
    public enum Phase: Sendable {
        /// The object has no store.
        case idle
        /// The query runs for the first time. The items are the records of the previous query.
        case loading
        /// The items are the query's result, and later results follow.
        case live
        /// The reading ended with an error. The items are the last result.
        case failed(any Error)
    }

    private enum Outcome: Sendable {
        case result(LiveResult<Value>)
        case failure(any Error)
    }

    private func restart() {
        reading?.cancel()
        number += 1
        guard let store else {
            reading = nil
            phase = .idle
            return
        }
        if case .loading = phase {} else { phase = .loading }
        // The task does not keep this object alive, because the object ends the task.
        let receive: @MainActor @Sendable (Outcome) -> Bool = { [weak self, number] outcome in
            self?.receive(outcome, of: number) ?? false
        }
        reading = Task { [query, pacing] in await Self.read(query, from: store, pacing, receive) }
    }

    /// Passes each result to `receive`, until it returns false.
    @concurrent private nonisolated static func read(
        _ query: Query<Value>, from store: DataStore, _ pacing: FramePacing,
        _ receive: @MainActor @Sendable (Outcome) -> Bool
    ) async {
        do {
            while !Task.isCancelled {
                do {
                    for try await result in store.observe(query) {
                        guard await receive(.result(result)) else { return }
                        try await pacing.nextFrame()
                    }
                } catch let error as DataStoreError where error.code == .storeCleared {
                    try await pacing.nextFrame()
                } catch let error as DataStoreError where error.code == .suspended {
                    // Only a live query that was made during a suspension throws this.
                    try await store.waitUntilResumed()
                }
            }
        } catch {
            _ = await receive(.failure(error))
        }
    }

    /// Returns whether more results are wanted.
    private func receive(_ outcome: Outcome, of number: Int) -> Bool {
        guard number == self.number else { return false }
        switch outcome {
        case .result(let result):
            show(result)
            return true
        case .failure(let error):
            phase = .failed(error)
            return false
        }
    }

    private func show(_ result: LiveResult<Value>) {
        if fingerprint == nil || fingerprint != result.fingerprint {
            fingerprint = result.fingerprint
            // Observers that see an empty list would be notified of an empty list.
            if !(items.isEmpty && result.items.isEmpty) { items = result.items }
        }
        if isSynced != result.isSynced { isSynced = result.isSynced }
        if case .live = phase {} else { phase = .live }
    }
}
