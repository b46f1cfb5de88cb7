internal import TidelogCore

/// The scalars and directives that Amplify's transformer knows.
enum Vocabulary {
    /// The type of each scalar's values.
    static let scalars: [String: FieldType] = [
        "ID": .id, "String": .string, "Int": .int, "Float": .double, "Boolean": .bool, "AWSDate": .date,
        "AWSTime": .time, "AWSDateTime": .dateTime, "AWSTimestamp": .timestamp, "AWSEmail": .string,
        "AWSJSON": .string, "AWSURL": .string, "AWSPhone": .string, "AWSIPAddress": .string,
    ]

    /// The scalars that a field's type does not tell.
    static let textScalars: Set<String> = ["AWSEmail", "AWSJSON", "AWSURL", "AWSPhone", "AWSIPAddress"]

    /// What people write who think of another language.
    static let otherNames = [
        "Double": "Float", "Number": "Float", "Decimal": "Float", "Long": "Int", "BigInt": "Int", "Int64": "Int",
        "Integer": "Int", "Bool": "Boolean", "Text": "String", "UUID": "ID", "Date": "AWSDate", "Time": "AWSTime",
        "DateTime": "AWSDateTime", "Timestamp": "AWSTimestamp", "JSON": "AWSJSON", "URL": "AWSURL", "Email": "AWSEmail",
    ]

    /// Where a directive may stand.
    enum Place: String {
        case type, field
    }

    /// What a directive takes.
    struct Rule {
        let places: [Place]
        /// The names of the arguments; `nil` where they are kept as they are.
        var arguments: [String]?
    }

    /// The directives whose meaning is part of the schema.
    static let interpreted: [String: Rule] = [
        "model": Rule(places: [.type], arguments: ["queries", "mutations", "subscriptions", "timestamps"]),
        "primaryKey": Rule(places: [.field], arguments: ["sortKeyFields"]),
        "index": Rule(places: [.field], arguments: ["name", "sortKeyFields", "queryField", "projection"]),
        "default": Rule(places: [.field], arguments: ["value"]),
        "hasOne": Rule(places: [.field], arguments: ["fields", "references"]),
        "hasMany": Rule(places: [.field], arguments: ["indexName", "fields", "references", "limit"]),
        "belongsTo": Rule(places: [.field], arguments: ["fields", "references"]),
        "manyToMany": Rule(places: [.field], arguments: ["relationName", "limit"]),
    ]

    /// The directives that are kept as text.
    static let kept: [String: Rule] = {
        var rules: [String: Rule] = [:]
        let both = [
            "auth", "deprecated", "aws_api_key", "aws_iam", "aws_oidc", "aws_cognito_user_pools", "aws_auth",
            "aws_lambda",
        ]
        for name in both { rules[name] = Rule(places: [.type, .field]) }
        for name in ["searchable", "versioned", "mapsTo", "localOnly"] { rules[name] = Rule(places: [.type]) }
        for name in ["function", "http", "predictions", "validate", "refersTo", "aws_subscribe", "aws_publish"] {
            rules[name] = Rule(places: [.field])
        }
        return rules
    }()

    /// Directives whose fields a server computes.
    static let resolvers: Set<String> = ["function", "http", "predictions"]

    /// The directives of transformer version 1 and what replaced them.
    static let replaced = [
        "key": "use \"@primaryKey\" or \"@index\" on a field",
        "connection": "use \"@hasOne\", \"@hasMany\" or \"@belongsTo\"",
    ]

    static let relations: [String: Association.Kind] = [
        "hasOne": .hasOne, "hasMany": .hasMany, "belongsTo": .belongsTo, "manyToMany": .manyToMany,
    ]
}
