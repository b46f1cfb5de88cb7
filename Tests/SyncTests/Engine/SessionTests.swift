import Foundation
import ServerSupport
import TestWaiting
import Testing
import Tidelog
import TidelogSDL
import TidelogServer
import TidelogSync

@Suite(
    "Sessions", .timeLimit(.minutes(5)), .enabled(if: CommandLineTools.hasOpenSSL, "openssl is missing"))
struct SessionTests {
    /// Runs `body` with a server that accepts the tokens of an issuer.
    private static func serve(_ body: (Int, TokenIssuer) async throws -> Void) async throws {
        let issuer = try TokenIssuer()
        try await RunningServer.serve(Device.sdl, try issuer.authenticator()) { try await body($0, issuer) }
    }

    private static func authorization(_ session: UserSession) -> GraphQLAuthorization {
        .amazonCognitoUserPools { try await session.token(refreshing: $0) }
    }

    @Test("tokens that expire during any step of a sync are replaced, and no change is lost")
    func shortTokens() async throws {
        try await Self.serve { port, issuer in
            let filled = try await Device(port)
            let patient = UserSession("anna", from: issuer)
            for number in 0..<200 { try await filled.save("s\(number)", ["title": "server"]) }
            let first = await (try filled.engine(as: Self.authorization(patient))).runOnce()
            #expect(first.failure == nil && first.sent == 200)

            // The moment at which a token expires depends on the machine. New devices sync until a token has expired in every
            // step.
            let session = UserSession("anna", seconds: 2, from: issuer)
            let transport = SlowTransport(.milliseconds(70))
            var configuration = SyncConfiguration(syncPageSize: 5)
            // Sending takes so long that a token expires at the same time.
            configuration.mutationsPerRequest = 1
            var (deviceCount, runCount) = (0, 0)
            repeat {
                let device = try await Device(port)
                for number in 0..<200 { try await device.save("d\(deviceCount)-\(number)", ["title": "device"]) }
                deviceCount += 1
                let engine = try device.engine(
                    configuration, as: Self.authorization(session), transport: transport)
                var sent = 0
                var report: SyncReport
                // A token can expire between its issue and its use, twice in a row. The next run continues.
                repeat {
                    report = await engine.runOnce()
                    sent += report.sent
                    runCount += 1
                } while report.failure?.code == .unauthorized && runCount < 100
                try #require(
                    report.failure == nil && report.pending == 0 && report.setAside == 0 && report.problems.isEmpty,
                    "\(report)")
                #expect(sent == 200)
                #expect(try await device.store.read { try $0.count(Record.all(of: "Post")) } == 200 * (deviceCount + 1))
            } while !transport.sawTokensExpire && deviceCount < 20
            #expect(transport.sawTokensExpire)

            let rest = await (try filled.engine(as: Self.authorization(patient))).runOnce()
            #expect(rest.failure == nil && rest.received == 200 * deviceCount, "\(rest)")
        }
    }

    @Test("changes of another device arrive while the tokens of the subscriptions expire")
    func subscriptions() async throws {
        try await Self.serve { port, issuer in
            let (writer, reader) = (try await Device(port), try await Device(port))
            let session = UserSession("anna", seconds: 1, from: issuer)
            let patient = UserSession("anna", from: issuer)
            let sending = try writer.engine(startup: .automatic, as: Self.authorization(patient))
            let receiving = try reader.engine(startup: .automatic, as: Self.authorization(session))
            var count = 0
            while await session.tokenCount < 4, count < 400 {
                try await writer.save("\(count)", ["title": "w"])
                try await Task.sleep(for: .milliseconds(80))
                count += 1
            }
            #expect(await session.tokenCount >= 4)
            try await eventually { [count] in
                for number in 0..<count where try await reader.post("\(number)") == nil { return false }
                return true
            }
            await sending.stop()
            await receiving.stop()
        }
    }

    @Test("without a session, changes wait and the sync writes no event; after a sign-in, all changes are sent")
    func endedSession() async throws {
        try await Self.serve { port, issuer in
            let device = try await Device(port)
            let session = UserSession(nil, seconds: 2, from: issuer)
            for number in 0..<20 { try await device.save("\(number)", ["title": "a"]) }
            let before = try await device.store.read { try $0.sequence }
            let engine = try device.engine(as: Self.authorization(session))
            let report = await engine.runOnce()
            #expect(report.failure?.code == .unauthorized && report.pending == 20 && report.sent == 0)
            #expect((report.failure?.underlying as? GraphQLClientError)?.underlying is UserSession.NoSession)
            #expect(try await device.store.read { try $0.sequence } == before)
            try await engine.start()
            await session.signIn("anna")
            try await eventually { try await SyncOutbox(device.store).entries().isEmpty }

            // The session ends while the engine runs.
            await session.signIn(nil)
            for number in 20..<40 { try await device.save("\(number)", ["title": "a"]) }
            try await eventually { !engine.status.hasSession && engine.status.pending == 20 }
            #expect(engine.status.lastError?.code == .unauthorized && engine.status.nextAttempt != nil)
            #expect(try await SyncOutbox(device.store).entries().count == 20)
            await session.signIn("anna")
            // A start after the sign-in makes the engine try at once, and not only at its next attempt.
            try await engine.start()
            try await eventually { try await SyncOutbox(device.store).entries().isEmpty }
            await engine.stop()
            let other = try await Device(port)
            #expect(await (try other.engine(as: Self.authorization(session))).runOnce().received == 40)
        }
    }

    @Test("a change waits while the server refuses the token, and the same engine sends it with the next token")
    func refusedToken() async throws {
        try await Self.serve { port, issuer in
            // The server does not trust the issuer of the first token, which names the same person.
            let token = Shared(try TokenIssuer().token("anna"))
            let device = try await Device(port)
            try await device.save("1", ["title": "a"])
            let engine = try device.engine(startup: .automatic, as: .token { token.value })
            try await eventually { !engine.status.hasSession && engine.status.pending == 1 }
            token.set(try issuer.token("anna"))
            try await eventually { engine.status.hasSession && engine.status.pending == 0 }
            #expect(try await SyncOutbox(device.store).entries().isEmpty)
            await engine.stop()
            let other = try await Device(port)
            #expect(await (try other.engine(as: .token { token.value })).runOnce().received == 1)
        }
    }

    @Test("a store of one person is not synced with another person's token")
    func anotherPerson() async throws {
        try await Self.serve { port, issuer in
            let device = try await Device(port)
            let session = UserSession("anna", from: issuer)
            let engine = try device.engine(as: Self.authorization(session))
            try await device.save("1", ["title": "anna's"])
            #expect(await engine.runOnce().failure == nil)
            await session.signIn("ben")
            try await device.save("2", ["title": "anna's"])
            await #expect {
                try await engine.start()
            } throws: { error in
                guard let error = error as? SyncError, error.code == .identityChanged else { return false }
                return error.message.contains("127.0.0.1:\(port)") && error.message.contains("anna of https://pool")
            }
            let report = await engine.runOnce()
            #expect(report.failure?.code == .identityChanged && report.pending == 1)
            await #expect {
                try await engine.start(adoptingServer: true)
            } throws: {
                let error = $0 as? SyncError
                return error?.code == .identityChanged && error?.recovery.contains("not another person") == true
            }
            await session.signIn("anna")
            #expect(await engine.runOnce().sent == 1)
            await session.signIn("ben")
            try await engine.clear()
            #expect(await engine.runOnce().failure == nil)
            await session.signIn("anna")
            await #expect { try await engine.start() } throws: { ($0 as? SyncError)?.code == .identityChanged }
        }
    }

    @Test("an engine that is given another person's token stops before it sends anything with it")
    func anotherPersonMeanwhile() async throws {
        try await Self.serve { port, issuer in
            let device = try await Device(port)
            let session = UserSession("anna", from: issuer)
            let engine = try device.engine(as: Self.authorization(session))
            #expect(await engine.runOnce().failure == nil)
            try await engine.start()
            await session.signIn("ben")
            try await device.save("1", ["title": "anna's"])
            let report = await engine.runOnce()
            #expect(report.failure?.code == .identityChanged && report.pending == 1)
            let other = try await Device(port)
            let all = await (try other.engine(as: Self.authorization(session))).runOnce()
            #expect(all.failure == nil && all.received == 0)
        }
    }

    @Test("authorization by IAM, and a mode that is given twice, are refused with an error that names the reason")
    func unsupported() async throws {
        let device = try await Device(1)
        for authorization in [
            GraphQLAuthorization.awsIAM, .modes(.apiKey("k"), .awsIAM), .modes(.apiKey("k"), .apiKey("l")),
        ] {
            let names = authorization.allModes.contains(.awsIAM) ? ["IAM", "API key"] : ["twice"]
            #expect {
                try device.engine(as: authorization)
            } throws: { error in
                guard let error = error as? SyncError, error.code == .invalidConfiguration else { return false }
                return names.allSatisfy { error.message.contains($0) }
            }
            #expect {
                try GraphQLClient(
                    endpoint: #require(URL(string: "http://127.0.0.1:1/graphql")), authorization: authorization,
                    schema: SchemaDocument(sdl: Array(Device.sdl.utf8)).schema)
            } throws: {
                guard let error = $0 as? GraphQLClientError else { return false }
                return error.code == .invalidConfiguration && names.allSatisfy { error.message.contains($0) }
            }
        }
    }
}
