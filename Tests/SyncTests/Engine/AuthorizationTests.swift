import Foundation
import ServerSupport
import TestWaiting
import Testing
import Tidelog
import TidelogAgreement
import TidelogSDL
import TidelogServer
import TidelogSync

@Suite(
    "Authorization of the engine", .timeLimit(.minutes(5)),
    .enabled(if: CommandLineTools.hasOpenSSL, "openssl is missing"))
struct AuthorizationTests {
    private static func authorization(_ session: UserSession) -> GraphQLAuthorization {
        .amazonCognitoUserPools { try await session.token(refreshing: $0) }
    }

    /// A schema with one model, which has these rules.
    private static func sdl(_ rules: String) -> String {
        "type Note @model @auth(rules: [\(rules)]) { id: ID! text: String team: String }"
    }

    private static func save(_ device: Device, _ id: String, team: String? = nil) async throws {
        var values: [String: FieldValue] = ["id": .string(id), "text": .string("t")]
        if let team { values["team"] = .string(team) }
        try await device.store.save(Record(model: "Note", values: values))
    }

    private static func ids(_ device: Device) async throws -> [String] {
        try await device.store.fetch(Record.all(of: "Note")).compactMap { record in
            if case .string(let id)? = record["id"] { id } else { nil }
        }
        .sorted()
    }

    private static func has(_ device: Device, _ id: String) async throws -> Bool {
        try await device.store.record("Note", id: RecordID(id)) != nil
    }

    /// Syncs a new device of the session's person once, and returns the ids of its records.
    private static func synced(_ sdl: String, _ port: Int, _ session: UserSession) async throws -> [String] {
        let device = try await Device(port, sdl: sdl)
        let report = await (try device.engine(as: authorization(session))).runOnce()
        #expect(report.failure == nil && report.problems.isEmpty)
        return try await ids(device)
    }

    @Test(
        "each person receives, by pushes and by queries, exactly the records that the rules allow",
        arguments: [
            ("{allow: owner}", ["a1", "a2"], ["b1", "b2"]),
            // Ben is an editor and therefore gets every record.
            (
                "{allow: owner}, {allow: groups, groups: [\"Editors\"], operations: [read]}", ["a1", "a2"],
                ["a1", "a2", "b1", "b2"]
            ),
            // Each person also gets the records of their team. Anna's first record has the editors as its team.
            (
                "{allow: owner}, {allow: groups, groupsField: \"team\", operations: [read]}", ["a1", "a2"],
                ["a1", "b1", "b2"]
            ),
        ])
    func persons(_ rules: String, _ annas: [String], _ bens: [String]) async throws {
        let issuer = try TokenIssuer()
        let sdl = Self.sdl(rules)
        try await RunningServer.serve(sdl, try issuer.authenticator()) { port in
            let anna = UserSession("anna", groups: ["Readers"], from: issuer)
            let ben = UserSession("ben", groups: ["Editors"], from: issuer)
            // Each person has a second device, which gets changes only by pushes.
            let sessions = [anna, anna, ben, ben]
            var (devices, engines) = ([Device](), [SyncEngine]())
            for session in sessions {
                let device = try await Device(port, sdl: sdl)
                engines.append(try device.engine(startup: .automatic, as: Self.authorization(session)))
                devices.append(device)
            }
            // The first changes may reach the second devices by their first query; the last ones are pushed.
            let names = [["a1", "a2"], ["b1", "b2"]]
            for round in 0..<2 {
                try await Self.save(devices[0], names[0][round], team: round == 0 ? "Editors" : nil)
                try await Self.save(devices[2], names[1][round])
                try await eventually {
                    let isFirstPushed = try await Self.has(devices[1], names[0][round])
                    let isSecondPushed = try await Self.has(devices[3], names[1][round])
                    return isFirstPushed && isSecondPushed
                }
            }
            try await eventually { try await Self.ids(devices[3]) == bens }
            #expect(try await Self.ids(devices[1]) == annas)
            for engine in engines { await engine.stop() }
            #expect(try await Self.synced(sdl, port, anna) == annas)
            #expect(try await Self.synced(sdl, port, ben) == bens)
        }
    }

    private static func both(_ session: UserSession) -> GraphQLAuthorization {
        .modes(authorization(session), .apiKey(Device.key))
    }

    private static let multiAuth = SyncConfiguration(authModeStrategy: .multiAuth)

