@_spi(Adapters) public import TidelogCore

/// One rule for adapters, checked in one situation.
///
/// This is a complete test of an adapter with Swift Testing:
///
/// ```swift
/// @Test(arguments: ConformanceKit.cases)
/// func conforms(_ rule: ConformanceCase) throws {
///     try rule.check { directory in try MyAdapter(directory) }
/// }
/// ```
public struct ConformanceCase: Sendable, CustomStringConvertible {
    /// The result of a check that found no failure.
    public enum Outcome: Sendable, Hashable {
        /// The adapter follows the rule.
        case passed
        /// The rule does not apply to this adapter, because its rows do not outlive the process.
        case skipped
    }

    /// A sentence that describes the expected behaviour. It is unique among the cases, for example `rows: a delete removes the
    /// row`.
    public let name: String
    /// The stable name of the rule that this case checks, for example `checkpoint-with-rows`.
    public let rule: String
    let schema: Schema
    let needsPersistence: Bool
    let body: @Sendable (Subject) throws -> Void

    init(
        _ rule: String, _ name: String, on schema: Schema, needsPersistence: Bool = false,
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

    /// Checks the rule with adapters that `makeAdapter` makes in a new directory. The directory is removed afterwards.
    ///
    /// - Parameters:
    ///   - isPersistent: Whether the adapter's rows outlive the adapter, as its factory declares.
    ///   - makeAdapter: Opens the adapter in an existing directory. If a case checks the persistent data, this is called again
    ///     with the same directory after the adapter was closed.
    /// - Throws: ``ConformanceFailure`` if the adapter breaks the rule, also if it does so by throwing an error.
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
        } catch let mismatch as ConformanceFailure.Mismatch {
            throw ConformanceFailure(
                rule: rule, caseName: name, expected: mismatch.expected, got: mismatch.got, hint: mismatch.hint)
        } catch {
            throw ConformanceFailure(
                rule: rule, caseName: name, expected: "no error", got: "the error: \(error)",
                hint: "An adapter refuses nothing that Core lets through.")
        }
    }
}
