@_spi(Adapters) internal import TidelogCore
internal import TidelogSQLTranslation

/// The text of a query for PostgreSQL while it is made, with its values in the order of their parameters.
struct QueryText {
    private let table: RecordTable
    private var text: String
    private var values: [SQLParameter] = []

    private init(_ table: RecordTable, _ text: String) { (self.table, self.text) = (table, text) }

    /// The rows of `query` that satisfy the conditions for the database, with the query's page if it is paged.
    static func fetch(_ query: TranslatedQuery, from table: RecordTable) -> SQLStatement {
        var statement = QueryText(table, table.selection)
        statement.appendConditions(of: query)
        // Missing values come first in ascending order and last in descending order.
        let sort = query.sort.map { sort in
            table.comparable(sort.field) + (sort.isDescending ? " DESC NULLS LAST" : " ASC NULLS FIRST")
        }
        let key = DatabaseNames.key + (query.isDescending ? " DESC" : "")
        statement.text += " ORDER BY " + (sort + [key]).joined(separator: ", ")
        if query.isPaged { statement.appendPage(query.page) }
        return SQLStatement(statement.text, statement.values)
    }

    /// The number of rows of `query`, which must be paged.
    static func count(_ query: TranslatedQuery, from table: RecordTable) -> SQLStatement {
        var statement = QueryText(table, " FROM \(table.name)")
        statement.appendConditions(of: query)
        statement.appendPage(query.page)
        return SQLStatement("SELECT count(*) FROM (SELECT 1\(statement.text)) AS found", statement.values)
    }

    private mutating func appendConditions(of query: TranslatedQuery) {
        guard !query.conditions.isEmpty else { return }
        text += " WHERE "
        append(query.conditions, joinedBy: " AND ", ifEmpty: "TRUE")
    }

    private mutating func appendPage(_ page: Page) {
        if let limit = page.limit { text += " LIMIT \(limit)" }
        if page.offset > 0 { text += " OFFSET \(page.offset)" }
    }

    private mutating func append(_ condition: Condition) {
        switch condition {
        case .always(let flag): text += flag ? "TRUE" : "FALSE"
        case .missing(let field, let isMissing):
            text += table.column(of: field).name + (isMissing ? " IS NULL" : " IS NOT NULL")
        case .compare(let field, let relation, let value):
            text += "\(table.comparable(field)) \(relation.rawValue) \(parameter(value))"
        case .contains(let field, let part):
            // The column's collation compares bytes.
            text += "strpos(\(table.column(of: field).name), \(parameter(.text(part)))) > 0"
        case .begins(let field, let prefix): appendBegins(table.column(of: field).name, prefix)
        case .key(let relation, let key): text += "\(DatabaseNames.key) \(relation.rawValue) \(parameter(.blob(key)))"
        case .among(let field, let members):
            text += table.comparable(field)
            append(members)
        case .keyAmong(let keys):
            text += DatabaseNames.key
            append(keys.map { .blob($0) })
        case .not(let member):
            text += "("
            append(member)
            text += ") IS NOT TRUE"
        case .all(let members): append(members, joinedBy: " AND ", ifEmpty: "TRUE")
        case .any(let members): append(members, joinedBy: " OR ", ifEmpty: "FALSE")
        }
    }

    /// A range of texts, so that an index can find them, as far as PostgreSQL has a text for its end.
    private mutating func appendBegins(_ name: String, _ prefix: [UInt8]) {
        text += "(\(name) >= \(parameter(.text(prefix)))"
        if let end = Self.end(ofTextsWith: prefix) { text += " AND \(name) < \(parameter(.text(end)))" }
        text += ")"
    }

    /// The first text, in the order of bytes, after all texts that begin with `prefix`; `nil` if there is none.
    static func end(ofTextsWith prefix: [UInt8]) -> [UInt8]? {
        // UTF-8 sorts like the scalars that it encodes.
        var scalars = Array(String(decoding: prefix, as: UTF8.self).unicodeScalars)
        while let last = scalars.popLast() {
            // Between D7FF and E000 there are no scalars.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let end = Unicode.Scalar(next) else { continue }
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars + [end])
            return Array(String(text).utf8)
        }
        return nil
    }

    private mutating func parameter(_ value: Condition.Value) -> String {
        values.append(SQLParameter(value))
        return "$\(values.count)"
    }

    private mutating func append(_ members: [Condition.Value]) {
        text += " IN (" + members.map { parameter($0) }.joined(separator: ", ") + ")"
    }

    private mutating func append(_ members: [Condition], joinedBy operation: String, ifEmpty: String) {
        guard !members.isEmpty else {
            text += ifEmpty
            return
        }
        text += "("
        for (index, member) in members.enumerated() {
            if index > 0 { text += operation }
            append(member)
        }
        text += ")"
    }
}

extension SQLParameter {
    fileprivate init(_ value: Condition.Value) {
        switch value {
        case .int(let number): self = .int(number)
        case .double(let number): self = .double(number)
        case .bool(let flag): self = .bool(flag)
        case .text(let utf8): self = .text(utf8)
        case .blob(let bytes): self = .bytes(bytes)
        }
    }
}
