/// An HTTP request with its complete body.
package struct HTTPRequest: Sendable {
    /// The method as the client sent it. Its case matters.
    package var method: String
    /// The request target as the client sent it.
    package var target: String
    /// The target's path, percent-decoded.
    package var path: String
    /// The items of the target's query, in order.
    package var query: [QueryItem]
    /// The minor version of HTTP/1: 0 or 1.
    package var minorVersion: Int
    /// The header fields.
    package var headers: HTTPHeaders
    /// The body; empty if there is none.
    package var body: [UInt8]
    /// The value that the service returned when it admitted the request by its header; `nil` for requests without a body.
    package var admission: (any Sendable)?
    /// The client's address as this computer sees it, without the port.
    package var remoteAddress: String
    /// Whether the request arrived over TLS.
    package var isSecure: Bool

    /// Makes a request without a body.
    package init(method: String, target: String, path: String, query: [QueryItem] = [], headers: HTTPHeaders = [:]) {
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

    /// The value of the first query item with the name `name`.
    package func queryValue(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// An item of a target's query.
    package struct QueryItem: Sendable, Equatable {
        /// The name, percent-decoded.
        package let name: String
        /// The value, percent-decoded, with a blank for each plus sign. Empty if the item has no value.
        package let value: String

        /// Makes an item.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }
}
