import Testing
@_spi(Adapters) import Tidelog
import TidelogAgreement
import TidelogGraphQLExecution
import TidelogJSON
import TidelogSDL

@testable import TidelogServer

/// The expected decisions follow `docs/SERVER.md` (conflicts, access, tombstones) and AppSync's rules about versions.
@Suite("The decision about a mutation")
struct MutationDecisionTests {
    @Test("each combination of what decides a mutation has the decision of the documented rules")
    func table() throws {
        let world = try World()
        var counts: [Expected: Int] = [:]
        for situation in Situation.all {
            let decision = try world.decision(situation)
            #expect(Expected(decision) == situation.expected, "\(situation)")
            counts[situation.expected, default: 0] += 1
        }
        #expect(Situation.all.count == 7_776)
        #expect(counts.count == 11, "each kind of decision occurs: \(counts)")
    }
}

/// The effect of a decision that a client or the store can see.
private enum Expected: Hashable {
    /// The saved record has this title and this note.
    case save(title: String?, note: String?)
    case delete, keep, ask, notPermitted, ruleBroken, conflict
    case conditionFailed(showsRecord: Bool)

    init(_ decision: MutationDecision) {
        self =
            switch decision {
            case .save(let record): .save(title: record["title"]?.text, note: record["note"]?.text)
            case .delete: .delete
            case .keep: .keep
            case .ask: .ask
            case .refuse(.notPermitted): .notPermitted
            case .refuse(.ruleBroken): .ruleBroken
            case .refuse(.conditionFailed(let stored)): .conditionFailed(showsRecord: stored != nil)
            case .refuse(.conflict): .conflict
            case .refuse(.checkFailed), .refuse(.undecided), .refuse(.tooManyConflicts):
                preconditionFailure("an API with versions has no such decision")
            }
    }
}

/// The facts that decide a mutation.
private struct Situation {
    enum Strategy: CaseIterable { case autoMerge, optimistic, unconditional, custom }
    /// The state of the conflict handler, which only counts with `custom`.
    enum Answer: CaseIterable { case none, accept, reject, aboutEarlierVersion, condemn }
    enum Stored: CaseIterable { case nothing, record, tombstone }
    enum Version: CaseIterable { case none, current, old }
    enum Condition: CaseIterable { case none, holds, fails }
    enum Access: CaseIterable { case open, owner, stranger }

    let strategy: Strategy, answer: Answer, mutation: Mutation, stored: Stored, version: Version
    let condition: Condition, access: Access, keepsTombstones: Bool, breaksRule: Bool

    static let all: [Situation] = {
        var all: [Situation] = []
        let handlers: [(Strategy, Answer)] =
            [(.autoMerge, .none), (.optimistic, .none), (.unconditional, .none)]
            + Answer.allCases.map { (.custom, $0) }
        for (strategy, answer) in handlers {
            for mutation in Mutation.allCases {
                for stored in Stored.allCases {
                    for version in Version.allCases {
                        for condition in Condition.allCases {
                            for access in Access.allCases {
                                for flags in 0..<4 {
                                    all.append(
                                        Situation(
                                            strategy: strategy, answer: answer, mutation: mutation, stored: stored,
                                            version: version, condition: condition, access: access,
                                            keepsTombstones: flags & 1 == 1, breaksRule: flags & 2 == 2))
                                }
                            }
                        }
                    }
                }
            }
        }
        return all
    }()

    var expected: Expected {
        if !isPermitted { return .notPermitted }
        // A deletion sends no values, so it breaks no rule of a field.
        if breaksRule, mutation != .delete { return .ruleBroken }
        let isTaken = stored == .record || (stored == .tombstone && keepsTombstones)
        if mutation == .create {
            if isTaken { return .conditionFailed(showsRecord: true) }
            return condition == .fails ? .conditionFailed(showsRecord: false) : .save(title: "sent", note: "sent")
        }
        // A client without versions knows no tombstones: for it, a deleted record does not exist.
        let knowsNoVersions = strategy == .unconditional && version == .none
        if stored == .nothing || (stored == .tombstone && knowsNoVersions) {
            return .conditionFailed(showsRecord: false)
        }
        if stored == .tombstone { return .keep }
        guard let change = change(knowsNoVersions: knowsNoVersions) else {
            return strategy == .custom ? unmade : .conflict
        }
        return condition == .fails ? .conditionFailed(showsRecord: true) : change
    }

    /// The change that is made if the condition holds; `nil` if the conflict does not let it be made.
    private func change(knowsNoVersions: Bool) -> Expected? {
        let made = mutation == .delete ? Expected.delete : .save(title: "sent", note: "sent")
        if version == .current || knowsNoVersions { return made }
        switch strategy {
        // Stored values stay, and empty fields take the new value. Deletions are refused.
        case .autoMerge: return mutation == .delete ? nil : .save(title: "stored", note: "sent")
        case .optimistic, .unconditional: return nil
        case .custom:
            switch answer {
            case .accept: return .save(title: "answered", note: nil)
            case .condemn: return .delete
            case .none, .reject, .aboutEarlierVersion: return nil
            }
        }
    }

