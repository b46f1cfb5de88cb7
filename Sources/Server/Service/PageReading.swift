internal import TidelogCore
internal import TidelogGraphQL

/// Which records of a model one field of a request may show.
struct PageReading: Sendable {
    let access: ModelAccess
    let operation: AccessRule.Operation
    /// The field of the response.
    let field: SelectedField
    private let permission: Permission
    /// Fields with rules of their own that the records are chosen or ordered by.
    private var choosing: [String] = []

    /// - Throws: an error of `field` if the rules let the caller read no record at all.
    init(
        _ access: ModelAccess, _ operation: AccessRule.Operation, _ field: SelectedField
    ) throws(ResolverError) {
        (self.access, self.operation, self.field) = (access, operation, field)
        permission = access.permission(operation)
        guard permission != .nobody else { throw AccessRefusal.operation.error(for: field) }
    }

    /// Has records that are chosen or ordered by these fields shown where the caller may read the fields.
    ///
    /// - Throws: an error of the field if there can be no such record.
    mutating func choose(by fields: some Sequence<String>) throws(ResolverError) {
        let names = Set(fields).filter(access.hasOwnRules).sorted()
        let refused = names.filter { access.permission(operation, field: $0) == .nobody }
        guard refused.isEmpty else { throw AccessRefusal.fields(refused).error(for: field) }
        choosing += names
    }

    /// Whether records may be ordered by `field`, of which the request says nothing.
    func mayOrder(by field: String) -> Bool {
        !access.hasOwnRules(field) || access.permission(operation, field: field) == .everything
    }

    /// Whether it takes a look at a record to know that it may be shown.
    var dependsOnRecord: Bool {
        permission.dependsOnRecord
            || choosing.contains { access.permission(operation, field: $0).dependsOnRecord }
    }

    /// Whether `record` may be shown.
    func admits(_ record: Record) -> Bool {
        permission.holds(for: record) && choosing.allSatisfy { access.admits($0, of: record, operation) }
    }

    /// The object of a record that may be shown.
    func object(_ record: Record) -> RecordObject {
        RecordObject(record: record, access: access, operation: operation)
    }
}
