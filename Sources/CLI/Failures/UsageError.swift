internal import TidelogSuggestion

/// An error in the arguments of a command.
struct UsageError: Error {
    let message: String
    /// The word that the user probably meant, as a question.
    let suggestion: String?
    /// The command whose help the message names, if it is not the command that was called.
    let help: String?
    /// The advice, if it is not to read the help of the command.
    let recovery: String?

    init(
        _ message: String, word: String? = nil, candidates: [String] = [], help: String? = nil, recovery: String? = nil
    ) {
        self.message = message
        self.help = help
        self.recovery = recovery
        suggestion = word.flatMap { Suggestion.didYouMean($0, among: candidates) }
    }
}
