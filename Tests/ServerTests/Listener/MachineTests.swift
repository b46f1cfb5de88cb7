import SeededNumbers
import Testing

@testable import TidelogServer

@Suite("Reading requests")
struct MachineTests {
    private static func steps(_ bytes: [UInt8], piece: (Int) -> Int) -> [String] {
        var parser = HTTPRequestParser(limits: ListenerLimits())
        var steps: [String] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = min(max(1, piece(rest.count)), rest.count)
            Array(rest.prefix(count)).withUnsafeBytes { parser.append($0) }
            rest = rest.dropFirst(count)
            reading: while true {
                switch parser.next() {
                case .incomplete: break reading
                case .header: parser.admit(nil)
                case .request(let request):
                    steps.append("\(request.method) \(request.target) \(request.headers.fields) \(request.body)")
                case .refused(let refusal): return steps + ["\(refusal)"]
                }
            }
        }
        return steps
    }

    private static let requests = Array(
        ("\r\nGET /a?b=c HTTP/1.1\r\nHost: x\r\nX: y\r\n\r\n"
            + "POST /d HTTP/1.1\r\nHost: x\r\nContent-Length: 12\r\n\r\nhello, world"
            + "POST /e HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n2\r\n, \r\n0\r\nT: u\r\n\r\n"
            + "GET http://host/f HTTP/1.0\r\n\r\nOPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n").utf8)

    @Test("requests are read the same way however their bytes are cut")
    func requestPieces() {
        let whole = Self.steps(Self.requests) { $0 }
        #expect(whole.count == 5)
        #expect(whole[2].hasSuffix("\(Array("hello, ".utf8))"))
        for size in 1...Self.requests.count { #expect(Self.steps(Self.requests) { _ in size } == whole) }
    }

    @Test("the beginning of a TLS handshake is recognised, and no other bytes are")
    func handshakes() {
        for minor in [1, 3] as [UInt8] {
            let bytes: [UInt8] = [0x16, 0x03, minor, 0x02, 0x00, 0x01]
            for size in 1...bytes.count { #expect(Self.steps(bytes) { _ in size } == ["encrypted"]) }
        }
        #expect(Self.steps([0x16]) { $0 } == [])
        for bytes in [[0x16, 0x04], [0x15, 0x03], [0x16, 0x16, 0x03]] as [[UInt8]] {
            #expect(Self.steps(bytes) { $0 }.first?.hasPrefix("malformed") == true)
        }
        // A handshake can also follow a request.
        #expect(Self.steps(Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8) + [0x16, 0x03]) { $0 }.last == "encrypted")
    }

    @Test("the parser keeps little more than the unread bytes, even if a client never stops sending requests")
    func pipelining() {
        var parser = HTTPRequestParser(limits: ListenerLimits())
        let bodies =
            "POST /d HTTP/1.1\r\nHost: x\r\nContent-Length: 2000\r\n\r\n" + String(repeating: "b", count: 2_000)
        let requests = Array((bodies + "GET /a HTTP/1.1\r\nHost: x\r\n\r\n").utf8)
        var count = 0
        for _ in 0..<2_000 {
            // The parser always has another request before it reads the current one.
            while parser.unreadCount < 2 * requests.count { requests.withUnsafeBytes { parser.append($0) } }
            let held = parser.unreadCount + HTTPRequestParser.keptByteCount + requests.count
            switch parser.next() {
            case .header: parser.admit(nil)
            case .request: count += 1
            case .incomplete, .refused: Issue.record("every request is whole")
            }
            #expect(parser.buffer.count <= held)
        }
        #expect(count > 1_000)
    }

    @Test("mutated requests are read or refused, with the same result however their bytes are cut")
    func requestFuzz() {
        var random = SeededGenerator(0x5EED_0001)
        for _ in 0..<20_000 {
            var bytes = Self.requests
            for _ in 0..<Int.random(in: 1...6, using: &random) { Self.mutate(&bytes, &random) }
            let whole = Self.steps(bytes) { $0 }
            let pieces = Self.steps(bytes) { _ in Int.random(in: 1...40, using: &random) }
            #expect(whole == pieces, "\(String(decoding: bytes, as: UTF8.self))")
        }
    }

    private static func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let place = Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 2: bytes.remove(at: place)
        case 3: bytes.insert(bytes[Int.random(in: bytes.indices, using: &random)], at: place)
        default: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 0...20, using: &random)))
        }
    }
}
