/// The layout of the tail's files (FORMATS, section 2.1).
enum TailFormat {
    static let version: UInt32 = 2
    /// `TIDETAIL`, read as a little-endian number.
    static let magic: UInt64 = 0x4C49_4154_4544_4954
    static let fileHeaderByteCount = 512
    /// The length of the header in version 1, which ended with the store's id.
    static let firstFileHeaderByteCount = 32
    static let frameHeaderByteCount = 48
    static let consumerHeaderByteCount = 18
    static let maximumConsumerCount = Int(UInt16.max)
    /// Each frame begins at a multiple of this number.
    static let alignment = 8
    /// The largest size of a file.
    static let maximumFileByteCount = 8 << 20
    /// The step in which a file grows.
    static let growthByteCount = 512 << 10

    /// The unit of direct writes. The blocks of nearly all devices have this size or a smaller one.
    static let blockByteCount = 4096

    enum FileOffset {
        static let magic = 0
        static let version = 8
        static let checksum = 12
        static let store = 16
        static let incarnation = 32
        static let extensionChecksum = 40
        static let uptimeByteCount = 44
        static let uptime = 46
    }

    enum Offset {
        static let checksum = 0
        static let length = 4
        static let number = 8
        static let round = 16
        static let sequence = 24
        static let chain = 32
        static let eventCount = 40
        static let consumerCount = 44
        static let flags = 46
        static let reserved = 47
    }

    /// The flag of a frame that was written when everything before it was durable.
    static let followsDurable: UInt8 = 1

    static func path(_ directory: String, _ index: Int) -> String { "\(directory)/tail-\(index + 1)" }

    /// The next offset at which a frame may begin.
    static func aligned(_ byteCount: Int) -> Int { (byteCount + alignment - 1) & ~(alignment - 1) }
}
