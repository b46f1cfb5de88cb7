@_spi(Adapters) public import TidelogCore

/// One rule of adapters, checked in one situation.
///
/// The whole test of an adapter, in Swift Testing:
///
/// ```swift
/// @Test(arguments: ConformanceKit.cases)
/// func conforms(_ rule: ConformanceCase) throws {
///     try rule.check { directory in try MyAdapter(directory) }
/// }
/// ```
public struct ConformanceCase: Sendable, CustomStringConvertible {
    /// How a check ended that found nothing wrong.
    public enum Outcome: Sendable, Hashable {
        /// The adapter keeps the rule.
        case passed
        /// The rule does not concern this adapter: its rows end with the process.
        case skipped
    }

    /// A sentence that says what must be so, unique among the cases: `rows: a delete removes the row`.
    public let name: String
    /// The stable name of the rule that the case belongs to: `checkpoint-with-rows`.
    public let rule: String
    let schema: Schema
    let needsPersistence: Bool
    let body: @Sendable (Subject) throws -> Void

    init(
        _ rule: String, _ name: String, _ schema: Schema, needsPersistence: Bool = false,
        _ body: @escaping @Sendable (Subject) throws -> Void
    ) {
        self.rule = rule
        self.name = name
        self.schema = schema
        self.needsPersistence = needsPersistence
        self.body = body
    }

    /// The name.
    public var description: String { name }

    /// Checks the rule on adapters that `makeAdapter` makes in a fresh directory, which is removed afterwards.
    ///
    /// - Parameters:
    ///   - isPersistent: Whether the adapter's rows outlive it, as its factory says.
    ///   - makeAdapter: Opens the adapter on a directory that exists. It is called again on the same directory after the
    ///     adapter was closed, if a case looks at what is left.
    /// - Throws: ``ConformanceFailure`` if the adapter breaks the rule, also by throwing.
    @discardableResult
    @_spi(Adapters) public func check(
        isPersistent: Bool = true, _ makeAdapter: @escaping (_ directory: String) throws -> any StorageAdapter
    ) throws -> Outcome {
        guard isPersistent || !needsPersistence else { return .skipped }
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        do {
            let subject = try Subject(directory: directory.path, schema: schema, makeAdapter: makeAdapter)
            do {
                try subject.prepare()
                try body(subject)
                try subject.close()
                return .passed
            } catch {
                try? subject.close()
                throw error
            }
        } catch let mismatch as Mismatch {
            throw ConformanceFailure(
                rule: rule, caseName: name, expected: mismatch.expected, got: mismatch.got, hint: mismatch.hint)
        } catch {
            throw ConformanceFailure(
                rule: rule, caseName: name, expected: "no error", got: "the error: \(error)",
                hint: "An adapter refuses nothing that Core lets through.")
        }
    }
}
