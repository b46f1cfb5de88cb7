import Testing
@_spi(Adapters) import Tidelog
import TidelogAgreement
import TidelogGraphQLExecution
import TidelogJSON
import TidelogSDL

@testable import TidelogServer

/// Amplify's resolvers without conflict detection make the expected decisions, with the conditional writes of DynamoDB.
@Suite("The decision about a mutation in an API without versions")
struct DecisionWithoutVersionsTests {
    @Test("each combination of what decides a mutation has the decision of Amplify's resolvers")
    func table() throws {
        let world = try World()
        var counts: [Expected: Int] = [:]
        for situation in Situation.all {
            let decision = try world.decision(situation)
            #expect(Expected(decision) == situation.expected, "\(situation)")
            counts[situation.expected, default: 0] += 1
        }
        #expect(Situation.all.count == 288)
        #expect(counts.count == 8, "each kind of decision occurs: \(counts)")
    }

    @Test("an update leaves each value that was not sent, replaces lists, and always sets the time of the last change")
    func values() throws {
        let world = try World()
        let stored = Record(
            model: "Page",
            values: [
                "id": "1", "title": "stored", "note": "stored", "tags": .list(["a"]), Metadata.version: 3,
                "updatedAt": .dateTime(try Temporal.DateTime("2020-01-01T00:00:00.000Z")),
            ])
        let cases: [(InputObject, [String: String])] = [
            ([:], ["title": "stored", "note": "stored", "tags": "a"]),
            (["title": .string("sent")], ["title": "sent", "note": "stored", "tags": "a"]),
            (["note": .null, "tags": .list([.string("b")])], ["title": "stored", "tags": "b"]),
            (["tags": .list([])], ["title": "stored", "note": "stored", "tags": ""]),
        ]
        for (sent, expected) in cases {
            let request = try world.request(.update, sent, of: "Page", condition: .null, by: .apiKey)
            guard case .save(let record) = try MutationDecision(request, on: stored, by: .withoutVersions) else {
                Issue.record("\(sent) is written")
                continue
            }
            var texts: [String: String] = [:]
            for name in ["title", "note", "tags"] {
                if case .list(let elements)? = record[name] {
                    texts[name] = elements.compactMap { $0?.text }.joined()
                } else {
                    texts[name] = record[name]?.text
                }
            }
            #expect(texts == expected, "\(sent)")
            #expect(record["updatedAt"]?.text == "2023-11-14T22:13:20.000Z")
        }
    }
}

/// The effect of a decision that a client or the store can see.
private enum Expected: Hashable {
    /// The saved record has this title and this note.
    case save(title: String?, note: String?)
    case delete, keep, unauthorized, unauthorizedField, ruleBroken, checkFailed, impossible

    init(_ decision: MutationDecision) {
        self =
            switch decision {
            case .save(let record): .save(title: record["title"]?.text, note: record["note"]?.text)
            case .delete: .delete
            case .keep: .keep
            case .refuse(.notPermitted(.operation)): .unauthorized
            case .refuse(.notPermitted(.fields(["note"]))): .unauthorizedField
            case .refuse(.ruleBroken): .ruleBroken
            case .refuse(.checkFailed): .checkFailed
            default: .impossible
            }
    }
}

/// The facts that decide a mutation.
private struct Situation {
    enum Condition: CaseIterable { case none, holds, fails }
    /// The rules are static, or depend on the owner, who makes the request or does not. Static rules may lack deletions.
    enum Access: CaseIterable { case open, withoutDeletion, owner, stranger }
    enum Values: CaseIterable { case texts, null, againstRule, nullAgainstRule }

    let mutation: Mutation, isStored: Bool, condition: Condition, access: Access, values: Values

    static let all: [Situation] = {
        var all: [Situation] = []
        for mutation in Mutation.allCases {
            for isStored in [false, true] {
                for condition in Condition.allCases {
                    for access in Access.allCases {
                        for values in Values.allCases {
                            all.append(
                                Situation(
                                    mutation: mutation, isStored: isStored, condition: condition, access: access,
                                    values: values))
                        }
                    }
                }
            }
        }
        return all
    }()

