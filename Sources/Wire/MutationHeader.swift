/// The header by which a client names its mutations, so that a server does not repeat what it has done.
///
/// A request has one id for each root field of its mutation, in their order, separated by commas. A server that knows the
/// header has it in every response, with the value ``support``.
public enum MutationHeader {
    /// The name of the header, in requests and in responses.
    public static let name = "x-tidelog-mutation-id"
    /// What a response says: a server of this version of the header.
    public static let support = "1"
    /// The bytes that an id has at most; it has at least one.
    public static let maximumByteCount = 64

    /// The ids in the value of a request's header; `nil` if one of them is none. Ids are visible ASCII without commas, and
    /// each differs from the others.
    public static func ids(in value: String) -> [String]? {
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
