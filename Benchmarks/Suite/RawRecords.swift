internal import CBaselines
import Tidelog

/// The same posts as the C baselines take them: the very bytes of Tidelog's events and rows.
final class RawRecords {
    private(set) var records: [baseline_record] = []
    private var buffers: [UnsafeMutableRawPointer] = []
    private(set) var logicalByteCount = 0

    static let layout = SchemaLayout(StoredSchema(first: postSchema))
    /// What an event has in front of its row: header, key, bitmap.
    private static let headerByteCount = 72
    private static let keyByteCount = 17
    private static let bitmapByteCount = 1
    static let eventLayout = baseline_event_layout(
        key_offset: UInt16(headerByteCount + 1), row_offset: UInt16(headerByteCount + keyByteCount + bitmapByteCount))

    /// Slot i's end stands at 5 + 2·i: four bytes of header, one of presence.
    static let rowLayout = baseline_row_layout(
        rating_end_position: 5 + 2 * 3,
        texts: (
            baseline_slot(end_position: 5 + 2, skip: 0), baseline_slot(end_position: 5 + 4, skip: 0),
            baseline_slot(end_position: 5 + 8, skip: 0), baseline_slot(end_position: 5 + 10, skip: 0),
            baseline_slot(end_position: 5 + 12, skip: 0)
        ))

    init(_ posts: some Collection<Post>) throws {
        guard let model = Self.layout.model(named: "Post") else { preconditionFailure("the schema has the model") }
        records.reserveCapacity(posts.count)
        for post in posts { try append(post, model) }
    }

    deinit { for buffer in buffers { buffer.deallocate() } }

    private func append(_ post: Post, _ model: ModelLayout) throws {
        let values: [String: FieldValue] = [
            "id": .string(post.id), "title": .string(post.title), "content": .string(post.content),
            "rating": .int(Int64(post.rating)), "status": .string(post.status), "createdAt": .string(post.createdAt),
            "updatedAt": .string(post.updatedAt),
        ]
        let encoded = try EncodedRow(Record(model: "Post", values: values), layout: model)
        let texts = [post.id, post.title, post.content, post.status, post.createdAt, post.updatedAt]
        let prefix = Self.headerByteCount + Self.keyByteCount + Self.bitmapByteCount
        let eventByteCount = prefix + encoded.bytes.count
        let byteCount = eventByteCount + texts.reduce(0) { $0 + $1.utf8.count }
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 8)
        buffers.append(buffer)
        buffer.initializeMemory(as: UInt8.self, repeating: 0, count: prefix)
        (buffer + Self.headerByteCount).copyMemory(from: encoded.key, byteCount: encoded.key.count)
        (buffer + prefix).copyMemory(from: encoded.bytes, byteCount: encoded.bytes.count)
        var record = baseline_record()
        withUnsafeMutableBytes(of: &record.key) { $0.copyBytes(from: encoded.key.dropFirst()) }
        record.event = UnsafePointer(buffer.assumingMemoryBound(to: UInt8.self))
        record.event_length = UInt32(eventByteCount)
        record.row = UnsafePointer((buffer + prefix).assumingMemoryBound(to: UInt8.self))
        record.row_length = UInt32(encoded.bytes.count)
        record.rating = Int64(post.rating)
        var position = buffer + eventByteCount
        var pieces: [baseline_text] = []
        for text in texts {
            let utf8 = Array(text.utf8)
            position.copyMemory(from: utf8, byteCount: utf8.count)
            pieces.append(
                baseline_text(
                    bytes: UnsafePointer(position.assumingMemoryBound(to: UInt8.self)), length: UInt32(utf8.count)))
            position += utf8.count
        }
        record.identifier = pieces[0]
        record.texts = (pieces[1], pieces[2], pieces[3], pieces[4], pieces[5])
        logicalByteCount += encoded.bytes.count
        records.append(record)
    }
}
