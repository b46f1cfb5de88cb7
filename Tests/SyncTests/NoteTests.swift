import SeededNumbers
import Testing
import TidelogCore

@testable import TidelogClientMachines
@testable import TidelogSync

@Suite("Notes of the sync engine")
struct NoteTests {
    /// A type of notes, with a function that makes a random note and one that decodes a note.
    private struct Kind: Sendable {
        let name: String
        let make: @Sendable (inout SeededGenerator) -> [UInt8]
        /// Decodes a note from bytes, and encodes it again; `nil` if the bytes are not a note.
        let again: @Sendable ([UInt8]) -> [UInt8]?
    }

    private static let kinds: [Kind] = [
        Kind(
            name: "mark",
            make: { random in
                let (a, b) = (random.sequence(), random.sequence())
                return SentMark(
                    first: min(a, b), last: max(a, b), attempt: UInt32(random.below(100)),
                    kind: random.pick(PendingChange.Kind.allCases), baseVersion: random.optional { $0.next() },
                    fields: random.optional { $0.fields() }, distinction: random.optional { $0.next() }
                ).encoded
            }, again: { SentMark(encoded: $0)?.encoded }),
        Kind(
            name: "set aside",
            make: { random in
                let (a, b) = (random.sequence(), random.sequence())
                return SetAsideChange(
                    random.reference(), random.pick(PendingChange.Kind.allCases), fields: random.fields(),
                    condition: random.optional { $0.text() }, baseVersion: random.optional { $0.next() },
                    reason: random.text(), errorType: random.text(), attempts: UInt32(random.below(100)),
                    first: min(a, b), last: max(a, b), holdsRow: random.once(in: 2),
                    server: random.optional { $0.serverRecord() }
                ).encoded
            }, again: { SetAsideChange(encoded: $0)?.encoded }),
        Kind(
            name: "identity",
            make: { random in
                SyncIdentity(
                    endpoint: random.text(), issuer: random.optional { $0.text() },
                    subject: random.optional { $0.text() }
                ).encoded
            }, again: { SyncIdentity(encoded: $0)?.encoded }),
        Kind(
            name: "last sync",
            make: { random in
                LastSync(
                    startedAt: Int64(random.below(1 << 40)), notedAt: -Int64(random.below(9)),
                    expression: random.text(),
                    changesSince: random.optional { Int64($0.below(9)) }
                ).encoded
            }, again: { LastSync(encoded: $0)?.encoded }),
        Kind(
            name: "progress",
            make: { random in
                BaseProgress(
                    startedAt: Int64(random.below(1 << 40)), nextToken: random.optional { $0.text() },
                    recordCount: random.next(), pageCount: UInt32(random.below(1_000)),
                    hasGaps: random.once(in: 2), expression: random.text(),
                    receivedThrough: SequenceNumber(random.next())
                ).encoded
            }, again: { BaseProgress(encoded: $0)?.encoded }),
        Kind(
            name: "seen",
            make: { random in SeenRecords(hashes: (0..<random.below(6)).map { _ in random.next() }).encoded },
            again: { SeenRecords(encoded: $0)?.encoded }),
    ]

    @Test(
        "notes about queries in layout 1 are read, and lack the place in the log and the time of the next delta query")
    func formerLayouts() {
        let progress = BaseProgress(
            startedAt: 7, nextToken: "a", recordCount: 3, pageCount: 2, hasGaps: true, expression: "x",
            receivedThrough: SequenceNumber(.max))
        let former = progress.encoded
        #expect(former.first == 1 && BaseProgress(encoded: former) == progress)
        var known = progress
        known.receivedThrough = SequenceNumber(9)
        #expect(known.encoded == [2] + former.dropFirst() + [9, 0, 0, 0, 0, 0, 0, 0])
        #expect(BaseProgress(encoded: known.encoded) == known)
        let last = LastSync(startedAt: 7, notedAt: 8, expression: "x")
        #expect(last.encoded.first == 1 && LastSync(encoded: last.encoded) == last)
    }

    @Test("every note decodes to its encoded value")
    func roundTrip() {
        var random = SeededGenerator(1)
        for kind in Self.kinds {
            for _ in 0..<300 {
                let bytes = kind.make(&random)
                #expect(kind.again(bytes) == bytes, "\(kind.name)")
            }
        }
    }

