internal import TidelogWire

/// The credentials that come with the opening of a WebSocket, in one of three ways.
struct RealTimeCredentials: Sendable, Hashable {
    let key: String?
    let authorization: String?

    init(key: String?, authorization: String?) { (self.key, self.authorization) = (key, authorization) }

    /// The credentials among `headers`, whose names are in lower case.
    init(_ headers: [String: String]) {
        self.init(key: headers["x-api-key"], authorization: headers["authorization"])
    }

    /// Whether there are any.
    var areGiven: Bool { key != nil || authorization != nil }

    /// What a client hands over that asks for a WebSocket: as JSON in Base64, in the query's `header` or in a subprotocol
    /// that begins with `header-`; else as header fields of the request.
    ///
    /// - Throws: ``MalformedMessage`` if it cannot be read.
    init(of offer: WebSocketOffer) throws(MalformedMessage) {
        if let text = offer.request.queryValue("header") {
            self.init(try Self.headers(text))
        } else if let text = offer.subprotocols.first(where: { $0.hasPrefix(Self.prefix) }) {
            self.init(try Self.headers(String(text.dropFirst(Self.prefix.count))))
        } else {
            let headers = offer.request.headers
            self.init(key: headers["x-api-key"], authorization: headers["Authorization"])
        }
    }

    private static let prefix = "header-"

    /// Both alphabets of Base64 are read, with padding or without. A plus sign that came as it is in a query is a blank.
    private static func headers(_ text: String) throws(MalformedMessage) -> [String: String] {
        var letters: [UInt8] = []
        for letter in text.utf8 where letter != UInt8(ascii: "=") {
            switch letter {
            case UInt8(ascii: "+"), UInt8(ascii: " "): letters.append(UInt8(ascii: "-"))
            case UInt8(ascii: "/"): letters.append(UInt8(ascii: "_"))
            default: letters.append(letter)
            }
        }
        guard let bytes = Base64URL.decode(letters) else { throw MalformedMessage() }
        return try RealTimeAuthorization.headers(bytes)
    }
}
