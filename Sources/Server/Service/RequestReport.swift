package import TidelogGraphQLExecution
package import TidelogJSON
internal import TidelogSynchronization

/// A report on how a request was answered, for the operator's log. The report contains names from the schema, numbers and the
/// operation's name. It contains no values, records or credentials.
package struct RequestReport: Sendable, Hashable {
    /// The kind of the operation; `nil` if it could not be executed.
    package var kind: OperationType?
    /// The name of the operation, if it has one.
    package var name: String?
    /// The reports on the fields of Query or Mutation, in order.
    package var fields: [FieldReport] = []
    /// The number of reads from the store, including the reads of nested fields.
    package var readCount = 0
    /// The number of records on all pages that were read.
    package var recordCount = 0
    /// The types of the errors that belong to no field, in order. An error without a type is ``untyped``.
    package var errorTypes: [String] = []
    /// The time that the service needed.
    package var duration: Duration = .zero

    /// The text for an error that has no type.
    package static let untyped = "Invalid"

    /// Writes the report as members of a JSON object that was already begun.
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

    /// Records how the fields of Query or Mutation are answered, for the report of one request.
    final class Recorder: Sendable {
        private let notes = Mutex<[String: RequestReport.FieldReport]>([:])

        /// Changes the report of a root field. Calls for other fields have no effect.
        func note(_ field: SelectedField, _ body: (inout RequestReport.FieldReport) -> Void) {
            guard Self.isRoot(field) else { return }
            notes.withLock { body(&$0[field.responseName, default: RequestReport.FieldReport(field: field.name)]) }
        }

        /// Whether `field` is a field of Query or Mutation.
        static func isRoot(_ field: SelectedField) -> Bool { ["Query", "Mutation"].contains(field.parent.name) }

        /// The report of `operation`, which returned `result`.
        func report(_ operation: ExecutableOperation, _ result: ExecutableOperation.Result, _ api: API) -> RequestReport
        {
            var report = RequestReport(kind: operation.kind, name: operation.name)
            let notes = notes.withLock { $0 }
            let roots = operation.kind == .mutation ? api.mutations : api.queries
            var errors: [String: [String]] = [:]
            for error in result.errors {
                let type = error.errorType ?? RequestReport.untyped
                if case .field(let name)? = error.path.first {
                    errors[name, default: []].append(type)
                } else {
                    report.errorTypes.append(type)
                }
            }
            report.fields = operation.root.fields.map { field in
                var noted = notes[field.responseName] ?? RequestReport.FieldReport(field: field.name)
                noted.model = roots[field.name]?.model
                // The number of error types is limited, because a page of a thousand records may have as many errors.
                noted.errorTypes = Array((errors[field.responseName] ?? []).prefix(10))
                return noted
            }
            return report
        }
    }

    /// A report on one field of Query or Mutation.
    package struct FieldReport: Sendable, Hashable {
        /// The name of the field.
        package var field: String
        /// The name of the field's model; `nil` for introspection fields.
        package var model: String?
        /// How the page was found, if the field returns a page.
        package var page: Page?
        /// The outcome of the change, if the field made a change that was not refused.
        package var change: Change?
        /// The reason why a conflict handler returned no usable verdict, as a clause.
        package var conflictFailure: String?
        /// The types of the errors in the field, in order.
        package var errorTypes: [String] = []

        /// A report on how a page was found.
        package struct Page: Sendable, Hashable {
            /// The way in which records are found.
            package enum Access: Sendable, Hashable {
                /// An index, by its name.
                case index(String)
                /// By a part of the primary key.
                case key
                /// By reading all records, in the order of their keys.
                case table
            }

            /// The way in which the records were found.
            package var access: Access
            /// Whether the store had to collect and sort records before it could return the first.
            package var sorts: Bool
            /// The number of records that were read.
            package var readCount: Int
            /// The number of records on the page, which are the read records that pass the filter.
            package var givenCount: Int
        }

        /// A report on the outcome of a change.
        package struct Change: Sendable, Hashable {
            /// The kind of outcome.
            package var kind: StoredChange.Outcome.Kind
            /// Whether the change was written although its version was not the stored version.
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
