import ServerSupport
import TestWaiting
import Testing
import Tidelog
import TidelogServer
import TidelogSync

@Suite("Models with operations of other names or without operations", .timeLimit(.minutes(5)))
struct ModelOperationTests {
    private static let sdl = """
        type lowerCase @model { id: ID! title: String }
        type Renamed @model(
          queries: { get: "oneRenamed", list: "allRenamed", sync: "changedRenamed" }
          mutations: { create: "addRenamed", update: "editRenamed", delete: "dropRenamed" }
          subscriptions: { onCreate: ["renamedCame", "anotherCame"], onUpdate: "renamedCame", onDelete: "renamedWent" }
        ) { id: ID! title: String }
        type Fixed @model(mutations: { create: null, delete: null }) { id: ID! title: String }
        type Quiet @model(subscriptions: null) { id: ID! title: String }
        type Hidden @model(queries: { sync: null }) { id: ID! title: String }
        """

    /// Starts a server, and runs `body` with two devices.
    private static func serve(_ body: (Device, Device) async throws -> Void) async throws {
        try await RunningServer.serve(sdl, Authenticator(apiKey: Device.key)) { port in
            let (device, other) = (try await Device(port, sdl: sdl), try await Device(port, sdl: sdl))
            try await body(device, other)
        }
    }

    private static func save(_ device: Device, _ model: String, _ title: String) async throws {
        try await device.store.save(Record(model: model, values: ["id": "1", "title": .string(title)]))
    }

    private static func title(_ device: Device, _ model: String) async throws -> FieldValue? {
        try await device.store.record(model, id: "1")?["title"]
    }

    @Test("records are created, updated on a condition, deleted and queried", arguments: ["lowerCase", "Renamed"])
    func requests(_ model: String) async throws {
        try await Self.serve { device, other in
            try await Self.save(device, model, "a")
            #expect(await (try device.engine()).runOnce().sent == 1)
            _ = await (try other.engine()).runOnce()
            #expect(try await Self.title(other, model) == "a")
            let changed = Record(model: model, values: ["id": "1", "title": "b"])
            try await other.store.save(changed, where: .field("title", .equal("a")))
            let report = await (try other.engine()).runOnce()
            #expect(report.sent == 1 && report.setAside == 0 && report.failure == nil)
            _ = await (try device.engine()).runOnce()
            #expect(try await Self.title(device, model) == "b")
            try await device.store.delete(model, id: "1")
            #expect(await (try device.engine()).runOnce().sent == 1)
            _ = await (try other.engine()).runOnce()
            #expect(try await other.store.record(model, id: "1") == nil)
        }
    }

    @Test("changes are pushed by the subscriptions that the schema names", arguments: ["lowerCase", "Renamed"])
    func pushes(_ model: String) async throws {
        try await Self.serve { device, other in
            let engine = try other.engine()
            try await engine.start()
            try await eventually { engine.status.state == .ready }
            for title in ["a", "b"] {
                try await Self.save(device, model, title)
                #expect(await (try device.engine()).runOnce().sent == 1)
                try await eventually { try await Self.title(other, model) == .string(title) }
            }
            try await device.store.delete(model, id: "1")
            #expect(await (try device.engine()).runOnce().sent == 1)
            try await eventually { try await other.store.record(model, id: "1") == nil }
            await engine.stop()
        }
    }

    @Test("a change whose mutation does not exist is set aside, and the reason names the mutation")
    func noMutation() async throws {
        try await Self.serve { device, _ in
            try await Self.save(device, "Fixed", "a")
            let report = await (try device.engine()).runOnce()
            #expect(report.setAside == 1 && report.sent == 0 && report.failure == nil)
            let entry = try await SyncOutbox(device.store).entries().first
            #expect(entry?.reason?.contains("The model Fixed has no mutation create") == true)
        }
    }

    @Test("a model without a sync query is reported as refused, and its changes and other models are synced")
    func noQuery() async throws {
        try await Self.serve { device, other in
            try await Self.save(other, "Quiet", "a")
            _ = await (try other.engine()).runOnce()
            try await Self.save(device, "Hidden", "a")
            let report = await (try device.engine()).runOnce()
            #expect(report.refused == ["Hidden"] && report.sent == 1 && report.failure == nil)
            #expect(try await Self.title(device, "Quiet") == "a")
        }
    }

    @Test("an engine whose models have the same operations is refused, and the error names the models")
    func clash() async throws {
        let models = ["Datum", "Data"].map { ModelSchema(name: $0, fields: [FieldSchema("id", .id, isRequired: true)]) }
        let device = Device(try await DataStore.inMemory(schema: Schema(models: models)), 1)
        let error = #expect(throws: SyncError.self) { try device.engine() }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message == "The models Data and Datum both have the query listData.")
        #expect(error?.recovery.hasPrefix("Rename one of the two models") == true)
        // A store that stays on the device has no operations.
        _ = try SyncEngine(store: device.store)
    }
}
