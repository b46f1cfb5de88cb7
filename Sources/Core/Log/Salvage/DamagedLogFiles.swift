internal import TidelogLMDB

/// The files of a log that may be damaged: the pages of its environment and the files of its tail.
struct DamagedLogFiles {
    let pages: DataFilePages
    /// The contents of the two files of the tail.
    private let tails: [[UInt8]]

    /// Opens the log in `directory`.
    init(directory: String) throws {
        pages = try DataFilePages(directory: directory)
        tails = try (0..<2).map { try TailFileReader(TailFormat.path(directory, $0))?.contents() ?? [] }
    }

    /// The bytes of an event that the scan found.
    func bytes(of event: FoundEvent) throws -> [UInt8] {
        guard let tail = event.tail else { return try pages.read(Int(event.length), at: event.offset) }
        return Array(tails[tail][event.offset..<(event.offset + Int(event.length))])
    }

    /// The header of a file of the tail, `nil` if it is damaged.
    private static func header(_ tail: [UInt8]) -> TailHeader? {
        guard case .header(let header) = try? TailHeader.found(in: tail) else { return nil }
        return header
    }

    /// The events in the tail, in any order. This method finds an event even if the group around it is damaged. It
    /// skips a file whose header names another store than `store`.
    func tailEvents(of store: StoreID?) throws -> ContiguousArray<FoundEvent> {
        var events: ContiguousArray<FoundEvent> = []
        for (index, tail) in tails.enumerated() {
            if let store, let owner = Self.header(tail)?.store, owner != store { continue }
            try tail.withUnsafeBytes { bytes in
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
        guard let store else { return places }
        for tail in tails {
            guard let header = Self.header(tail), header.store == store else { continue }
            for (frame, _) in (try? TailFileContents(tail).round(from: header.byteCount)) ?? [] {
                for (name, position) in frame.consumers {
                    guard let position, position.sequence >= places[name]?.sequence ?? .zero else { continue }
                    places[name] = position
                }
            }
        }
        return places
    }
}
