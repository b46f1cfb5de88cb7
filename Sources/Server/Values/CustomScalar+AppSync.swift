internal import TidelogCore
internal import TidelogGraphQLExecution

extension CustomScalar {
    /// The scalars of AppSync. They refuse values that the store does not accept, before the request runs.
    static let ofAppSync: [CustomScalar] =
        [
            temporal("AWSDate") { (try? Temporal.Date($0)) != nil },
            temporal("AWSTime") { (try? Temporal.Time($0)) != nil },
            // A store reads a time without an offset as UTC. AppSync refuses such a time, because the client may mean another
            // offset.
            temporal("AWSDateTime") { (try? Temporal.DateTime($0)) != nil && hasOffset($0) },
            CustomScalar(
                name: "AWSTimestamp",
                coerceInput: { value throws(InvalidValue) in
                    guard case .int = value else { throw InvalidValue("AWSTimestamp is a whole number") }
                    return value
                }),
        ] + TextScalar.allCases.map { scalar in temporal(scalar.rawValue) { scalar.admits($0) } }

    /// Whether a valid date and time ends with `Z` or an offset. After the `T`, a sign can only begin an offset.
    private static func hasOffset(_ text: String) -> Bool {
        let time = text.utf8.drop { $0 != UInt8(ascii: "T") }
        return time.contains { [UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "-")].contains($0) }
    }

    private static func temporal(_ name: String, _ admits: @escaping @Sendable (String) -> Bool) -> CustomScalar {
        CustomScalar(
            name: name,
            coerceInput: { value throws(InvalidValue) in
                guard case .string(let text) = value, admits(text) else {
                    throw InvalidValue("\(name) cannot represent this value")
                }
                return value
            })
    }
}
