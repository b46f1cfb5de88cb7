internal import TidelogCore

/// The destination of a value that was read: the next field of a row, or the next element of a list.
protocol ValueSink: ~Copyable {
    mutating func put(text: UnsafeRawBufferPointer)
    mutating func put(_ value: Int64)
    mutating func put(_ value: Double)
    mutating func put(_ value: Bool)
    mutating func put(_ value: some TemporalText)
    mutating func putEmbedded<Failure: Error>(_ body: (inout RowEncoder) throws(Failure) -> Void) throws(Failure)
    mutating func putList<Failure: Error>(_ body: (inout ListEncoder) throws(Failure) -> Void) throws(Failure)
}

extension RowEncoder: ValueSink {
    mutating func put(text: UnsafeRawBufferPointer) { encode(bytes: text) }
    mutating func put(_ value: Int64) { encode(value) }
    mutating func put(_ value: Double) { encode(value) }
    mutating func put(_ value: Bool) { encode(value) }
    mutating func put(_ value: some TemporalText) { encode(value) }
    mutating func putEmbedded<Failure: Error>(
        _ body: (inout RowEncoder) throws(Failure) -> Void
    ) throws(Failure) { try encodeEmbedded(body) }
    mutating func putList<Failure: Error>(
        _ body: (inout ListEncoder) throws(Failure) -> Void
    ) throws(Failure) { try encodeList(body) }
}

extension ListEncoder: ValueSink {
    mutating func put(text: UnsafeRawBufferPointer) { append(bytes: text) }
    mutating func put(_ value: Int64) { append(value) }
    mutating func put(_ value: Double) { append(value) }
    mutating func put(_ value: Bool) { append(value) }
    mutating func put(_ value: some TemporalText) { append(value) }
    mutating func putEmbedded<Failure: Error>(
        _ body: (inout RowEncoder) throws(Failure) -> Void
    ) throws(Failure) { try appendEmbedded(body) }
    mutating func putList<Failure: Error>(
        _ body: (inout ListEncoder) throws(Failure) -> Void
    ) throws(Failure) { try appendList(body) }
}
