import SeededNumbers
import Testing
import TidelogCore

@testable import TidelogClientMachines
@testable import TidelogSync

@Suite("Outbox")
struct OutboxTests {
    private static let known = ServerState(version: 3)

    private static func driver(known ids: [String] = ["1"], _ set: (inout Outbox.Options) -> Void = { _ in })
        -> OutboxDriver
    {
        var options = Outbox.Options()
        set(&options)
        var driver = OutboxDriver(options: options)
        for id in ids { driver.states[OutboxDriver.reference(id)] = known }
        return driver
    }

    @Test("a mutation is marked before it is sent, and its mark means nothing after its response")
    func mark() {
        var driver = Self.driver()
        driver.change("1", .update, "a")
        #expect(driver.sent.map(\.mutation.baseVersion) == [3])
        #expect(driver.marks.values.map(\.last) == [SequenceNumber(1)])
        driver.respondWritten(version: 4)
        #expect(driver.outbox.isEmpty)
        #expect(driver.answers.map(\.mutation.id.sequence.value) == [1])
        driver.crash()
        #expect(driver.sent.isEmpty && driver.outbox.isEmpty)
        driver.change("2", .create)
        #expect(driver.marks.mapValues(\.last) == [0: SequenceNumber(3)], "the next mutation replaces the mark")
    }

    @Test("while none is in flight, a few mutations are begun, and more follow as soon as these are sent")
    func first() {
        var driver = Self.driver(known: []) { options in
            (options.maximumInFlight, options.firstInFlight) = (12, 4)
            (options.maximumAhead, options.beginInterval) = (0, 10)
        }
        driver.run(driver.outbox.networkChanged(isOnline: false, at: 0))
        for id in 0..<20 { driver.change("\(id)", .create) }
        let actions = driver.outbox.networkChanged(isOnline: true, at: 0)
        #expect(actions.count { $0.isBegin } == 4)
        driver.run(actions)
        #expect(driver.sent.count == 12, "the time of the inputs has not changed")
        driver.respondWritten(version: 1)
        #expect(driver.sent.count == 11, "later mutations wait for the interval")
        driver.wait(10)
        #expect(driver.sent.count == 12)
    }

    @Test("changes that are made while a mutation is in flight are sent after it as one mutation, from its new version")
    func order() {
        var driver = Self.driver()
        for title in ["a", "b", "c"] { driver.change("1", .update, title) }
        #expect(driver.sent.count == 1)
        driver.respondWritten(version: 4)
        #expect(driver.sent.map(\.mutation.fields) == [["title": "c"]])
        #expect(driver.sent.map(\.mutation.baseVersion) == [4])
        #expect(driver.sent.map(\.mutation.id.sequence.value) == [3])
    }

    @Test("after a crash, the same mutation is sent again with the same id, and later changes follow it")
    func crash() {
        var driver = Self.driver()
        driver.change("1", .update, "a")
        let before = driver.sent.map(\.mutation)
        driver.change("1", .update, "b")
        driver.states[OutboxDriver.reference("1")] = ServerState(baseVersion: 3, version: 9)
        driver.crash()
        #expect(driver.sent.map(\.mutation) == before)
        driver.respondWritten(version: 10)
        #expect(driver.sent.map(\.mutation.fields) == [["title": "b"]])
    }

    @Test("the mutation that resolves a conflict is sent again unchanged after a crash")
    func resolvedCrash() {
        var driver = Self.driver()
        driver.change("1", .update, "a")
        driver.respond(
            .refused(
                errorType: "ConflictUnhandled", message: "",
                record: OutboxDriver.record(OutboxDriver.reference("1"), "s", version: 7)))
        driver.resolve(.retry(["title": "merged"]))
        let sent = driver.sent.map(\.mutation)
        #expect(sent.map(\.fields) == [["title": "merged"]] && sent.map(\.baseVersion) == [7])
        driver.crash()
        #expect(driver.sent.map(\.mutation) == sent)
    }

