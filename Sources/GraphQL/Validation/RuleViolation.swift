/// Which rule an error of validation or of variables is about, and where, for services that word errors in their own way.
package struct RuleViolation: Sendable, Hashable {
    /// What is wrong, as graphql-java and services that are made with it call it.
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
        /// The value of a variable lacks what may not be null.
        case nullVariable = "NullVariable"
        /// The value of a variable has a field that its type lacks.
        case undefinedVariableField = "UndefinedVariableField"
    }

    /// What is wrong.
    package var kind: Kind
    /// What it is about, where the kind says enough with it: first the field, argument, variable, fragment, type or
    /// directive, then its type.
    package var names: [String]
    /// The response names of the fields around it, and its own if it is one; in a fragment behind the fragment's name.
    package var path: [String]

    /// Makes a violation.
    package init(_ kind: Kind, names: [String] = [], path: [String] = []) {
        (self.kind, self.names, self.path) = (kind, names, path)
    }
}
