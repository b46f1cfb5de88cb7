/// A request as it came, complete with its body.
package struct HTTPRequest: Sendable {
    /// The method, in capitals as it was sent.
    package var method: String
    /// What was asked for, as it was sent.
    package var target: String
    /// The target's path, with its escapes decoded.
    package var path: String
    /// The target's query, in order.
    package var query: [HTTPQueryItem]
    /// The minor version of HTTP/1: 0 or 1.
    package var minorVersion: Int
    /// The header fields.
    package var headers: HTTPHeaders
    /// The body; empty if there is none.
    package var body: [UInt8]
    /// What the service made of the header, if the request has a body; `nil` for other requests.
    package var admission: (any Sendable)?
    /// The address that the client has for this computer, without a port.
    package var remoteAddress: String
    /// Whether the request came over TLS.
    package var isSecure: Bool

    /// A request without a body.
    package init(method: String, target: String, path: String, query: [HTTPQueryItem] = [], headers: HTTPHeaders = [:])
    {
        self.method = method
        self.target = target
        self.path = path
        self.query = query
        self.headers = headers
        minorVersion = 1
        body = []
        remoteAddress = ""
        isSecure = false
    }

    /// The value of the first item of the query called `name`.
    package func queryValue(_ name: String) -> String? { query.first { $0.name == name }?.value }
}

/// A part of a target's query.
package struct HTTPQueryItem: Sendable, Equatable {
    /// The name, with its escapes decoded.
    package let name: String
    /// The value, with its escapes decoded; a plus sign is a blank. Empty if there is none.
    package let value: String

    /// An item.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
