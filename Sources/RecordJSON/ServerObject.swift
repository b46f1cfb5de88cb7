@_spi(Adapters) package import TidelogCore
internal import TidelogJSON

/// A record from an object in a GraphQL server's response.
package struct ServerObject: Sendable {
    /// The part of the record that the reader has read from the object.
    package enum Content: Sendable, Hashable {
        /// The record's row is in this range of the arena.
        case row(Range<Int>)
        /// The id of a record that the server has deleted. The reader reads no other field of such a record, because a server
        /// may leave out the rest.
        case deletion(RecordID)
    }

    /// The row, or the id of a deleted record.
    package let content: Content
    /// The server's metadata of the record; `nil` if the object has no usable metadata.
    ///
    /// Metadata is usable if `_version` and `_lastChangedAt` are written as integers and are not negative, and if `_deleted` is
    /// a boolean, `null` or missing. A state that is not `nil` always has a version.
    package let state: ServerState?

    /// The metadata of the server's object that is being read.
    struct Metadata {
        /// A member with metadata.
        enum Member: UInt8 {
            case version, lastChangedAt, deleted

            init?(_ key: JSONStringSlice) {
                if key.matches("_version") {
                    self = .version
                } else if key.matches("_lastChangedAt") {
                    self = .lastChangedAt
                } else if key.matches("_deleted") {
                    self = .deleted
                } else {
                    return nil
                }
            }

            var name: String {
                switch self {
                case .version: "_version"
                case .lastChangedAt: "_lastChangedAt"
                case .deleted: "_deleted"
                }
            }
        }

        /// One bit for each member that the object has.
        private var given: UInt8 = 0
        private var version: Int64?
        private var lastChangedAt: Int64?
        /// Whether the record is deleted; `nil` if the value is neither a boolean nor null.
        private var isDeleted: Bool? = false

        /// Whether the object says that the server deleted the record, even if it has no usable version.
        var saysDeleted: Bool { isDeleted == true }

        /// The metadata; `nil` if it is not usable.
        var state: ServerState? {
            guard let version, let lastChangedAt, let isDeleted else { return nil }
            return ServerState(version: UInt64(version), lastChangedAt: lastChangedAt, isDeleted: isDeleted)
        }

        /// Stores the value of `member`, given as valid JSON text. Returns false if the object has the member twice.
        mutating func take(_ member: Member, _ text: UnsafeRawBufferPointer) -> Bool {
            let bit: UInt8 = 1 << member.rawValue
            guard given & bit == 0 else { return false }
            given |= bit
            switch member {
            case .version: version = Self.integer(text)
            case .lastChangedAt: lastChangedAt = Self.integer(text)
            case .deleted:
                isDeleted =
                    switch String(decoding: text, as: UTF8.self) {
                    case "true": true
                    case "false", "null": false
                    default: nil
                    }
            }
            return true
        }

        /// The number in `text`; `nil` if the text has other characters than digits, or if the number is too large.
        private static func integer(_ text: UnsafeRawBufferPointer) -> Int64? {
            guard text.allSatisfy({ (48...57).contains($0) }) else { return nil }
            return Int64(String(decoding: text, as: UTF8.self))
        }
    }
}