    @Test("a create that a conflict turned into an update has the same fields after a crash")
    func keptCreation() {
        var driver = Self.driver(known: [])
        driver.change("1", .create, "a")
        driver.respond(
            .refused(
                errorType: "ConflictUnhandled", message: "",
                record: OutboxDriver.record(OutboxDriver.reference("1"), "s", version: 7)))
        driver.resolve(.retryLocal)
        let sent = driver.sent.map(\.mutation)
        #expect(sent.map(\.kind) == [.update] && driver.marks.values.map(\.fields) == [sent[0].fields])
        driver.crash()
        #expect(driver.sent.map(\.mutation) == sent)
    }

    @Test("at most 16 mutations of different records are in flight")
    func inFlight() {
        var driver = Self.driver()
        for id in 0..<40 { driver.change("new \(id)", .create) }
        #expect(driver.sent.count == 16)
        driver.respondWritten(version: 1)
        #expect(driver.sent.count == 16)
        while !driver.sent.isEmpty { driver.respondWritten(version: 1) }
        #expect(driver.answers.count == 40 && driver.outbox.isEmpty)
    }

    @Test("a parent is created before its children, also if it was saved after them")
    func parents() {
        var driver = Self.driver()
        driver.run(driver.outbox.networkChanged(isOnline: false, at: 0))
        driver.change("c", .create, model: "Comment", parent: "p")
        driver.change("p", .create)
        driver.run(driver.outbox.networkChanged(isOnline: true, at: 0))
        #expect(driver.sent.map(\.mutation.reference.model) == ["Post"])
        driver.respondWritten(version: 1)
        #expect(driver.sent.map(\.mutation.reference.model) == ["Comment"])
    }

    @Test("a parent that was set aside does not delay its children")
    func refusedParent() {
        var driver = Self.driver()
        driver.change("p", .create)
        driver.change("c", .create, model: "Comment", parent: "p")
        driver.respond(.refused(errorType: "Unauthorized", message: "no", record: nil))
        #expect(driver.sent.map(\.mutation.reference.model) == ["Comment"])
    }

    @Test(
        "an error that is final sets the change aside, and later changes of the record wait",
        arguments: ["Unauthorized", "OperationDisabled", "BadRequest", "AccessDeniedException"])
    func final(errorType: String) {
        var driver = Self.driver()
        driver.change("1", .update)
        driver.respond(.refused(errorType: errorType, message: "no", record: nil))
        guard case .setAside(let reason, _) = driver.answers.last?.outcome else { return #expect(Bool(false)) }
        #expect(reason == SetAsideChange.Reason(errorType, "no"))
        driver.change("1", .update, "later")
        driver.change("2", .create)
        #expect(driver.sent.map(\.mutation.reference.id) == ["2"])
        var pending = driver.outbox.pending
        #expect(pending.position(answering: nil).sequence.value == 2)
    }

    @Test("a change whose condition is false is set aside, and the record gets the server's row")
    func condition() {
        var driver = Self.driver()
        driver.change("1", .update, condition: "c")
        driver.respond(.refused(errorType: "ConditionalCheckFailedException", message: "no", record: nil))
        let record = OutboxDriver.record(OutboxDriver.reference("1"), "s", version: 5)
        driver.fetched(.record(record))
        #expect(
            driver.answers.map(\.outcome)
                == [.replaced(SetAsideChange.Reason("ConditionalCheckFailedException", "no"), by: record)])
    }

    @Test("if the server deleted the record, an update gives way to the deletion and is set aside; a deletion succeeds")
    func deleted() {
        let deleted = OutboxDriver.record(OutboxDriver.reference("1"), "", version: 5, isDeleted: true)
        let conflict = Outbox.MutationResponse.refused(errorType: "ConflictUnhandled", message: "", record: deleted)
        for response in [Outbox.MutationResponse.written(deleted), conflict] {
            var driver = Self.driver()
            driver.change("1", .update)
            driver.respond(response)
            #expect(driver.answers.map(\.outcome) == [.replaced(.recordDeleted, by: deleted)])
            driver = Self.driver()
            driver.change("1", .delete)
            driver.respond(response)
            #expect(driver.answers.map(\.outcome) == [.taken(deleted)])
        }
    }

