public import TidelogCore

/// A record as a server has it.
public enum RemoteRecord<Value: Model>: Sendable {
    /// The record exists.
    ///
    /// The state is `nil` if the server gave no usable metadata.
    case present(Value, ServerState?)
    /// The server has deleted the record.
    ///
    /// `last` is the record before its deletion; `nil` if the server did not send all required fields.
    case deleted(RecordID, ServerState?, last: Value?)

    /// The record; `nil` if the server has deleted it.
    public var value: Value? {
        guard case .present(let value, _) = self else { return nil }
        return value
    }

    /// The server's metadata of the record.
    public var state: ServerState? {
        switch self {
        case .present(_, let state), .deleted(_, let state, _): state
        }
    }

    /// The server's version of the record. An update and a deletion name the version that they start from.
    public var version: UInt64? { state?.version }
}

extension RemoteRecord: Equatable where Value: Equatable {}

/// One page of a list.
public struct RemotePage<Value: Model>: Sendable {
    /// The records in the server's order.
    public var records: [RemoteRecord<Value>]
    /// The mark by which the next page is asked for; `nil` if this page is the last.
    public var nextToken: String?
    /// Why elements of the page are missing: errors of the server, and elements that are null or do not fit the schema.
    public var errors: [GraphQLResponseError]
}
