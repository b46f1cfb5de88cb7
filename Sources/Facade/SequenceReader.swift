/// Reads a sequence for several tasks. A task asks for the next element only after a task has received the previous one.
actor SequenceReader<Base: AsyncSequence & Sendable> where Base.Element: Sendable {
    private var iterator: Base.AsyncIterator

    init(_ base: Base) { iterator = base.makeAsyncIterator() }

    func next() async throws -> Base.Element? {
        var iterator = iterator
        defer { self.iterator = iterator }
        return try await iterator.next(isolation: self)
    }
}
