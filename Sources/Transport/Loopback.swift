/// The names and addresses of this computer.
package enum Loopback {
    /// Whether `host`, in lower case, is a name or an address of this computer. An address in another notation counts as
    /// another computer.
    package static func contains(_ host: String) -> Bool {
        if host == "localhost" || host == "[::1]" || host == "::1" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127"
            && numbers.allSatisfy { number in
                (1...3).contains(number.utf8.count) && number.utf8.allSatisfy { (0x30...0x39).contains($0) }
            }
    }
}
