public import TidelogCore

/// The records that a subscription delivers, in the order of the server's messages.
public struct ServerEvents<Value: Model>: AsyncSequence, Sendable {
    /// The largest number of messages that wait for a subscriber. One more message ends the subscription with an error, because
    /// a lost message would look like no change.
    static var maximumWaiting: Int { 10_000 }

    let stream: AsyncThrowingStream<[UInt8], any Error>
    let field: String
    let read: @Sendable (ServerResponse) throws(GraphQLClientError) -> RemoteRecord<Value>

    /// The iterator. A subscription has one.
    public func makeAsyncIterator() -> Iterator {
        Iterator(messages: stream.makeAsyncIterator(), field: field, read: read)
    }

    /// The iterator of the records.
    public struct Iterator: AsyncIteratorProtocol {
        var messages: AsyncThrowingStream<[UInt8], any Error>.AsyncIterator
        let field: String
        let read: @Sendable (ServerResponse) throws(GraphQLClientError) -> RemoteRecord<Value>

        /// The next record; `nil` if the server has completed the subscription or the task was cancelled.
        ///
        /// - Throws: ``GraphQLClientError``. After an error for one message, the iteration continues with the next one.
        public mutating func next() async throws -> RemoteRecord<Value>? {
            guard let message = try await messages.next() else { return nil }
            return try read(try ServerResponse(message, field: field))
        }
    }
}
