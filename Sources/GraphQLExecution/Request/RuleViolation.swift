internal import TidelogSuggestion

/// The rule that a request violates, and the place of the violation. Services with their own wording of errors use it.
package struct RuleViolation: Sendable, Hashable {
    /// The kind of violation, with the name that graphql-java and services based on it use.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case duplicateArgumentNames = "DuplicateArgumentNames"
        case duplicateDirectiveName = "DuplicateDirectiveName"
        case duplicateFragmentName = "DuplicateFragmentName"
        case duplicateInputFieldName = "DuplicateInputFieldName"
        case duplicateOperationName = "DuplicateOperationName"
        case duplicateVariableName = "DuplicateVariableName"
        case fieldsConflict = "FieldsConflict"
        case fieldUndefined = "FieldUndefined"
        case fragmentCycle = "FragmentCycle"
        case fragmentTypeConditionInvalid = "FragmentTypeConditionInvalid"
        case inlineFragmentTypeConditionInvalid = "InlineFragmentTypeConditionInvalid"
        case introspectionDisabled = "IntrospectionDisabled"
        case invalidFragmentType = "InvalidFragmentType"
        case loneAnonymousOperationViolation = "LoneAnonymousOperationViolation"
        case maximumIntrospectionDepth = "BadFaithIntrospection"
        case misplacedDirective = "MisplacedDirective"
        case missingDirectiveArgument = "MissingDirectiveArgument"
        case missingFieldArgument = "MissingFieldArgument"
        case nonExecutableDefinition = "NonExecutableDefinition"
        case nonInputTypeOnVariable = "NonInputTypeOnVariable"
        case oneOfVariable = "NonNullableVariableInOneOf"
        case subscriptionIntrospectionRootField = "SubscriptionIntrospectionRootField"
        case subscriptionMultipleRootFields = "SubscriptionMultipleRootFields"
        case subselectionNotAllowed = "SubSelectionNotAllowed"
        case subselectionRequired = "SubSelectionRequired"
        case undefinedFragment = "UndefinedFragment"
        case undefinedVariable = "UndefinedVariable"
        case unknownArgument = "UnknownArgument"
        case unknownDirective = "UnknownDirective"
        case unknownOperation = "UnknownOperation"
        case unknownType = "UnknownType"
        case unusedFragment = "UnusedFragment"
        case unusedVariable = "UnusedVariable"
        case variableTypeMismatch = "VariableTypeMismatch"
        case wrongType = "WrongType"
        /// The value of a variable lacks a part that must not be null.
        case nullVariable = "NullVariable"
        /// The value of a variable has a field that its type does not have.
        case undefinedVariableField = "UndefinedVariableField"
        /// The value of a variable does not fit its type.
        case wrongVariable = "WrongVariable"
    }

    /// The kind of violation.
    package var kind: Kind
    /// The names in the violation, if kind and names suffice to describe it. The first is the field, argument, variable,
    /// fragment, type or directive; its type follows.
    package var names: [String] = []
    /// The response names of the surrounding fields, and of the field itself. In a fragment, the path begins with the
    /// fragment's name.
    package var path: [String] = []
    /// The value that does not fit its type, if the violation is about one.
    package var value: WrongValue?
    /// The name that the author of the request probably meant, if the violation is an unknown name.
    package var suggestion: String?

    /// Finds the names that the author of one request probably meant. The work for a request with many unknown names is
    /// bounded.
    struct Suggestions {
        private var count = 0
        private static let limit = 5
        private static let candidateLimit = 500

        /// The candidate that is most similar to the unknown `name`. It is `nil` after the first few unknown names, and if
        /// there are too many candidates.
        mutating func suggestion(for name: String, among candidates: @autoclosure () -> [String]) -> String? {
            guard count < Self.limit else { return nil }
            count += 1
            let candidates = candidates()
            return candidates.count <= Self.candidateLimit ? Suggestion.nearest(to: name, among: candidates) : nil
        }

        /// The end of a message: ` Did you mean "…"?`, or nothing without a suggestion.
        static func question(_ suggestion: String?) -> String { suggestion.map { " Did you mean \"\($0)\"?" } ?? "" }
    }
}
