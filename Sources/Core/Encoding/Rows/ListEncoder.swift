/// Writes the elements of a list field.
public struct ListEncoder: ~Copyable {
    private let arena: ByteArena.Memory
    private let embedded: RowLayout?
    private let depth: Int
    private let start: Int
    private var elementCount: UInt32 = 0
    private var failure: String?

    static let missingElement = UInt32.max

    init(arena: ByteArena, embedded: RowLayout?, depth: Int) {
        self.init(arena: arena.memory, embedded: embedded, depth: depth)
    }

    init(arena: ByteArena.Memory, embedded: RowLayout?, depth: Int) {
        self.arena = arena
        self.embedded = embedded
        self.depth = depth
        start = arena.count
        arena.reserve(4)
        arena.count += 4
    }

    /// Writes a missing value as the next element.
    public mutating func appendMissing() {
        arena.reserve(4).store(Self.missingElement, at: 0)
        arena.count += 4
        elementCount += 1
    }

    /// Writes the next element: `value`, an `ID`, `String` or enum.
    public mutating func append(_ value: String) {
        element { $0.append(value) }
    }

    /// Writes the next element from its encoded `bytes` (FORMATS, section 4). For a text, these are its UTF-8 bytes.
    package mutating func append(bytes: UnsafeRawBufferPointer) { element { $0.append(bytes) } }

    /// Writes the next element: `value`, an `Int`.
    public mutating func append(_ value: Int) { append(Int64(value)) }

    /// Writes the next element: `value`, an `Int`.
    public mutating func append(_ value: Int64) {
        element {
            $0.reserve(8).store(value, at: 0)
            $0.count += 8
        }
    }

    /// Writes the next element: `value`, a finite `Float`.
    public mutating func append(_ value: Double) {
        if !value.isFinite { failure = failure ?? "a Float is not finite" }
        append(Int64(bitPattern: (value == 0 ? 0 : value).bitPattern))
    }

    /// Writes the next element: `value`, a `Boolean`.
    public mutating func append(_ value: Bool) {
        element {
            $0.reserve(1).store(UInt8(value ? 1 : 0), at: 0)
            $0.count += 1
        }
    }

    /// Writes the next element: `value`, a temporal.
    public mutating func append(_ value: some TemporalText) {
        element { $0.appendTemporal(value.instant, value.text) }
    }

    /// Writes the next element: `value`, an `AWSTimestamp`.
    public mutating func append(_ value: Temporal.Timestamp) { append(value.seconds) }

    /// Writes an embedded value as the next element. `body` writes its fields.
    ///
    /// - Throws: any error of `body`. The list cannot be used any further after an error.
    public mutating func appendEmbedded<Failure: Error>(
        _ body: (inout RowEncoder) throws(Failure) -> Void
    ) throws(Failure) {
        guard let embedded else { preconditionFailure("the list holds no embedded values") }
        guard depth < Limits.nestingDepth else {
            failure = failure ?? "values nest deeper than \(Limits.nestingDepth)"
            return
        }
        var reason: String?
        let depth = depth + 1
        try element { (arena) throws(Failure) in
            var nested = RowEncoder(arena: arena, plan: embedded.plan, depth: depth)
            try body(&nested)
            reason = nested.finish()?.description
        }
        failure = failure ?? reason
    }

    /// Writes a list as the next element. `body` writes its elements.
    ///
    /// - Throws: any error of `body`. The list cannot be used any further after an error.
    public mutating func appendList<Failure: Error>(
        _ body: (inout ListEncoder) throws(Failure) -> Void
    ) throws(Failure) {
        guard depth < Limits.nestingDepth else {
            failure = failure ?? "values nest deeper than \(Limits.nestingDepth)"
            return
        }
        var reason: String?
        let (embedded, depth) = (embedded, depth + 1)
        try element { (arena) throws(Failure) in
            var nested = ListEncoder(arena: arena, embedded: embedded, depth: depth)
            try body(&nested)
            reason = nested.finish()
        }
        failure = failure ?? reason
    }

    private mutating func element<Failure: Error>(_ body: (ByteArena.Memory) throws(Failure) -> Void) throws(Failure) {
        let lengthOffset = arena.count
        arena.reserve(4)
        arena.count += 4
        try body(arena)
        (arena.base + lengthOffset).store(UInt32(truncatingIfNeeded: arena.count - lengthOffset - 4), at: 0)
        elementCount += 1
    }

    consuming func finish() -> String? {
        (arena.base + start).store(elementCount, at: 0)
        return failure
    }
}

extension ByteArena.Memory {
    func appendTemporal(_ instant: Temporal.Instant, _ text: String) {
        let base = reserve(RowView.instantByteCount)
        base.store(instant.seconds, at: 0)
        base.store(instant.nanoseconds, at: 8)
        count += RowView.instantByteCount
        append(text)
    }
}
