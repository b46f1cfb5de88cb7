extension RunningServer {
    /// Posts a document to the server on `port`.
    static func ask(
        _ port: Int, _ query: String, _ headers: [(String, String)] = [("x-api-key", "da2-key")]
    ) throws -> (status: Int, text: String) {
        let body = body(query)
        var request = "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        for (name, value) in headers { request += "\(name): \(value)\r\n" }
        request += "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        return try RawClient(port).ask(request)
    }

    /// The JSON body of a request with this document.
    static func body(_ query: String) -> String {
        let text = query.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "{\"query\":\"\(text)\"}"
    }
}
