package import FaultHarness
package import Foundation

/// Programs of the system that tests compare results with. A test that needs a missing program is skipped.
package enum CommandLineTools {
    package static func has(_ name: String) -> Bool { (try? Program.run(name, ["--version"]))?.status == 0 }

    package static let hasOpenSSL = (try? Program.run("openssl", ["version"]))?.status == 0
    package static let hasCurl = has("curl")

    /// Python with the packages `websockets` and `gql`, from `scripts/shared/websocket-second-opinion`.
    package static let python: URL? = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let python = root.appending(path: ".build/websocket-second-opinion/bin/python")
        guard (try? Program.run(python.path, ["-c", "import gql, websockets"]))?.status == 0 else { return nil }
        return python
    }()

    /// The standard output of a program, if the program succeeds.
    package static func output(_ name: String, _ arguments: [String]) throws -> String {
        let child = try ChildProcess(URL(filePath: "/usr/bin/env"), [name] + arguments)
        let exit = try child.wait(within: .seconds(60))
        guard exit == .exited(0) else { throw Failure(name: name, errors: child.errorText) }
        return child.lines.joined(separator: "\n")
    }

    package struct Failure: Error {
        let name: String
        let errors: String
    }

    /// Makes a certificate for this computer and its key in `directory`.
    package static func makeIdentity(in directory: TemporaryDirectory, name: String = "own") throws -> TLSFiles {
        let files = TLSFiles(
            certificate: directory.file("\(name).pem").path, key: directory.file("\(name).key").path)
        _ = try output(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", files.key,
                "-out", files.certificate,
            ])
        return files
    }
}

package struct TLSFiles {
    package let certificate: String
    package let key: String
}
