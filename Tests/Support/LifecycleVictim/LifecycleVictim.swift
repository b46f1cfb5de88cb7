import Foundation
import Tidelog
import TidelogLMDB

/// A process that writes a store step by step: `LifecycleVictim STORE ADAPTER CONTROL STEP…`. Step number i runs when the file
/// `i` exists in the control directory. After the step the process prints a line.
///
/// With the step `grow`, the maps begin with 1 MiB. With `fill`, they have the sizes that an app gets.
///
/// `LifecycleVictim hold LOG` keeps a view of the log in the directory `LOG` until the process is killed.
@main
struct LifecycleVictim {
    static let schema = { @Sendable (fields: [FieldSchema]) in
        Schema(models: [
            ModelSchema(
                name: "Item",
                fields: [
                    FieldSchema("id", .id, isRequired: true), FieldSchema("title", .string, isRequired: true),
                    FieldSchema("rank", .int),
                ] + fields, indexes: [IndexSchema(name: "byRank", fields: ["rank"])])
        ])
    }

    /// Saves records and runs maintenance until the process is killed. Lines name the changes that are durable.
    static func churn(_ store: DataStore) async throws {
        for round in 0..<10_000 {
            try await store.write { tx in
                for id in 0..<200 {
                    let values: [String: FieldValue] = ["id": .string("c\(id)"), "title": .string("\(round)")]
                    try tx.save(Record(model: "Item", values: values))
                }
            }
            print("saved \(round)")
            fflush(nil)
            switch round % 4 {
            case 0: try await store.compact(tombstoneAge: .zero)
            case 1: try await store.rebuild()
            case 2: try await store.compact(shrink: true)
            default: try await store.clear()
            }
            print("kept \(round)")
            fflush(nil)
        }
    }

    /// Saves item `x` with rising ranks, one commit each, and moves a consumer after every third commit. Lines name the commits
    /// that were acknowledged.
    static func turn(_ store: DataStore) async throws {
        _ = try await store.consumer(named: "audit")
        for rank in 1...20_000 {
            let values: [String: FieldValue] = ["id": .string("x"), "title": .string("x"), "rank": .int(Int64(rank))]
            let commit = try await store.save(Record(model: "Item", values: values))
            if rank % 3 == 0 {
                let place = try store.head
                try await store.write { try $0.moveConsumer("audit", to: place) }
            }
            if rank % 2_000 == 0 { try await store.compact(tombstoneAge: .zero, shrink: rank % 4_000 == 0) }
            print("saved \(rank) \(commit.last)")
            fflush(nil)
        }
    }

    /// Saves 1,200 items of 64 KiB, so that the log and the rows take 80 MiB each.
    static func fill(_ store: DataStore) async throws {
        let text = String(repeating: "x", count: 64 << 10)
        for round in 0..<40 {
            try await store.write { tx in
                for id in 0..<30 {
                    try tx.save(
                        Record(model: "Item", values: ["id": .string("f\(round)-\(id)"), "title": .string(text)]))
                }
            }
        }
    }

    /// Reads the log in `directory`, as a process that reads a store does, and never ends the read.
    static func hold(_ directory: String) throws {
        let options = Environment.Options(maximumKeyspaces: 8, isReadOnly: true, requireExisting: true)
        let environment = try Environment(directory: directory, options: options)
        let reader = try environment.beginRead()
        print("holds")
        fflush(nil)
        withExtendedLifetime(reader) { while true { sleep(60) } }
    }

    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments[1] == "hold" { try hold(arguments[2]) }
        let directory = URL(fileURLWithPath: arguments[1])
        let mapSize = arguments.contains("grow") ? 1 << 20 : nil
        let factory: AdapterFactory = arguments[2] == "sqlite" ? .sqlite() : .lmdb(mapSize: mapSize)
        var configuration = DataStoreConfiguration(durability: .relaxed, logMapSize: mapSize)
        if arguments.contains("turn") { configuration.logTailByteCount = 4_096 }
        var store = try await DataStore.open(
            at: directory, schema: schema([]), adapter: factory, configuration: configuration)
        print("open")
        fflush(nil)
        for (number, step) in arguments.dropFirst(4).enumerated() {
            while !FileManager.default.fileExists(atPath: arguments[3] + "/\(number)") {
                try await Task.sleep(for: .milliseconds(2))
            }
            switch step {
            case "save":
                try await store.write { tx in
                    for id in 0..<100 {
                        try tx.save(
                            Record(model: "Item", values: ["id": .string("s\(number)-\(id)"), "title": .string("x")]))
                    }
                }
            case "rebuild": try await store.rebuild()
            case "shrink": try await store.compact(shrink: true)
            case "clear": try await store.clear()
            case "churn": try await churn(store)
            case "turn": try await turn(store)
            case "grow", "fill": try await fill(store)
            case "clears":
                for round in 0..<60 {
                    try await store.save(
                        Record(model: "Item", values: ["id": .string("x"), "title": .string("\(round)")]))
                    try await store.clear()
                }
            case "die":
                try await store.write { tx in
                    for id in 0..<100 {
                        let values: [String: FieldValue] = ["id": .string("d\(id)"), "title": .string("\(id % 7)")]
                        try tx.save(Record(model: "Item", values: values))
                    }
                }
                kill(getpid(), SIGKILL)
            case "widen":
                try await store.close()
                store = try await DataStore.open(
                    at: directory, schema: schema([FieldSchema("note", .string)]), adapter: factory)
                let record = Record(
                    model: "Item", values: ["id": .string("wide"), "title": .string("x"), "note": .string("new")])
                try await store.save(record)
            default: try await store.close()
            }
            print("done \(step)")
            fflush(nil)
        }
    }
}
