package struct EventFlags: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let lastInCommit = EventFlags(rawValue: 1 << 0)
    package static let remote = EventFlags(rawValue: 1 << 1)
    package static let encrypted = EventFlags(rawValue: 1 << 2)
    package static let compressed = EventFlags(rawValue: 1 << 3)
    package static let hasServerSection = EventFlags(rawValue: 1 << 4)
    package static let hasAnswerSection = EventFlags(rawValue: 1 << 5)
    package static let rowIsAbsent = EventFlags(rawValue: 1 << 6)
    package static let bulk = EventFlags(rawValue: 1 << 7)
    package static let migrated = EventFlags(rawValue: 1 << 8)
    package static let salvaged = EventFlags(rawValue: 1 << 9)
    package static let shadowed = EventFlags(rawValue: 1 << 10)

    /// The flags that this version can read.
    static let known: EventFlags = [
        .lastInCommit, .remote, .hasServerSection, .hasAnswerSection, .rowIsAbsent, .bulk, .migrated, .salvaged,
        .shadowed,
    ]
}
