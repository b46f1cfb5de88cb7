import Foundation
import Tidelog
import TidelogCore

/// A program that works on one store. The crash tests kill it, limit its disk space, and check the store that it leaves.
///
///     StoreVictim run WORKLOAD DIRECTORY ADAPTER DURABILITY [FIRST-]COUNT
///     StoreVictim full DIRECTORY ADAPTER DURABILITY BALLAST
///     StoreVictim mend DIRECTORY ADAPTER DURABILITY FIRST-COUNT
///     StoreVictim check DIRECTORY ADAPTER WORKLOAD [restarted]
///     StoreVictim read DIRECTORY ADAPTER SECONDS
///     StoreVictim view LOG
///     StoreVictim synced make|compact|show DIRECTORY ADAPTER
///
/// `run` prints `ack N SEQUENCE` when commit N of the workload was acknowledged, `error N CODE` when it failed, and `closed`
/// after the store was closed. `check` ends with status 0 if the store contains whole commits and everything agrees. It ends
/// with 2 and a line `wrong …` if not, and with 3 and a line `error CODE …` if the store answers with an error. With
/// `restarted`, it behaves as if the system had been restarted since the store was written. `view` begins a view of the log's
/// environment, prints `viewing`, and keeps the view until the process is killed. `synced` makes, compacts or prints a store
/// that a server knows.
@main
enum StoreVictim {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            switch (arguments.first, arguments.count) {
            case ("run", 6): try await Runner(arguments).run()
            case ("full", 5): try await FullDisk(arguments).run()
            case ("mend", 5): try await Mending(arguments).run()
            case ("check", 4): try await Checker(arguments).run()
            case ("check", 5):
                SystemStart.pretend(arguments[4])
                try await Checker(arguments).run()
            case ("read", 4): try await Reader(arguments).run()
            case ("hold", 4): try await Reader(arguments, stopsInFirstSnapshot: true).run()
            case ("view", 2): try View(arguments[1]).keep()
            case ("synced", 4):
                let synced = Synced(arguments[2], arguments[3])
                switch arguments[1] {
                case "make": try await synced.make()
                case "compact": try await synced.compact()
                default: try await synced.show()
                }
            default: exit(64)
            }
        } catch let error as DataStoreError {
            say("error \(error.code) \(error)")
            exit(3)
        } catch let wrong as Wrong {
            say("wrong \(wrong.what)")
            exit(2)
        } catch {
            say("unexpected \(error)")
            exit(4)
        }
    }

    /// Prints a line without buffering.
    static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(1, bytes, bytes.count)
    }

    static func factory(_ name: String) -> AdapterFactory {
        switch name {
        case "lmdb": .lmdb()
        case "sqlite": .sqlite()
        case "memory": .inMemory()
        default: preconditionFailure("there is no adapter \(name)")
        }
    }

    static func durability(_ name: String) -> Durability {
        guard let durability = Durability.allCases.first(where: { $0.name == name }) else {
            preconditionFailure("there is no durability \(name)")
        }
        return durability
    }

    static func workload(_ name: String) -> Workload {
        guard let workload = Workload(rawValue: name) else { preconditionFailure("there is no workload \(name)") }
        return workload
    }
}

/// The error that says that a store does not have its expected content.
struct Wrong: Error {
    let what: String

    init(_ what: String) { self.what = what }
}

extension DataStore {
    /// Makes the changes of commit `number` in one commit.
    func apply(_ number: Int, of workload: Workload) async throws -> Commit {
        let changes = workload.changes(number)
        // Every second commit first asks for more than one record, which projects all unprojected events.
        let asks = number % 2 == 0
        if !asks, changes.count == 1, case .save(let record) = changes[0] { return try await save(record) }
        return try await write { transaction in
            if asks { _ = try transaction.fetch(Record.all(of: "Item").limit(1)) }
            for change in changes {
                switch change {
                case .save(let record): try transaction.save(record)
                case .delete(let model, let id): _ = try transaction.delete(model, id: RecordID(id))
                }
            }
        }
    }
}
