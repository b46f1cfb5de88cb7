internal import CBaselines
@_spi(Adapters) import Tidelog

/// Posts for the C baselines, with exactly the bytes of Tidelog's events and rows. The memory is reused for each chunk, so that
/// its size does not change while an engine is measured.
final class RawRecords {
    private(set) var records: [baseline_record] = []
    private let buffer: RecordMemory
    private let encoder = PostEncoder()

    /// The bytes of an event before its row: the header, the key and the bitmap.
    private static let headerByteCount = 72
    private static let keyByteCount = 17
    private static let bitmapByteCount = 1
    private static let prefixByteCount = headerByteCount + keyByteCount + bitmapByteCount
    static let eventLayout = baseline_event_layout(
        key_offset: UInt16(headerByteCount + 1), row_offset: UInt16(prefixByteCount))
    /// This is more than a post takes as an event and as texts.
    private static let postByteCount = 1_024

    /// The end of slot i is at byte 5 + 2·i, after four bytes of header and one byte of presence.
    static let rowLayout = baseline_row_layout(
        rating_end_position: 5 + 2 * 3,
        texts: (
            baseline_slot(end_position: 5 + 2, skip: 0), baseline_slot(end_position: 5 + 4, skip: 0),
            baseline_slot(end_position: 5 + 8, skip: 0), baseline_slot(end_position: 5 + 10, skip: 0),
            baseline_slot(end_position: 5 + 12, skip: 0)
        ))

    /// Makes room for `capacity` posts.
    init(capacity: Int) {
        buffer = RecordMemory(byteCount: capacity * Self.postByteCount)
        records.reserveCapacity(capacity)
    }

    /// Replaces the content by `posts`.
    func fill(_ posts: [Post]) throws {
        records.removeAll(keepingCapacity: true)
        buffer.count = 0
        for post in posts { try append(post) }
    }

    private func append(_ post: Post) throws {
        let row = encoder.encode(post)
        let key = try PostEncoder.model.primaryKey(of: RowView(row))
        precondition(key.count == Self.keyByteCount, "the key of a UUID has a tag and 16 bytes")
        let event = buffer.appendZeros(Self.headerByteCount)
        key.withUnsafeBytes { _ = buffer.append($0) }
        _ = buffer.appendZeros(Self.bitmapByteCount)
        let stored = buffer.append(row)
        var record = baseline_record()
        withUnsafeMutableBytes(of: &record.key) { $0.copyBytes(from: key.dropFirst()) }
        record.event = UnsafePointer(event)
        record.event_length = UInt32(Self.prefixByteCount + row.count)
        record.row = UnsafePointer(stored)
        record.row_length = UInt32(row.count)
        record.rating = Int64(post.rating)
        record.identifier = append(post.id)
        record.texts = (
            append(post.title), append(post.content), append(post.status), append(post.createdAt),
            append(post.updatedAt)
        )
        records.append(record)
    }

    private func append(_ text: String) -> baseline_text {
        var text = text
        return text.withUTF8 { utf8 in
            baseline_text(bytes: UnsafePointer(buffer.append(UnsafeRawBufferPointer(utf8))), length: UInt32(utf8.count))
        }
    }
}

/// Memory that is filled from the start and never moves.
private final class RecordMemory {
    private let base: UnsafeMutableRawBufferPointer
    var count = 0

    init(byteCount: Int) { base = .allocate(byteCount: byteCount, alignment: 16) }

    deinit { base.deallocate() }

    private func reserve(_ byteCount: Int) -> UnsafeMutableRawBufferPointer {
        precondition(count + byteCount <= base.count, "the posts fit the room made for them")
        defer { count += byteCount }
        return UnsafeMutableRawBufferPointer(rebasing: base[count..<count + byteCount])
    }

    private func start(_ bytes: UnsafeMutableRawBufferPointer) -> UnsafeMutablePointer<UInt8> {
        guard let base = bytes.baseAddress else { preconditionFailure("nothing empty is stored") }
        return base.assumingMemoryBound(to: UInt8.self)
    }

    func append(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutablePointer<UInt8> {
        let target = reserve(bytes.count)
        target.copyMemory(from: bytes)
        return start(target)
    }

    func appendZeros(_ byteCount: Int) -> UnsafeMutablePointer<UInt8> {
        let target = reserve(byteCount)
        target.initializeMemory(as: UInt8.self, repeating: 0)
        return start(target)
    }
}