    @Test("a device whose token is refused reads with the API key if the rules allow it, and sends no change with it")
    func readingByKey() async throws {
        let (issuer, stranger) = (try TokenIssuer(), try TokenIssuer())
        let sdl = Self.sdl("{allow: owner}, {allow: public, provider: apiKey, operations: [read]}")
        try await RunningServer.serve(sdl, try issuer.authenticator(apiKey: Device.key)) { port in
            let owner = try await Device(port, sdl: sdl)
            let session = UserSession("anna", from: issuer)
            try await Self.save(owner, "1")
            let sending = try owner.engine(startup: .automatic, as: Self.authorization(session))

            let device = try await Device(port, sdl: sdl)
            let refused = Self.both(UserSession("ben", from: stranger))
            let engine = try device.engine(Self.multiAuth, startup: .automatic, as: refused)
            try await eventually { try await Self.has(device, "1") }
            for id in ["2", "3"] {
                try await Self.save(owner, id)
                try await eventually { try await Self.has(device, id) }
            }
            try await Self.save(device, "ben's")
            await engine.stop()
            let report = await (try device.engine(Self.multiAuth, as: refused)).runOnce()
            #expect(report.failure?.code == .unauthorized && report.pending == 1 && report.setAside == 0)
            // The default strategy uses only the token.
            let strict = try await Device(port, sdl: sdl)
            let none = await (try strict.engine(as: refused)).runOnce()
            #expect(none.failure?.code == .unauthorized && none.received == 0)
            await sending.stop()
        }
    }

    @Test("a signed-out device sends its changes with the API key, and a device whose token provider fails waits")
    func signedOut() async throws {
        let issuer = try TokenIssuer()
        let sdl = Self.sdl("{allow: owner}, {allow: public, provider: apiKey}")
        try await RunningServer.serve(sdl, try issuer.authenticator(apiKey: Device.key)) { port in
            // One change is sent alone, and two are sent in one request.
            for (isSignedOut, ids) in [(true, ["1"]), (true, ["2", "3"]), (false, ["4"]), (false, ["5", "6"])] {
                let device = try await Device(port, sdl: sdl)
                for id in ids { try await Self.save(device, id) }
                let sent = isSignedOut ? ids.count : 0
                let authorization = GraphQLAuthorization.modes(
                    .apiKey(Device.key),
                    .amazonCognitoUserPools { _ in
                        if isSignedOut { throw GraphQLAuthorization.SignedOut() }
                        throw UserSession.NoSession()
                    })
                let report = await (try device.engine(Self.multiAuth, as: authorization)).runOnce()
                #expect(report.sent == sent && (report.failure == nil) == isSignedOut)
                #expect(report.pending == ids.count - sent && report.setAside == 0)
            }
        }
    }

    @Test("a change is sent in the next authorization mode if the server refuses one, and set aside after the last")
    func changes() async throws {
        let issuer = try TokenIssuer()
        let editors = "{allow: groups, groups: [\"Editors\"]}"
        for (operations, sent) in [("", 1), (", operations: [read]", 0)] {
            let rules = "\(editors), {allow: public\(operations)}"
            let sdl = Self.sdl(rules)
            try await RunningServer.serve(sdl, try issuer.authenticator(apiKey: Device.key)) { port in
                let device = try await Device(port, sdl: sdl)
                try await Self.save(device, "1")
                let engine = try device.engine(Self.multiAuth, as: Self.both(UserSession("anna", from: issuer)))
                let report = await engine.runOnce()
                #expect(report.failure == nil && report.pending == 0)
                #expect(report.sent == sent && report.setAside == 1 - sent)
            }
        }
    }

    @Test("a network failure does not make the engine send a change in another authorization mode")
    func networkFailure() async throws {
        let knowsIDs = [MutationHeader.name: MutationHeader.support]
        let server = ScriptedServer { (request, number) throws(TransportError) in
            switch request.field {
            case "syncNotes":
                return ScriptedServer.json(
                    #"{"data":{"syncNotes":{"items":[],"nextToken":null,"startedAt":1000}}}"#, knowsIDs)
            case "createNote" where number == 1: throw TransportError(.timedOut, "The network is slow.")
            case "createNote" where number == 2: return ScriptedServer.json("{}", status: 500)
            case "createNote" where number == 3 || number == 4:
                let error = #"{"message":"Token has expired.","errorType":"UnauthorizedException"}"#
                return ScriptedServer.json(#"{"errors":[\#(error)]}"#, status: 401)
            default:
                return ScriptedServer.json(
                    """
                    {"data":{"\(request.field)":{"id":"1","text":"t","team":null,"_version":1,"_lastChangedAt":5,\
                    "_deleted":null}}}
                    """, knowsIDs)
            }
        }
        let device = try await Device(1, sdl: Self.sdl("{allow: owner}, {allow: public}"))
        try await Self.save(device, "1")
        let authorization = GraphQLAuthorization.modes(
            .apiKey("key"), .amazonCognitoUserPools { $0 ? "new" : "token" })
        let report = await (try device.engine(Self.multiAuth, as: authorization, transport: server)).runOnce()
        #expect(report.failure == nil && report.sent == 1)
        let asked = server.requests.filter { $0.field == "createNote" }
            .map { $0.headers["Authorization"] ?? $0.headers["x-api-key"] ?? "nobody" }
        #expect(asked == ["token", "token", "token", "new", "key"])
    }
}
