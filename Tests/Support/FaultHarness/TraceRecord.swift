import Foundation

/// One recorded action of a victim: a change of a file below the root, or a printed line. Paths are relative to the root.
public struct TraceRecord: Sendable {
    /// The number that identifies a file for the operating system. It may be reused after the file is deleted.
    public struct FileNumber: Hashable, Sendable {
        let device: UInt64
        let inode: UInt64
    }

    /// The outcome of a sync.
    public enum SyncOutcome: Sendable, Equatable {
        /// The changes that the sync covers are durable.
        case succeeded
        /// The sync was skipped on purpose.
        case skipped
        /// A call that makes nothing durable (`sync_file_range`, `msync`).
        case partial
        /// The sync failed. The data that it should have covered may be lost.
        case failed(errno: Int32)
    }

    /// The kind of the action.
    public enum Operation: Sendable {
        /// A file was seen for the first time through a descriptor.
        case open(FileNumber, path: String)
        /// A file was created.
        case create(FileNumber, path: String)
        /// Bytes were written. `bytes` is their range in the trace.
        case write(FileNumber, offset: Int, bytes: Range<Int>, selfSynced: Bool)
        /// The size of a file was set.
        case truncate(FileNumber, size: Int)
        /// `fallocate` was called with `mode`.
        case allocate(FileNumber, offset: Int, length: Int, mode: Int)
        /// A sync began. `directory` is the path if a directory was synced. `everything` means a sync of the whole file system.
        case syncBegan(FileNumber, index: UInt64, directory: String?, everything: Bool)
        /// The sync whose first record has the index ended.
        case syncEnded(index: UInt64, SyncOutcome)
        /// A name changed, or two names were exchanged.
        case rename(from: String, to: String, exchanges: Bool)
        /// A file got a second name.
        case link(from: String, to: String)
        /// A name was removed.
        case unlink(path: String)
        /// A directory was created.
        case makeDirectory(path: String)
        /// A directory was removed.
        case removeDirectory(path: String)
        /// A line that the victim printed.
        case acknowledge(String)
        /// A file was mapped shared and writable. The trace does not contain bytes that are stored through the mapping.
        case sharedMapping(FileNumber)
        /// The plan killed the victim.
        case killed
        /// A call failed, because of the plan or for a real reason, and changed nothing.
        case failed(errno: Int32)
    }

    /// The process that performed the action.
    public let process: UInt32
    /// The kind of the action, with its values.
    public let operation: Operation
}

/// The error for a trace that cannot be used.
public enum TraceError: Error, Sendable {
    /// The bytes at the offset are not a record.
    case damaged(offset: Int)
    /// The victim performed an action below the root that images do not support.
    case unsupported(String)
    /// A call of the operating system failed.
    case system(String, errno: Int32)
}

// The layout is `tidelog_fault_record` of FaultInjection.h. Only victims load that library.
struct TraceReader {
    private static let headLength = 56
    private static let magic: UInt32 = 0x544C_4654

    let bytes: Data
    private var position = 0

    init(_ bytes: Data) {
        self.bytes = bytes
    }

    /// The next record; `nil` at the end. If a victim was killed from outside, its last record may be torn and is left out.
    mutating func next() throws -> TraceRecord? {
        guard position + Self.headLength <= bytes.count else { return nil }
        let head = position
        guard UInt32(truncatingIfNeeded: number(head, 4)) == Self.magic else { throw TraceError.damaged(offset: head) }
        let payload = head + Self.headLength..<head + Self.headLength + Int(number(head + 48, 4))
        guard payload.upperBound <= bytes.count else { return nil }
        position = payload.upperBound
        let process = UInt32(truncatingIfNeeded: number(head + 8, 4))
        return TraceRecord(process: process, operation: try operation(head, payload))
    }

    private func number(_ offset: Int, _ length: Int) -> UInt64 {
        bytes.withUnsafeBytes { raw in
            switch length {
            case 2: UInt64(UInt16(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
            case 4: UInt64(UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
            default: UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            }
        }
    }

    private func text(_ range: Range<Int>) -> String {
        String(
            decoding: bytes[bytes.startIndex + range.lowerBound..<bytes.startIndex + range.upperBound], as: UTF8.self)
    }

    private func operation(_ head: Int, _ payload: Range<Int>) throws -> TraceRecord.Operation {
        let kind = number(head + 4, 2)
        let flags = number(head + 6, 2)
        let error = Int32(truncatingIfNeeded: number(head + 12, 4))
        let file = TraceRecord.FileNumber(device: number(head + 24, 8), inode: number(head + 32, 8))
        let offset = Int(truncatingIfNeeded: number(head + 40, 8))
        if kind == 7 { return .syncEnded(index: UInt64(offset), outcome(flags, error)) }
        if flags & 4 != 0 { return .failed(errno: error) }
        switch kind {
        case 1: return .open(file, path: text(payload))
        case 2: return .create(file, path: text(payload))
        case 3: return .write(file, offset: offset, bytes: payload, selfSynced: flags & 3 == 1)
        case 4: return .truncate(file, size: offset)
        case 5:
            let length = Int(truncatingIfNeeded: number(payload.lowerBound, 8))
            let mode = Int(truncatingIfNeeded: number(payload.lowerBound + 8, 8))
            return .allocate(file, offset: offset, length: length, mode: mode)
        case 6:
            let isDirectory = flags & 64 != 0
            return .syncBegan(
                file, index: number(head + 16, 8), directory: isDirectory ? text(payload) : nil,
                everything: flags & 8 != 0)
        case 8, 9:
            let names = text(payload).split(separator: "\0", omittingEmptySubsequences: false).map(String.init)
            guard names.count == 2 else { throw TraceError.damaged(offset: head) }
            if kind == 9 { return .link(from: names[0], to: names[1]) }
            return .rename(from: names[0], to: names[1], exchanges: flags & 32 != 0)
        case 10: return .unlink(path: text(payload))
        case 11: return .makeDirectory(path: text(payload))
        case 12: return .removeDirectory(path: text(payload))
        case 13: return .acknowledge(text(payload))
        case 14: return .sharedMapping(file)
        case 15: return .killed
        default: throw TraceError.damaged(offset: head)
        }
    }

    private func outcome(_ flags: UInt64, _ error: Int32) -> TraceRecord.SyncOutcome {
        if flags & 4 != 0 { return .failed(errno: error) }
        if flags & 2 != 0 { return .skipped }
        return flags & 16 != 0 ? .partial : .succeeded
    }
}
