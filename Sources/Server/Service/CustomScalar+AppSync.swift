internal import TidelogCore
internal import TidelogGraphQL

extension CustomScalar {
    /// The scalars of AppSync: values that the store does not take are refused before anything else is done.
    static let ofAppSync: [CustomScalar] =
        [
            temporal("AWSDate") { (try? Temporal.Date($0)) != nil },
            temporal("AWSTime") { (try? Temporal.Time($0)) != nil },
            temporal("AWSDateTime") { (try? Temporal.DateTime($0)) != nil },
            CustomScalar(
                name: "AWSTimestamp",
                coerceInput: { value throws(ScalarError) in
                    guard case .int = value else { throw ScalarError("AWSTimestamp is a whole number") }
                    return value
                }),
        ] + TextScalar.allCases.map { scalar in temporal(scalar.rawValue) { scalar.admits($0) } }

    private static func temporal(_ name: String, _ admits: @escaping @Sendable (String) -> Bool) -> CustomScalar {
        CustomScalar(
            name: name,
            coerceInput: { value throws(ScalarError) in
                guard case .string(let text) = value, admits(text) else {
                    throw ScalarError("\(name) cannot represent this value")
                }
                return value
            })
    }
}
