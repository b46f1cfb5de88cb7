internal import TidelogAgreement
internal import TidelogSDL
internal import TidelogSchema

/// One run of the generator: the schema, and the Swift names of all its parts.
struct GeneratorRun {
    static let headerStart = "// Generated from "
    static let headerEnd = " by tidelog. Changes are lost when it is generated again."
    /// This line makes the formatter ignore the generated file. Its layout has 4 spaces and 120 columns, and the formatter of
    /// an app may be configured differently.
    static let formatterNote = "// swift-format-ignore-file\n"

    let schema: Schema
    let options: SwiftSource.Options
    /// `public `, `package ` or an empty text.
    let access: String
    private var typeNames: [String: SwiftName] = [:]
    private var models: [String: Int] = [:]
    /// The members of each model and embedded type.
    private var members: [String: Members] = [:]
    /// All names that the schema defines. If Swift or Tidelog has a type of the same name, the generated code writes that type
    /// with its module.
    private var taken: Set<String> = []
    /// The embedded types that contain values of themselves without a list between.
    private var circles = EmbeddedCircles()

    init(schema: Schema, options: SwiftSource.Options) {
        self.schema = schema
        self.options = options
        access = options.access == .internal ? "" : options.access.rawValue + " "
        var reserved = SwiftWords.scopedTypes.union([options.schemaName])
        if let registration = options.registration { reserved.insert(registration) }
        for name in schema.models.map(\.name) + schema.embeddedTypes.map(\.name) + schema.enums.map(\.name) {
            let swiftName = SwiftName(name, besides: reserved)
            reserved.insert(swiftName.plain)
            typeNames[name] = swiftName
            taken.insert(swiftName.plain)
        }
        for (place, model) in schema.models.enumerated() { models[model.name] = place }
        circles = EmbeddedCircles(schema.embeddedTypes)
        let valueTypes = Set((schema.enums.map(\.name) + schema.embeddedTypes.map(\.name)).map { type($0).plain })
        for model in schema.models {
            members[model.name] = Members(
                fields: model.fields, associations: model.associations,
                reserved: SwiftWords.modelMembers.union(valueTypes))
        }
        for type in schema.embeddedTypes {
            members[type.name] = Members(
                fields: type.fields, associations: [], reserved: SwiftWords.embeddedMembers.union(valueTypes))
        }
        for names in members.values { taken.formUnion(names.all.map(\.plain)) }
        taken.formUnion(schema.enums.flatMap(\.cases))
    }

    // MARK: Names

    /// The Swift name of the type that the schema calls `name`.
    func type(_ name: String) -> SwiftName { typeNames[name] ?? SwiftName(name, besides: []) }

    func members(of type: String) -> Members { members[type] ?? Members(fields: [], associations: [], reserved: []) }

    func model(_ name: String) -> ModelSchema? { models[name].map { schema.models[$0] } }

    func isCircular(_ owner: String, holding target: String) -> Bool { circles.isCircular(owner, holding: target) }

    /// The name of a Tidelog type. It includes the module if the schema has a type of the same name.
    func tidelog(_ name: String) -> String { taken.contains(name) ? "Tidelog.\(name)" : name }

    /// The name of a type of the standard library. It includes the module if the schema has a type of the same name.
    func swift(_ name: String) -> String { taken.contains(name) ? "Swift.\(name)" : name }

    /// The Swift type of values of `type`. If `elementsAreRequired`, the elements of lists are not optional.
    func swiftType(_ type: FieldType, elementsAreRequired: Bool = false) -> String {
        switch type {
        case .id, .string: return swift("String")
        case .int: return swift("Int")
        case .double: return swift("Double")
        case .bool: return swift("Bool")
        case .date: return tidelog("Temporal") + ".Date"
        case .time: return tidelog("Temporal") + ".Time"
        case .dateTime: return tidelog("Temporal") + ".DateTime"
        case .timestamp: return tidelog("Temporal") + ".Timestamp"
        case .enumeration(let name), .embedded(let name): return self.type(name).quoted
        case .list(let element, let elementIsRequired):
            let element = swiftType(element, elementsAreRequired: elementsAreRequired)
            return elementIsRequired || elementsAreRequired ? "[\(element)]" : "[\(element)?]"
        }
    }

