#if os(Linux)
    import FaultHarness
    import Foundation
    import TestWaiting
    import Testing
    import TidelogJSON
    import TidelogSync

    /// A page in a headless Chromium, which a test questions through the browser's protocol for developer tools.
    final class Browser {
        /// The path of an installed Chromium; `nil` if there is none.
        static let path = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
            .first { FileManager.default.isExecutableFile(atPath: $0) }

        private let profile: TemporaryDirectory
        private let child: ChildProcess
        private let socket: any TransportWebSocket
        private var count = 0

        /// Opens the page at `address`.
        init(_ address: String) async throws {
            let profile = try TemporaryDirectory("browser")
            self.profile = profile
            child = try ChildProcess(
                URL(fileURLWithPath: Self.path ?? ""),
                [
                    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                    "--remote-debugging-port=0", "--user-data-dir=\(profile.url.path)", address,
                ])
            var port = ""
            try await eventually("the browser starts") {
                let text = try? String(contentsOf: profile.file("DevToolsActivePort"), encoding: .utf8)
                port = text.map { String($0.prefix { $0.isNumber }) } ?? ""
                return text?.contains("\n") == true && !port.isEmpty
            }
            let transport = CurlTransport()
            let pages = try #require(URL(string: "http://127.0.0.1:\(port)/json/list"))
            var found: URL?
            try await eventually("the browser has the page") {
                let list = try JSONValue(parsing: await transport.send(TransportRequest("GET", pages)).body)
                let page = list.elements.first { $0["url"]?.text?.hasPrefix("http://127.0.0.1:") == true }
                found = page?["webSocketDebuggerUrl"]?.text.flatMap { URL(string: $0) }
                return found != nil
            }
            socket = try await transport.openWebSocket(WebSocketRequest(try #require(found)))
        }

        /// The value of an expression in the page, as JSON.
        func evaluate(_ expression: String) async throws -> JSONValue {
            count += 1
            var writer = JSONWriter()
            writer.string(expression)
            let text = String(decoding: writer.bytes, as: UTF8.self)
            try await socket.send(
                #"{"id":\#(count),"method":"Runtime.evaluate","params":{"expression":\#(text),"returnByValue":true}}"#)
            while true {
                let message = try JSONValue(parsing: Array(try await socket.receive().utf8))
                if message["id"]?.number == count { return message["result"]?["result"]?["value"] ?? .null }
            }
        }

        /// Waits until the visible text of the page contains `text`.
        func waitForText(_ text: String) async throws {
            try await eventually("the page shows \(text)") {
                try await evaluate("document.body ? document.body.innerText : ''").text?.contains(text) == true
            }
        }
    }
#endif
