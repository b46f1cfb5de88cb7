import Testing

@testable import TidelogGraphQL
@testable import TidelogGraphQLExecution

@Suite("Execution of requests")
struct ExecutionTests {
    /// Executes a request on an object with these fields. Returns the data and the errors as text.
    private func run(
        _ text: String, _ fields: [String: Reply] = [:], variables: InputObject = [:], operation: String? = nil,
        calls: Calls = Calls()
    ) async throws -> (data: String, errors: [String]) {
        let document = try RequestDocument(parsing: text)
        let typeSystem = try Library.typeSystem()
        let problems = document.validate(against: typeSystem)
        #expect(problems == [])
        let operation = try ExecutableOperation(
            document, typeSystem: typeSystem, operationName: operation, variables: variables)
        let result = try await operation.execute(over: Shelf(typeName: "Query", fields: fields), in: calls)
        let errors = result.errors.map { error in
            let path = error.path.map { step in
                switch step {
                case .field(let name): name
                case .index(let index): "\(index)"
                }
            }
            return "\(path.joined(separator: ".")) \(error.locations.map(\.description).joined(separator: " ")) "
                + error.message
        }
        return (JSONText.of(result.data), errors)
    }

    private let book = Reply.object("Book", ["id": .leaf(.string("b1")), "title": .leaf(.string("T"))])

    @Test(
        "Members of a response are in the order of the selection, under their aliases, with fragments merged in place")
    func order() async throws {
        let result = try await run(
            """
            { book(id: 1) { t: title ...A id ... on Node { id ... on Author { name } } } __typename }
            fragment A on Book { pages t: title __typename }
            """, ["book": book])
        #expect(result.data == #"{"book":{"t":"T","pages":null,"__typename":"Book","id":"b1"},"__typename":"Query"}"#)
        #expect(result.errors == [])
    }

    @Test("Fields with the same response name become one member, also in a large selection")
    func manyNames() async throws {
        let names = (0..<20).map { "a\($0)" }
        let aliases = (names + names.suffix(10)).map { "\($0): id" }.joined(separator: " ")
        let result = try await run("{ book(id: 1) { \(aliases) } }", ["book": book])
        let members = names.map { "\"\($0)\":\"b1\"" }.joined(separator: ",")
        #expect(result.data == "{\"book\":{\(members)}}")
    }

    @Test("@skip and @include remove fields and fragments, according to literals and variables")
    func conditions() async throws {
        let text = """
            query ($on: Boolean!, $off: Boolean = true) {
              book(id: 1) {
                id @include(if: $on) title @skip(if: $on) pages @skip(if: $off) price @include(if: false)
                ... @include(if: $on) { code } ...O @skip(if: $on)
              }
            }
            fragment O on Book { order }
            """
        let on = try await run(text, ["book": book], variables: ["on": .bool(true), "off": .bool(false)])
        #expect(on.data == #"{"book":{"id":"b1","pages":null,"code":null}}"#)
        let off = try await run(text, ["book": book], variables: ["on": .bool(false)])
        #expect(off.data == #"{"book":{"title":"T","order":null}}"#)
    }

