public import TidelogCore

/// A record in the state that a server returned.
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

    /// The server's version of the record. An update or a deletion names the version that it starts from.
    public var version: UInt64? { state?.version }
}

extension RemoteRecord: Equatable where Value: Equatable {}

/// One page of a list.
public struct RemotePage<Value: Model>: Sendable {
    /// The records in the server's order.
    public var records: [RemoteRecord<Value>]
    /// The token to request the next page with; `nil` if this page is the last.
    public var nextToken: String?
    /// The reasons why elements of the page are missing: errors of the server, null elements, and elements that do not fit the
    /// schema.
    public var errors: [GraphQLResponseError]
}
