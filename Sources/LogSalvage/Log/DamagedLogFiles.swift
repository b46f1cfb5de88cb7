internal import TidelogCore

/// The files of a log that may be damaged: the pages of its environment and the files of its tail.
struct DamagedLogFiles {
    let pages: DataFilePages
    private let tails: [TailFileContents]

    /// Opens the log in `directory`.
    init(directory: String) throws {
        pages = try DataFilePages(directory: directory)
        tails = try TailFileContents.both(in: directory)
    }

    /// The bytes of an event that the scan found.
    func bytes(of event: FoundEvent) throws -> [UInt8] {
        guard let tail = event.tail else { return try pages.read(Int(event.length), at: event.offset) }
        return Array(tails[tail].bytes[event.offset..<(event.offset + Int(event.length))])
    }

    /// The events in the tail, in any order. This method finds an event even if the group around it is damaged. It
    /// skips a file whose header names another store than `store`.
    func tailEvents(of store: StoreID?) throws -> ContiguousArray<FoundEvent> {
        var events: ContiguousArray<FoundEvent> = []
        for (index, tail) in tails.enumerated() {
            if let store, let owner = tail.store, owner != store { continue }
            try tail.bytes.withUnsafeBytes { bytes in
                var place = 0
                while place + EventFormat.headerByteCount <= bytes.count {
                    let found = try EventScan.event(in: UnsafeRawBufferPointer(rebasing: bytes[place...]), at: place)
                    if var found {
                        found.tail = index
                        events.append(found)
                    }
                    place += found.map { Int($0.length) } ?? 1
                }
            }
        }
        return events
    }

    /// The positions that whole groups in the tail give to consumers. For each consumer, this is its furthest position.
    func tailConsumers(of store: StoreID?) -> [String: Position] {
        var places: [String: Position] = [:]
        for tail in tails where store != nil && tail.store == store {
            places.merge(tail.consumerPositions()) { $1.sequence >= $0.sequence ? $1 : $0 }
        }
        return places
    }
}
