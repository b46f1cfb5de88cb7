import Foundation
import TidelogLMDB

/// A view of a log's environment that does not change. LMDB does not reuse the pages that the view shows.
struct View {
    private let directory: String

    init(_ log: String) { directory = log }

    /// Keeps the view until the process is killed.
    func keep() throws {
        let environment = try Environment(directory: directory, options: Environment.Options(isReadOnly: true))
        let transaction = try environment.beginRead()
        StoreVictim.say("viewing")
        withExtendedLifetime(transaction) {
            while true { sleep(1) }
        }
    }
}
