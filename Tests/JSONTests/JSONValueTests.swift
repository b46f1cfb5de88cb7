import Foundation
import SeededNumbers
import Testing
import TidelogJSON

@Suite("The tree of a JSON text")
struct JSONValueTests {
    /// A random tree with at most `depth` levels of arrays and objects.
    static func value(_ generator: inout SeededGenerator, depth: Int = 4) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &generator) {
        case 0: return .null
        case 1: return .bool(.random(using: &generator))
        case 2: return .int(Int64(bitPattern: generator.next()) >> Int64.random(in: 0..<64, using: &generator))
        case 3:
            let value = Double(bitPattern: generator.next())
            return .double(value.isFinite ? value : 0.5)
        case 4, 5: return .string(string(&generator))
        case 6:
            return .array(
                (0..<Int.random(in: 0..<5, using: &generator)).map { _ in value(&generator, depth: depth - 1) })
        default:
            return .object(
                (0..<Int.random(in: 0..<5, using: &generator)).map { number in
                    JSONValue.Member("\(number)" + string(&generator), value(&generator, depth: depth - 1))
                })
        }
    }

    private static func string(_ generator: inout SeededGenerator) -> String {
        var string = ""
        for _ in 0..<Int.random(in: 0..<12, using: &generator) {
            let limit: UInt32 = Bool.random(using: &generator) ? 0x80 : 0x11_0000
            // Foundation drops a byte order mark at the start of a string.
            if let scalar = Unicode.Scalar(UInt32.random(in: 0..<limit, using: &generator)), scalar != "\u{FEFF}" {
                string.unicodeScalars.append(scalar)
            }
        }
        return string
    }

    @Test("A random tree is equal after writing and parsing, in compact and in pretty style")
    func roundTrip() throws {
        var generator = SeededGenerator(6)
        for _ in 0..<3_000 {
            let value = Self.value(&generator)
            let compact = value.bytes()
            #expect(try JSONValue(parsing: compact) == value)
            #expect(try JSONValue(parsing: value.bytes(style: .pretty)) == value)
            #expect(try JSONValue(parsing: value.bytes(style: .pretty)).bytes() == compact)
        }
    }

    @Test("Foundation reads the writer's text as the same value")
    func writerAgainstFoundation() throws {
        var generator = SeededGenerator(7)
        for _ in 0..<1_500 {
            let value = Self.value(&generator)
            let object = try JSONSerialization.jsonObject(with: Data(value.bytes()), options: .fragmentsAllowed)
            #expect(isSame(value, object), "\(value)")
        }
    }

    @Test("If the reader and Foundation both accept a text, they read the same value")
    func readerAgainstFoundation() throws {
        var generator = SeededGenerator(8)
        var texts = validTexts.map { Array($0.utf8) }
        for _ in 0..<3_000 {
            var bytes = Self.value(&generator, depth: 2).bytes()
            bytes[Int.random(in: 0..<bytes.count, using: &generator)] =
                Array("0123456789.eE+-\"\\,:[]{} u".utf8)
                .randomElement(using: &generator) ?? 0
            texts.append(bytes)
        }
        var compared = 0
        for bytes in texts {
            guard let value = try? JSONValue(parsing: bytes) else { continue }
            guard let object = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed) else {
                continue
            }
            // Foundation reads a string that contains only a byte order mark as an empty string.
            if value == .string("\u{FEFF}") { continue }
            // For a repeated key, Foundation keeps one of the values and our reader keeps all of them.
            if hasRepeatedKeys(value) { continue }
            compared += 1
            #expect(isSame(value, object), "\(String(decoding: bytes, as: UTF8.self))")
        }
        #expect(compared > 500)
    }

    private func hasRepeatedKeys(_ value: JSONValue) -> Bool {
        switch value {
        case .array(let elements): elements.contains(where: hasRepeatedKeys)
        case .object(let members):
            Set(members.map(\.key)).count < members.count || members.contains { hasRepeatedKeys($0.value) }
        default: false
        }
    }

    private func isSame(_ value: JSONValue, _ object: Any) -> Bool {
        switch value {
        case .null: return object is NSNull
        case .bool(let value): return (object as? NSNumber)?.boolValue == value
        case .int(let value): return (object as? NSNumber)?.int64Value == value
        case .double(let value):
            // Foundation converts numbers by way of Decimal, so the last digits can differ. Another test compares them with
            // strtod.
            guard let other = (object as? NSNumber)?.doubleValue else { return false }
            return abs(other - value) <= abs(value) * 1e-14
        case .string(let value): return (object as? String)?.utf8.elementsEqual(value.utf8) == true
        case .array(let elements):
            guard let objects = object as? [Any], objects.count == elements.count else { return false }
            return zip(elements, objects).allSatisfy(isSame)
        case .object(let members):
            guard let objects = object as? [String: Any], objects.count == members.count else { return false }
            return members.allSatisfy { member in objects[member.key].map { isSame(member.value, $0) } ?? false }
        }
    }

    @Test("Integers stay exact, and every other number is a double")
    func numbers() throws {
        let value = try JSONValue(parsing: Array("[9223372036854775807,-9223372036854775808,1.0,1e2,-0]".utf8))
        #expect(value == .array([.int(.max), .int(.min), .double(1), .double(100), .int(0)]))
        #expect(throws: JSONError(.integerOutOfRange, at: JSONPosition(byteOffset: 1, line: 1, column: 2))) {
            try JSONValue(parsing: Array("[9223372036854775808]".utf8))
        }
    }

    @Test("Objects keep the order and the repetitions of keys, and a lookup finds the first key with the same bytes")
    func objects() throws {
        let value = try JSONValue(parsing: Array("{\"b\":1,\"a\":2,\"b\":3,\"cafe\u{301}\":4}".utf8))
        #expect(value.bytes() == Array("{\"b\":1,\"a\":2,\"b\":3,\"cafe\u{301}\":4}".utf8))
        #expect(value["b"] == .int(1))
        #expect(value["cafe\u{301}"] == .int(4))
        #expect(value["caf\u{E9}"] == nil)
        #expect(JSONValue.int(1)["b"] == nil)
        #expect(JSONValue.string("caf\u{E9}") != .string("cafe\u{301}"))
        #expect(JSONValue.int(1) != .double(1))
    }
}
