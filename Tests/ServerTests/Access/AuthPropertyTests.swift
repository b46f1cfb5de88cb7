import Foundation
import SeededNumbers
import TestStores
import Testing
import Tidelog
import TidelogAgreement
import TidelogGraphQLExecution

@testable import TidelogServer

@Suite("Random rules and requests", .timeLimit(.minutes(10)))
struct AuthPropertyTests {
    @Test("2,000 random requests under random rules show no caller a value that the oracle denies")
    func canaries() async throws {
        var count = 0
        var shown = 0
        for seed in 1...50 as ClosedRange<UInt64> {
            var random = RandomRules(seed)
            let sdl = random.schema()
            let world = try await AuthWorld(sdl, on: Adapter.all[Int(seed) % 3], options: Self.options(seed))
            try await world.fill(12)
            var token: (text: String, query: String)?
            for _ in 0..<40 {
                let person = random.person()
                var (query, operations) = random.query()
                if random.random.once(in: 3) { (query, operations) = (random.change(), ["get", "list"]) }
                if let stolen = token, random.random.once(in: 4) {
                    query = stolen.query.replacing("(limit:", with: "(nextToken: \"\(stolen.text)\", limit:")
                    operations = ["get", "list", "sync"]
                }
                let response = try await world.ask(query, as: person, by: operations, about: world.models)
                token = Self.token(in: response).map { ($0, query) } ?? token
                count += 1
                if String(decoding: response.json, as: UTF8.self).contains("canary") { shown += 1 }
            }
        }
        #expect(count == 2_000)
        // Many responses contain texts of records, so the check for leaks had something to check.
        #expect(shown > 500, "\(shown)")
    }

    @Test("two stores that differ only in values that the caller may not read give 1,500 equal responses")
    func interference() async throws {
        var differing = 0
        for seed in 1...50 as ClosedRange<UInt64> {
            var random = RandomRules(seed &* 7_919)
            let sdl = random.schema()
            let person = random.person()
            let drops = random.random.once(in: 2)
            let (one, other) = (
                try await AuthWorld(sdl, options: Self.options(seed)),
                try await AuthWorld(sdl, options: Self.options(seed))
            )
            try await one.fill(12)
            try await other.fill(12) { record in
                let altered = Self.altered(record, person, one.oracle, drops: drops)
                if altered != record { differing += 1 }
                return altered
            }
            for _ in 0..<30 {
                let query = !drops && random.random.once(in: 2) ? random.quietChange() : random.query().text
                let request = ServiceRequest(query)
                let first = try await one.served.service.respond(to: request, from: person.caller)
                let second = try await other.served.service.respond(to: request, from: person.caller)
                #expect(Self.text(first) == Self.text(second), "\(seed) \(person) \(query)\n\(sdl)")
            }
        }
        #expect(differing > 300, "\(differing)")
    }

    private static func options(_ seed: UInt64) -> ServiceOptions {
        var options = ServiceOptions()
        options.strategy = seed % 2 == 0 ? .autoMerge : .optimistic
        options.defaultProvider = seed % 3 == 0 ? .userPools : .apiKey
        return options
    }

    /// The record with another `title` or `secret`, if no operation lets `person` read that field. The result is `nil` if
    /// `drops` is set and the person may not read the record.
    private static func altered(_ record: Record, _ person: Person, _ oracle: RuleOracle, drops: Bool) -> Record? {
        let reading = ["get", "list", "sync"]
        let (model, values) = (record.model, record.values)
        if drops, !reading.contains(where: { oracle.allows(person, $0, model, values) }) { return nil }
        var altered = record
        for field in ["title", "secret"]
        where !reading.contains(where: { oracle.sees(person, field, of: model, values, by: $0) }) {
            altered[field] = .string("other \(field) of \(model)")
        }
        return altered
    }

    private static func token(in response: ServiceResponse) -> String? {
        let words = text(response, hidingTokens: false).components(separatedBy: "\"nextToken\":\"")
        return words.count == 2 ? words[1].components(separatedBy: "\"").first : nil
    }

    /// The JSON of the response. With `hidingTokens`, it leaves out the page tokens, which always differ.
    private static func text(_ response: ServiceResponse, hidingTokens: Bool = true) -> String {
        let text = String(decoding: response.json, as: UTF8.self)
        guard hidingTokens else { return text }
        return text.components(separatedBy: "\"nextToken\":\"").enumerated().map { index, part in
            index == 0 ? part : "\"nextToken\":\"" + String(part.drop { $0 != "\"" })
        }.joined()
    }
}