    @Test("a note that is cut short or has extra bytes counts as damaged")
    func length() {
        var random = SeededGenerator(2)
        for kind in Self.kinds where kind.name != "seen" {
            for _ in 0..<50 {
                let bytes = kind.make(&random)
                for count in 0..<bytes.count { #expect(kind.again(Array(bytes[..<count])) == nil, "\(kind.name)") }
                #expect(kind.again(bytes + [0]) == nil, "\(kind.name)")
            }
        }
    }

    @Test("a note with changed bytes is damaged, or decodes to a value that encodes to the same bytes")
    func fuzzing() {
        var random = SeededGenerator(3)
        var damagedCount = 0
        for kind in Self.kinds {
            for _ in 0..<2_000 {
                var bytes = kind.make(&random)
                for _ in 0...random.below(3) {
                    let place = random.below(bytes.count)
                    bytes[place] = UInt8(truncatingIfNeeded: random.next())
                }
                if let again = kind.again(bytes) { #expect(again == bytes, "\(kind.name)") } else { damagedCount += 1 }
            }
        }
        #expect(damagedCount > 2_000)
    }

    @Test("a note whose values nest too deeply counts as damaged and does not exhaust the stack")
    func nesting() {
        var value = FieldValue.list([])
        for _ in 0..<Limits.nestingDepth + 2 { value = .list([value]) }
        let mark = SentMark(first: SequenceNumber(1), last: SequenceNumber(1), kind: .update, fields: ["a": value])
        #expect(SentMark(encoded: mark.encoded) == nil)
    }

    @Test("a mark whose last event comes before its first is damaged")
    func order() {
        let mark = SentMark(first: SequenceNumber(2), last: SequenceNumber(1), kind: .update)
        #expect(SentMark(encoded: mark.encoded) == nil)
    }

    @Test("a mark of the first layout opens, and its mutation keeps the id without the number of the copy")
    func earlierMark() throws {
        let numbers: [UInt8] = [2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]
        let earlier: [UInt8] = [1] + numbers + [2, 0, 0]
        let mark = SentMark(first: SequenceNumber(2), last: SequenceNumber(3), kind: .update)
        #expect(SentMark(encoded: earlier) == mark && mark.encoded == earlier)
        var later = mark
        later.distinction = 9
        let bytes: [UInt8] = [2] + numbers + [2, 0, 0] + [9, 0, 0, 0, 0, 0, 0, 0]
        #expect(later.encoded == bytes && SentMark(encoded: bytes) == later)
        let id = MutationID(incarnation: 5, sequence: SequenceNumber(3))
        let reference = RecordReference(model: "P", id: "1")
        #expect(OutgoingMutation(reference, .update, id: id, distinction: mark.distinction).sentID == "5-3")
        #expect(OutgoingMutation(reference, .update, id: id, distinction: later.distinction).sentID == "5-3-9")
    }

    @Test("the bytes of a set-aside change have the number of attempts before the sequence numbers of its events")
    func attempts() throws {
        let change = SetAsideChange(
            RecordReference(model: "P", id: "1"), .update, fields: [:], reason: "r", errorType: "t", attempts: 11,
            first: SequenceNumber(2), last: SequenceNumber(3), holdsRow: true)
        let name: [UInt8] = [1, 0, 0, 0, 80] + [1, 0, 0, 0] + [1, 1, 0, 0, 0, 49]
        let parts: [[UInt8]] = [
            [1], name, [2], [0, 0, 0, 0], [0], [0], [1, 0, 0, 0, 114], [1, 0, 0, 0, 116], [11, 0, 0, 0],
            [2, 0, 0, 0, 0, 0, 0, 0], [3, 0, 0, 0, 0, 0, 0, 0], [1], [0],
        ]
        #expect(change.encoded == Array(parts.joined()))
        #expect(try #require(SetAsideChange(encoded: change.encoded)).attempts == 11)
    }

    @Test("the hash of a record's model and id is the same in every process")
    func hash() {
        #expect(RecordReference(model: "Post", id: "1").stableHash == 0xdb34_f37d_1ede_d82b)
        #expect(
            RecordReference(model: "Post", id: "2").stableHash != RecordReference(model: "Post", id: "1").stableHash)
    }
}
