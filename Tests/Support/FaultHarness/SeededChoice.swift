/// Choices that depend only on a seed and on keys. The same seed therefore gives exactly the same image.
struct SeededChoice: Sendable {
    let seed: UInt64

    /// A number below `bound` for the choice that `keys` identify.
    func below(_ bound: Int, _ keys: Int...) -> Int {
        precondition(bound > 0, "there must be something to choose from")
        var state = seed
        for key in keys { state = Self.mixed(state &+ UInt64(bitPattern: Int64(key)) &* 0xD1B5_4A32_D192_ED03) }
        return Int(Self.mixed(state).multipliedFullWidth(by: UInt64(bound)).high)
    }

    // This is the finaliser of SplitMix64.
    private static func mixed(_ value: UInt64) -> UInt64 {
        var mixed = value &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
