package import TidelogAgreement
internal import TidelogCore
internal import TidelogGraphQLExecution
internal import TidelogSDL

/// The rules of a model.
package struct AccessRules: Sendable, Hashable {
    /// The rules for whole records. If `nil`, the model has no rules, and only callers of the default provider may use it.
    package let model: [AccessRule]?
    /// The rules of single fields, by the field's name. They replace the model's rules for that field.
    package let fields: [String: [AccessRule]]

    /// All rules: first the model's rules, then the rules of its fields, sorted by field name.
    package var all: [AccessRule] { (model ?? []) + fields.sorted { $0.key < $1.key }.flatMap(\.value) }
}

extension AccessRules {
    /// Reads the `@auth` rules of `model` and its fields.
    ///
    /// - Parameter definition: The declaration of the model in the document; `nil` for a join model.
    init(
        of model: ModelSchema, _ definition: TypeDefinition?, in document: SchemaDocument
    ) throws(SchemaDiagnostic) {
        let isList = { (field: String) in if case .list? = model.field(named: field)?.type { true } else { false } }
        func rules(_ directives: [String], at span: SourceSpan?) throws(SchemaDiagnostic) -> [AccessRule]? {
            do throws(AccessRule.Malformed) {
                guard let read = try AccessRule.rules(in: directives, isList: isList) else { return nil }
                var rules: [AccessRule] = []
                for rule in read { rules.append(try rule.get()) }
                return rules
            } catch {
                throw document.diagnostic(error.message, at: span ?? .none)
            }
        }
        self.model = try rules(model.directives, at: definition?.directives.first(named: "auth")?.span)
        let members =
            model.fields.map { ($0.name, $0.directives) } + model.associations.map { ($0.name, $0.directives) }
        var fields: [String: [AccessRule]] = [:]
        for (name, directives) in members {
            let span = definition?.fields.first(named: name)?.directives.first(named: "auth")?.span
            fields[name] = try rules(directives, at: span)
        }
        self.fields = fields
    }

    /// The fields that hold owners, without duplicates. `isList` says whether the field holds several owners.
    var ownerFields: [(name: String, isList: Bool)] {
        var found: [(name: String, isList: Bool)] = []
        for case .owner(let name, let isList, _) in all.map(\.subject) where !found.contains(where: { $0.name == name })
        {
            found.append((name, isList))
        }
        return found
    }

    /// The fields whose values the rules compare. A client's subscription filter cannot use these fields.
    var decidingFields: Set<String> {
        var names = Set<String>()
        for rule in all {
            switch rule.subject {
            case .owner(let field, _, _), .groupsOfRecord(let field, _, _): names.insert(field)
            case .groups, .signedIn, .everybody, .custom: break
            }
        }
        return names
    }
}
