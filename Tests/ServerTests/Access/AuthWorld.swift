import Foundation
import TestStores
import Testing
import Tidelog
import TidelogAgreement
import TidelogGraphQLExecution

@testable import TidelogServer

/// A served schema with records of several people. Each response is checked with the oracle for texts that its caller may
/// not read.
struct AuthWorld {
    typealias Values = RuleOracle.Values

    let served: ServedSchema
    let oracle: RuleOracle
    /// The stored fields of each model, without the metadata and the times.
    let fields: [String: [String]]
    let models: [String]

    init(
        _ sdl: String, on adapter: Adapter = Adapter(factory: .inMemory()), options: ServiceOptions = ServiceOptions(),
        kind: APIKind = .versioned
    ) async throws {
        served = try await ServedSchema(sdl, on: adapter, options: options, kind: kind)
        oracle = RuleOracle(sdl, openProvider: options.defaultProvider.rawValue)
        let hidden = ["createdAt", "updatedAt", "_version", "_deleted", "_lastChangedAt"]
        var fields: [String: [String]] = [:]
        for model in served.service.api.storedSchema.models {
            fields[model.name] = model.fields.map(\.name).filter { !hidden.contains($0) }
        }
        self.fields = fields
        models = fields.keys.sorted()
    }

    // MARK: Records

    /// The owners of the records. They include every form of a name that a rule may accept, an empty text, and no owner.
    static let owners: [String?] = [
        "canary-ann-s::canary-ann-u", "canary-ann-s", "canary-ann-u", "canary-ann@x", "canary-bob-s::canary-bob-u",
        "canary-dan-s", "canary-eve-i", "canary-hal-s::canary-ann-s::canary-ann-u", "", nil,
    ]

    /// A record. Its texts occur in no other record, except the texts that rules and relations read.
    func record(_ model: String, _ number: Int) throws -> Record {
        let owner = Self.owners[number % Self.owners.count]
        let other = Self.owners[(number + 4) % Self.owners.count]
        var values: Values = [:]
        for name in fields[model] ?? [] {
            switch name {
            case "owner": values[name] = owner.map { .string($0) }
            case "author": values[name] = other.map { .string($0) }
            case "editors": values[name] = .list([owner, other].map { $0.map { .string($0) } })
            case "team": values[name] = [.string("Staff"), .string("Admins"), nil][number % 3]
            case "teams": values[name] = [.list([.string("Admins")]), nil, .list([.string("Staff")])][number % 3]
            case "parentId": values[name] = .string("canary-Parent-\(number % 7)-id")
            default: values[name] = .string("canary-\(model)-\(number)-\(name)")
            }
        }
        let time = FieldValue.dateTime(try Temporal.DateTime("2026-01-01T00:00:00Z"))
        for name in ["createdAt", "updatedAt"] { values[name] = time }
        return Record(model: model, values: values)
    }

    /// Stores `count` records of each model, after `altered` has changed or dropped them. Every fifth record becomes a
    /// tombstone.
    func fill(_ count: Int, _ altered: (Record) -> Record? = { $0 }) async throws {
        for model in models {
            for number in 0..<count {
                guard let record = altered(try record(model, number)), case .string(let id)? = record["id"] else {
                    continue
                }
                _ = try await served.versions.change(model, RecordID(id), name: nil) { _ in .save(record) }
                guard number % 5 == 4 else { continue }
                _ = try await served.versions.change(model, RecordID(id), name: nil) { stored in
                    stored.map { .delete($0) } ?? .keep
                }
            }
        }
    }

    func stored(_ model: String) async throws -> [Values] {
        try await served.versions.page(PageQuery(Record.all(of: model), limit: 1_000)).records.map(\.values)
    }

    func stored(_ model: String, _ id: String) async throws -> Values? {
        try await served.versions.record(model, RecordID(id))?.values
    }

    /// The name of the field of Query or Mutation that belongs to `model` and has a kind that `kind` accepts. If there are
    /// several, it is the first in alphabetical order.
    func query(_ model: String, _ kind: (RootField.Kind) -> Bool) -> String? {
        let api = served.service.api
        return (Array(api.queries.values) + Array(api.mutations.values))
            .filter { $0.model == model && kind($0.kind) }.map(\.name).min()
    }

    func selection(_ model: String) -> String { (fields[model] ?? []).joined(separator: " ") + " _version _deleted" }

    // MARK: Requests

    /// Sends a request of `person`, and expects that the response shows no text that the rules hide from this person.
    ///
    /// - Parameters:
    ///   - operations: The operations whose rules may allow the person to read a field.
    ///   - models: The models whose records the response may show.
    @discardableResult
    func ask(
        _ query: String, as person: Person, by operations: [String], about models: [String]
    ) async throws -> ServiceResponse {
        var before: [String: [Values]] = [:]
        for model in models { before[model] = try await stored(model) }
        let response = try await served.service.respond(to: ServiceRequest(query), from: person.caller)
        var after = before
        if query.hasPrefix("mutation") { for model in models { after[model, default: []] += try await stored(model) } }
        let found = leaks(String(decoding: response.json, as: UTF8.self), query, person, operations, after)
        #expect(found.isEmpty, "\(person) saw \(found) of \(query)")
        return response
    }

    /// The texts in `response` that `person` did not send and may not read in any record.
    func leaks(
        _ response: String, _ request: String, _ person: Person, _ operations: [String], _ records: [String: [Values]]
    ) -> [String] {
        let shown = Self.canaries(response + Self.openedTokens(response)).subtracting(Self.canaries(request))
        guard !shown.isEmpty else { return [] }
        var readable = Set<String>()
        for (model, records) in records {
            for record in records {
                for field in record.keys
                where operations.contains(where: { oracle.sees(person, field, of: model, record, by: $0) }) {
                    readable.formUnion(Self.canaries("\(record[field] as Any)"))
                }
            }
        }
        return shown.subtracting(readable).sorted()
    }

    /// The words in `text` that begin with `canary-`, as the texts of the records do.
    private static func canaries(_ text: String) -> Set<String> {
        var words = Set<String>()
        for word in text.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "-" && $0 != "@" })
        where word.hasPrefix("canary-") { words.insert(String(word)) }
        return words
    }

    /// The text that can be read from the page tokens in `response` without the server's key.
    private static func openedTokens(_ response: String) -> String {
        response.components(separatedBy: "\"").compactMap { Base64URL.decode($0.utf8) }
            .map { " " + String(decoding: $0, as: UTF8.self) }.joined()
    }
}

extension ServiceResponse {
    /// Whether the response refuses every field: all values are null, and the only error is `Unauthorized` without data.
    var isRefused: Bool {
        guard case .object(let object) = data, object.values.allSatisfy(\.isNull) else { return false }
        return errors.count == 1 && errors[0].errorType == "Unauthorized" && errors[0].data == nil
    }
}

extension FieldValue {
    /// The value as a GraphQL document writes it.
    var literal: String {
        switch self {
        case .string(let text): "\"\(text)\""
        case .list(let elements): "[" + elements.map { $0?.literal ?? "null" }.joined(separator: ", ") + "]"
        default: "null"
        }
    }
}

extension [String: FieldValue?] {
    /// The values as an object of a GraphQL document.
    var literal: String {
        "{" + sorted { $0.key < $1.key }.map { "\($0.key): \($0.value?.literal ?? "null")" }.joined(separator: ", ")
            + "}"
    }
}
