extension String {
    /// The text of the UUID (RFC 9562) with these halves: 32 hexadecimal digits in five groups.
    package init(uuid high: UInt64, _ low: UInt64, isUpper: Bool = false) {
        let firstLetter = isUpper ? UInt8(ascii: "A") : UInt8(ascii: "a")
        self.init(unsafeUninitializedCapacity: 36) { text in
            var count = 0
            for index in 0..<32 {
                if index == 8 || index == 12 || index == 16 || index == 20 {
                    text[count] = UInt8(ascii: "-")
                    count += 1
                }
                let half = index < 16 ? high : low
                let digit = UInt8(truncatingIfNeeded: half >> UInt64(60 - 4 * (index & 15)) & 0xF)
                text[count] = digit < 10 ? UInt8(ascii: "0") + digit : firstLetter + digit - 10
                count += 1
            }
            return count
        }
    }
}
