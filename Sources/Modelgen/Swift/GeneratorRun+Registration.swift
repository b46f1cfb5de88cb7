internal import TidelogSDL
internal import TidelogSchema
internal import TidelogWire

extension GeneratorRun {
    /// The declaration of the type `name`, which registers the models by name.
    func registration(called name: String) -> Declaration {
        var text = SourceText()
        let models = schema.models.map { SourceExpression.text("\(type($0.name).quoted).self") }
        let schemaName = SwiftName(options.schemaName, besides: [])
        text.document("All models of \(options.schemaFile), by their names.")
        text.block("\(access)struct \(name): \(tidelog("AmplifyModelRegistration"))") { text in
            text.document("All models.")
            text.line("\(access)init() {}")
            text.blank()
            text.document("The schema of the models.")
            text.braces(
                "\(access)var schema: \(tidelog("Schema"))", .text(".\(schemaName.plain)"))
            text.blank()
            text.document("The type of each model.")
            text.braces("\(access)var models: [any \(tidelog("Model")).Type]", .array(models))
        }
        return Declaration(text, fileName: name, isConventional: true)
    }
}
