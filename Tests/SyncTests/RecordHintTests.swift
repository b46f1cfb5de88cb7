import Testing
import TidelogCore

@testable import TidelogClientMachines
@testable import TidelogSync

@Suite("Records that may lack values")
struct RecordHintTests {
    private static let schema = Schema(models: [
        ModelSchema(
            name: "Post",
            fields: [
                FieldSchema("id", .id, isRequired: true), FieldSchema("title", .string), FieldSchema("rating", .int),
                FieldSchema("updatedAt", .dateTime, isReadOnly: true),
            ])
    ])

    private static func record(_ values: [String: FieldValue], version: UInt64 = 2) throws -> ServerRecord {
        var record = ServerRecord(
            RecordReference(model: "Post", id: "1"),
            row: Record(model: "Post", values: values.merging(["id": "1"]) { $1 }), version: version, lastChangedAt: 1)
        record.mayLackValues = true
        return record
    }

    /// The values of the record after they were completed, and whether the record must be asked for.
    private static func complete(
        _ values: [String: FieldValue], from former: [String: FieldValue]?, followsFormer: Bool = true,
        isPush: Bool = true, mayLackValues: Bool = true
    ) throws -> (values: [String: FieldValue]?, isInDoubt: Bool) {
        var record = try record(values)
        record.mayLackValues = mayLackValues
        let model = try #require(SyncModels(schema)["Post"])
        let isInDoubt = record.complete(
            from: former.map { Record(model: "Post", values: $0.merging(["id": "1"]) { $1 }) },
            followsFormer: followsFormer, isPush: isPush, model)
        return (record.row?.values.filter { $0.key != "id" }, isInDoubt)
    }

    @Test("a null that meets a value keeps the value, and the record is in doubt")
    func kept() throws {
        let result = try Self.complete(["title": "b"], from: ["title": "a", "rating": 5])
        #expect(result.values == ["title": "b", "rating": 5] && result.isInDoubt)
    }

    @Test("a null that meets no value raises no doubt if the change is visible in another field")
    func visible() throws {
        let result = try Self.complete(["title": "b"], from: ["title": "a"])
        #expect(result.values == ["title": "b"] && !result.isInDoubt)
    }

    @Test("a null of an unknown record, after a gap, or in a push that shows no change raises a doubt")
    func unknown() throws {
        #expect(try Self.complete(["title": "b"], from: nil).isInDoubt)
        #expect(try Self.complete(["title": "b"], from: ["title": "a"], followsFormer: false).isInDoubt)
        #expect(try Self.complete(["title": "a"], from: ["title": "a"]).isInDoubt)
        #expect(try !Self.complete(["title": "a"], from: ["title": "a"], isPush: false).isInDoubt)
    }

    @Test("a record with a value in every field, and a record of an exact server, raise no doubt")
    func whole() throws {
        let time = FieldValue.dateTime(try Temporal.DateTime("2026-01-01T00:00:00Z"))
        let values: [String: FieldValue] = ["title": "b", "rating": 1, "updatedAt": time]
        #expect(try !Self.complete(values, from: nil).isInDoubt)
        let exact = try Self.complete(["title": "b"], from: ["rating": 5], mayLackValues: false)
        #expect(exact.values == ["title": "b"] && !exact.isInDoubt)
    }

    @Test("members of embedded values that a selection left out are kept, also in lists of the same length")
    func embedded() throws {
        func size(_ width: Int64, _ height: Int64?) -> FieldValue {
            .embedded(["width": .int(width), "height": height.map { .int($0) }].compactMapValues { $0 })
        }
        let result = try Self.complete(["title": size(2, nil), "rating": 1], from: ["title": size(1, 7), "rating": 1])
        #expect(result.values == ["title": size(2, 7), "rating": 1] && result.isInDoubt)
        let list = try Self.complete(
            ["title": .list([size(2, nil), nil]), "rating": 1],
            from: ["title": .list([size(1, 7), size(3, 3)]), "rating": 1])
        #expect(list.values?["title"] == .list([size(2, 7), nil]) && list.isInDoubt)
    }

    @Test("a refusal with a record that may lack values counts as one without a record")
    func refusals() throws {
        let models = SyncModels(Self.schema)
        let part = Outbox.MutationResponse.refused(
            errorType: "ConflictUnhandled", message: "", record: try Self.record(["title": "b"]))
        guard case .refused(_, _, nil) = part.lackingValues(of: models) else {
            Issue.record("the record is still there")
            return
        }
        let deleted = ServerRecord(RecordReference(model: "Post", id: "1"), row: nil, version: 2, lastChangedAt: 1)
        let refusal = Outbox.MutationResponse.refused(errorType: "ConflictUnhandled", message: "", record: deleted)
        #expect(refusal.lackingValues(of: models) == refusal)
    }

    @Test("a response of which a field is hidden keeps the value that the mutation found, and not the one it removed")
    func responses() throws {
        var response = try Self.record(["title": "b"])
        response.mayLackValues = true
        let model = try #require(SyncModels(Self.schema)["Post"])
        var standing = Reconciler.Standing(
            known: ServerState(baseVersion: nil, version: 1, lastChangedAt: 0, isDeleted: false),
            row: Record(model: "Post", values: ["id": "1", "title": "b", "rating": 5]), holdsRow: false,
            serverRow: nil)
        (standing.model, standing.mutatedRow, standing.mutatedVersion) = (model, standing.row, 1)
        let result = Reconciler().reconcile(response, from: .response, standing) { _ in true }
        #expect(result.events == [.acknowledged(response.state())] && result.isInDoubt)
        standing.mutatedRow?["rating"] = nil
        let removed = Reconciler().reconcile(response, from: .response, standing) { _ in true }
        #expect(removed.record.row?["rating"] == nil && !removed.isInDoubt)
    }
}
