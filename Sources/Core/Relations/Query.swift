/// A question to a store or a server, as a value: which records, in which order, which part of them, and which related records
/// are loaded with them.
///
/// ```swift
/// let unread = Message.where(Message.keys.isRead == false).sorted(by: .descending(Message.keys.sentAt)).limit(20)
///
/// let messages = try await store.fetch(unread)
/// let count = try await store.count(unread)
/// for try await result in store.observe(unread) { render(result.items) }
/// try await store.delete(all: unread)
/// ```
///
/// Making a query reads nothing and never fails. The store checks it when it is used. Two queries are equal if they ask the
/// same question in the same words.
public struct Query<Target: Fetchable>: Sendable {
    /// The type of the records, or `nil` for dynamic records.
    let type: (any Model.Type)?
    /// The name of the model.
    package let model: String
    /// The condition for the records, without its model. The value ``QueryPredicate/all`` is no condition.
    public package(set) var predicate = QueryPredicate.all
    /// The order of the records.
    public package(set) var sort = Sort.byKey
    /// The part of the ordered records.
    public package(set) var page = Page.all
    /// The record whose related records these are, or `nil` for records of the whole model.
    var origin: Origin?
    /// The relations whose records are loaded with the records.
    var inclusions: [Inclusion<Target>] = []

    /// A record, and the name of its relation that leads to the records of a query.
    struct Origin: Sendable, Hashable {
        let relation: String
        let owner: AnyModel
    }

    /// A query of all records of the model called `model`.
    init(model: String, type: (any Model.Type)? = nil) {
        self.model = model
        self.type = type
    }

    /// Whether the query is about more records than those of its own model: related records, or records of one relation.
    package var usesRelations: Bool { origin != nil || !inclusions.isEmpty }

    /// The same records in the order of `sort`. It replaces an order that the query had before.
    public func sorted(by sort: Sort) -> Query {
        var query = self
        query.sort = sort
        return query
    }

    /// The same records in the reverse order, except for the key, which always ascends.
    public var descending: Query {
        sorted(by: Sort(sort.keys.map { Sort.Key($0.field, isDescending: !$0.isDescending) }))
    }

    /// At most the first `count` records of the page. `count` is not negative.
    public func limit(_ count: Int) -> Query { page(page.limited(to: Swift.min(count, page.limit ?? count))) }

    /// The part of the records that `page` describes. It replaces a page that the query had before.
    public func page(_ page: Page) -> Query {
        var query = self
        query.page = page
        return query
    }

    func adding(_ predicate: QueryPredicate) -> Query {
        var query = self
        if query.predicate == .all {
            query.predicate = predicate
        } else {
            query.predicate = query.predicate && predicate
        }
        return query
    }
}

extension Query where Target: Model {
    /// A query of the records that match `predicate`, in the order of `sort`.
    public init(where predicate: ModelPredicate<Target>, sort: Sort = .byKey) {
        self = Target.where(predicate).sorted(by: sort)
    }

    /// The records of this query that also match `predicate`.
    public func `where`(_ predicate: ModelPredicate<Target>) -> Query { adding(predicate.queryPredicate) }

    /// The same records, each with the related records to which the relations lead. A related record is read once, even if
    /// several records refer to it.
    ///
    /// ```swift
    /// let posts = try await store.fetch(Post.all.including(Post.keys.comments, Post.keys.author))
    /// ```
    public func including<each Related: Model>(_ relation: repeat Relation<Target, each Related>) -> Query {
        var query = self
        repeat query.inclusions.append(Inclusion(each relation))
        return query
    }
}

extension Query where Target == Record {
    /// The records of this query that also match `predicate`.
    public func `where`(_ predicate: QueryPredicate) -> Query { adding(predicate) }
}

extension Query: Hashable {
    /// Whether both queries ask the same question in the same words.
    ///
    /// If a query names a record of a model that is not `Hashable`, only copies of the query are equal to it.
    public static func == (left: Query, right: Query) -> Bool {
        left.model == right.model && left.predicate == right.predicate && left.sort == right.sort
            && left.page == right.page && left.origin == right.origin
            && left.inclusions.map(\.name) == right.inclusions.map(\.name)
    }

    /// Hashes what equality compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(model)
        hasher.combine(predicate)
        hasher.combine(sort)
        hasher.combine(page)
        hasher.combine(origin)
        for inclusion in inclusions { hasher.combine(inclusion.name) }
    }
}

extension Model {
    /// A query of all records of this model, in the order of their keys.
    public static var all: Query<Self> { Query(model: schema.name, type: Self.self) }

    /// A query of the records that match `predicate`, in the order of their keys.
    public static func `where`(_ predicate: ModelPredicate<Self>) -> Query<Self> { all.where(predicate) }

    /// A query of the one record whose key is the text `id`.
    ///
    /// ```swift
    /// for try await result in store.observe(Post.with(id: "1")) { render(result.items.first) }
    /// ```
    public static func with(id: String) -> Query<Self> { all.adding(schema.condition(for: RecordID(id))) }

    /// A query of the one record that has `id`.
    public static func with(id: ModelID<Self>) -> Query<Self> { all.adding(schema.condition(for: id.recordID)) }
}

extension Record {
    /// A query of all records of the model called `model`, in the order of their keys.
    public static func all(of model: String) -> Query<Record> { Query(model: model) }
}

extension ModelSchema {
    /// The condition that a record has `id`.
    fileprivate func condition(for id: RecordID) -> QueryPredicate {
        precondition(id.components.count == primaryKey.count, "an id has a value for each field of the primary key")
        return .and(zip(primaryKey, id.components).map { .field($0, .equal($1)) })
    }
}

extension SchemaLayout {
    /// The layout of the model that `query` reads.
    ///
    /// - Throws: ``DataStoreError``: `unknownModel`; `invalidSchema` if the type has other fields than the store.
    package func model<Target>(of query: Query<Target>) throws -> ModelLayout {
        if let type = query.type { try model(of: type) } else { try required(query.model) }
    }
}
