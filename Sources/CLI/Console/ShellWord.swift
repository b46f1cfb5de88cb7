extension String {
    /// The text as a word of a shell command, in single quotes if it needs them.
    var asShellWord: String {
        let isPlain = unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || "0123456789/._-+,:@%".unicodeScalars.contains(scalar)
        }
        return isPlain && !isEmpty ? self : inShellQuotes
    }

    /// The text as a word of a shell command, in single quotes.
    var inShellQuotes: String { "'\(replacing("'", with: "'\\''"))'" }
}
