import Foundation
import SeededNumbers
import Testing
import TidelogJSON

@Suite("Reading numbers")
struct JSONReaderNumberTests {
    private func integer(_ text: String) throws(JSONError) -> Int64 {
        try read(text) { reader throws(JSONError) in try reader.readInt64() }
    }

    private func double(_ text: String) throws(JSONError) -> Double {
        try read(text) { reader throws(JSONError) in try reader.readDouble() }
    }

    @Test("Integers are exact over all of Int64")
    func integers() throws {
        var samples: [Int64] = [.min, .min + 1, .max, .max - 1, 0, 1, -1, 1 << 53 + 1, -(1 << 53) - 1]
        for shift in 0..<63 { samples += [1 << shift, -(1 << shift), 1 << shift - 1] }
        var generator = SeededGenerator(1)
        for _ in 0..<10_000 {
            samples.append(Int64(bitPattern: generator.next()) >> Int64.random(in: 0..<64, using: &generator))
        }
        for value in samples { #expect(try integer("\(value)") == value) }
    }

    @Test("Integers with a fraction of zeros or an exponent are accepted if they are exact")
    func integralForms() throws {
        let samples: [(String, Int64)] = [
            ("1.0", 1), ("1e2", 100), ("-1.50e1", -15), ("100e-2", 1), ("0.0", 0), ("-0", 0), ("-0.0", 0), ("0e999", 0),
            ("1.00000000000000000000000000", 1), ("9223372036854775807.000", .max), ("-9.223372036854775808e18", .min),
            ("0.000000000000000000000000001e27", 1), ("1000000000000000000000000e-24", 1), ("12.5e1", 125),
            ("922337203685477580700000e-5", .max), ("1E+18", 1_000_000_000_000_000_000), ("0.10e1", 1),
            ("10.10e2", 1010),
        ]
        for (text, value) in samples { #expect(try integer(text) == value, "\(text)") }
    }

    @Test("A number that is no integer, or out of range, is refused as an integer and not consumed")
    func refusedIntegers() throws {
        let samples: [(String, JSONError.Code)] = [
            ("1.5", .notAnInteger), ("1e-1", .notAnInteger), ("0.1", .notAnInteger), ("15e-1", .notAnInteger),
            ("1e-99999999999", .notAnInteger), ("1.00000000000000000000000001", .notAnInteger),
            ("123456789012345678901234567890.5", .notAnInteger), ("9223372036854775807.5", .notAnInteger),
            ("9223372036854775808", .integerOutOfRange), ("-9223372036854775809", .integerOutOfRange),
            ("18446744073709551615", .integerOutOfRange), ("18446744073709551616", .integerOutOfRange),
            ("9999999999999999999", .integerOutOfRange), ("99999999999999999999", .integerOutOfRange),
            ("1e19", .integerOutOfRange), ("-1e19", .integerOutOfRange), ("1e99999999999", .integerOutOfRange),
            ("9223372036854775808.0", .integerOutOfRange), ("36893488147419103233", .integerOutOfRange),
        ]
        for (text, expected) in samples {
            let error = failure("[ \(text)]") { reader throws(JSONError) in
                try reader.beginArray()
                _ = try reader.nextElement()
                _ = try reader.readInt64()
            }
            #expect(error?.code == expected, "\(text)")
            #expect(error?.position.byteOffset == 2, "\(text)")
            let again = try read(text) { reader throws(JSONError) in
                #expect(throws: JSONError.self) { try reader.readInt64() }
                return try reader.readNumber().text
            }
            #expect(again == text)
        }
    }

    @Test("Every double is read back from its description, bit for bit")
    func doubleRoundTrip() throws {
        var generator = SeededGenerator(2)
        var mismatches = 0
        for _ in 0..<100_000 {
            let value = Double(bitPattern: generator.next())
            guard value.isFinite else { continue }
            var writer = JSONWriter()
            writer.double(value)
            let back = try JSONReader.read(writer.bytes) { (reader) throws(JSONError) in try reader.readDouble() }
            if back.bitPattern != value.bitPattern { mismatches += 1 }
        }
        #expect(mismatches == 0)
    }

    @Test("Decimal texts are read as the double that strtod gives, with few and with many digits")
    func doublesAgainstFoundation() throws {
        var generator = SeededGenerator(3)
        for _ in 0..<20_000 {
            let digits = String(generator.next() >> UInt64.random(in: 0..<60, using: &generator))
            let point = Int.random(in: 0...digits.count, using: &generator)
            let whole = point == 0 ? "0" : String(digits.prefix(point))
            let fraction = point == digits.count ? "" : "." + digits.dropFirst(point)
            let exponent = Bool.random(using: &generator) ? "" : "e\(Int.random(in: -40...40, using: &generator))"
            let text = whole + fraction + exponent
            let expected = strtod(text, nil)
            #expect(try double(text).bitPattern == expected.bitPattern, "\(text)")
        }
    }

    @Test("Doubles are rounded to nearest, ties to even, also in difficult cases")
    func hardDoubles() throws {
        let samples: [(String, Double)] = [
            ("9007199254740993", 9_007_199_254_740_992), ("9007199254740992.99999999999999999999", 0x1p53),
            ("9007199254740993.00000000000000000001", 9_007_199_254_740_994),
            ("2.2250738585072011e-308", .leastNormalMagnitude.nextDown), ("2.2250738585072014e-308", 0x1p-1022),
            ("4.9406564584124654e-324", .leastNonzeroMagnitude), ("2.4703282292062327e-324", 0),
            ("2.4703282292062328e-324", .leastNonzeroMagnitude), ("1.7976931348623157e308", .greatestFiniteMagnitude),
            ("1.7976931348623158e308", .greatestFiniteMagnitude), ("0.1", 0.1), ("1e22", 1e22), ("1e23", 1e23),
            ("8.5e22", 8.5e22), ("1e-22", 1e-22), ("0.3", 0.3), ("1e-400", 0), ("1e-999999999999999999999", 0),
            ("0e999999999999999999999", 0), ("123456789012345678901234567890", 123_456_789_012_345_677_877_719_597_056),
        ]
        for (text, value) in samples { #expect(try double(text).bitPattern == value.bitPattern, "\(text)") }
        // The number is halfway between 1 and the next double. A digit far to the right decides how it is rounded.
        let half = "1.00000000000000011102230246251565404236316680908203125"
        #expect(try double(half) == 1)
        #expect(try double(half + String(repeating: "0", count: 900) + "1") == 1.0.nextUp)
    }

    @Test("Minus zero keeps its sign as a double")
    func minusZero() throws {
        for text in ["-0", "-0.0", "-0e5", "-1e-400"] {
            #expect(try double(text).bitPattern == (-0.0).bitPattern, "\(text)")
        }
    }

    @Test("Numbers beyond the largest double are refused and not consumed")
    func overflow() throws {
        for text in ["1e309", "-1e309", "1.7976931348623159e308", "1e999999999999999999999", "123e400"] {
            let text = try read(text) { reader throws(JSONError) in
                do throws(JSONError) {
                    _ = try reader.readDouble()
                    Issue.record("\(text) was accepted")
                } catch {
                    #expect(error.code == .doubleOutOfRange)
                }
                return try reader.readNumber().text
            }
            #expect(!text.isEmpty)
        }
        let digits = String(repeating: "9", count: 400)
        #expect(failure(digits) { reader throws(JSONError) in _ = try reader.readDouble() }?.code == .doubleOutOfRange)
    }

    @Test("A number gives its text, and whether the text has neither fraction nor exponent")
    func numbers() throws {
        for (text, isInteger) in [("-12", true), ("1.0", false), ("1e1", false), ("0", true), ("-0.5E-7", false)] {
            try read(" \(text) ") { reader throws(JSONError) in
                let number = try reader.readNumber()
                #expect(number.text == text)
                #expect(number.isInteger == isInteger)
            }
        }
    }
}