    // MARK: Files

    var declarations: [Declaration] {
        var declarations: [Declaration] = []
        for model in schema.models { declarations.append(ModelSource(model, self).declaration) }
        for type in schema.embeddedTypes { declarations.append(EmbeddedSource(type, self).declaration) }
        for type in schema.enums { declarations.append(EnumSource(type, self).declaration) }
        declarations.append(schemaDeclaration)
        if let name = options.registration { declarations.append(registration(called: name)) }
        return declarations
    }

    /// The text of a file that contains `declarations`.
    func file(_ declarations: [Declaration]) -> String {
        var text = Self.headerStart + options.schemaFile + Self.headerEnd + "\n" + Self.formatterNote
        if !declarations.allSatisfy(\.isWithinWidth) {
            text += "// Some names of the schema leave no room to break lines.\n" + Self.formatterNote
        } else if !declarations.allSatisfy(\.isConventional) {
            text += "// The schema's names are kept where they are unlike Swift's.\n"
            text += "// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized\n"
        }
        text += "\(access)import Tidelog\n"
        for declaration in declarations {
            text += "\n"
            text += declaration.text
        }
        return text
    }

    /// The Swift names of the members of a generated type.
    struct Members {
        private(set) var fields: [String: SwiftName] = [:]
        private(set) var associations: [String: SwiftName] = [:]
        /// The names of the stored properties that hold loaded relations.
        private(set) var storages: [String: SwiftName] = [:]
        private var setters: [String: SwiftName] = [:]

        init(fields: [FieldSchema], associations: [Association], reserved: Set<String>) {
            var names = SwiftName.Supply(reserved: reserved)
            for field in fields { self.fields[field.name] = names.name(field.name) }
            var relationNames = names
            if self.fields["id"] == nil { _ = relationNames.name("id") }
            for association in associations {
                self.associations[association.name] = relationNames.name(association.name)
            }
            for association in associations {
                storages[association.name] = relationNames.name(association.name + "Relation")
                setters[association.name] = relationNames.name("set" + Names.upperFirst(association.name))
            }
        }

        var all: [SwiftName] { Array(fields.values) + Array(associations.values) }

        func field(_ name: String) -> SwiftName { fields[name] ?? SwiftName(name, besides: []) }
        func association(_ name: String) -> SwiftName { associations[name] ?? SwiftName(name, besides: []) }
        func setter(_ name: String) -> SwiftName { setters[name] ?? SwiftName(name, besides: []) }
        func storage(_ name: String) -> SwiftName { storages[name] ?? SwiftName(name, besides: []) }
    }

    /// A generated declaration: a type or an extension, with its documentation.
    struct Declaration {
        /// The name of the file without an extension.
        let fileName: String
        let text: String
        /// Whether all lines fit the width of the formatter.
        let isWithinWidth: Bool
        /// Whether all names follow Swift's naming conventions.
        let isConventional: Bool

        init(_ text: SourceText, fileName: String, isConventional: Bool) {
            self.fileName = fileName
            self.text = text.text
            isWithinWidth = text.isWithinWidth
            self.isConventional = isConventional
        }
    }

    /// The declaration of the type `name`, which registers the models by name.
    func registration(called name: String) -> Declaration {
        var text = SourceText()
        let models = schema.models.map { SourceText.Expression.text("\(type($0.name).quoted).self") }
        let schemaName = SwiftName(options.schemaName, besides: [])
        text.document("All models of \(options.schemaFile), by their names.")
        text.block("\(access)struct \(name): \(tidelog("AmplifyModelRegistration"))") { text in
            text.document("All models.")
            text.line("\(access)init() {}")
            text.blank()
            text.document("The schema of the models.")
            text.braces("\(access)var schema: \(tidelog("Schema"))", .text(".\(schemaName.plain)"))
            text.blank()
            text.document("The type of each model.")
            text.braces("\(access)var models: [any \(tidelog("Model")).Type]", .array(models))
        }
        return Declaration(text, fileName: name, isConventional: true)
    }
}
