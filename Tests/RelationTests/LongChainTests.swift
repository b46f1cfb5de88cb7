import Testing
import Tidelog

/// A stack overflow ends the process. That is how these tests fail.
@Suite("Long chains of loaded relations") struct LongChainTests {
    private static let count = 100_000

    /// A category whose parent is loaded, and so are all further ancestors.
    private static func ancestors() -> Category {
        var last = Category(id: "0")
        for number in 1..<count {
            var child = Category(id: "\(number)")
            child.setParent(last)
            last = child
        }
        return last
    }

    @Test("a chain of loaded references is released without exhausting the stack") func references() async throws {
        var chain: Category? = Self.ancestors()
        let parent = try await chain?.parent
        chain = nil
        // A value that holds a part of the chain keeps that part.
        #expect(try await parent?.parent?.parent?.id == "\(Self.count - 4)")
    }

    @Test("a branching chain of loaded lists is released without exhausting the stack") func lists() async throws {
        var last = Category(id: "0")
        for number in 1..<Self.count {
            var parent = Category(id: "\(number)")
            var side = Category(id: "side \(number)")
            side.setParent(Category(id: "end"))
            parent.setChildren([side, last])
            last = parent
        }
        #expect(try await last.children.all().map(\.id) == ["side \(Self.count - 1)", "\(Self.count - 2)"])
    }

    @Test("a chain can be released on another thread than the thread that made it") func threads() async throws {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                let chain = Self.ancestors()
                group.addTask { _ = consume chain }
            }
        }
    }

    @Test("a chain of required references is released without exhausting the stack") func required() {
        var last = Link(id: "0", next: nil)
        for number in 1..<Self.count { last = Link(id: "\(number)", next: last) }
        #expect(last.id == "\(Self.count - 1)")
    }

    @Test("a chain of boxed values is released without exhausting the stack, and can be changed in place")
    func boxes() {
        struct Node {
            var number: Int
            @Boxed var next: Node?
        }
        var last = Node(number: 0, next: nil)
        for number in 1..<Self.count { last = Node(number: number, next: last) }
        let copy = last
        last.next?.next?.number = -1
        #expect(last.next?.next?.number == -1)
        #expect(copy.next?.next?.number == Self.count - 3)
    }

    @Test("a chain of boxed enums is released without exhausting the stack") func enums() {
        enum Tree {
            case leaf
            case node(Boxed<Tree>, Boxed<Tree>)
        }
        var last = Tree.leaf
        for _ in 1..<Self.count { last = .node(Boxed(wrappedValue: last), Boxed(wrappedValue: .leaf)) }
        var depth = 0
        var tree = last
        while case .node(let next, _) = tree {
            depth += 1
            tree = next.wrappedValue
        }
        #expect(depth == Self.count - 1)
    }
}

/// A model that refers to its own kind, in the form that generated code has for a required reference.
private struct Link: Model {
    let id: String
    var nextID: String
    private var nextRelation = LazyRelation<Link>()

    init(id: String, next: Link?) {
        self.id = id
        nextID = next?.id ?? id
        if let next { nextRelation = LazyRelation(next) }
    }

    static let schema = ModelSchema(
        name: "Link",
        fields: [FieldSchema("id", .id, isRequired: true), FieldSchema("nextID", .id, isRequired: true)],
        associations: [
            Association(name: "next", kind: .belongsTo, target: "Link", fields: ["nextID"], isRequired: true)
        ])

    func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(nextID)
    }

    init(from row: inout RowDecoder) throws(RowDamage) {
        id = try row.decode(String.self)
        nextID = try row.decode(String.self)
        nextRelation = row.lazyRelation()
    }
}
