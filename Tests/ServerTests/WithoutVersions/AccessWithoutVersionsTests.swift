import SeededNumbers
import TestStores
import Testing
import Tidelog
import TidelogAgreement
import TidelogGraphQLExecution

@testable import TidelogServer

@Suite("Random rules and requests in an API without versions", .timeLimit(.minutes(5)))
struct AccessWithoutVersionsTests {
    /// A request of the other kind of API, without the parts that this kind does not have.
    private static func request(_ text: String) -> String {
        text.replacing(/, _version: \d+/, with: "").replacing("_version: ", with: "").replacing("_version", with: "")
            .replacing("syncParents", with: "listParents").replacing("syncChildren", with: "listChildren")
    }

    @Test("1,000 random requests under random rules show no caller a value that the oracle denies")
    func canaries() async throws {
        var (shown, invalid) = (0, 0)
        for seed in 1...25 as ClosedRange<UInt64> {
            var random = RandomRules(seed &* 104_729)
            let sdl = random.schema()
            var options = ServiceOptions()
            options.defaultProvider = seed % 3 == 0 ? .userPools : .apiKey
            let world = try await AuthWorld(
                sdl, on: Adapter.all[Int(seed) % 3], options: options, kind: .timestamps)
            try await world.fill(12)
            for _ in 0..<40 {
                let person = random.person()
                var (query, operations) = random.query()
                if random.random.once(in: 3) { (query, operations) = (random.change(), ["get", "list"]) }
                let response = try await world.ask(
                    Self.request(query), as: person, by: operations + ["list"], about: world.models)
                let text = String(decoding: response.json, as: UTF8.self)
                if text.contains("canary") { shown += 1 }
                if text.contains("Validation error") { invalid += 1 }
            }
        }
        // Many responses contain texts of records, so the check for leaks had something to check.
        #expect(shown > 250, "\(shown)")
        #expect(invalid < 20, "\(invalid)")
    }
}
