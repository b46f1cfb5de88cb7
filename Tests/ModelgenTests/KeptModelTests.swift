import Foundation
import TestCompiler
import Testing
import TidelogModelgen

/// Compares the generated models that this repository keeps with what the generator makes.
@Suite("Generated models in this repository")
struct KeptModelTests {
    @Test("each file of generated models is what the generator makes of its schema")
    func current() throws {
        var names: [URL] = []
        for folder in ["Tests", "Benchmarks"] {
            let files = FileManager.default.enumerator(atPath: Compiler.repository.appending(path: folder).path)
            while let name = files?.nextObject() as? String {
                guard name.hasSuffix(".generated.swift"), !name.contains(".build") else { continue }
                names.append(Compiler.repository.appending(path: "\(folder)/\(name)"))
            }
        }
        #expect(names.count >= 5)
        for models in names {
            let name = models.lastPathComponent.replacing(".generated.swift", with: "")
            let beside = models.deletingLastPathComponent().appending(path: "\(name).graphql")
            let reference = Compiler.repository.appending(path: "Tests/GeneratedModels/Reference/\(name).graphql")
            let schema = FileManager.default.fileExists(atPath: beside.path) ? beside : reference
            let output = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).swift")
            defer { try? FileManager.default.removeItem(at: output) }
            let status = ModelgenTool.run([
                schema.path, "--output-file", output.path, "--default-schema-name", name == "schema" ? "app" : name,
            ])
            #expect(status == 0)
            let isCurrent = try Data(contentsOf: output) == Data(contentsOf: models)
            #expect(isCurrent, "\(models.path) is not current: run scripts/generate-models")
        }
    }
}
