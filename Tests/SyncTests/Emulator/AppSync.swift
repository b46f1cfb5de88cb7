import FaultHarness
import Foundation
import ServerSupport
import Testing
import Tidelog
@_spi(Adapters) import TidelogCore
import TidelogJSON
@_spi(Adapters) import TidelogRecordJSON
import TidelogSync

/// A running emulator of AppSync, which shares nothing with this project's server: see `Tests/Support/AppSyncEmulator`.
struct AppSync: Sendable {
    /// Whether `scripts/shared/appsync-second-opinion` has installed the packages for the emulator.
    static let isInstalled = FileManager.default.isExecutableFile(atPath: python.path)
    static let isMissing: Comment = "the emulator's Python packages are missing"

    let port: Int
    /// The schema that the API was made of.
    let sdl: String
    private let transport = CurlTransport()

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let python = root.appending(path: ".build/appsync-second-opinion/bin/python")
    private static let folder = root.appending(path: "Tests/Support/AppSyncEmulator")

    /// The path of a schema.
    static func schema(_ name: String) -> URL { folder.appending(path: "schemas/\(name).graphql") }

    /// Starts the emulator for a schema, with settings as JSON, and runs `body`. The test fails if the emulator reports errors.
    static func serve(
        _ name: String = "note", _ settings: String = "{}", _ body: (AppSync) async throws -> Void
    ) async throws {
        let process = try await onThread { try EmulatorProcess(name) }
        let sdl = try String(contentsOf: schema(name), encoding: .utf8)
        let api = AppSync(port: process.port, sdl: sdl)
        try await api.set(settings)
        try await body(api)
        #expect(try await onThread { try process.end() } == "")
    }

    private init(port: Int, sdl: String) { (self.port, self.sdl) = (port, sdl) }

    /// A new device without data.
    func device() async throws -> Device { try await Device(port, sdl: sdl) }

    // MARK: The control of the emulator

