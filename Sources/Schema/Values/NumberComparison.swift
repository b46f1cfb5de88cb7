/// The order of numbers of different types.
package enum NumberComparison {
    /// The exact order of an integer and a finite floating-point number. The result is less than 0 if `int` is less.
    @inlinable
    package static func order(_ int: Int64, _ double: Double) -> Int32 {
        if double >= 0x1p63 { return -1 }
        if double < -0x1p63 { return 1 }
        let floor = double.rounded(.down)
        let whole = Int64(floor)
        if int != whole { return int < whole ? -1 : 1 }
        return floor == double ? 0 : -1
    }
}