    private var unmade: Expected { answer == .reject ? .conflict : .ask }

    /// A stranger may create a record of its own, but may neither replace nor change a record of its owner. A caller whose
    /// rights depend on the record does not learn whether a record exists.
    private var isPermitted: Bool {
        switch access {
        case .open: true
        case .owner: mutation == .create || stored != .nothing
        case .stranger: mutation == .create && stored == .nothing
        }
    }
}

/// Two models, one for all callers and one for owners, and the requests about their records.
private struct World {
    private let api: API
    private let layouts: SchemaLayout

    init() throws {
        let fields = "{ id: ID! title: String @validate(type: maxLength, value: \"8\") note: String }"
        let sdl = "type Page @model \(fields) type Diary @model @auth(rules: [{ allow: owner }]) \(fields)"
        api = try API(SchemaDocument(sdl: Array(sdl.utf8)))
        layouts = SchemaLayout(StoredSchema(first: api.storedSchema))
    }

    func decision(_ situation: Situation) throws -> MutationDecision {
        let name = situation.access == .open ? "Page" : "Diary"
        let stored = stored(situation.stored, of: name, version: 3)
        let answer: MutationDecision.Answer? = stored.flatMap { stored in
            let answered = Record(model: name, values: ["id": "1", "title": "answered"])
            return switch situation.answer {
            case .none: nil
            case .accept: MutationDecision.Answer(stored: stored, decision: .save(answered))
            case .condemn: MutationDecision.Answer(stored: stored, decision: .delete(stored))
            case .reject: MutationDecision.Answer(stored: stored, decision: .refuse(.conflict(stored)))
            case .aboutEarlierVersion:
                self.stored(situation.stored, of: name, version: 2).map {
                    MutationDecision.Answer(stored: $0, decision: .save(answered))
                }
            }
        }
        return try MutationDecision(
            request(situation, name), on: stored, by: strategy(situation.strategy), answer: answer,
            keepsTombstones: situation.keepsTombstones)
    }

    private func stored(_ stored: Situation.Stored, of model: String, version: Int64) -> Record? {
        var values: [String: FieldValue] = [
            "id": "1", "title": "stored", Metadata.version: .int(version), Metadata.lastChangedAt: .int(7),
        ]
        if model == "Diary" { values["owner"] = "ann" }
        if stored == .tombstone { values[Metadata.deleted] = .bool(true) }
        return stored == .nothing ? nil : Record(model: model, values: values)
    }

    private func request(_ situation: Situation, _ name: String) throws -> MutationRequest {
        let model = try #require(api.models[name])
        let schema = try #require(api.storedSchema.models.first { $0.name == name })
        var input: InputObject = ["id": .string("1")]
        if situation.mutation != .delete {
            let title = situation.breaksRule ? "longer than eight" : "sent"
            input.members += [.init(name: "title", value: .string(title)), .init(name: "note", value: .string("sent"))]
        }
        switch situation.version {
        case .none: break
        case .current: input.members.append(.init(name: Metadata.version, value: .int(3)))
        case .old: input.members.append(.init(name: Metadata.version, value: .int(2)))
        }
        // A record without a title passes `ne` and fails `eq`.
        let condition: InputValue =
            switch situation.condition {
            case .none: .null
            case .holds: .object(["title": .object(["ne": .string("other")])])
            case .fails: .object(["title": .object(["eq": .string("other")])])
            }
        let subject = situation.access == .stranger ? "eve" : "ann"
        let claims = TokenClaims(
            [JSONValue.Member("sub", .string(subject))], subject: subject, issuer: "https://issuer.example",
            expiresAt: 9)
        let caller = situation.access == .open ? Caller.apiKey : .token(claims, of: .userPools)
        return try MutationRequest(
            situation.mutation, input, of: model, schema, in: api.schema,
            layout: try #require(layouts.model(named: name)),
            condition: FilterReader(model: schema, schema: api.schema).filter(condition),
            access: ModelAccess(model, for: caller, defaultProvider: .apiKey),
            knowsNoVersions: situation.strategy == .unconditional,
            comparisons: ComparisonBudget(maximumByteCount: 1 << 20),
            at: Temporal.DateTime(Temporal.Instant(seconds: 1_700_000_000), secondsFromUTC: 0)
        ) { "made" }
    }

    private func strategy(_ strategy: Situation.Strategy) -> ConflictStrategy {
        switch strategy {
        case .autoMerge: .autoMerge
        case .optimistic: .optimistic
        case .unconditional: .unconditional
        case .custom: .custom { _ in .reject }
        }
    }
}
