import Testing

@testable import TidelogGraphQL
@testable import TidelogGraphQLExecution

@Suite("Limits of validation")
struct ValidationLimitTests {
    private func authors(_ depth: Int) -> String {
        String(repeating: "author { ", count: depth - 2) + "id" + String(repeating: " }", count: depth - 2)
    }

    @Test("Fields that are nested deeper than the limit are refused, also if fragments nest them")
    func depth() throws {
        #expect(try Library.complaints("{ book(id: 1) { \(authors(15)) } }") == [])
        let message = "1:1 Fields are nested deeper than 15 levels."
        #expect(try Library.complaints("{ book(id: 1) { \(authors(16)) } }") == [message])
        let tail = "fragment A on Author { \(authors(10)) }"
        #expect(try Library.complaints("{ book(id: 1) { \(inner(4)) } } \(tail)") == [])
        #expect(try Library.complaints("{ book(id: 1) { \(inner(7)) } } \(tail)") == [message])
        let options = ValidationOptions(depthLimit: 3)
        #expect(try Library.complaints("{ book(id: 1) { author { id } } }", options: options) == [])
        #expect(try Library.complaints("{ book(id: 1) { author { author { id } } } }", options: options).count == 1)
    }

    private func inner(_ count: Int) -> String {
        String(repeating: "author { ", count: count) + "...A" + String(repeating: " }", count: count)
    }

    @Test("Fields of introspection do not count as depth, but the nesting of their lists is limited")
    func introspection() throws {
        #expect(try Library.complaints(Introspection.query) == [])
        let deep = "{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }"
        #expect(try Library.complaints(deep) == ["1:3 Maximum introspection depth exceeded"])
    }

    @Test("Aliases of a fragment are counted at each place that uses the fragment")
    func aliases() throws {
        let aliases = (0..<30).map { "a\($0): id" }.joined(separator: " ")
        #expect(try Library.complaints("{ book(id: 1) { \(aliases) } }") == [])
        let message = "1:1 More than 30 fields have an alias."
        #expect(try Library.complaints("{ book(id: 1) { \(aliases) b: id } }") == [message])
        let twice = "{ book(id: 1) { ...A author { author { books { ...A } } } } } fragment A on Book { \(aliases) }"
        #expect(try Library.complaints(twice) == [message])
        let options = ValidationOptions(aliasLimit: 0)
        #expect(try Library.complaints("{ a: place { name } }", options: options).count == 1)
    }

    /// Documents within the limits of requests that would keep a naive validator busy for a long time.
    private var hostile: [String: String] {
        let doubling = (0..<20).map { "fragment F\($0) on Book { ...F\($0 + 1) author { books { ...F\($0 + 1) } } }" }
        let flat = (0..<900).map { "fragment F\($0) on Book { ...F\($0 + 1) }" }
        let circle = "fragment F900 on Book { ...F0 }"
        let wide = (0..<700).map { "...G\($0)" }.joined(separator: " ")
        let many = (0..<700).map { "fragment G\($0) on Book { author { id name } }" }.joined(separator: " ")
        let sets = (0..<1500).map { _ in "author { id name }" }.joined(separator: " ")
        let various = (0..<1300).map { number in
            var rest = number
            let names = (0..<7).map { _ in
                defer { rest /= 3 }
                return ["id", "name", "pages"][rest % 3]
            }
            return "author { \(names.joined(separator: " ")) }"
        }
        let arguments = (0..<1200).map { "cover(size: \($0))" }.joined(separator: " ")
        let unknown = (0..<4000).map { "x\($0)" }.joined(separator: " ")
        let list = Array(repeating: "1", count: 12_000).joined(separator: ",")
        return [
            "doubling": "{ book(id: 1) { ...F0 } } \(doubling.joined(separator: " ")) fragment F20 on Book { id }",
            "chain": "{ book(id: 1) { ...F0 } } \(flat.joined(separator: " ")) fragment F900 on Book { id }",
            "circle": "{ book(id: 1) { ...F0 } } \(flat.joined(separator: " ")) \(circle)",
            "fragments": "{ book(id: 1) { \(wide) } } \(many)",
            "repeated sets": "{ book(id: 1) { \(sets) } }",
            "various sets": "{ book(id: 1) { \(various.joined(separator: " ")) } }",
            "repeated fields": "{ book(id: 1) { \(Array(repeating: "id", count: 14_000).joined(separator: " ")) } }",
            "arguments": "{ book(id: 1) { \(arguments) } }",
            "unknown fields": "{ place { \(unknown) } }",
            "list": "{ books(filter: {pages: [\(list)]}) { id } }",
        ]
    }

    @Test("Each hostile document is validated in less than five seconds")
    func hostileDocuments() throws {
        let typeSystem = try Library.typeSystem()
        for (name, text) in hostile {
            let document = try RequestDocument(parsing: text)
            let clock = ContinuousClock()
            let time = clock.measure { _ = document.validate(against: typeSystem) }
            // An optimized build needs less than a twentieth of this time. The limit is high because other tests run at the
            // same time.
            #expect(time < .seconds(5), "\(name): \(time)")
        }
    }

    @Test("A hostile document that breaks a rule or a limit gets the error of that rule or limit")
    func hostileMessages() throws {
        let hostile = hostile
        #expect(try Library.complaints(hostile["chain"] ?? "") == ["1:1 Fragments are nested deeper than 100 levels."])
        #expect(try Library.complaints(hostile["circle"] ?? "") == ["1:1 Fragments are nested deeper than 100 levels."])
        #expect(try Library.complaints(hostile["doubling"] ?? "") == ["1:1 Fields are nested deeper than 15 levels."])
        let tooMany = " Too many fields have the same response name."
        #expect(try Library.complaints(hostile["repeated fields"] ?? "") == [])
        #expect(try Library.complaints(hostile["repeated sets"] ?? "") == [])
        #expect(try Library.complaints(hostile["various sets"] ?? "") == [tooMany])
        #expect(try Library.complaints(hostile["arguments"] ?? "").count == 101)
        let unknown = try Library.complaints(hostile["unknown fields"] ?? "")
        #expect(unknown.count == 101)
        #expect(unknown.last == " Too many validation errors, error limit reached. Validation aborted.")
    }
}
