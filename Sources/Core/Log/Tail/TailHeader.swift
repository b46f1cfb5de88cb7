internal import CChecksum

/// The header of a tail's file. It names the log that the file belongs to.
struct TailHeader: Sendable, Hashable {
    let store: StoreID
    /// The incarnation of the store that wrote the file. It is `nil` in version 1, whose header has no incarnation.
    let incarnation: UInt64?
    /// The uptime in which every group of the file was written. It is empty if the uptime is not known.
    let uptime: String

    /// The offset of the first group in the file.
    var byteCount: Int {
        incarnation == nil ? TailFormat.firstFileHeaderByteCount : TailFormat.fileHeaderByteCount
    }

    /// The result of reading the header of a file.
    enum Found: Hashable {
        /// Nothing was written to the file yet, or there is no file.
        case nothing
        /// The checksum of the header is wrong.
        case damaged
        case header(TailHeader)
    }

    init(store: StoreID, incarnation: UInt64, uptime: String) {
        let room = TailFormat.fileHeaderByteCount - TailFormat.FileOffset.uptime
        self.store = store
        self.incarnation = incarnation
        self.uptime = uptime.utf8.count <= room ? uptime : ""
    }

    private init(store: StoreID, extension bytes: UnsafeRawBufferPointer?) {
        self.store = store
        guard let bytes, let base = bytes.baseAddress else {
            incarnation = nil
            uptime = ""
            return
        }
        incarnation = base.load(TailFormat.FileOffset.incarnation, as: UInt64.self)
        let text = bytes[TailFormat.FileOffset.uptime...]
            .prefix(Int(base.load(TailFormat.FileOffset.uptimeByteCount, as: UInt16.self)))
        uptime = String(decoding: text, as: UTF8.self)
    }

    /// Whether the file, which is in `directory`, was written in the present uptime. None of its groups can then be lost.
    func isOfPresentUptime(in directory: String) -> Bool {
        !uptime.isEmpty && Uptime(of: directory).continues(Uptime(uptime))
    }

    // MARK: Bytes

    /// The bytes of the header.
    var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: TailFormat.fileHeaderByteCount)
        bytes.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress, let incarnation else {
                preconditionFailure("a header is written in the latest version")
            }
            base.store(TailFormat.magic, at: TailFormat.FileOffset.magic)
            base.store(TailFormat.version, at: TailFormat.FileOffset.version)
            base.store(store.high, at: TailFormat.FileOffset.store)
            base.store(store.low, at: TailFormat.FileOffset.store + 8)
            base.store(incarnation, at: TailFormat.FileOffset.incarnation)
            base.store(UInt16(uptime.utf8.count), at: TailFormat.FileOffset.uptimeByteCount)
            UnsafeMutableRawBufferPointer(rebasing: bytes[TailFormat.FileOffset.uptime...])
                .copyBytes(from: uptime.utf8)
            base.store(Self.checksum(UnsafeRawPointer(base)), at: TailFormat.FileOffset.checksum)
            base.store(Self.extensionChecksum(UnsafeRawPointer(base)), at: TailFormat.FileOffset.extensionChecksum)
        }
        return bytes
    }

    /// The header of the file at `path`.
    ///
    /// - Throws: ``DataStoreError``: `newerFormat`, `inputOutput`.
    static func found(in path: String) throws -> Found {
        guard let file = try TailFileReader(path) else { return .nothing }
        return try found(in: file.bytes(at: 0, count: TailFormat.fileHeaderByteCount))
    }

    /// The header at the beginning of a file's `bytes`.
    ///
    /// - Throws: ``DataStoreError`` with code `newerFormat`.
    static func found(in bytes: [UInt8]) throws -> Found {
        try bytes.withUnsafeBytes { bytes in
            let count = TailFormat.firstFileHeaderByteCount
            let header = UnsafeRawBufferPointer(rebasing: bytes.prefix(TailFormat.fileHeaderByteCount))
            guard header.prefix(count).contains(where: { $0 != 0 }) else { return .nothing }
            guard header.count >= count, let base = header.baseAddress,
                base.load(TailFormat.FileOffset.magic, as: UInt64.self) == TailFormat.magic,
                base.load(TailFormat.FileOffset.checksum, as: UInt32.self) == checksum(base)
            else { return .damaged }
            let version = base.load(TailFormat.FileOffset.version, as: UInt32.self)
            guard version <= TailFormat.version else { throw DataStoreError.newerLog(version) }
            let store = StoreID(
                high: base.load(TailFormat.FileOffset.store, as: UInt64.self),
                low: base.load(TailFormat.FileOffset.store + 8, as: UInt64.self))
            if version == 1 { return .header(TailHeader(store: store, extension: nil)) }
            guard header.count == TailFormat.fileHeaderByteCount,
                base.load(TailFormat.FileOffset.extensionChecksum, as: UInt32.self) == extensionChecksum(base)
            else { return .damaged }
            return .header(TailHeader(store: store, extension: header))
        }
    }

    /// The checksum over the bytes that all versions have. All versions also have this checksum.
    private static func checksum(_ base: UnsafeRawPointer) -> UInt32 {
        let first = tidelog_crc32c(0, base, TailFormat.FileOffset.checksum)
        return tidelog_crc32c(first, base + TailFormat.FileOffset.store, 16)
    }

    private static func extensionChecksum(_ base: UnsafeRawPointer) -> UInt32 {
        let first = tidelog_crc32c(0, base + TailFormat.FileOffset.incarnation, 8)
        let rest = TailFormat.FileOffset.uptimeByteCount
        return tidelog_crc32c(first, base + rest, TailFormat.fileHeaderByteCount - rest)
    }
}
