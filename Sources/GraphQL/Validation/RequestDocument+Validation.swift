extension RequestDocument {
    /// Everything that is wrong with this document as a request to a service (§5); it may be executed if that is nothing.
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
