internal import TidelogJSON

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A server of the demo's schema, in a child process that ends together with this value.
final class DemoServer {
    let endpoint: URL
    let key: String
    private let child: ChildRun

    /// Starts a server on a port that the system chooses, with a new store at `store`.
    init(_ schema: String, store: String) throws {
        let arguments = ["serve", schema, "--store", store, "--port", "0", "--json"]
        child = try ChildRun(System.executable, arguments, readsOutput: true)
        let ready = try child.readLine().map { try JSONValue(parsing: Array($0.utf8)) }
        guard case .string(let text)? = ready?["endpoint"], case .string(let key)? = ready?["apiKey"],
            let endpoint = URL(string: text)
        else {
            throw CommandFailure(
                .failed, "demoFailed", "The demo's server did not start.",
                recovery: "Start one to see why: `tidelog serve \(schema) --store DIR`.")
        }
        (self.endpoint, self.key) = (endpoint, key)
    }

    deinit { child.kill() }
}
