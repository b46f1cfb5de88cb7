internal import TidelogAgreement
internal import TidelogCore
internal import TidelogGraphQLExecution

/// The records of a model that one field of a request may show to the caller.
struct PageReading: Sendable {
    let access: ModelAccess
    let operation: AccessRule.Operation
    /// The field of the request.
    let field: SelectedField
    private let permission: Permission
    /// The fields with their own rules by which the records are filtered or ordered.
    private var choosing: [String] = []

    /// - Throws: An error of `field` if the caller may read no record of the model.
    init(
        _ access: ModelAccess, _ operation: AccessRule.Operation, _ field: SelectedField
    ) throws(ResolverError) {
        self.access = access
        self.operation = operation
        self.field = field
        permission = access.permission(operation)
        guard permission != .nobody else { throw Permission.Refusal.operation.error(for: field) }
    }

    /// Notes that the records are filtered or ordered by these fields. The page then shows only records in which the caller may
    /// read the fields.
    ///
    /// - Throws: An error of the field if no record can satisfy this.
    mutating func choose(by fields: some Sequence<String>) throws(ResolverError) {
        let names = Set(fields).filter(access.hasOwnRules).sorted()
        let refused = names.filter { access.permission(operation, field: $0) == .nobody }
        guard refused.isEmpty else { throw Permission.Refusal.fields(refused).error(for: field) }
        choosing += names
    }

    /// Whether the field has no rules of its own, or its rules let the caller read it in every record. Records may be ordered
    /// by such a field even if the request does not ask for it.
    func mayReadInEveryRecord(_ field: String) -> Bool {
        !access.hasOwnRules(field) || access.permission(operation, field: field) == .everything
    }

    /// Whether a record must be read to know if it may be shown.
    var dependsOnRecord: Bool {
        permission.dependsOnRecord
            || choosing.contains { access.permission(operation, field: $0).dependsOnRecord }
    }

    /// The records of `model` that the page may show, as a predicate.
    func admission(of model: ModelSchema) -> QueryPredicate {
        guard dependsOnRecord else { return .all }
        let permissions = [permission] + choosing.map { access.permission(operation, field: $0) }
        return .and(permissions.map { $0.predicate(of: model) })
    }

    /// Whether the page may show `record`.
    func admits(_ record: Record) -> Bool {
        permission.holds(for: record) && choosing.allSatisfy { access.admits($0, of: record, operation) }
    }

    /// The response object of a record that may be shown.
    func object(_ record: Record) -> RecordObject {
        RecordObject(record: record, access: access, operation: operation)
    }
}
