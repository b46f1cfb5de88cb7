/// The header with the ids of a request's mutations. The ids let the server recognise a mutation that it has already made.
///
/// A request has one id for each root field of its mutation, in the same order, separated by commas. A server that supports the
/// header sends it with the value ``support`` in every response.
package enum MutationHeader {
    /// The name of the header, in requests and in responses.
    package static let name = "x-tidelog-mutation-id"
    /// The header's value in responses: the version of the header that the server supports.
    package static let support = "1"
    /// The type of the error for a mutation whose id belongs to a mutation with another content. The client must take a new id.
    package static let takenErrorType = "MutationIDTaken"
    /// The largest size of an id in bytes. The smallest is one byte.
    package static let maximumByteCount = 64

    /// The ids in the value of a request's header; `nil` if one of them is not valid. An id consists of visible ASCII
    /// characters without commas. All ids of a request must be different.
    package static func ids(in value: String) -> [String]? {
        let ids = value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { part in
            Array(part.drop { $0 == UInt8(ascii: " ") }.reversed().drop { $0 == UInt8(ascii: " ") }.reversed())
        }
        let areUsable = ids.allSatisfy { id in
            (1...maximumByteCount).contains(id.count) && id.allSatisfy { (0x21...0x7E).contains($0) }
        }
        guard areUsable, Set(ids).count == ids.count else { return nil }
        return ids.map { String(decoding: $0, as: UTF8.self) }
    }
}

/// The header with which a server tells in each response how far clients can rely on its records.
package enum RecordsHeader {
    /// The name of the header.
    package static let name = "x-tidelog-records"
    /// The header's value if each query sees every earlier change, and if messages of subscriptions and responses to mutations
    /// have every field of a record. A field that the caller may not read has an error.
    package static let exact = "exact"
}
