import Foundation

guard CommandLine.arguments.count == 6, let endpoint = URL(string: CommandLine.arguments[2]) else {
    Terminal.show("Usage: IsolationNation DIRECTORY ENDPOINT KEY NAME POSTCODE")
    exit(2)
}
do {
    try await Conversation.run(
        at: URL(fileURLWithPath: CommandLine.arguments[1]), endpoint: endpoint, key: CommandLine.arguments[3],
        name: CommandLine.arguments[4], postcode: CommandLine.arguments[5])
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
