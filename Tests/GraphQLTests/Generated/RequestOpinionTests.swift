import Foundation
import Testing

@testable import TidelogGraphQL
@testable import TidelogGraphQLExecution

@Suite(
    "Requests compared with graphql-core",
    .enabled(
        if: SecondOpinion.isInstalled,
        "graphql-core is not installed; scripts/shared/graphql-second-opinion installs it where there is Python"))
struct RequestOpinionTests {
    /// The number of requests to each schema.
    private static let requestsPerSchema = 100

    private static var documentCount: Int {
        ProcessInfo.processInfo.environment["TIDELOG_GRAPHQL_DOCUMENTS"].flatMap { Int($0) } ?? 3000
    }

    @Test("Generated requests get the same errors or response as from graphql-core, and introspection the same answer")
    func requests() async throws {
        var opinion = RequestOpinion()
        var ours: [(request: RequestGenerator.Request?, outcome: RequestOpinion.Outcome)] = []
        var schemas = SchemaGenerator(seed: 12)
        for number in 0..<max(1, Self.documentCount / Self.requestsPerSchema) {
            let text = schemas.next()
            let isStrict = number % 2 == 0
            let typeSystem = try TypeSystem(document: Document(parsing: text), isIntStrict: isStrict)
            opinion.take(schema: text, isStrict: isStrict)
            opinion.ask(introspection: try await Introspection.answer(of: typeSystem))
            ours.append((nil, .introspected(differences: [])))
            var generator = RequestGenerator(typeSystem: typeSystem, seed: UInt64(number))
            for _ in 0..<Self.requestsPerSchema {
                let request = generator.next()
                opinion.ask(request)
                ours.append((request, try await outcome(of: request, typeSystem)))
            }
        }
        let theirs = try opinion.outcomes()
        var counts: [String: Int] = [:]
        for (our, their) in zip(ours, theirs) where their != .skipped && our.outcome != .skipped {
            counts["\(their)".prefix { $0 != "(" }.description, default: 0] += 1
            if case .executed(_, let errors) = their, !errors.isEmpty { counts["withErrors", default: 0] += 1 }
            #expect(
                our.outcome == their,
                "\(our.request?.document ?? "introspection")\n\(our.request.map { JSONText.of($0.variables) } ?? "")")
        }
        // Every kind of outcome must occur often. Otherwise the generator tests less than it should.
        let total = ours.count
        #expect(counts["executed", default: 0] > total / 4 && counts["invalid", default: 0] > total / 10, "\(counts)")
        #expect(
            counts["refused", default: 0] > total / 50 && counts["withErrors", default: 0] > total / 10, "\(counts)")
        if Self.documentCount > 3000 { print("Outcomes of the second opinion: \(counts)") }
    }

    @Test("The introspection query of graphql-core gets the same answer as from graphql-core")
    func introspection() async throws {
        let query = try RequestOpinion.introspectionQuery()
        #expect(query.contains("__schema"))
        var schemas = SchemaGenerator(seed: 13)
        var opinion = RequestOpinion()
        for text in [Library.text] + (0..<10).map({ _ in schemas.next() }) {
            opinion.take(schema: text, isStrict: false)
            let typeSystem = try TypeSystem(document: Document(parsing: text))
            opinion.ask(introspection: try await Introspection.answer(of: typeSystem, to: query))
        }
        for outcome in try opinion.outcomes() { #expect(outcome == .introspected(differences: [])) }
    }

    private func outcome(
        of request: RequestGenerator.Request, _ typeSystem: TypeSystem
    ) async throws -> RequestOpinion.Outcome {
        let document = try RequestDocument(parsing: request.document)
        let options = ValidationOptions(depthLimit: 100, aliasLimit: 10_000)
        let invalid = document.validate(against: typeSystem, options: options)
        // graphql-core overlooks this error for some variables of input objects that accept exactly one field.
        if invalid.contains(where: { $0.message.contains(" must be non-nullable to be used for OneOf ") }) {
            return .skipped
        }
        guard invalid.isEmpty else {
            return .invalid(RequestOpinion.Complaint.comparable(invalid.map(RequestOpinion.Complaint.init)))
        }
        let operation: ExecutableOperation
        do {
            operation = try ExecutableOperation(
                document, typeSystem: typeSystem, operationName: request.operation, variables: request.variables)
        } catch {
            // graphql-core executes a subscription even if directives have removed its only field.
            if error.errors.first?.message.hasPrefix("A subscription must") == true { return .skipped }
            return .refused(error.errors.map(RequestOpinion.Complaint.init).sorted())
        }
        let root = GeneratedObject(number: 1, typeName: "")
        let result = try await operation.execute(over: root, in: GeneratedContext(typeSystem: typeSystem))
        let pending = try await operation.execute(
            over: root, in: GeneratedContext(typeSystem: typeSystem, isPending: true))
        #expect(pending.data == result.data, "pending values change nothing: \(request.document)")
        return .executed(
            data: JSONText.of(result.data), errors: result.errors.map(RequestOpinion.Complaint.init).sorted())
    }
}
