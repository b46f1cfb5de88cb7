internal import Tidelog

/// Demonstrates Tidelog with real data.
struct DemoCommand: Command {
    static let syntax = CommandSyntax(
        name: "demo", summary: "see it all in a minute, on 34,006 real cities",
        discussion: "The data is GeoNames' (geonames.org), licence CC BY 4.0.",
        options: [
            Option(
                name: "data", value: "DIR",
                help: "schema.graphql, countries.ndjson and cities.ndjson (Examples/World)"),
            Option(
                name: "directory", value: "DIR",
                help: "the folder for the stores; replaces an earlier demo (.demo)"),
        ],
        examples: [Example("From the package's directory", "demo")])

    private let data: String?
    private let directory: String

    init(_ arguments: Arguments) throws {
        data = arguments.text("data")
        directory = arguments.text("directory") ?? ".demo"
    }

    func run(_ console: Console) async throws -> ExitStatus {
        let world = try WorldData(data)
        if try !FileSystem.exists(directory) { try FileSystem.createDirectory(directory) }
        var demo = try Demo(world, in: directory, on: console)
        try await demo.run()
        return .done
    }
}

/// The files of the demo.
struct WorldData: Sendable {
    let schema: String
    let countries: String
    let cities: String

    /// - Parameter directory: The directory of the files. If it is `nil`, the files are searched for near the program.
    init(_ directory: String?) throws {
        let candidates = directory.map { [$0] } ?? Self.candidates()
        let found = candidates.first { directory in
            ["schema.graphql", "countries.ndjson", "cities.ndjson"].allSatisfy { System.isFile("\(directory)/\($0)") }
        }
        guard let found else {
            throw CommandFailure(
                .failed, "inputOutput", "The demo's data was not found in \(candidates.joined(separator: ", ")).",
                recovery: "Run it in the package's directory, or name the data's: `tidelog demo --data Examples/World`."
            )
        }
        (schema, countries, cities) =
            ("\(found)/schema.graphql", "\(found)/countries.ndjson", "\(found)/cities.ndjson")
    }

    /// The example folder in the working directory, then those in the folders above the program.
    private static func candidates() -> [String] {
        var directories = ["Examples/World"]
        var above = System.executableDirectory
        for _ in 0..<5 where above != "/" {
            directories.append("\(above)/Examples/World")
            above = System.parent(of: above)
        }
        return directories
    }
}
