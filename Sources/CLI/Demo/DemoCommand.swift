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
        examples: [.init("From the package's directory", "demo")])

    private let data: String?
    private let directory: String

    init(_ arguments: Arguments) throws {
        data = arguments.text("data")
        directory = arguments.text("directory") ?? ".demo"
    }

    func run(_ console: Console) async throws -> ExitStatus {
        let world = try Demo.World(data)
        if try !FileSystem.exists(directory) { try FileSystem.createDirectory(directory) }
        var demo = try Demo(world, in: directory, on: console)
        try await demo.run()
        return .done
    }
}
