internal import Synchronization
internal import TidelogGraphQL

/// Records how the fields of Query or Mutation are answered, for the report of one request.
final class RequestRecorder: Sendable {
    private let notes = Mutex<[String: FieldReport]>([:])

    /// Changes the report of a root field. Calls for other fields have no effect.
    func note(_ field: SelectedField, _ body: (inout FieldReport) -> Void) {
        guard Self.isRoot(field) else { return }
        notes.withLock { body(&$0[field.responseName, default: FieldReport(field: field.name)]) }
    }

    /// Whether `field` is a field of Query or Mutation.
    static func isRoot(_ field: SelectedField) -> Bool { ["Query", "Mutation"].contains(field.parent.name) }

    /// The report of `operation`, which returned `result`.
    func report(_ operation: PreparedOperation, _ result: ExecutionResult, _ api: API) -> RequestReport {
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
            var noted = notes[field.responseName] ?? FieldReport(field: field.name)
            noted.model = roots[field.name]?.model
            // The number of error types is limited, because a page of a thousand records may have as many errors.
            noted.errorTypes = Array((errors[field.responseName] ?? []).prefix(10))
            return noted
        }
        return report
    }
}
