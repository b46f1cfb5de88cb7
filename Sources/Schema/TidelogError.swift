public import TidelogFoundation

/// An error of Tidelog: what happened, and what to do. Errors of stores, of the sync engine and of the GraphQL client have this
/// shape, so that an app can show all of them in one way.
public protocol TidelogError: LocalizedError, CustomStringConvertible {
    /// The kinds of failure.
    associatedtype Code: TidelogErrorCode

    /// The kind of the failure.
    var code: Code { get }
    /// A description of the failure, as a sentence.
    var message: String { get }
    /// Advice on what to do, as a sentence; empty if there is none.
    var recovery: String { get }
    /// The underlying error; `nil` if there is none.
    var underlying: (any Error)? { get }
}

/// A kind of failure. Later versions may add kinds, so that a `switch` needs a `default`.
public protocol TidelogErrorCode: Sendable, Hashable, CustomStringConvertible {
    /// The name of the code. It does not change, so that scripts can use it.
    var name: String { get }

    /// The code called `name`.
    init(_ name: String)
}

extension TidelogErrorCode {
    /// The code's name.
    public var description: String { name }
}

/// Gives `localizedDescription`, which apps show, the error's own texts.
extension TidelogError {
    /// The code, the message, the cause and the advice.
    public var description: String {
        let cause = underlying.map { " Cause: \($0)." } ?? ""
        return "\(code): \(message)\(cause) \(recovery)"
    }

    /// The whole text for people: ``message`` and ``recovery``.
    public var errorDescription: String? { recovery.isEmpty ? message : "\(message) \(recovery)" }

    /// The underlying error as text; `nil` if there is none.
    public var failureReason: String? { underlying.map { "\($0)" } }

    /// A suggestion for people: ``recovery``.
    public var recoverySuggestion: String? { recovery }

    /// No error has a page of help of its own.
    public var helpAnchor: String? { nil }
}
