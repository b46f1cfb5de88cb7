/// The part of the prefix sort that sorts few elements.
@usableFromInline
package enum PrefixSort {
    /// The least number of elements for the distribution to buckets. Fewer elements are sorted by comparisons alone.
    @usableFromInline static let minimumCount = 64
    @usableFromInline static let maximumBitCount = 16
    /// The most elements that are sorted by insertion.
    @usableFromInline static let insertionLimit = 24

    @inlinable
    @inline(__always)
    static func sort<Element: BitwiseCopyable>(
        _ elements: inout UnsafeMutableBufferPointer<Element>, _ range: Range<Int>,
        _ precedes: (Element, Element) -> Bool
    ) {
        guard range.count > 1 else { return }
        if range.count > insertionLimit {
            var bucket = UnsafeMutableBufferPointer(rebasing: elements[range])
            return bucket.sort(by: precedes)
        }
        for index in (range.lowerBound + 1)..<range.upperBound {
            let element = elements[index]
            var hole = index
            while hole > range.lowerBound, precedes(element, elements[hole - 1]) {
                elements[hole] = elements[hole - 1]
                hole -= 1
            }
            elements[hole] = element
        }
    }
}

extension ContiguousArray where Element: BitwiseCopyable {
    /// Sorts the elements with the help of a number that decides most comparisons. If there are many elements, they are
    /// first distributed to buckets, by the upper bits in which their numbers differ. Each element is then compared
    /// only with the few elements in its bucket.
    ///
    /// - Parameters:
    ///   - prefix: The number of an element. In the order of `precedes`, the number never decreases.
    ///   - scratch: Working memory that several calls can share. Its contents have no meaning.
    ///   - precedes: A total order.
    @inlinable
    @inline(__always)
    package mutating func sort(
        byPrefix prefix: (Element) -> UInt64, using scratch: inout ContiguousArray,
        _ precedes: (Element, Element) -> Bool
    ) {
        guard count >= PrefixSort.minimumCount else { return sort(by: precedes) }
        let first = prefix(self[0])
        var differing: UInt64 = 0
        var isSorted = true
        for index in 1..<count {
            differing |= prefix(self[index]) ^ first
            if isSorted, precedes(self[index], self[index - 1]) { isSorted = false }
        }
        if isSorted { return }
        guard differing != 0 else { return sort(by: precedes) }
        let bitCount = Swift.min(PrefixSort.maximumBitCount, Int.bitWidth - count.leadingZeroBitCount)
        let lead = UInt64(differing.leadingZeroBitCount)
        let shift = UInt64(64 - bitCount)
        if scratch.count < count { scratch.append(contentsOf: self[scratch.count...]) }
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 1 << bitCount) { ends in
            ends.initialize(repeating: 0)
            for element in self { ends[Int(truncatingIfNeeded: (prefix(element) << lead) >> shift)] += 1 }
            var end: UInt32 = 0
            for bucket in ends.indices {
                let start = end
                end += ends[bucket]
                ends[bucket] = start
            }
            scratch.withUnsafeMutableBufferPointer { target in
                for element in self {
                    let bucket = Int(truncatingIfNeeded: (prefix(element) << lead) >> shift)
                    target[Int(ends[bucket])] = element
                    ends[bucket] += 1
                }
                // Each value now is the end of its bucket. A bucket begins at the end of the bucket before it.
                var start = 0
                for end in ends {
                    PrefixSort.sort(&target, start..<Int(end), precedes)
                    start = Int(end)
                }
            }
        }
        scratch.removeLast(scratch.count - count)
        swap(&self, &scratch)
    }
}
