import Testing
import Tidelog
import TidelogCore

@Suite struct TextScalarWriteTests {
    static let sdl = """
        type Person @model {
          id: ID!
          name: String
          email: AWSEmail
          phones: [AWSPhone]
          nested: [[AWSIPAddress!]!]
          contact: Contact
          contacts: [Contact!]
        }
        type Contact { url: AWSURL next: Contact label: String extra: [AWSJSON!] }
        type Plain @model { id: ID! name: String }
        """

    private func store() async throws -> DataStore { try await DataStore.inMemory(schema: Schema(sdl: Self.sdl)) }

    private func person(_ values: [String: FieldValue]) -> Record {
        Record(model: "Person", values: values.merging(["id": .string("1")]) { first, _ in first })
    }

    static let refused: [(String, FieldValue, String)] = [
        ("email", .string("secret value"), "Person.email is no AWSEmail"),
        ("phones", .list([.string("+12065550100"), nil, .string("secret value")]), "Person.phones is no AWSPhone"),
        (
            "nested", .list([.list([]), .list([.string("::1"), .string("secret value")])]),
            "Person.nested is no AWSIPAddress"
        ),
        ("contact", .embedded(["url": .string("secret value")]), "Contact.url is no AWSURL"),
        ("contact", .embedded(["next": .embedded(["url": .string("secret value")])]), "Contact.url is no AWSURL"),
        ("contacts", .list([.embedded(["extra": .list([.string("secret value")])])]), "Contact.extra is no AWSJSON"),
    ]

    @Test(arguments: refused)
    func `a local write whose text breaks its scalar's rule is refused, and the error does not contain the text`(
        _ field: String, _ value: FieldValue, _ reason: String
    ) async throws {
        let store = try await store()
        let record = person([field: value])
        let error = await #expect(throws: DataStoreError.self) { try await store.write { try $0.save(record) } }
        #expect(error?.code == .invalidValue)
        #expect(error?.model == "Person")
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        #expect(error?.description.contains("secret") == false)
        #expect(try await store.read { try $0.count(Record.all(of: "Person")) } == 0)
    }

    @Test func `valid texts and missing texts are saved`() async throws {
        let store = try await store()
        let values: [String: FieldValue] = [
            "email": .string("nobody@example.com"), "phones": .list([.string("+12065550100"), nil]),
            "nested": .list([.list([.string("10.0.0.0/8")])]),
            "contact": .embedded(["url": .string("mailto:a@b"), "next": .embedded(["label": .string("secret")])]),
            "contacts": .list([.embedded(["extra": .list([.string("{}")])])]), "name": .string("no rule"),
        ]
        let (full, empty) = (person(values), person([:]))
        try await store.write { try $0.save(full) }
        try await store.write { try $0.save(empty) }
        #expect(try await store.read { try $0.count(Record.all(of: "Person")) } == 1)
    }

    @Test func `a refused save stages nothing, and the other saves of its transaction succeed`() async throws {
        let store = try await store()
        let (good, bad) = (person(["email": .string("a@b")]), person(["email": .string("a")]))
        let wasRefused = try await store.writeReturning { transaction in
            try transaction.save(Record(model: "Plain", values: ["id": .string("p")]))
            var wasRefused = false
            do { try transaction.save(bad) } catch { wasRefused = true }
            try transaction.save(good)
            return wasRefused
        }.result
        #expect(wasRefused)
        #expect(try await store.read { try $0.count(Record.all(of: "Person")) } == 1)
        #expect(try await store.read { try $0.count(Record.all(of: "Plain")) } == 1)
    }

    @Test func `an invalid text from a server is kept as it is`() async throws {
        let store = try await store()
        let record = person(["email": .string("not one")])
        try await store.write { transaction in
            try transaction.append(
                received: record, server: ServerState(version: 1, lastChangedAt: 1, isDeleted: false))
        }
        #expect(try await store.read { try $0.count(Record.all(of: "Person")) } == 1)
    }

    @Test func `a typed value is checked like a record`() async throws {
        let store = try await DataStore.inMemory(schema: Schema(models: [Contact.schema]))
        try await store.save(Contact(id: "1", email: "a@b"))
        let error = await #expect(throws: DataStoreError.self) {
            try await store.save(Contact(id: "2", email: "secret"))
        }
        #expect(error?.code == .invalidValue)
        #expect(error?.message.contains("Contact.email is no AWSEmail") == true)
        #expect(try await store.query(Contact.self).map(\.id) == ["1"])
    }
}

private struct Contact: Model {
    static let schema = ModelSchema(
        name: "Contact",
        fields: [FieldSchema("id", .id, isRequired: true), FieldSchema("email", .string, scalar: "AWSEmail")])

    let id: String
    let email: String?

    init(id: String, email: String?) { (self.id, self.email) = (id, email) }

    init(from row: inout RowDecoder) throws(RowDamage) {
        id = try row.decode(String.self)
        email = try row.decodeIfPresent(String.self)
    }

    func encode(into row: inout RowEncoder) {
        row.encode(id)
        if let email { row.encode(email) } else { row.encodeMissing() }
    }
}
