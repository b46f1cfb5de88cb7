extension ServiceOptions {
    /// Sets the conflict strategy from text: `automerge`, `optimistic`, `none`, `custom:URL` or `custom:./program`. The
    /// strategy applies to all models, or to one model if the text begins with `Model=`.
    ///
    /// - Throws: ``ServiceOptions.ConflictSettingError`` if the text is no strategy, or if the program does not exist.
    package mutating func setConflict(_ text: String) throws(ConflictSettingError) {
        guard let equals = text.firstIndex(of: "="), text[..<equals].isName else {
            strategy = try Self.strategy(text[...])
            return
        }
        let model = String(text[..<equals])
        guard strategies[model] == nil else {
            throw ConflictSettingError("The model \(model) has two strategies for conflicts.")
        }
        strategies[model] = try Self.strategy(text[text.index(after: equals)...])
    }

    /// The models that have their own strategy but are not in `api`, sorted by name.
    package func modelsWithConflicts(notIn api: API) -> [String] {
        strategies.keys.filter { api.models[$0] == nil }.sorted()
    }

    private static func strategy(_ text: Substring) throws(ConflictSettingError) -> ConflictStrategy {
        switch text {
        case "automerge": return .autoMerge
        case "optimistic": return .optimistic
        case "none": return .unconditional
        default: break
        }
        guard text.hasPrefix("custom:") else {
            throw ConflictSettingError(
                "\(text) is no strategy for conflicts: automerge, optimistic, none, custom:URL or custom:./program are."
            )
        }
        let place = String(text.dropFirst("custom:".count))
        guard place.contains("://") else {
            let program = try ConflictProgram(path: place)
            return .custom { try await program.verdict(on: $0) }
        }
        let service = try ConflictURL(url: place)
        return .custom { try await service.verdict(on: $0) }
    }
}

extension Substring {
    /// Whether the text can be the name of a model.
    fileprivate var isName: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

extension ServiceOptions {
    /// The reason why a conflict strategy in a setting cannot be used.
    package struct ConflictSettingError: Error, Sendable, Hashable {
        /// The reason, as one sentence.
        package let message: String

        init(_ message: String) { self.message = message }
    }
}
