package import TidelogGraphQL
package import TidelogJSON

/// How a request was answered, for the operator's log. It holds names of the schema, numbers and the operation's name:
/// nothing of values, records and credentials.
package struct RequestReport: Sendable, Hashable {
    /// Whether it reads, writes or subscribes; `nil` if it could not be executed.
    package var kind: OperationType?
    /// The name of the operation, if it has one.
    package var name: String?
    /// What became of the fields of Query or Mutation, in order.
    package var fields: [FieldReport] = []
    /// Reads of the store, those of fields inside others too.
    package var readCount = 0
    /// Records on all pages that were read.
    package var recordCount = 0
    /// The types of the errors that are of no field, in order; ``untyped`` for one without.
    package var errorTypes: [String] = []
    /// How long the service took.
    package var duration: Duration = .zero

    /// What stands for the type of an error that has none.
    package static let untyped = "Invalid"

    /// Writes the report as members of a JSON object that is open.
    package func write(to writer: inout JSONWriter) {
        if let kind { writer.text("operation", kind.rawValue) }
        if let name { writer.text("name", name) }
        if !fields.isEmpty {
            writer.key("fields")
            writer.beginArray()
            for field in fields { field.write(to: &writer) }
            writer.endArray()
        }
        writer.number("reads", readCount)
        writer.number("records", recordCount)
        if !errorTypes.isEmpty {
            writer.key("errors")
            writer.beginArray()
            for type in errorTypes { writer.string(type) }
            writer.endArray()
        }
        writer.key("serviceMilliseconds")
        let microseconds = duration / .microseconds(1)
        writer.double(microseconds.rounded() / 1_000)
    }
}

/// What became of one field of Query or Mutation.
package struct FieldReport: Sendable, Hashable {
    /// The name of the field.
    package var field: String
    /// The name of its model; `nil` for fields of introspection.
    package var model: String?
    /// How its page was found, if it is one.
    package var page: Page?
    /// How its change ended, if it is one that was not refused.
    package var change: Change?
    /// Why a handler of conflicts gave no answer, as a clause.
    package var conflictFailure: String?
    /// The types of the errors in it, in order.
    package var errorTypes: [String] = []

    /// How a page was found.
    package struct Page: Sendable, Hashable {
        /// What is read.
        package enum Access: Sendable, Hashable {
            /// An index, by its name.
            case index(String)
            /// The records under a part of the key.
            case key
            /// All records, in the order of their keys.
            case table
        }

        /// What is read.
        package var access: Access
        /// Whether records are collected and sorted before the first is given.
        package var sorts: Bool
        /// Records that were read.
        package var readCount: Int
        /// Those of them that are on the page: the filter holds for them.
        package var givenCount: Int
    }

    /// How a change ended.
    package struct Change: Sendable, Hashable {
        /// What was done.
        package var kind: ChangeOutcome.Kind
        /// Whether it was made from another version than the stored one, and taken all the same.
        package var isOfConflict: Bool
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.text("field", field)
        if let model { writer.text("model", model) }
        if let page {
            switch page.access {
            case .index(let name): writer.text("index", name)
            case .key: writer.text("index", "key")
            case .table: writer.text("scan", "table")
            }
            if page.sorts { writer.truth("sorts", true) }
            writer.number("read", page.readCount)
            writer.number("given", page.givenCount)
        }
        if let change {
            writer.text("change", "\(change.kind)")
            if change.isOfConflict { writer.truth("conflict", true) }
        }
        if let conflictFailure { writer.text("conflictFailure", conflictFailure) }
        if !errorTypes.isEmpty {
            writer.key("errors")
            writer.beginArray()
            for type in errorTypes { writer.string(type) }
            writer.endArray()
        }
        writer.endObject()
    }
}

extension JSONWriter {
    fileprivate mutating func text(_ key: String, _ value: String) {
        self.key(key)
        string(value)
    }

    fileprivate mutating func number(_ key: String, _ value: Int) {
        self.key(key)
        int(Int64(value))
    }

    fileprivate mutating func truth(_ key: String, _ value: Bool) {
        self.key(key)
        bool(value)
    }
}
