import Testing

/// The floors of a folder of Sources. They are its folders, in an order in which files use only their own floor and the floors
/// below.
struct Floors: Sendable, CustomTestStringConvertible {
    /// The path of the folder, with a slash at its end.
    let folder: String
    /// The names of the floors, the lowest first.
    let names: [String]
    /// The number of files in the largest circle of files that reach each other. The number only shrinks.
    let largestCircle: Int
    /// A number of members that the test of members must find at least, so that it does not pass because it reads nothing.
    let leastMemberCount: Int

    var testDescription: String { folder }

    static let all = [
        Floors(
            folder: "Sources/Core/",
            names: [
                "Base", "Schemas", "Encoding", "Predicate", "Adapter", "Log", "Remote", "Compaction", "Projection",
                "Rows",
                "Relations", "Store", "Observation",
            ], largestCircle: 10, leastMemberCount: 40),
        Floors(
            folder: "Sources/GraphQL/", names: ["Source", "Lexer", "AST", "Parser", "Printer"], largestCircle: 2,
            leastMemberCount: 1),
        Floors(
            folder: "Sources/GraphQLExecution/",
            names: ["Request", "TypeSystem", "Coercion", "Building", "Validation", "Execution"], largestCircle: 2,
            leastMemberCount: 4),
        Floors(
            folder: "Sources/Server/",
            names: [
                "Values", "Credentials", "Store", "API", "Access", "Filters", "Conflicts", "Mutations",
                "Service", "ConflictHandlers", "Subscriptions", "RealTime", "Listener", "Serving",
            ], largestCircle: 3, leastMemberCount: 15),
    ]

    /// The Swift files of the folder.
    var files: [SourceFile] { Repository.files(".swift", below: [folder]) }

    /// The number of the floor of the file at `path`, the lowest first; `nil` if the file is on no floor.
    func floor(of path: String) -> Int? {
        guard path.hasPrefix(folder) else { return nil }
        let name = path.dropFirst(folder.count).split(separator: "/").first
        return names.firstIndex { $0[...] == name }
    }
}
