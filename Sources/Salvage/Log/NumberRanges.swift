/// A set of numbers, kept as ranges.
struct NumberRanges {
    /// The ranges in ascending order. No two of them touch each other.
    private(set) var ranges: [ClosedRange<UInt64>] = []

    init(_ unsorted: [ClosedRange<UInt64>]) {
        for range in unsorted.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = ranges.last, range.lowerBound <= last.upperBound || range.lowerBound - 1 == last.upperBound {
                ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                ranges.append(range)
            }
        }
    }

    func contains(_ number: UInt64) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(number)
    }
}
