/// The credentials of a client: for the whole connection, or for one subscription.
struct RealTimeCredentials: Sendable, Hashable {
    let key: String?
    let authorization: String?

    init(key: String?, authorization: String?) { (self.key, self.authorization) = (key, authorization) }

    /// Reads the credentials from `headers`, whose names are in lower case.
    init(_ headers: [String: String]) {
        self.init(key: headers["x-api-key"], authorization: headers["authorization"])
    }

    /// Whether there are any credentials.
    var areGiven: Bool { key != nil || authorization != nil }
}
