internal import Dispatch
internal import Synchronization

/// Has rows follow the log again, after the adapter failed behind an append: what it failed to take in is in the log.
///
/// Lack of space leaves the adapter sound: it catches up. After any other failure it is closed and opened again;
/// that is of no use, the rows are recreated beside it.
struct RowsRecovery {
    /// Whether what the rows hold is wrong, so that opening them again is of no use.
    private let recreates: Bool
    private var failureCount = 0
    /// When it is tried next. Until then a write does not recreate rows: that takes long, and it failed before.
    private var due = ContinuousClock.now

    /// How long to wait for readers at work before the rows are recreated beside theirs.
    private static let readerPatience = DispatchTimeInterval.seconds(1)
    private static let firstPause = Duration.milliseconds(10)
    private static let longestPause = Duration.seconds(10)

    init(recreates: Bool = false) { self.recreates = recreates }

    /// How long to wait before the next try.
    var pause: Duration { max(.zero, due - .now) }

    /// Tries once; returns whether the rows follow the log. Called in the writer's serial section.
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
            rows.replace(with: try opening.finish(made), removesOld: true)
        } catch {
            opening.discard(made.number)
            throw error
        }
    }
}

extension RowsOpening {
    /// Opens the rows that were closed, if they follow this log; `nil` if there are none that do.
    func reopen() throws -> RowsFiles? {
        guard factory.isPersistent else { return nil }
        let number = try StoreDirectory.highest("rows-", in: directory.generation(generation))
        return number > 0 ? try openTrusted(number) : nil
    }
}

extension DataStoreError {
    static var beingRebuilt: DataStoreError {
        DataStoreError(.locked, "The rows are being recreated already.", recovery: "Wait for the rebuild under way.")
    }

    /// Whether the failure beneath is that there was no room.
    var isForLackOfSpace: Bool { (underlying as? DataStoreError)?.code == .storageFull }
}
