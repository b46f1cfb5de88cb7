import Foundation
import PackagePlugin

/// The command `swift package generate-models`. For every `*.graphql` file and `amplify_outputs.json` of the package's targets,
/// it writes Swift models into a folder `Models` next to the file. The command passes options of `tidelog generate` on.
/// `--target NAME` selects targets.
@main
struct ModelgenCommand: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        var extractor = ArgumentExtractor(arguments)
        let names = extractor.extractOption(named: "target")
        let output = extractor.extractOption(named: "output").last
        let passedOn = extractor.remainingArguments
        let targets = names.isEmpty ? context.package.targets : try context.package.targets(named: names)
        let tool = try context.tool(named: "tidelog-modelgen").url
        var schemaCount = 0
        for case let target as any SourceModuleTarget in targets {
            let files = target.sourceFiles.map(\.url)
            for file in files where file.pathExtension == "graphql" || file.lastPathComponent == "amplify_outputs.json"
            {
                let directory =
                    output.map { context.package.directoryURL.appending(path: $0) }
                    ?? file.deletingLastPathComponent().appending(path: "Models")
                try run(tool, [file.path, "--output", directory.path] + passedOn)
                schemaCount += 1
            }
        }
        if schemaCount == 0 { Diagnostics.error("No target has a *.graphql file or an amplify_outputs.json.") }
    }

    private func run(_ tool: URL, _ arguments: [String]) throws {
        let process = try Process.run(tool, arguments: arguments)
        process.waitUntilExit()
        if process.terminationStatus != 0 {
            Diagnostics.error("tidelog-modelgen ended with \(process.terminationStatus).")
        }
    }
}
