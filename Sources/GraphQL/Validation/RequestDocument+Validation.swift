extension RequestDocument {
    /// All errors of this document as a request to a service (§5). The document may be executed if there are none.
    package func validate(
        against typeSystem: TypeSystem, options: ValidationOptions = ValidationOptions()
    ) -> [GraphQLError] {
        var limits = LimitCheck(document: self, options: options)
        let excess = limits.run()
        guard excess.isEmpty else { return excess }
        var validator = Validator(document: self, typeSystem: typeSystem, options: options)
        validator.run(deepIntrospections: limits.deepIntrospections)
        return validator.errors
    }
}
