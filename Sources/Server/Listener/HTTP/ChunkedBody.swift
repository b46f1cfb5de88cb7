/// Reads a chunked body: RFC 9112, section 7.1. The reader ignores extensions and trailers, and limits their size like that of
/// a header.
struct ChunkedBody {
    enum Outcome {
        case incomplete
        case complete
        case refused(HTTPRefusal)
    }

    private enum State {
        case size
        case data(remaining: Int)
        case endOfData
        case trailer
    }

    private var state = State.size
    /// The bytes of chunk sizes and trailers so far. They do not count for the limit of the body.
    private var lineBytes = 0
    /// The position in the latest bytes up to which the reader has read.
    private(set) var position = 0

    /// Continues to read with `bytes`, and appends the contents of the chunks to `body`.
    mutating func read(_ bytes: ArraySlice<UInt8>, into body: inout [UInt8], limits: ListenerLimits) -> Outcome {
        var rest = bytes
        position = bytes.startIndex
        while true {
            if case .data(let remaining) = state {
                let count = min(remaining, rest.count)
                body.append(contentsOf: rest.prefix(count))
                rest = rest.dropFirst(count)
                position = rest.startIndex
                state = count == remaining ? .endOfData : .data(remaining: remaining - count)
                if count < remaining { return .incomplete }
                continue
            }
            guard let end = rest.firstIndex(of: 0x0A) else {
                return lineBytes + rest.count > limits.maximumHeaderBytes ? .refused(.headersTooLarge) : .incomplete
            }
            let line = rest[rest.startIndex..<end]
            guard line.last == 0x0D, !line.dropLast().contains(where: { $0 < 0x20 && $0 != 0x09 }) else {
                return .refused(.malformed("a line of its body does not end with CR LF"))
            }
            lineBytes += line.count + 1
            guard lineBytes <= max(limits.maximumHeaderBytes, body.count) else { return .refused(.headersTooLarge) }
            rest = rest[(end + 1)...]
            position = rest.startIndex
            if let outcome = lineEnded(line.dropLast(), bodyCount: body.count, limits: limits) { return outcome }
        }
    }

    private mutating func lineEnded(_ line: ArraySlice<UInt8>, bodyCount: Int, limits: ListenerLimits) -> Outcome? {
        switch state {
        case .size:
            let digits = line.prefix { $0.hexadecimalDigit != nil }
            // Blanks may precede an extension, which begins with a semicolon.
            let rest = line.dropFirst(digits.count).drop { $0 == 0x20 || $0 == 0x09 }
            guard (1...8).contains(digits.count), rest.first ?? 0x3B == 0x3B else {
                return .refused(.malformed("the size of a chunk is no number"))
            }
            let size = digits.reduce(0) { $0 << 4 | Int($1.hexadecimalDigit ?? 0) }
            guard bodyCount + size <= limits.maximumBodyBytes else {
                return .refused(.bodyTooLarge(limit: limits.maximumBodyBytes))
            }
            state = size == 0 ? .trailer : .data(remaining: size)
        case .endOfData:
            guard line.isEmpty else { return .refused(.malformed("a chunk is longer than its size")) }
            state = .size
        case .trailer:
            if line.isEmpty { return .complete }
        case .data: preconditionFailure("data has no lines")
        }
        return nil
    }
}
