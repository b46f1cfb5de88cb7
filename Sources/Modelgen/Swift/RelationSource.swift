internal import TidelogSchema

/// The Swift source for one relation of a model.
struct RelationSource {
    let association: Association
    let run: GeneratorRun
    let name: SwiftName
    let target: SwiftName
    /// The stored property that holds the loaded records.
    let storage: String
    /// The function that sets the reference.
    let setter: SwiftName
    /// Whether fields of this model hold the key of the related record.
    let holdsKey: Bool
    /// Whether the reference can be changed. It can be changed if none of its fields is part of the primary key or set by a
    /// server.
    private let isSettable: Bool
    /// Whether the reference may be cleared. It may be cleared if the relation and all of its fields are optional.
    private let isOptional: Bool
    private let members: GeneratorRun.Members
    /// The key properties of the related record, one for each of the fields.
    private let targetKey: [SwiftName]

    init(_ association: Association, of model: ModelSchema, _ run: GeneratorRun) {
        self.association = association
        self.run = run
        let members = run.members(of: model.name)
        self.members = members
        name = members.association(association.name)
        target = run.type(association.target)
        storage = members.storage(association.name).quoted
        let kinds: [Association.Kind] = [.belongsTo, .hasOne]
        let other = run.model(association.target)
        // The related record of a hasOne relation with an index is found by that index, with the key of this record.
        holdsKey =
            kinds.contains(association.kind) && !association.fields.isEmpty
            && (association.kind == .belongsTo || association.indexOrRelationName == nil)
            && association.fields.count == other?.primaryKey.count
        let fields = association.fields.compactMap { model.field(named: $0) }
        isSettable = holdsKey && fields.allSatisfy { !model.primaryKey.contains($0.name) && !$0.isReadOnly }
        isOptional = !association.isRequired && fields.allSatisfy { !$0.isRequired }
        let otherMembers = run.members(of: association.target)
        targetKey = (other?.primaryKey ?? []).map { otherMembers.field($0) }
        setter = members.setter(association.name)
    }

    /// The parameter of the initializer that has related records as parameters.
    var parameter: SourceText.Expression {
        .prefixed("\(name.quoted):", .text("\(target.quoted)\(isOptional ? "?" : "")"))
    }

    /// Writes code that stores the related record.
    func store(_ text: inout SourceText) {
        text.write(.call("\(storage) = \(run.tidelog("LazyRelation"))", texts: [name.quoted]))
    }

    /// The expression to which the field `field` of this model is set.
    func keyValue(of field: String) -> String {
        guard let place = association.fields.firstIndex(of: field), place < targetKey.count else { return "nil" }
        return "\(name.quoted)\(isOptional ? "?" : "").\(targetKey[place].plain)"
    }

    func accessors(_ text: inout SourceText) {
        let access = run.access
        text.blank()
        if association.kind == .hasMany || association.kind == .manyToMany {
            text.document("The related records of `\(association.target)`, read when they are asked for.")
            text.braces(
                "\(access)var \(name.quoted): \(run.tidelog("RelatedRecords"))<\(target.quoted)>",
                .call("\(storage).many", texts: ["of: self", "Self.keys.\(name.plain)"]))
            return
        }
        let function = association.isRequired ? "required" : "one"
        text.document(
            association.isRequired
                ? "The record of `\(association.target)` that this one refers to, read when it is asked for."
                : "The related record of `\(association.target)`, read when it is asked for; `nil` where there is none."
        )
        let head = "\(access)var \(name.quoted): \(target.quoted)\(association.isRequired ? "" : "?")"
        let read = SourceText.Expression.call(
            "try await \(storage).\(function)", texts: ["of: self", "Self.keys.\(name.plain)"])
        let whole = "\(head) { get async throws { \(read.flat) } }"
        if text.fits(whole) {
            text.line(whole)
        } else {
            text.block(head) { $0.braces("get async throws", read) }
        }
        if isSettable { set(&text) }
    }

    private func set(_ text: inout SourceText) {
        text.document(
            isOptional
                ? "Refers to `\(name.plain)` from now on; `nil` to none." : "Refers to `\(name.plain)` from now on.")
        text.signature("\(run.access)mutating func \(setter.quoted)", [.prefixed("_", parameter)])
        text.indented { text in
            for field in association.fields {
                text.assign(members.field(field).quoted, keyValue(of: field))
            }
            store(&text)
        }
        text.line("}")
    }
}
