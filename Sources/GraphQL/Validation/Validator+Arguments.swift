/// Rules for arguments and directives: §5.4, §5.7.
extension Validator {
    /// Checks the arguments of a field or a directive. `declared` is `nil` if the field or directive is unknown.
    mutating func check(
        _ arguments: [Argument], against declared: [DeclaredInput]?, unknown: (String) -> String,
        missing: (String, String) -> String, owner: SourceSpan, isOfDirective: Bool = false
    ) {
        checkUniqueNames(arguments.map(\.name), .duplicateArgumentNames) {
            "There can be only one argument named \"\($0)\"."
        }
        for argument in arguments {
            let name = argument.name.value
            let input = declared?.first { $0.name == name }
            if let declared, input == nil {
                let guess = suggestion(for: name, among: declared.map(\.name))
                report(.unknownArgument, unknown(name), [argument.span], names: [name], suggestion: guess)
            }
            argumentPath = [.field(name)]
            checkInput(argument.value, type: input?.type, hasDefault: input?.defaultValue != nil)
            argumentPath = []
        }
        for input in declared ?? [] where input.isRequired {
            guard !arguments.contains(where: { $0.name.value == input.name }) else { continue }
            report(
                isOfDirective ? .missingDirectiveArgument : .missingFieldArgument,
                missing(input.name, typeSystem.text(input.type)), [owner], names: [input.name])
        }
    }

    /// Checks that names are unique. Names that repeat are reported together.
    mutating func checkUniqueNames(_ names: [Name], _ kind: RuleViolation.Kind, _ message: (String) -> String) {
        guard names.count > 1 else { return }
        let groups = Dictionary(grouping: names, by: \.value)
        guard groups.count < names.count else { return }
        var reported: Set<String> = []
        for name in names {
            guard let group = groups[name.value], group.count > 1, reported.insert(name.value).inserted else {
                continue
            }
            report(kind, message(name.value), group.map(\.span))
        }
    }

    /// Checks directives. They must be known, be allowed here, not repeat, and have valid arguments.
    mutating func checkDirectives(_ directives: [Directive], at location: DirectiveLocation) {
        var known: [String: Directive] = [:]
        for directive in directives {
            let name = directive.name.value
            guard let declared = typeSystem.directive(name) else {
                report(.unknownDirective, "Unknown directive \"@\(name)\".", [directive.span], names: [name])
                check(
                    directive.arguments, against: nil, unknown: { $0 }, missing: { name, _ in name },
                    owner: directive.span)
                continue
            }
            if !declared.locations.contains(location) {
                report(
                    .misplacedDirective, "Directive \"@\(name)\" may not be used on \(location.rawValue).",
                    [directive.span])
            }
            if declared.isRepeatable {
                // The directive may repeat here.
            } else if let first = known[name] {
                report(
                    .duplicateDirectiveName, "The directive \"@\(name)\" can only be used once at this location.",
                    [first.span, directive.span])
            } else {
                known[name] = directive
            }
            check(
                directive.arguments, against: declared.arguments,
                unknown: { "Unknown argument \"\($0)\" on directive \"@\(name)\"." },
                missing: {
                    "Directive \"@\(name)\" argument \"\($0)\" of type \"\($1)\" is required, but it was not provided."
                }, owner: directive.span, isOfDirective: true)
        }
    }
}