    /// Changes settings. `Api.settings` of the emulator lists them.
    func set(_ settings: String) async throws { try await control(#"{"set":\#(settings)}"#) }

    /// Replaces the rules. `Api.match` of the emulator describes them.
    func rules(_ rules: String...) async throws {
        try await control(#"{"rules":[\#(rules.joined(separator: ","))]}"#)
    }

    func control(_ body: String) async throws { _ = try await send("POST", "/control", body) }

    /// Another client's mutation. Subscribers get only the fields that `selection` names.
    @discardableResult
    func mutate(_ field: String, _ input: String, selecting selection: String) async throws -> JSONValue {
        let type = "\(field.prefix(1).uppercased())\(field.dropFirst())Input!"
        let query = "mutation ($input: \(type)) { \(field)(input: $input) { \(selection) } }"
        let answer = try await send("POST", "/graphql", #"{"query":"\#(query)","variables":{"input":\#(input)}}"#)
        return try #require(answer["data"]?[field])
    }

    /// The requests for the root field `field`.
    func requests(_ field: String) async throws -> [JSONValue] {
        try await log().filter { entry in
            entry["kind"] == .string("request") && entry["fields"]?.elements.contains(.string(field)) == true
        }
    }

    /// The number of WebSocket messages of this type that clients have sent.
    func messageCount(_ type: String) async throws -> Int {
        try await log().count { $0["kind"] == .string("socket") && $0["type"] == .string(type) }
    }

    func log() async throws -> [JSONValue] { try await send("GET", "/log").elements }

    /// The records of a model in the base table, by the text of `id`.
    func record(_ model: String, _ id: String) async throws -> JSONValue? {
        try await send("GET", "/state")[model]?.elements.first { $0["id"] == .string(id) }
    }

    private func send(_ method: String, _ path: String, _ body: String = "") async throws -> JSONValue {
        let url = try #require(URL(string: "http://127.0.0.1:\(port)\(path)"))
        let headers = ["x-api-key": Device.key, "Content-Type": "application/json"]
        let response = try await transport.send(
            TransportRequest(method, url, headers: headers, body: Array(body.utf8)))
        try #require(response.status == 200, "\(String(decoding: response.body, as: UTF8.self))")
        return try JSONValue(parsing: response.body)
    }

    // MARK: Comparison

    /// The records that a device and the tables of the API do not have in common, as lines. The device must be synced.
    func differences(_ device: Device) async throws -> [String] {
        guard case .object(let tables) = try await send("GET", "/state") else { return ["There is no state."] }
        var theirs: Set<String> = []
        for table in tables {
            for item in table.value.elements where item["_deleted"] != .bool(true) {
                theirs.insert("\(table.key) \(item.normalized)")
            }
        }
        var ours: Set<String> = []
        for line in try await device.rows() { ours.insert(line) }
        return theirs.subtracting(ours).map { "API only: \($0)" }.sorted()
            + ours.subtracting(theirs).map { "Device only: \($0)" }.sorted()
    }

    /// Expects that the devices have exactly the records of the API, and that they have nothing more to send.
    func expectEqual(_ devices: Device..., sourceLocation: SourceLocation = #_sourceLocation) async throws {
        for device in devices {
            #expect(try await differences(device) == [], sourceLocation: sourceLocation)
            #expect(try await SyncOutbox(device.store).entries().isEmpty, sourceLocation: sourceLocation)
        }
    }
}

/// The process of an emulator. It ends with the last reference.
//
// Soundness of `@unchecked Sendable`: the test uses the process on one thread at a time.
private final class EmulatorProcess: @unchecked Sendable {
    let port: Int
    private let child: ChildProcess

    init(_ schema: String) throws {
        child = try AppSync.start(schema)
        guard let line = try child.readLine(), let port = Int(line) else {
            throw AppSync.NotStarted(errors: child.errorText)
        }
        self.port = port
    }

    /// Ends the process. Returns the errors that it reported.
    func end() throws -> String {
        child.signal(SIGKILL)
        _ = try child.wait()
        return child.errorText
    }
}

extension AppSync {
    fileprivate struct NotStarted: Error {
        let errors: String
    }

    fileprivate static func start(_ schema: String) throws -> ChildProcess {
        let api = Self.schema("\(schema).deployed")
        return try ChildProcess(
            python, [folder.appending(path: "emulator.py").path, "--schema", api.path, "--key", Device.key])
    }
}

extension Device {
    /// Saves a record with exactly these values.
    func save(_ model: String, _ json: String) async throws {
        let layout = try #require(try store.layout.model(named: model))
        try await store.save(Record(json: Array(json.utf8), layout: layout))
    }

    /// Changes these fields of a record whose key is its id.
    func change(_ model: String, _ id: String, _ values: [String: FieldValue?]) async throws {
        var record = try #require(try await store.record(model, id: RecordID(id)))
        for (name, value) in values { record[name] = value }
        try await store.save(record)
    }

    /// The value of a field.
    func value(_ model: String, _ id: String, _ field: String) async throws -> FieldValue? {
        try await store.record(model, id: RecordID(id))?[field]
    }

    /// Every record of the store, as lines.
    fileprivate func rows() async throws -> [String] {
        let layout = try store.layout
        var lines: [String] = []
        for model in layout.models {
            for record in try await store.fetch(Record.all(of: model.name)) {
                let json = try JSONValue(parsing: record.json(layout: model))
                lines.append("\(model.name) \(json.normalized)")
            }
        }
        return lines
    }
}

extension JSONValue {
    var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }

    /// The value as text, without missing members and metadata, and with members in the order of their names.
    fileprivate var normalized: String { String(decoding: sorted.bytes(), as: UTF8.self) }

    private var sorted: JSONValue {
        switch self {
        case .array(let elements): .array(elements.map(\.sorted))
        case .object(let members):
            .object(
                members.filter { $0.value != .null && !$0.key.hasPrefix("_") }.sorted { $0.key < $1.key }
                    .map { Member($0.key, $0.value.sorted) })
        case .double(let number) where number == number.rounded() && abs(number) < 1e15: .int(Int64(number))
        default: self
        }
    }
}
