internal import Dispatch
internal import Synchronization

/// Has rows follow the log again, after the adapter failed behind an append: what it failed to take in is in the log.
///
/// Lack of space leaves the adapter sound: it catches up. After any other failure it is closed and opened again, and where
/// that is of no use, rows are made anew beside it.
struct RowsRecovery {
    /// Whether what the rows hold is wrong, so that opening them again is of no use.
    private let makesAnew: Bool
    private var failureCount = 0
    /// When it is tried next. Until then a write does without making rows anew, which takes long and failed before.
    private var due = ContinuousClock.now

    /// How long readers at work are waited for, before rows are made beside those that they read.
    private static let readerPatience = DispatchTimeInterval.seconds(1)
    private static let firstPause = Duration.milliseconds(10)
    private static let longestPause = Duration.seconds(10)

    init(makesAnew: Bool = false) { self.makesAnew = makesAnew }

    /// How long to wait before the next try.
    var pause: Duration { max(.zero, due - .now) }

    /// Tries once; returns whether the rows follow the log. Called in the writer's serial section.
    mutating func run(_ opening: RowsOpening, _ rows: Rows) -> Bool {
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

    private func mend(_ opening: RowsOpening, _ rows: Rows, rebuilds: Bool) throws {
        if !makesAnew, rows.failure?.isForLackOfSpace ?? false, let adapter = rows.failedFiles?.adapter {
            try opening.replay(into: adapter)
            return rows.recovered()
        }
        if !makesAnew, rows.withdraw(within: Self.readerPatience) {
            do {
                if let files = try opening.reopen() { return rows.replace(with: files) }
            } catch {
                guard rebuilds else { throw error }
            }
        }
        guard rebuilds else { throw rows.failure?.underlying ?? DataStoreError.beingRebuilt }
        try rebuild(opening, rows)
    }

    private func rebuild(_ opening: RowsOpening, _ rows: Rows) throws {
        guard !rows.isRebuilding.exchange(true, ordering: .acquiringAndReleasing) else {
            throw DataStoreError.beingRebuilt
        }
        defer { rows.isRebuilding.store(false, ordering: .releasing) }
        let (adapter, number) = try opening.makeBeside()
        do {
            rows.replace(with: try opening.finish(adapter, number), removesOld: true)
        } catch {
            opening.discard(number)
            throw error
        }
    }
}

extension RowsOpening {
    /// Opens the rows that were closed, if they follow this log; `nil` where there are none that do.
    func reopen() throws -> RowsFiles? {
        guard factory.isPersistent else { return nil }
        let number = try StoreDirectory.highest("rows-", in: directory.generation(generation))
        return number > 0 ? try openTrusted(number) : nil
    }
}

extension DataStoreError {
    static var beingRebuilt: DataStoreError {
        DataStoreError(.locked, "The rows are being made anew already.", recovery: "Wait for the rebuild under way.")
    }

    /// Whether the failure beneath is that there was no room.
    var isForLackOfSpace: Bool { (underlying as? DataStoreError)?.code == .storageFull }
}
