import SeededNumbers
import Testing
import TidelogCore

@testable import TidelogClientMachines
@testable import TidelogSync

@Suite("Stamps of records at a server without versions")
struct RecordStampTests {
    @Test("a version tells the text that a resolver writes, and its order is that of the times")
    func standard() throws {
        var random = SeededGenerator(48)
        var former: (time: Int64, version: UInt64)?
        for _ in 0..<1_000 {
            let time = Int64(random.below(4_000_000_000_000))
            let stamp = try #require(RecordStamp(version: max(1, UInt64(time)) << 20))
            let dateTime = try Temporal.DateTime(stamp.updatedAt)
            #expect(stamp.updatedAt.count == 24 && stamp.updatedAt.hasSuffix("Z"))
            let version = RecordStamp(dateTime, tag: nil).version
            #expect(RecordStamp(version: version) == stamp)
            #expect(RecordStamp.milliseconds(in: version) == max(1, time))
            if let former, former.time != time {
                #expect(RecordStamp.isEarlier(former.version, than: version) == (former.time < time))
            }
            former = (time, version)
        }
    }

    @Test(
        "a version does not tell another text or a tag, and differs from the version of the same millisecond",
        arguments: [
            "2026-11-28T10:00:00Z", "2026-11-28T10:00:00.0Z", "2026-11-28T10:00:00.000000Z",
            "2026-11-28T11:00:00.000+01:00", "2026-11-28T10:00:00.000400Z",
        ])
    func unusual(text: String) throws {
        let standard = RecordStamp(try Temporal.DateTime("2026-11-28T10:00:00.000Z"), tag: nil).version
        for tag in [nil, "tag"] {
            let version = RecordStamp(try Temporal.DateTime(text), tag: tag).version
            #expect(version != standard && RecordStamp(version: version) == nil)
            #expect(RecordStamp.milliseconds(in: version) == RecordStamp.milliseconds(in: standard))
        }
    }

    @Test("different tags of one millisecond have different versions, but for one in a million")
    func tags() throws {
        let time = try Temporal.DateTime("2026-11-28T10:00:00.000Z")
        let versions = (0..<1_000).map { RecordStamp(time, tag: "\($0)").version }
        #expect(Set(versions).count > 990 && versions.allSatisfy { $0 & 0xFFFFF != 0 })
    }

    @Test(
        "times outside of the range of versions have a version",
        arguments: ["1950-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"])
    func limits(text: String) throws {
        let stamp = RecordStamp(try Temporal.DateTime(text), tag: nil)
        #expect(RecordStamp(version: stamp.version)?.updatedAt != text)
    }
}

@Suite("An inbox of a server without versions")
struct StampInboxTests {
    private static func synced() -> InboxDriver {
        var options = Inbox.Options()
        options.leaveVersions()
        var driver = InboxDriver(options: options)
        driver.establish()
        driver.page(["1", "2"])
        return driver
    }

    @Test("many messages without a record lead to one list in five seconds")
    func unusableMessages() {
        var driver = Self.synced()
        driver.wait(10_000)
        var count = 0
        for _ in 0..<30 {
            driver.run(driver.inbox.messageUnusable("Post", at: driver.now))
            driver.wait(200)
            while !driver.queries.isEmpty {
                count += 1
                driver.respond(.page(Inbox.Page(records: [], startedAt: 0)))
            }
        }
        #expect((1...2).contains(count))
    }
}
