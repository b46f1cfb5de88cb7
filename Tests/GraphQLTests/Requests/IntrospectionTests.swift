import Testing

@testable import TidelogGraphQL
@testable import TidelogGraphQLExecution

@Suite("Introspection")
struct IntrospectionTests {
    private func answer(_ text: String) async throws -> String {
        let document = try RequestDocument(parsing: text)
        let typeSystem = try Library.typeSystem()
        #expect(document.validate(against: typeSystem) == [])
        let operation = try ExecutableOperation(document, typeSystem: typeSystem)
        return JSONText.of(try await operation.execute(over: Introspection.Nothing(), in: .init()).data)
    }

    @Test("Introspection finds a type by its name, with its fields, their arguments and their wrapped types")
    func type() async throws {
        let text = """
            { __type(name: "Query") { kind name fields { name args { name defaultValue type { kind ofType { name } } } } } }
            """
        let answer = try await answer(text)
        #expect(answer.hasPrefix(#"{"__type":{"kind":"OBJECT","name":"Query","fields":[{"name":"book","args":["#))
        #expect(answer.contains(#"{"name":"edition","defaultValue":"1","type":{"kind":"SCALAR","ofType":null}}"#))
        #expect(
            answer.contains(#"{"name":"id","defaultValue":null,"type":{"kind":"NON_NULL","ofType":{"name":"ID"}}}"#))
        #expect(try await self.answer("{ __type(name: \"Missing\") { name } }") == #"{"__type":null}"#)
    }

    @Test("Introspection gives null for members that a kind of type does not have")
    func kinds() async throws {
        let parts =
            "kind fields { name } inputFields { name } enumValues { name } possibleTypes { name } ofType { name }"
        let text = "{ order: __type(name: \"Order\") { \(parts) } hit: __type(name: \"Hit\") { \(parts) } }"
        #expect(
            try await answer(text)
                == #"{"order":{"kind":"ENUM","fields":null,"inputFields":null,"enumValues":[{"name":"NEWEST"},"#
                + #"{"name":"OLDEST"}],"possibleTypes":null,"ofType":null},"hit":{"kind":"UNION","fields":null,"#
                + #""inputFields":null,"enumValues":null,"possibleTypes":[{"name":"Book"},{"name":"Author"}],"#
                + #""ofType":null}}"#
        )
    }

    @Test("A built-in scalar is a type of the schema only if it is used")
    func usedScalars() async throws {
        let typeSystem = try TypeSystem(document: Document(parsing: "type Query { a: Float }"))
        let names = typeSystem.types.map(\.name).filter { !$0.hasPrefix("__") }
        #expect(Set(names) == ["Query", "Float", "String", "Boolean"])
    }

    @Test("The introspection query of tools lists exactly the types of the schema and of introspection, without errors")
    func whole() async throws {
        let operation = try ExecutableOperation(
            RequestDocument(parsing: Introspection.query), typeSystem: Library.typeSystem())
        let result = try await operation.execute(over: Introspection.Nothing(), in: .init())
        #expect(result.errors == [])
        guard case .list(let types)? = result.data["__schema"]?["types"] else {
            Issue.record("no types")
            return
        }
        let names = types.compactMap { $0["name"] }
        let declared = [
            "Query", "Mutation", "Subscription", "Node", "Book", "Author", "Place", "Hit", "Order", "BookFilter",
            "NewBook", "Key", "Code",
        ]
        let builtIn = [
            "ID", "String", "Int", "Float", "Boolean", "__Schema", "__Type", "__TypeKind", "__Field", "__InputValue",
            "__EnumValue", "__Directive", "__DirectiveLocation",
        ]
        #expect(Set(names) == Set((declared + builtIn).map(ResponseValue.string)))
        #expect(types.count == declared.count + builtIn.count)
    }
}
