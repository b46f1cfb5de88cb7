internal import TidelogCore
internal import TidelogLMDB

/// Searches for events in every page of a log's file. The search ignores what the pages contain about themselves. Each
/// event has its own length and number, and its checksum tells whether it really is an event.
///
/// Events begin at even offsets. An event that does not fit into a page begins where the contents of an overflow page begin.
/// Free pages, and the gaps in pages that are in use, contain older copies of events. The scan finds these copies too.
struct EventScan {
    private let pages: DataFilePages
    private(set) var events: ContiguousArray<FoundEvent> = []

    /// The number of bytes that one read returns.
    private static let windowByteCount = 1 << 20
    private static let overflowOffset = 16
    /// The largest length of an event.
    private static let longestByteCount = Limits.commitByteCount

    init(_ pages: DataFilePages) { self.pages = pages }

    /// - Parameter progress: Called with the number of bytes of the file that were read.
    mutating func run(progress: (Int) throws -> Void = { _ in }) throws {
        let pageSize = pages.pageSize
        var offset = 0
        while offset < pages.byteCount {
            let window = try pages.read(max(Self.windowByteCount, pageSize), at: offset)
            guard !window.isEmpty else { return }
            // The offset at which the scan continues. An event may extend beyond the window.
            var next = offset + window.count
            try window.withUnsafeBytes { window in
                var start = 0
                while start < window.count {
                    let page = UnsafeRawBufferPointer(rebasing: window[start..<min(start + pageSize, window.count)])
                    let end = try scan(page, at: offset + start)
                    start += max(1, (end - offset - start + pageSize - 1) / pageSize) * pageSize
                }
                next = max(next, offset + start)
            }
            offset = next
            try progress(min(offset, pages.byteCount))
        }
    }

    /// Searches for events that begin in one page. Returns the offset at which the last of them ends.
    private mutating func scan(_ page: UnsafeRawBufferPointer, at offset: Int) throws -> Int {
        guard let base = page.baseAddress else { return offset }
        let pointer = UnsafeRawPointer(base)
        var place = 0
        var end = offset
        while place + EventFormat.headerByteCount <= page.count {
            let length = Int(pointer.load(place, as: UInt32.self))
            guard length >= EventFormat.headerByteCount, length <= Self.longestByteCount,
                Self.isPlausible(pointer + place, length)
            else {
                place += 2
                continue
            }
            let found: FoundEvent?
            if place + length <= page.count {
                found = try Self.event(UnsafeRawBufferPointer(rebasing: page[place..<place + length]), offset + place)
            } else if place == Self.overflowOffset {
                found = try pages.read(length, at: offset + place).withUnsafeBytes {
                    $0.count == length ? try Self.event($0, offset + place) : nil
                }
            } else {
                found = nil
            }
            if let found { events.append(found) }
            // The bytes of a whole event are skipped, because a record may contain bytes that look like an event.
            place += found == nil ? 2 : (length + 1) & ~1
            if found != nil { end = offset + place }
        }
        return end
    }

    /// The event at the beginning of `bytes`, whose first byte is at `offset` in the file. The result is `nil` if there
    /// is no whole event.
    static func event(in bytes: UnsafeRawBufferPointer, at offset: Int) throws -> FoundEvent? {
        guard bytes.count >= EventFormat.headerByteCount, let base = bytes.baseAddress.map({ UnsafeRawPointer($0) }),
            case let length = Int(base.load(0, as: UInt32.self)),
            (EventFormat.headerByteCount...bytes.count).contains(length), isPlausible(base, length)
        else { return nil }
        return try event(UnsafeRawBufferPointer(rebasing: bytes[..<length]), offset)
    }

    private static func event(_ bytes: UnsafeRawBufferPointer, _ offset: Int) throws -> FoundEvent? {
        do throws(EventDamage) { return try FoundEvent(bytes, at: offset) } catch {
            let base = bytes.baseAddress.map { UnsafeRawPointer($0) }
            let sequence = base?.load(EventFormat.Offset.sequence, as: UInt64.self) ?? 0
            throw DataStoreError.damagedEvent(error, at: SequenceNumber(sequence))
        }
    }

    /// Whether an event of `length` bytes may begin at `header`. This check is fast, so that most checksums need not be
    /// computed.
    @inline(__always)
    private static func isPlausible(_ header: UnsafeRawPointer, _ length: Int) -> Bool {
        let format = header.load(EventFormat.Offset.format, as: UInt8.self)
        let kind = header.load(EventFormat.Offset.kind, as: UInt8.self)
        guard format &- 1 < 16, kind &- 1 < 64 else { return false }
        let keyByteCount = Int(header.load(EventFormat.Offset.keyLength, as: UInt16.self))
        let conditionByteCount = Int(header.load(EventFormat.Offset.conditionLength, as: UInt32.self))
        return keyByteCount <= Limits.keyByteCount
            && header.load(EventFormat.Offset.indexInCommit, as: UInt32.self) <= Limits.commitEventCount
            && EventFormat.headerByteCount + keyByteCount + conditionByteCount <= length
    }
}
