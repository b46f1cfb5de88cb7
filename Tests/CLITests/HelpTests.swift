import Foundation
import Testing

@Suite("Help, and the variable TIDELOG_STORE")
struct HelpTests {
    /// The first words of commands that have two words, read from the overview, with the commands of each.
    private func groups() throws -> [String: [String]] {
        let commands = try Tool.run("--help").lines.filter { $0.hasPrefix("  ") && !$0.hasPrefix("  tidelog") }
            .map { line in String(line.dropFirst(2)).components(separatedBy: "  ")[0] }
        let long = commands.filter { $0.split(separator: " ").count == 2 }
        return Dictionary(grouping: long) { String($0.split(separator: " ")[0]) }
    }

    @Test("--help, -h and help of a group of commands list the commands of the group")
    func groupHelp() throws {
        let groups = try groups()
        #expect(groups["schema"] == ["schema print", "schema diff", "schema status"])
        for (group, commands) in groups {
            let help = try Tool.run(group, "--help")
            #expect(help.status == 0 && help.errors == "")
            for command in commands {
                #expect(help.lines.contains { $0.hasPrefix("  \(command) ") })
                #expect(help.lines.contains { $0.hasPrefix("  tidelog \(command) ") })
            }
            #expect(try Tool.run("help", group).lines == help.lines)
            #expect(try Tool.run(group, "-h").lines == help.lines)
            #expect(try Tool.run(group, "help").lines == help.lines)
            let alone = try Tool.run(group)
            #expect(alone.status == 2 && alone.errors.contains("See `tidelog \(group) --help`"))
        }
    }

    @Test(
        "tidelog help COMMAND is that command's --help, for commands of two words too",
        arguments: ContractTests.commands)
    func commandHelp(command: String) throws {
        let words = command.split(separator: " ").map(String.init)
        let help = try Tool.run(["help"] + words)
        #expect(help.status == 0)
        #expect(try Tool.run(words + ["--help"]).lines == help.lines)
    }

    @Test(
        "help for an unknown command is exit 2, and the error suggests the nearest command",
        arguments: ["qury", "verify-child", "schema prin"])
    func unknown(command: String) throws {
        let help = try Tool.run(["help"] + command.split(separator: " ").map(String.init))
        #expect(help.status == 2)
        #expect(help.lines.isEmpty && help.errors.contains("There is no command \"\(command)\"."))
        if command == "schema prin" { #expect(help.errors.contains("Did you mean \"schema print\"?")) }
    }

    @Test("TIDELOG_STORE names the store for every command that needs one, and --store overrides the variable")
    func storeVariable() throws {
        let shop = try Shop(notes: 3)
        let outcome = try shop.shell(
            """
            export TIDELOG_STORE=shop
            tidelog query Note --count && tidelog stats --json | cut -d, -f1 && tidelog get Note n1 --json &&
            tidelog save Note '{"id":"x","title":"t"}' && tidelog delete Note x &&
            tidelog schema print | head -n 1 && tidelog schema print schema.graphql | head -n 1 &&
            tidelog schema status schema.graphql | head -n 1 &&
            tidelog init --store other --schema schema.graphql && tidelog query --store other Note --count
            """)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            outcome.lines == [
                "3", #"{"head":4"#, #"{"id":"n1","title":"Note 1","rating":1}"#, "enum Status {", "enum Status {",
                "Note  No Change", "0",
            ])
        let none = try shop.shell("tidelog query Note --count")
        #expect(none.status == 2 && none.errors.contains("TIDELOG_STORE"))
        #expect(try shop.shell("TIDELOG_STORE=nowhere tidelog query Note").status == 1)
        #expect(try Tool.run("query", "--help").output.contains("TIDELOG_STORE"))
    }
}