    @Test("a record that the server no longer has counts as deleted")
    func missing() {
        for (kind, isTaken) in [(PendingChange.Kind.update, false), (.delete, true)] {
            var driver = Self.driver()
            driver.change("1", kind)
            driver.respond(.refused(errorType: "ConditionalCheckFailedException", message: "", record: nil))
            driver.fetched(.record(nil))
            #expect(driver.answers.map(\.outcome) == [isTaken ? .taken(nil) : .replaced(.recordDeleted, by: nil)])
        }
    }

    @Test("a conflict is resolved up to ten times, and then the change is set aside")
    func rounds() {
        var driver = Self.driver()
        driver.change("1", .update)
        for round in 1...10 {
            let record = OutboxDriver.record(OutboxDriver.reference("1"), "s", version: UInt64(round) + 10)
            driver.respond(.refused(errorType: "ConflictUnhandled", message: "x", record: record))
            #expect(driver.conflicts.map(\.conflict.round) == [round])
            driver.resolve(.retryLocal)
            #expect(driver.sent.map(\.mutation.baseVersion) == [UInt64(round) + 10])
            if round == 5 { driver.crash() }
        }
        let record = OutboxDriver.record(OutboxDriver.reference("1"), "s", version: 30)
        driver.respond(.refused(errorType: "ConflictUnhandled", message: "x", record: record))
        #expect(
            driver.answers.map(\.outcome) == [
                .setAside(SetAsideChange.Reason("ConflictUnhandled", "x"), server: record)
            ])
    }

    @Test("a create of a record that the server already has becomes an update if the handler keeps the local change")
    func createMeetsRecord() {
        var driver = Self.driver(known: [])
        driver.change("1", .create, "mine")
        driver.respond(.refused(errorType: "ConditionalCheckFailedException", message: "", record: nil))
        let record = OutboxDriver.record(OutboxDriver.reference("1"), "theirs", version: 2)
        driver.fetched(.record(record))
        driver.resolve(.retryLocal)
        #expect(driver.sent.map(\.mutation.kind) == [.update] && driver.sent.map(\.mutation.baseVersion) == [2])
        driver = Self.driver(known: [])
        driver.change("1", .create, "theirs")
        driver.respond(.refused(errorType: "ConditionalCheckFailedException", message: "", record: nil))
        driver.fetched(.record(record))
        #expect(driver.answers.map(\.outcome) == [.taken(record)], "the record has the values of the creation")
    }

    @Test("a conflict that is resolved with applyRemote ends with the server's record")
    func applyRemote() {
        var driver = Self.driver()
        driver.change("1", .update)
        let record = OutboxDriver.record(OutboxDriver.reference("1"), "s", version: 5)
        driver.respond(.refused(errorType: "ConflictUnhandled", message: "", record: record))
        driver.resolve(.applyRemote)
        #expect(driver.answers.map(\.outcome) == [.yielded(to: record)])
    }

    @Test("a request without a response is repeated without end, and each wait has a maximum")
    func retries() {
        var driver = Self.driver()
        driver.change("1", .update)
        for _ in 0..<50 {
            driver.respond(.failed(retryAfter: nil))
            #expect(driver.sent.isEmpty)
            guard let wake = driver.outbox.nextWake else { return #expect(Bool(false)) }
            #expect(wake - driver.now <= driver.options.backoff.maximum)
            driver.wait(wake - driver.now)
            #expect(driver.sent.count == 1)
        }
        driver.wait(driver.options.timeLimit)
        driver.wait(driver.options.backoff.maximum)
        #expect(driver.sent.count == 2, "the second one is sent because the first had no answer in time")
        driver.sent.removeFirst()
        driver.respondWritten(version: 4)
        #expect(driver.outbox.isEmpty)
    }

    @Test("while the server does not respond, one mutation is sent at a time; a response restores the full number")
    func probes() {
        var driver = Self.driver()
        driver.change("new", .create)
        driver.respond(.failed(retryAfter: nil))
        for id in 0..<30 { driver.change("new \(id)", .create) }
        #expect(driver.sent.isEmpty)
        driver.wait(1)
        #expect(driver.sent.count == 1)
        driver.respondWritten(version: 1)
        #expect(driver.sent.count == 16)
    }

    @Test("a record whose mutations never get a response does not delay other records")
    func poison() {
        var driver = Self.driver()
        for id in 0..<300 { driver.change("\(id)", .create) }
        var stepCount = 0
        while driver.answers.count < 290, stepCount < 20_000 {
            stepCount += 1
            if driver.sent.isEmpty {
                driver.wait(max((driver.outbox.nextWake ?? driver.now) - driver.now, 1))
            } else if case .string(let id)? = driver.sent[0].mutation.reference.id.components.first, id.count == 1 {
                driver.respond(.failed(retryAfter: nil))
            } else {
                driver.respondWritten(version: 1)
            }
        }
        #expect(driver.answers.count == 290)
        #expect(driver.outbox.pendingCount == 10)
    }

    @Test("mutations wait while the network or the session is missing, and are sent as soon as it returns")
    func pauses() {
        var driver = Self.driver()
        driver.change("1", .update)
        driver.respond(.unauthenticated)
        #expect(driver.refreshCount == 1 && driver.sent.isEmpty && driver.outbox.nextWake == nil)
        driver.run(driver.outbox.sessionRestored(at: driver.now))
        #expect(driver.sent.count == 1)
        for _ in 0..<20 {
            driver.respond(.failed(retryAfter: nil))
            driver.wait(driver.options.backoff.maximum)
        }
        driver.respond(.failed(retryAfter: 50_000))
        driver.run(driver.outbox.networkChanged(isOnline: false, at: driver.now))
        driver.wait(1_000_000)
        #expect(driver.sent.isEmpty)
        driver.run(driver.outbox.networkChanged(isOnline: true, at: driver.now))
        #expect(driver.sent.count == 1)
    }

    @Test("a server that does not know the ids of mutations is asked for the record before a mutation is repeated")
    func comparing() {
        var driver = Self.driver { $0.serverKnowsIDs = false }
        driver.change("1", .update, "a")
        driver.crash()
        #expect(driver.sent.isEmpty)
        driver.fetched(.record(OutboxDriver.record(OutboxDriver.reference("1"), "other", version: 3)))
        driver.wait(0)
        #expect(driver.sent.count == 1)
        driver.crash()
        let record = OutboxDriver.record(OutboxDriver.reference("1"), "a", version: 4)
        driver.fetched(.record(record))
        #expect(driver.sent.isEmpty && driver.answers.map(\.outcome) == [.taken(record)])
    }

    @Test("a change that is refused after a lost response counts as written if the server's record contains it")
    func refusedAfterLoss() {
        let reference = OutboxDriver.reference("1")
        let refusal = Outbox.MutationResponse.refused(errorType: "Unauthorized", message: "no", record: nil)
        for (title, isDone) in [("a", true), ("other", false)] {
            var driver = Self.driver()
            driver.change("1", .update, "a")
            driver.respond(.failed(retryAfter: nil))
            driver.wait(60_000)
            driver.respond(refusal)
            #expect(driver.answers.isEmpty && driver.fetches.count == 1)
            let record = OutboxDriver.record(reference, title, version: 9)
            driver.fetched(.record(record))
            let setAside = Outbox.Answer.Outcome.setAside(SetAsideChange.Reason("Unauthorized", "no"), server: record)
            #expect(driver.answers.map(\.outcome) == [isDone ? .taken(record) : setAside])
        }
        // If the server also refuses to show the record, the reason of the first refusal counts.
        var driver = Self.driver()
        driver.change("1", .update, "a")
        driver.crash()
        driver.respond(refusal)
        driver.fetched(.refused(errorType: "AccessDeniedException", message: "not even that"))
        #expect(driver.answers.map(\.outcome) == [.setAside(SetAsideChange.Reason("Unauthorized", "no"), server: nil)])
    }

    private static let taken = Outbox.MutationResponse.refused(errorType: "MutationIDTaken", message: "m", record: nil)

    @Test("a mutation whose id the server knows with another content is sent with a new id, which survives a crash")
    func takenID() {
        var driver = Self.driver()
        driver.change("1", .update, "a")
        driver.change("2", .update, "b")
        #expect(driver.sent.map(\.mutation.sentID) == ["1-1-0", "1-2-7"])
        driver.jitter = 77
        driver.respond(Self.taken)
        #expect(driver.sent.map(\.mutation.sentID) == ["1-2-7", "1-1-77"])
        #expect(driver.marks.values.contains { $0.distinction == 77 && $0.attempt == 1 })
        driver.crash()
        #expect(Set(driver.sent.map(\.mutation.sentID)) == ["1-2-7", "1-1-77"])
    }

    @Test("if the id of a resolved mutation is known with another content, the conflict is decided again")
    func takenAfterConflict() {
        var driver = Self.driver()
        let reference = OutboxDriver.reference("1")
        driver.change("1", .update, "a")
        driver.respond(
            .refused(
                errorType: "ConflictUnhandled", message: "m", record: OutboxDriver.record(reference, "b", version: 2)))
        driver.resolve(.retry(["title": "ab"]))
        driver.jitter = 77
        driver.respond(Self.taken)
        #expect(driver.sent.isEmpty && driver.fetches.count == 1)
        driver.fetched(.record(OutboxDriver.record(reference, "a", version: 3)))
        driver.resolve(.retry(["title": "aba"]))
        #expect(driver.sent.map(\.mutation.sentID) == ["1-1-77"])
        #expect(driver.sent.map(\.mutation.baseVersion) == [3])
    }

    @Test("a mutation with a mark of an earlier version keeps its id")
    func earlierMark() {
        var driver = Self.driver()
        driver.change("1", .update, "a")
        driver.marks[0]?.distinction = nil
        driver.crash()
        #expect(driver.sent.map(\.mutation.sentID) == ["1-1"])
    }

    @Test("a record that was created and deleted before it was sent is never sent")
    func nothing() {
        var driver = Self.driver()
        driver.run(driver.outbox.networkChanged(isOnline: false, at: 0))
        driver.change("n", .create)
        driver.change("n", .delete)
        driver.run(driver.outbox.networkChanged(isOnline: true, at: 0))
        #expect(driver.sent.isEmpty && driver.outbox.isEmpty)
    }

    @Test("a merge keeps fields that one side changed, and the server's value of a field that both sides changed")
    func merge() {
        let base = Record(model: "Post", values: ["id": "1", "a": "0", "b": "0", "c": "0"])
        let remote = Record(model: "Post", values: ["id": "1", "a": "0", "b": "2", "c": "2"])
        let local = OutgoingMutation(
            OutboxDriver.reference("1"), .update, fields: ["a": "1", "b": "1"],
            id: MutationID(incarnation: 1, sequence: SequenceNumber(1)))
        let conflict = SyncConflict(
            local: local, remote: ServerRecord(OutboxDriver.reference("1"), row: remote, version: 2, lastChangedAt: 0),
            base: .zero, round: 1)
        #expect(conflict.merged(from: base) == .retry(["a": "1"]))
        var other = conflict
        other.local.fields = ["b": "1"]
        #expect(other.merged(from: base) == .applyRemote)
        other.local.kind = .delete
        #expect(other.merged(from: base) == .applyRemote)
    }
}
