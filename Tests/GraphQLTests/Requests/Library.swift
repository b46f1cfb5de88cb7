@testable import TidelogGraphQL
@testable import TidelogGraphQLExecution

/// A small schema that the tests of requests share.
enum Library {
    static let text = """
        "Books, and who wrote them."
        schema { query: Query mutation: Mutation subscription: Subscription }
        type Query {
          book(id: ID!, edition: Int = 1): Book
          books(filter: BookFilter, order: Order, tags: [String!], limit: Int! = 10): [Book!]!
          byKey(key: Key): Book
          search(text: String!): [Hit]
          node: Node
          place: Place
        }
        type Mutation { addBook(input: NewBook!): Book removeBooks(ids: [ID!]!): Boolean }
        type Subscription { bookAdded(author: ID): Book bookRemoved: ID }
        interface Node { id: ID! }
        type Book implements Node {
          id: ID!
          title: String
          pages: Int
          price: Float
          code: Code
          order: Order
          cover(size: Int = 1): String
          author: Author
          firstAuthor: Author!
          related(first: Int): [Book]
        }
        type Author implements Node { id: ID! name: String! pages: String books: [Book] author: Author }
        type Place { name: String }
        union Hit = Book | Author
        enum Order { NEWEST OLDEST }
        input BookFilter {
          title: String pages: [Int] order: Order code: Code minimum: Int! = 1 and: [BookFilter!] new: NewBook
        }
        input NewBook { title: String! pages: Int }
        input Key @oneOf { id: ID code: Code }
        scalar Code
        directive @trace on QUERY | FIELD
        directive @label(text: String!, level: Int = 1) repeatable on FIELD | FRAGMENT_DEFINITION | VARIABLE_DEFINITION
        """

    /// A scalar whose values are texts of digits. In a response, a `#` precedes the digits.
    static let code = CustomScalar(
        name: "Code",
        coerceInput: { (value) throws(CustomScalar.InvalidValue) in
            guard case .string(let text) = value, text.allSatisfy(\.isNumber) else {
                throw CustomScalar.InvalidValue("A code has digits only")
            }
            return value
        },
        coerceOutput: { (value) throws(CustomScalar.InvalidValue) in
            guard case .string(let text) = value else { throw CustomScalar.InvalidValue("A code is text") }
            return .string("#\(text)")
        })

    static func typeSystem(isIntStrict: Bool = false) throws -> TypeSystem {
        try TypeSystem(document: Document(parsing: text), scalars: [code], isIntStrict: isIntStrict)
    }

    /// The errors that validation finds in a document. Each text has the places of the error and then its message.
    static func complaints(_ document: String, options: ValidationOptions = .init()) throws -> [String] {
        let errors = try RequestDocument(parsing: document).validate(against: typeSystem(), options: options)
        return errors.map { error in
            "\(error.locations.map(\.description).joined(separator: " ")) \(error.message)"
        }
    }
}
