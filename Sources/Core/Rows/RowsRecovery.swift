internal import Dispatch

/// The repair of rows after the adapter failed to apply appended events. The log has all of these events.
///
/// After a lack of space, the adapter is sound and catches up from its checkpoint. After any other failure, the adapter is
/// closed and opened again. If that does not help, the rows are recreated next to the old ones.
struct RowsRecovery {
    /// Whether the rows have wrong content. Opening them again would not help.
    private let recreates: Bool
    private var failureCount = 0
    /// The time of the next full attempt.
    ///
    /// Until then, a write does not recreate the rows, because a rebuild takes long and the last one failed.
    private var due = ContinuousClock.now

    /// How long to wait for active readers before the rows are recreated while those readers still use the old ones.
    private static let readerPatience = DispatchTimeInterval.seconds(1)
    private static let firstPause = Duration.milliseconds(10)
    private static let longestPause = Duration.seconds(10)

    init(recreates: Bool = false) { self.recreates = recreates }

    /// How long to wait before the next full attempt.
    var pause: Duration { max(.zero, due - .now) }

    /// Makes one attempt and returns whether the rows follow the log now. Called in the writer's serial section.
    mutating func run(_ opening: RowsOpening, _ rows: CurrentRows) -> Bool {
        let isDue = pause == .zero
        do {
            try mend(opening, rows, rebuilds: isDue)
            return true
        } catch {
            rows.fail(error)
            guard isDue else { return false }
            due = .now + min(Self.firstPause * (1 << min(2 * failureCount, 20)), Self.longestPause)
            failureCount += 1
            return false
        }
    }

    private func mend(_ opening: RowsOpening, _ rows: CurrentRows, rebuilds: Bool) throws {
        if let adapter = rows.adapterWithoutRoom {
            try opening.replay(into: adapter)
            return rows.recovered()
        }
        if !recreates, rows.withdraw(within: Self.readerPatience) {
            do {
                if let files = try opening.reopen() { return rows.replace(with: files) }
            } catch {
                guard rebuilds else { throw error }
            }
        }
        guard rebuilds else { throw rows.failure?.underlying ?? DataStoreError.beingRebuilt }
        try rebuild(opening, rows)
    }

    private func rebuild(_ opening: RowsOpening, _ rows: CurrentRows) throws {
        try rows.beginRebuilding()
        defer { rows.endRebuilding() }
        let made = try opening.makeBeside()
        do {
            rows.replace(with: try opening.install(made), removesOld: true)
        } catch {
            opening.discard(made.number)
            throw error
        }
    }
}

extension DataStoreError {
    static var beingRebuilt: DataStoreError {
        DataStoreError(.locked, "The rows are being recreated already.", recovery: "Wait for the rebuild under way.")
    }

    /// Whether the underlying error is a lack of space on the disk or in the map. The rows are sound.
    var isForLackOfSpace: Bool {
        guard let cause = underlying as? DataStoreError else { return false }
        return cause.code == .storageFull || cause.isMapStuck
    }
}