    var breaksRule: Bool { values == .againstRule || values == .nullAgainstRule }
    var hasNull: Bool { values == .null || values == .nullAgainstRule }

    var expected: Expected {
        switch mutation {
        case .create:
            // A creation reads no record, so that it makes no difference whose record is in its place.
            if breaksRule { return .ruleBroken }
            return isStored || condition == .fails ? .checkFailed : .save(title: "sent", note: hasNull ? nil : "sent")
        case .update:
            if access == .stranger || (access == .owner && !isStored) { return .unauthorized }
            if access == .withoutDeletion, hasNull { return .unauthorizedField }
            if breaksRule { return .ruleBroken }
            return isStored && condition != .fails
                ? .save(title: "sent", note: hasNull ? nil : "sent") : .checkFailed
        case .delete:
            if access != .open, access != .owner || !isStored { return .unauthorized }
            if !isStored { return .keep }
            return condition == .fails ? .checkFailed : .delete
        }
    }
}

/// Models for all callers, for callers who may not delete, and for owners, and the requests about their records.
private struct World {
    private let api: API
    private let layouts: SchemaLayout

    init() throws {
        let fields = "{ id: ID! title: String @validate(type: maxLength, value: \"8\") note: String tags: [String] }"
        let sdl = """
            type Page @model \(fields)
            type Diary @model @auth(rules: [{ allow: owner }]) \(fields)
            type Notice @model @auth(rules: [{ allow: public, operations: [create, read, update] }]) \(fields)
            """
        api = try API(SchemaDocument(sdl: Array(sdl.utf8)), .timestamps)
        layouts = SchemaLayout(StoredSchema(first: api.storedSchema))
    }

    func decision(_ situation: Situation) throws -> MutationDecision {
        let (name, caller) =
            switch situation.access {
            case .open: ("Page", Caller.apiKey)
            case .withoutDeletion: ("Notice", Caller.apiKey)
            case .owner: ("Diary", Self.person("ann"))
            case .stranger: ("Diary", Self.person("eve"))
            }
        var values: [String: FieldValue] = [
            "id": "1", "title": "stored", Metadata.version: 3, Metadata.lastChangedAt: 7,
        ]
        if name == "Diary" { values["owner"] = "ann" }
        var sent: InputObject = [:]
        if situation.mutation != .delete {
            let title = situation.breaksRule ? "longer than eight" : "sent"
            sent = ["title": .string(title), "note": situation.hasNull ? .null : .string("sent")]
        }
        // A record without a title passes `ne` and fails `eq`.
        let condition: InputValue =
            switch situation.condition {
            case .none: .null
            case .holds: .object(["title": .object(["ne": .string("other")])])
            case .fails: .object(["title": .object(["eq": .string("other")])])
            }
        return try MutationDecision(
            request(situation.mutation, sent, of: name, condition: condition, by: caller),
            on: situation.isStored ? Record(model: name, values: values) : nil, by: .withoutVersions)
    }

    private static func person(_ name: String) -> Caller {
        let claims = TokenClaims(
            [JSONValue.Member("sub", .string(name))], subject: name, issuer: "https://issuer.example", expiresAt: 9)
        return .token(claims, of: .userPools)
    }

    func request(
        _ mutation: Mutation, _ sent: InputObject, of name: String, condition: InputValue, by caller: Caller
    ) throws -> MutationRequest {
        let model = try #require(api.models[name])
        let schema = try #require(api.storedSchema.models.first { $0.name == name })
        var input: InputObject = ["id": .string("1")]
        input.members += sent.members
        return try MutationRequest(
            mutation, input, of: model, schema, in: api.schema, layout: try #require(layouts.model(named: name)),
            condition: FilterReader(model: schema, schema: api.schema).filter(condition),
            access: ModelAccess(model, for: caller, defaultProvider: .apiKey), knowsNoVersions: true,
            comparisons: ComparisonBudget(maximumByteCount: 1 << 20),
            at: Temporal.DateTime(uncheckedText: "2023-11-14T22:13:20.000Z", instant: .init(seconds: 1_700_000_000))
        ) { "made" }
    }
}
