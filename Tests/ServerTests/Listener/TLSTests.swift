import FaultHarness
import Foundation
import Testing
import TidelogServer

@Suite("TLS", .timeLimit(.minutes(5)), .enabled(if: CommandLineTools.hasOpenSSL, "openssl is missing"))
struct TLSTests {
    @Test(
        "curl gets complete responses over TLS, also long ones",
        .enabled(if: CommandLineTools.hasCurl, "curl is missing"))
    func curl() async throws {
        let directory = try TemporaryDirectory()
        let files = try CommandLineTools.makeIdentity(in: directory)
        let service = ListenerService { request in
            #expect(request.isSecure)
            guard request.path == "/long" else { return HTTPResponse(status: 200, text: "\(request.body.count)") }
            return HTTPResponse(status: 200, body: [UInt8](repeating: 65, count: 5 << 20))
        }
        try directory.file("body").write([UInt8](repeating: 66, count: 1 << 20))
        try await serving(service, identity: TLSIdentity(certificateFile: files.certificate, keyFile: files.key)) {
            let port = $0.port
            try await onThread {
                let common = ["-sS", "--cacert", files.certificate, "--max-time", "30"]
                let url = "https://localhost:\(port)"
                let sizes = try CommandLineTools.output(
                    "curl",
                    common + [
                        "-o", directory.file("long").path, "-w", "%{http_code} %{size_download}\n", url + "/long",
                    ])
                #expect(sizes == "200 5242880")
                let body = "@" + directory.file("body").path
                #expect(
                    try CommandLineTools.output("curl", common + ["-w", "\n", "--data-binary", body, url]) == "1048576")
                #expect(throws: CommandLineTools.Failure.self) {
                    try CommandLineTools.output("curl", common + ["--tlsv1.1", "--tls-max", "1.1", url])
                }
                // A client without TLS and a client that sends nothing do not hinder other clients.
                let plain = try RawClient(port)
                plain.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                let silent = try RawClient(port)
                #expect(try CommandLineTools.output("curl", common + ["-w", "\n", url]) == "0")
                _ = try plain.receiveAll()
                _ = silent
            }
        }
    }

    @Test("a listener does not start with an unusable certificate or key file, and the error names the file")
    func files() async throws {
        let directory = try TemporaryDirectory()
        let own = try CommandLineTools.makeIdentity(in: directory)
        let other = try CommandLineTools.makeIdentity(in: directory, name: "other")
        let encrypted = directory.file("encrypted.key").path
        _ = try CommandLineTools.output(
            "openssl", ["ec", "-in", own.key, "-aes128", "-passout", "pass:secret", "-out", encrypted])
        let empty = directory.file("empty").path
        try directory.file("empty").write([])
        let missing = directory.file("missing").path
        let cases: [(String, String, ListenerError.Code, String)] = [
            (missing, own.key, .unreadableFile, missing), (own.certificate, missing, .unreadableFile, missing),
            (empty, own.key, .invalidFile, empty), (own.certificate, empty, .invalidFile, empty),
            (own.certificate, encrypted, .invalidFile, encrypted), (own.key, own.certificate, .invalidFile, own.key),
            (own.certificate, other.key, .keyMismatch, other.key),
        ]
        for (certificate, key, code, named) in cases {
            let identity = TLSIdentity(certificateFile: certificate, keyFile: key)
            do {
                _ = try await Listener.start(Listener.Configuration(port: 0, identity: identity), service: .echo)
                Issue.record("\(named) is taken")
            } catch {
                #expect(error.code == code)
                #expect(error.message.contains(named))
            }
        }
    }
}

extension URL {
    fileprivate func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: self) }
}
