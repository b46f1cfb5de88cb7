internal import TidelogFoundation
internal import TidelogPlatform
internal import TidelogSDL

/// Generates the Swift models of one schema. The build plugin generates one file, and the command plugin fills a directory.
package enum ModelgenTool {
    private static let usage = """
        usage: tidelog-modelgen SCHEMA (--output-file FILE | --output DIRECTORY) [--schema-name NAME]
                                [--access public|package|internal] [--registration NAME]
                                [--default-schema-name NAME]
        """

    private struct UsageError: Error {}

    /// Runs the tool with the arguments `words`, and returns the exit status.
    package static func run(_ words: [String]) -> Int32 {
        do {
            var values = try arguments(words)
            guard let schemaPath = values.removeValue(forKey: "") else { throw UsageError() }
            try generate(schemaPath, values)
            return 0
        } catch let error as Diagnostic {
            // Xcode and editors make a link from a message of this form.
            report("\(error.text)")
            return 1
        } catch is UsageError {
            report(usage)
            return 2
        } catch {
            report("error: \(error)")
            return 1
        }
    }

    private struct Diagnostic: Error {
        let text: String

        init(text: String) { self.text = text }

        init(_ error: SchemaDiagnostic, in path: String) {
            text = "\(path):\(error.location): error: \(error.message)" + (error.suggestion.map { "; \($0)" } ?? "")
        }
    }

    private static func generate(_ schemaPath: String, _ values: [String: String]) throws {
        let url = URL(filePath: schemaPath)
        guard let bytes = try? Data(contentsOf: url) else {
            throw Diagnostic(text: "\(schemaPath):1:1: error: the file cannot be read")
        }
        var options = SwiftSource.Options(schemaFile: url.lastPathComponent)
        if let name = values["default-schema-name"] { options.schemaName = name }
        try setOptions(&options, besideSchemaAt: schemaPath)
        do {
            for name in SwiftSource.Options.Name.allCases {
                if let value = values[name.rawValue] { try options.set(name, to: value) }
            }
        } catch {
            throw Diagnostic(text: "error: --\(error.message)")
        }
        guard SwiftSource.isSchemaName(options.schemaName) else {
            let file = URL(filePath: SwiftSource.Options.path(besideSchemaAt: schemaPath)).lastPathComponent
            throw Diagnostic(
                text: "\(schemaPath):1:1: error: a schema cannot be called \"\(options.schemaName)\" in Swift; "
                    + "set its name in \(file), like \"schema-name: app\"")
        }
        do {
            let document = try SchemaDocument(file: Array(bytes))
            let schema = document.schema
            options.memberNames = document.memberNames
            switch (values["output-file"], values["output"]) {
            case (let file?, nil):
                let text = SwiftSource.text(for: schema, options: options)
                try Data(text.utf8).write(to: URL(filePath: file), options: .atomic)
            case (nil, let directory?):
                let changes = try GeneratedDirectory(directory).hold(SwiftSource.files(for: schema, options: options))
                for name in changes.written { print("wrote \(directory)/\(name)") }
                for name in changes.removed { print("removed \(directory)/\(name)") }
                print("\(schemaPath): \(changes.written.count) written, \(changes.unchanged.count) as they were")
            default: throw UsageError()
            }
        } catch let error as SchemaDiagnostic {
            throw Diagnostic(error, in: schemaPath)
        }
    }

    /// Sets the options from the options file next to the schema at `path`, if there is one.
    private static func setOptions(_ options: inout SwiftSource.Options, besideSchemaAt path: String) throws {
        let path = SwiftSource.Options.path(besideSchemaAt: path)
        guard let bytes = try? Data(contentsOf: URL(filePath: path)) else { return }
        do { try options.set(by: Array(bytes)) } catch { throw Diagnostic(error, in: path) }
    }

    /// The values of the options by name. The operand has the empty name.
    private static func arguments(_ words: [String]) throws -> [String: String] {
        let known = Set(
            ["output-file", "output", "default-schema-name"] + SwiftSource.Options.Name.allCases.map(\.rawValue))
        var values: [String: String] = [:]
        var words = words[...]
        while let word = words.popFirst() {
            let name = word.hasPrefix("--") ? String(word.dropFirst(2)) : ""
            guard name.isEmpty || known.contains(name), let value = name.isEmpty ? word : words.popFirst(),
                values.updateValue(value, forKey: name) == nil
            else { throw UsageError() }
        }
        return values
    }

    private static func report(_ text: String) {
        var text = text + "\n"
        text.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
    }
}
