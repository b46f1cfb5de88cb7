import Foundation
import PackagePlugin

/// Generates Swift models from every `*.graphql` file and from `amplify_outputs.json` of a target during a build. The models
/// are generated again only if the file or its file of options changes: `blog.modelgen` next to `blog.graphql`.
///
/// A single file makes `Schema.app`. If there are several files, each makes a schema with the name of its file
/// (`schema.graphql` makes `app`). The options may set another name and the access level of the models.
@main
struct ModelgenPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        let schemas = target.sourceFiles.map(\.url).filter(SchemaName.isSchema)
            .sorted { $0.path < $1.path }
        let tool = try context.tool(named: "tidelog-modelgen").url
        return schemas.map { schema in
            let base = schema.deletingPathExtension().lastPathComponent
            let options = schema.deletingPathExtension().appendingPathExtension("modelgen")
            let hasOptions = FileManager.default.fileExists(atPath: options.path(percentEncoded: false))
            let output = context.pluginWorkDirectoryURL.appending(path: "\(base).generated.swift")
            let name = schemas.count == 1 ? "app" : SchemaName.of(base)
            return .buildCommand(
                displayName: "Generating models from \(schema.lastPathComponent)", executable: tool,
                arguments: [
                    schema.path(percentEncoded: false), "--output-file", output.path(percentEncoded: false),
                    "--default-schema-name", name,
                ],
                inputFiles: [schema] + (hasOptions ? [options] : []), outputFiles: [output])
        }
    }
}
