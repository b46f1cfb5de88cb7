/// The layout of an event's header (FORMATS, section 3).
package enum EventFormat {
    package static let version: UInt8 = 1
    package static let headerByteCount = 72
    /// The offset of the first byte that the checksum covers.
    package static let bodyOffset = 16
    package static let serverSectionByteCount = 28
    package static let answerSectionByteCount = 24

    package enum Offset {
        package static let length = 0
        package static let checksum = 4
        package static let chain = 8
        package static let sequence = 16
        package static let previous = 24
        package static let wallClock = 32
        package static let incarnation = 40
        package static let indexInCommit = 48
        package static let schemaVersion = 52
        package static let model = 56
        package static let format = 60
        package static let kind = 61
        package static let flags = 62
        package static let keyLength = 64
        package static let bitmapLength = 66
        package static let conditionLength = 68
    }
}
