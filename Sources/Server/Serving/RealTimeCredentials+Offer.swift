internal import TidelogWire

extension RealTimeCredentials {
    /// Reads the credentials from a client's request for a WebSocket. A client sends them as JSON in Base64, either in the
    /// query item `header` or in a subprotocol that begins with `header-`. Otherwise they are header fields of the request.
    ///
    /// - Throws: ``MalformedMessage`` if the JSON cannot be read.
    init(of offer: ListenerService.WebSocketOffer) throws(MalformedMessage) {
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

    /// Decodes Base64 with either alphabet, with or without padding. A plus sign in a query that was not escaped arrives as a
    /// blank.
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