    @Test("An error makes its field null, and names its place in the response and in the document")
    func errors() async throws {
        let books = Reply.list([
            .object("Book", ["id": .leaf(.string("1")), "title": .error("no title")]),
            .object("Book", ["id": .leaf(.string("2")), "author": .object("Author", ["name": .leaf(.null)])]),
        ])
        let result = try await run("{ books { id title\n author { id: name } } }", ["books": books])
        #expect(
            result.data == #"{"books":[{"id":"1","title":null,"author":null},{"id":"2","title":null,"author":null}]}"#)
        #expect(
            result.errors == [
                "books.0.title 1:14 no title",
                "books.1.author.id 2:11 Cannot return null for non-nullable field Author.name.",
            ])
    }

    @Test("A null in a non-null field makes the nearest nullable parent null, or else the whole data")
    func propagation() async throws {
        let withoutID = Reply.object("Book", [:])
        let inList = try await run(
            "{ search(text: \"\") { ... on Node { id } } place { name } }",
            [
                "search": .list([withoutID, book]), "place": .object("Place", [:]),
            ])
        #expect(inList.data == #"{"search":[null,{"id":"b1"}],"place":{"name":null}}"#)
        #expect(inList.errors == ["search.0.id 1:36 Cannot return null for non-nullable field Book.id."])
        let inNonNullList = try await run("{ place { name } books { id } }", ["books": .list([book, withoutID])])
        #expect(inNonNullList.data == "null")
        #expect(inNonNullList.errors == ["books.1.id 1:26 Cannot return null for non-nullable field Book.id."])
        let ofNonNull = try await run(
            "{ book(id: 1) { firstAuthor { name } } }",
            [
                "book": .object("Book", ["firstAuthor": .object("Author", [:])])
            ])
        #expect(ofNonNull.data == #"{"book":null}"#)
    }

    @Test("A leaf that does not fit its type is an error; whole numbers and doubles are converted if nothing is lost")
    func leaves() async throws {
        let text = "{ book(id: 1) { title pages price code order } }"
        let right = try await run(
            text,
            [
                "book": .object(
                    "Book",
                    [
                        "pages": .leaf(.double(3)), "price": .leaf(.int(2)), "code": .leaf(.string("12")),
                        "order": .leaf(.string("OLDEST")),
                    ])
            ])
        #expect(right.data == ##"{"book":{"title":null,"pages":3,"price":2.0,"code":"#12","order":"OLDEST"}}"##)
        let wrong = try await run(
            text,
            [
                "book": .object(
                    "Book",
                    [
                        "title": .leaf(.list([])), "pages": .leaf(.double(1.5)), "price": .leaf(.double(.nan)),
                        "code": .leaf(.int(1)), "order": .leaf(.string("LATEST")),
                    ])
            ])
        #expect(wrong.data == #"{"book":{"title":null,"pages":null,"price":null,"code":null,"order":null}}"#)
        #expect(
            wrong.errors.map { $0.split(separator: " ", maxSplits: 2)[2] } == [
                "String cannot represent value: []", "Int cannot represent non-integer value: 1.5",
                "Float cannot represent non numeric value: nan", "A code is text",
                "Enum \"Order\" cannot represent value: \"LATEST\"",
            ])
    }

    @Test("A leaf that an object already has is not resolved, and is completed like other leaves")
    func leavesAtHand() async throws {
        let calls = Calls()
        let given: [String: Reply] = [
            "id": .atHand(.null), "title": .atHand(.string("T")), "pages": .leaf(.int(3)), "price": .atHand(.int(2)),
            "code": .atHand(.int(1)), "author": .atHand(.string("no object")),
        ]
        let result = try await run(
            "{ book(id: 1) { title pages price code author { name } } books { id } }",
            ["book": .object("Book", given), "books": .list([.object("Book", given)])], calls: calls)
        #expect(result.data == "null")
        #expect(
            result.errors.map { $0.split(separator: " ", maxSplits: 2).joined(separator: " ") } == [
                "book.code 1:35 A code is text", "book.author 1:40 A scalar is no value of the type \"Author\".",
                "books.0.id 1:66 Cannot return null for non-nullable field Book.id.",
            ])
        #expect(calls.log == ["book", "pages", "author", "books"])
        let right = try await run("{ book(id: 1) { title pages price } }", ["book": .object("Book", given)])
        #expect(right.data == #"{"book":{"title":"T","pages":3,"price":2.0}}"#)
        #expect(right.errors == [])
    }

    @Test("An object, a list or a leaf is an error of its field if another kind of value is expected")
    func shapes() async throws {
        let result = try await run(
            "{ book(id: 1) { id } place { name } search(text: \"\") { __typename } node { id } }",
            [
                "book": .leaf(.int(1)), "place": .list([]), "search": .object("Book", [:]),
                "node": .object("Place", [:]),
            ])
        #expect(result.data == #"{"book":null,"place":null,"search":null,"node":null}"#)
        #expect(result.errors.count == 4)
        #expect(result.errors.last == "node 1:69 Runtime Object type \"Place\" is not a possible type for \"Node\".")
        let unknown = try await run("{ node { id } }", ["node": .object("Nothing", [:])])
        #expect(unknown.data == #"{"node":null}"# && unknown.errors.count == 1)
    }

    @Test("The type, the data and the info of a resolver's error are in the response")
    func errorMembers() async throws {
        let document = try RequestDocument(parsing: "{ book(id: 1) { id } }")
        let operation = try ExecutableOperation(document, typeSystem: Library.typeSystem())
        let error = ResolverError(
            "Conflict resolver rejects mutation.", errorType: "ConflictUnhandled", data: .object(["id": .string("1")]),
            errorInfo: .null)
        let root = Shelf(typeName: "Query", fields: ["book": .failure(error)])
        let result = try await operation.execute(over: root, in: Calls())
        let expected = GraphQLError(
            message: error.message, locations: [SourceLocation(line: 1, column: 3)], path: [.field("book")],
            errorType: "ConflictUnhandled", data: .object(["id": .string("1")]), errorInfo: .null)
        #expect(result.errors == [expected] && result.data == .object(["book": .null]))
    }

    @Test("A failing element of a list becomes null, and the other elements stay")
    func failingElement() async throws {
        let list = Reply.list([book, .error("gone"), .pending(.error("lost")), .pending(book)])
        let result = try await run("{ search(text: \"\") { ... on Book { title } } }", ["search": list])
        #expect(result.data == #"{"search":[{"title":"T"},null,null,{"title":"T"}]}"#)
        #expect(result.errors == ["search.1 1:3 gone", "search.2 1:3 lost"])
    }

    @Test("Pending values are awaited at every level, and errors in them have complete paths")
    func pending() async throws {
        let author = Reply.pending(.object("Author", ["name": .pending(.leaf(.null)), "id": .leaf(.string("a"))]))
        let books = Reply.pending(
            .list([.pending(.object("Book", ["id": .leaf(.string("1")), "author": author])), book]))
        let result = try await run(
            "{ books { id author { id name } } place { name } }",
            [
                "books": books, "place": .object("Place", ["name": .pending(.pending(.leaf(.string("here"))))]),
            ])
        #expect(
            result.data
                == #"{"books":[{"id":"1","author":null},{"id":"b1","author":null}],"place":{"name":"here"}}"#)
        #expect(
            result.errors == ["books.0.author.name 1:26 Cannot return null for non-nullable field Author.name."])
        let nothing = try await run("{ books { id } }", ["books": .pending(.list([.pending(.leaf(.null))]))])
        #expect(nothing.data == "null")
    }

    @Test("The fields of a mutation are executed one after another, and the fields of a query are all started at once")
    func mutationOrder() async throws {
        let text = "{ a: removeBooks(ids: 1) b: addBook(input: {title: \"x\"}) { id } c: removeBooks(ids: 2) }"
        let fields: [String: Reply] = ["removeBooks": .pending(.leaf(.bool(true))), "addBook": .pending(book)]
        let mutation = Calls()
        let result = try await run("mutation \(text)", fields, calls: mutation)
        #expect(result.data == #"{"a":true,"b":{"id":"b1"},"c":true}"#)
        #expect(mutation.log == ["removeBooks", "…", "addBook", "…", "id", "removeBooks", "…"])
        let query = Calls()
        _ = try await run(
            "{ a: place { name } b: place { name } }", ["place": .pending(.object("Place", [:]))], calls: query)
        #expect(query.log == ["place", "place", "…", "name", "…", "name"])
    }

    @Test("A failing nullable field of a mutation does not stop the fields after it")
    func failingMutation() async throws {
        let calls = Calls()
        let fields: [String: Reply] = ["removeBooks": .error("no"), "addBook": book]
        let text = "mutation { removeBooks(ids: 1) addBook(input: {title: \"x\"}) { id } }"
        let result = try await run(text, fields, calls: calls)
        #expect(result.data == #"{"removeBooks":null,"addBook":{"id":"b1"}}"# && result.errors.count == 1)
        #expect(calls.log == ["removeBooks", "addBook", "id"])
    }

    @Test("A failing non-null field of a mutation makes the data null, and the fields after it are not executed")
    func failingRequiredMutation() async throws {
        let text = "type Query { a: Int } type Mutation { first: Int second: Int! third: Int }"
        let operation = try ExecutableOperation(
            RequestDocument(parsing: "mutation { first second third }"),
            typeSystem: TypeSystem(document: Document(parsing: text)))
        let failing: [Reply] = [.error("no"), .leaf(.null), .pending(.error("no")), .pending(.leaf(.null))]
        for second in failing {
            let calls = Calls()
            let fields: [String: Reply] = ["first": .leaf(.int(1)), "second": second, "third": .leaf(.int(3))]
            let result = try await operation.execute(over: Shelf(typeName: "Mutation", fields: fields), in: calls)
            #expect(result.data == .null)
            #expect(result.errors.map(\.path) == [[.field("second")]])
            #expect(calls.log.filter { $0 != "…" } == ["first", "second"])
        }
    }

    @Test("A subscription selects exactly one field, and its selection is executed for each event")
    func subscription() async throws {
        let text = "subscription S($a: ID) { added: bookAdded(author: $a) { title } }"
        let operation = try ExecutableOperation(
            RequestDocument(parsing: text), typeSystem: Library.typeSystem(), variables: ["a": .int(7)])
        #expect(operation.kind == .subscription && operation.name == "S")
        let field = try #require(operation.root.fields.first)
        #expect(field.name == "bookAdded" && field.responseName == "added" && field[argument: "author"] == .string("7"))
        for title in ["one", "two"] {
            let event = Shelf(
                typeName: "Subscription",
                fields: [
                    "bookAdded": .object("Book", ["title": .leaf(.string(title))])
                ])
            let result = try await operation.execute(over: event, in: Calls())
            #expect(JSONText.of(result.data) == #"{"added":{"title":"\#(title)"}}"#)
        }
        #expect(throws: RequestErrors.self) {
            let text = "subscription ($x: Boolean!) { bookRemoved @skip(if: $x) }"
            _ = try ExecutableOperation(
                RequestDocument(parsing: text), typeSystem: Library.typeSystem(), variables: ["x": .bool(true)])
        }
    }

    @Test("A resolver can read the selection below its field")
    func selection() async throws {
        let text = "{ search(text: \"\") { ... on Book { title a: author { ...N } } ...N } } fragment N on Node { id }"
        let operation = try ExecutableOperation(RequestDocument(parsing: text), typeSystem: Library.typeSystem())
        let search = try #require(operation.root.first("search"))
        #expect(search.selection() == nil && search.selection(of: "Place") == nil)
        #expect(search.selection(of: "Author")?.fields.map(\.responseName) == ["id"])
        let book = try #require(search.selection(of: "Book"))
        #expect(book.fields.map(\.responseName) == ["title", "a", "id"])
        #expect(book.first("author")?.selection()?.fields.map(\.name) == ["id"])
        #expect(book.first("title")?.selection() == nil)
    }

    @Test("Fields whose whole selection is one fragment share its plan, unless the spread has a directive")
    func sharedPlans() throws {
        let text = """
            query ($on: Boolean!) {
              a: book(id: 1) { ...B } b: book(id: 2) { ...B } c: book(id: 3) { ...B @include(if: $on) }
              d: book(id: 4) { ...B id }
            }
            fragment B on Book { title author { ...N } }
            fragment N on Author { id }
            """
        let operation = try ExecutableOperation(
            RequestDocument(parsing: text), typeSystem: Library.typeSystem(),
            variables: ["on": .bool(false)])
        let plans = operation.root.fields.compactMap { $0.selection() }
        #expect(
            plans.map { $0.fields.map(\.responseName) } == [
                ["title", "author"], ["title", "author"], [], ["title", "author", "id"],
            ])
        #expect(plans[0] === plans[1])
        let authors = plans.map { $0.first("author")?.selection() }
        #expect(authors[0] === authors[1] && authors[0] === authors[3] && authors[0] != nil)
    }

    @Test("A cancelled execution stops, and gives no response")
    func cancellation() async throws {
        let operation = try ExecutableOperation(
            RequestDocument(parsing: "{ place { name } }"), typeSystem: Library.typeSystem())
        let task = Task {
            let root = Shelf(typeName: "Query", fields: ["place": .pending(.object("Place", [:]))])
            withUnsafeCurrentTask { $0?.cancel() }
            return try await operation.execute(over: root, in: Calls())
        }
        await #expect(throws: CancellationError.self) { _ = try await task.value }
    }

    @Test("The operation is chosen by its name; an unknown name, or a missing one among several, is an error")
    func operations() async throws {
        let text = "query A { place { name } } query B { __typename }"
        #expect(try await run(text, operation: "B").data == #"{"__typename":"Query"}"#)
        func message(_ text: String, _ name: String?) throws -> String? {
            do {
                _ = try ExecutableOperation(
                    RequestDocument(parsing: text), typeSystem: Library.typeSystem(), operationName: name)
                return nil
            } catch let error as RequestErrors {
                return error.errors.first?.message
            }
        }
        #expect(try message(text, nil) == "Must provide operation name if query contains multiple operations.")
        #expect(try message(text, "C") == "Unknown operation named \"C\".")
        #expect(try message("fragment F on Book { id }", nil) == "Must provide an operation.")
    }
}
