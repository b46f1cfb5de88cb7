import Testing
import TidelogCore

@testable import TidelogClientMachines
@testable import TidelogSync

/// Errors of the server that may pass. A pause belongs to what failed.
@Suite("Pauses of the outbox")
struct OutboxPauseTests {
    private static let busy = Outbox.MutationResponse.refused(
        errorType: "DynamoDB:ProvisionedThroughputExceededException", message: "The table is busy.", record: nil)

    private static func driver(knowsIDs: Bool = true) -> OutboxDriver {
        var options = Outbox.Options()
        options.serverKnowsIDs = knowsIDs
        var driver = OutboxDriver(options: options)
        driver.jitter = 0x5851_F42D_4C95_7F2D
        return driver
    }

    /// Answers every request until `end`. Mutations of records that `fails` names get an error that may pass. Returns how many
    /// mutations were sent.
    private static func run(
        _ driver: inout OutboxDriver, until end: Int64, failing fails: (RecordReference) -> Bool
    ) -> Int {
        var sentCount = 0
        while driver.now < end {
            if let fetch = driver.fetches.first {
                driver.fetched(.record(OutboxDriver.record(fetch.reference, "other", version: 1)))
            } else if let request = driver.sent.first {
                sentCount += 1
                if fails(request.mutation.reference) { driver.respond(busy) } else { driver.respondWritten(version: 9) }
            } else {
                let wake = driver.outbox.nextWake ?? end
                driver.wait(min(max(wake - driver.now, 1), end - driver.now))
            }
        }
        return sentCount
    }

    @Test("a question that the server answers does not end the pause of the mutation", arguments: [true, false])
    func question(knowsIDs: Bool) {
        var driver = Self.driver(knowsIDs: knowsIDs)
        driver.change("1", .update)
        let first = Self.run(&driver, until: 60_000) { _ in true }
        #expect((4...20).contains(first))
        let later = Self.run(&driver, until: 660_000) { _ in true }
        #expect(later < 10 * first, "the waits grow")
    }

    @Test("records that the server cannot change hold up no other record")
    func others() {
        var driver = Self.driver()
        for id in 0..<400 { driver.change("\(id)", .create) }
        let failing = Set((0..<12).map { OutboxDriver.reference("\($0 * 30)") })
        _ = Self.run(&driver, until: 60_000) { failing.contains($0) }
        #expect(driver.outbox.pendingCount == 12)
        #expect(Set(driver.outbox.pending.references) == failing)
        #expect(driver.tries.values.allSatisfy { $0.reason.message == "The table is busy." })
        driver.change("new", .create)
        _ = Self.run(&driver, until: driver.now + 60_000) { failing.contains($0) }
        #expect(driver.outbox.pendingCount == 12, "a new record is sent although older records wait")
    }

    @Test("a model that the server cannot change gets one request at a time, and other models are sent")
    func model() {
        var driver = Self.driver()
        for id in 0..<300 {
            driver.change("p\(id)", .create)
            driver.change("c\(id)", .create, model: "Comment")
        }
        var most = 0
        let fails: (RecordReference) -> Bool = { $0.model == "Post" }
        _ = Self.run(&driver, until: 10_000, failing: fails)
        #expect(driver.outbox.pendingCount == 300, "every comment was sent")
        for _ in 0..<200 {
            most = max(most, driver.sent.count)
            if driver.sent.isEmpty {
                driver.wait(max((driver.outbox.nextWake ?? driver.now) - driver.now, 1))
            } else {
                driver.respond(Self.busy)
            }
        }
        #expect(most == 1)
        // The server changes the model again. All records follow the first success.
        let now = driver.now
        _ = Self.run(&driver, until: now + 3_600_000) { _ in false }
        #expect(driver.outbox.isEmpty && driver.tries.isEmpty)
        driver.crash()
        #expect(driver.outbox.isEmpty && driver.sent.isEmpty, "no mark is left of a mutation without a response")
    }

    @Test("a change is set aside after a day and ten tries, and not before either")
    func limits() {
        var driver = Self.driver()
        driver.change("1", .update)
        for _ in 0..<30 {
            driver.respond(Self.busy)
            driver.wait((driver.outbox.nextWake ?? driver.now) - driver.now)
        }
        #expect(driver.answers.isEmpty, "thirty tries within a day set nothing aside")
        driver.now += 86_400_000
        driver.respond(Self.busy)
        #expect(driver.fetches.count == 1, "the server may have made the change although it never said so")
        driver.fetched(.record(OutboxDriver.record(OutboxDriver.reference("1"), "other", version: 1)))
        guard case .setAside(let reason, _)? = driver.answers.last?.outcome else { return #expect(Bool(false)) }
        #expect(reason.message == "The table is busy.")
        #expect(driver.answers.last?.attempts == 32 && driver.tries.isEmpty)
        // A day alone is not enough.
        driver = Self.driver()
        driver.change("1", .update)
        driver.respond(Self.busy)
        driver.wait(86_400_001)
        driver.respond(Self.busy)
        #expect(driver.answers.isEmpty && driver.fetches.isEmpty)
    }

    @Test("tries are counted across restarts of the engine")
    func restarts() {
        var driver = Self.driver()
        driver.change("1", .update)
        for count in 1...11 {
            driver.respond(Self.busy)
            #expect(driver.tries.values.map(\.count) == [UInt32(count)])
            driver.now += 8_640_000
            driver.crash()
            driver.wait(0)
        }
        #expect(driver.fetches.count == 1 || driver.sent.count == 1)
        if let tries = driver.tries.values.first { #expect(FailedTries(encoded: tries.encoded) == tries) }
    }

    @Test("the return of the network does not end the pause of a change that the server cannot make")
    func network() {
        var driver = Self.driver()
        driver.change("1", .update)
        driver.run(
            driver.outbox.responsesReceived(
                [Self.busy], to: [driver.sent.removeFirst().ticket], at: driver.now, jitter: 400))
        driver.run(driver.outbox.networkChanged(isOnline: false, at: driver.now))
        driver.run(driver.outbox.networkChanged(isOnline: true, at: driver.now))
        driver.run(driver.outbox.serverReturned(at: driver.now))
        driver.run(driver.outbox.sessionRestored(at: driver.now))
        #expect(driver.sent.isEmpty && driver.outbox.nextWake == driver.now + 401)
    }

    @Test("a single run of a sync does not wait for changes that failed several times")
    func stalled() {
        var driver = Self.driver()
        driver.change("1", .update)
        #expect(!driver.outbox.isStalled)
        for count in 1...3 {
            driver.respond(Self.busy)
            #expect(driver.outbox.isStalled == (count == 3))
            driver.wait((driver.outbox.nextWake ?? driver.now) - driver.now)
        }
        #expect(!driver.outbox.isStalled, "the fourth try is on its way")
        driver.respond(.failed(retryAfter: nil))
        #expect(!driver.outbox.isStalled, "without a usable answer, the server may return at any moment")
    }
}
