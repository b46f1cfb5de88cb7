internal import TidelogServer

/// Decides whether a request comes from a browser of this computer that has the page's address.
struct VisitorCheck: Sendable {
    /// The secret part of the page's address.
    let token: String

    /// Whether the request may read.
    ///
    /// The Host field must name this computer. Otherwise a page of another site could read the store: its name may lead to
    /// this computer after the page was loaded. The port is not compared, because a tunnel may use another one.
    func admits(_ request: HTTPRequest) -> Bool {
        guard let host = request.headers["Host"], Self.isLoopback(host), hasToken(request) else { return false }
        return request.headers["Origin"].map { $0 == "http://\(host)" } ?? true
    }

    /// Whether the request may change something: a browser names the origin of the page that sends it.
    func admitsChange(_ request: HTTPRequest) -> Bool { admits(request) && request.headers["Origin"] != nil }

    /// The part of the path after the token; `nil` if the path has another token.
    func path(of request: HTTPRequest) -> Substring? {
        let parts = request.path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count == 3 ? parts[2] : nil
    }

    private func hasToken(_ request: HTTPRequest) -> Bool {
        let parts = request.path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count >= 2 && parts[0].isEmpty && Secrets.areEqual(String(parts[1]), token)
    }

    /// Whether a Host field names this computer: `localhost`, or an address of the loopback interface, with or without a port.
    static func isLoopback(_ host: String) -> Bool {
        ["localhost", "127.0.0.1", "[::1]"].contains { name in
            guard host.hasPrefix(name) else { return false }
            let rest = host.utf8.dropFirst(name.utf8.count)
            guard rest.first == UInt8(ascii: ":") else { return rest.isEmpty }
            return rest.count > 1 && rest.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
        }
    }
}
