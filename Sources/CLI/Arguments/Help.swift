/// The text of `--help`: first how to use a command, then its arguments.
struct Help {
    let style: Console.Style

    /// The help of one command.
    func text(_ syntax: CommandSyntax) -> String {
        var sections = ["\(style.bold("tidelog \(syntax.name)")): \(syntax.summary)"]
        if !syntax.examples.isEmpty {
            let examples = syntax.examples.map { example in
                "  \(style.dim("# \(example.explanation)"))\n  tidelog \(example.arguments)"
            }
            sections.append("\(style.bold("Examples"))\n\(examples.joined(separator: "\n\n"))")
        }
        sections.append("\(style.bold("Usage"))\n  \(syntax.synopsis)")
        if !syntax.operands.isEmpty {
            sections.append("\(style.bold("Arguments"))\n\(columns(syntax.operands.map { ($0.name, $0.help) }))")
        }
        let options = syntax.allOptions.map { ($0.synopsis, $0.help + ($0.isRepeatable ? " (repeatable)" : "")) }
        sections.append("\(style.bold("Options"))\n\(columns(options))")
        if !syntax.discussion.isEmpty { sections.append(syntax.discussion) }
        return sections.joined(separator: "\n\n") + "\n"
    }

    /// The help of a group: its commands, and the first example of each.
    func text(_ group: Commands.Group) -> String {
        let examples = group.commands.compactMap(\.examples.first).map { example in
            "  \(style.dim("# \(example.explanation)"))\n  tidelog \(example.arguments)"
        }
        return """
            \(style.bold("tidelog \(group.name)")): \(group.summary)

            \(style.bold("Examples"))
            \(examples.joined(separator: "\n\n"))

            \(style.bold("Commands"))
            \(columns(group.commands.map { ($0.name, $0.summary) }))

            tidelog help \(group.name) COMMAND shows how each is used.

            """
    }

    /// The help of the tool: all commands.
    func overview(_ commands: [any Command.Type]) -> String {
        let rows = commands.map { $0.syntax }.filter { !$0.isHidden }.map { ($0.name, $0.summary) }
        return """
            \(style.bold("tidelog")): stores whose log is the truth

            \(style.bold("Begin here"))
              tidelog demo                                            \(style.dim("# see it all in a minute"))
              tidelog import --store ./world --schema schema.graphql City cities.ndjson
              tidelog query --store ./world City 'population > 10000000' --sort -population

            \(style.bold("Commands"))
            \(columns(rows))

            tidelog help COMMAND, or tidelog COMMAND --help, shows how each is used.
            Exit codes: 0 done, 1 failed, 2 usage, 3 not found, 4 condition false, 5 changes pending, 6 locked,
            7 damaged, 130 interrupted.

            """
    }

    private func columns(_ rows: [(String, String)]) -> String {
        let width = rows.map { $0.0.count }.max() ?? 0
        return rows.map { name, help in
            "  \(name)\(String(repeating: " ", count: width - name.count + 2))\(help)"
        }.joined(separator: "\n")
    }
}
