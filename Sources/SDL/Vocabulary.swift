package import TidelogAgreement
internal import TidelogSchema

/// The scalars and directives of Amplify's transformer.
enum Vocabulary {
    /// The field type of each scalar.
    static let scalars: [String: FieldType] = [
        "ID": .id, "String": .string, "Int": .int, "Float": .double, "Boolean": .bool, "AWSDate": .date,
        "AWSTime": .time, "AWSDateTime": .dateTime, "AWSTimestamp": .timestamp, "AWSEmail": .string,
        "AWSJSON": .string, "AWSURL": .string, "AWSPhone": .string, "AWSIPAddress": .string,
    ]

    /// The scalars that are stored as plain texts. A field keeps the scalar's name, because its type does not show it.
    static let textScalars: Set<String> = ["AWSEmail", "AWSJSON", "AWSURL", "AWSPhone", "AWSIPAddress"]

    /// Names of types from other languages, and the scalar that the author probably means.
    static let otherNames = [
        "Double": "Float", "Number": "Float", "Decimal": "Float", "Long": "Int", "BigInt": "Int", "Int64": "Int",
        "Integer": "Int", "Bool": "Boolean", "Text": "String", "UUID": "ID", "Date": "AWSDate", "Time": "AWSTime",
        "DateTime": "AWSDateTime", "Timestamp": "AWSTimestamp", "JSON": "AWSJSON", "URL": "AWSURL", "Email": "AWSEmail",
    ]

    /// A place where a directive may be.
    enum Place: String, Sendable {
        case type, field
        case operation = "field of Query, Mutation or Subscription"
        case enumCase = "case of an enum"
    }

    /// The rule for a directive: its places and arguments.
    struct Rule: Sendable {
        let places: [Place]
        /// The arguments.
        var arguments: [String: ArgumentShape] = [:]
        /// The required arguments.
        var needs: [String] = []
        /// Whether one place may have the directive more than once.
        var isRepeatable = false
    }

    /// The directives that lowering converts to parts of the schema.
    static let interpreted: [String: Rule] = [
        "model": Rule(
            places: [.type],
            arguments: [
                "queries": .object(["get": .text, "list": .text, "sync": .text]),
                "mutations": .object(["create": .text, "update": .text, "delete": .text]),
                "subscriptions": .object([
                    "onCreate": .texts, "onUpdate": .texts, "onDelete": .texts,
                    "level": .choice(["off", "public", "on"]),
                ]),
                "timestamps": .any,
            ]),
        "localOnly": Rule(places: [.type]),
        "primaryKey": Rule(places: [.field], arguments: ["sortKeyFields": .texts]),
        "index": Rule(
            places: [.field],
            arguments: [
                "name": .text, "sortKeyFields": .texts, "queryField": .text,
                "projection": .object(["type": .choice(["ALL", "KEYS_ONLY", "INCLUDE"]), "nonKeyAttributes": .texts]),
            ], isRepeatable: true),
        "default": Rule(places: [.field], arguments: ["value": .text], needs: ["value"]),
        "hasOne": Rule(places: [.field], arguments: ["fields": .texts, "references": .texts]),
        "hasMany": Rule(
            places: [.field],
            arguments: ["indexName": .text, "fields": .texts, "references": .texts, "limit": .any]),
        "belongsTo": Rule(
            places: [.field], arguments: ["fields": .texts, "references": .texts, "overrideIndexName": .text]),
        "manyToMany": Rule(
            places: [.field], arguments: ["relationName": .text, "limit": .any], needs: ["relationName"]),
    ]

    /// The directives that the schema keeps as text.
    static let kept: [String: Rule] = [
        "auth": Rule(places: [.type, .field, .operation], arguments: ["rules": .list(authRule)], needs: ["rules"]),
        "deprecated": Rule(places: [.type, .field, .operation, .enumCase], arguments: ["reason": .text]),
        "searchable": Rule(places: [.type], arguments: ["queries": .object(["search": .text])]),
        "versioned": Rule(places: [.type], arguments: ["versionField": .text, "versionInput": .text]),
        "mapsTo": Rule(places: [.type], arguments: ["name": .text], needs: ["name"]),
        "refersTo": Rule(places: [.type, .field], arguments: ["name": .text], needs: ["name"]),
        "validate": Rule(
            places: [.field],
            arguments: [
                "type": .choice(ValidationRule.Kind.allCases.map(\.rawValue)), "value": .text, "errorMessage": .text,
            ],
            needs: ["type", "value"], isRepeatable: true),
        "function": Rule(
            places: [.field, .operation],
            arguments: [
                "name": .text, "region": .text, "accountId": .text,
                "invocationType": .choice(["RequestResponse", "Event"]),
            ], needs: ["name"], isRepeatable: true),
        "http": Rule(
            places: [.field, .operation],
            arguments: [
                "method": .choice(["GET", "POST", "PUT", "DELETE", "PATCH"]), "url": .text,
                "headers": .list(.object(["key": .text, "value": .text])),
            ], needs: ["url"]),
        "predictions": Rule(
            places: [.field, .operation],
            arguments: [
                "actions": .list(.choice(["identifyText", "identifyLabels", "convertTextToSpeech", "translateText"]))
            ], needs: ["actions"]),
        "sql": Rule(places: [.operation], arguments: ["statement": .text, "reference": .text]),
        "aws_subscribe": Rule(places: [.operation], arguments: ["mutations": .texts], needs: ["mutations"]),
        "aws_publish": Rule(places: [.operation], arguments: ["subscriptions": .texts]),
        "aws_api_key": Rule(places: [.type, .field, .operation]),
        "aws_iam": Rule(places: [.type, .field, .operation]),
        "aws_oidc": Rule(places: [.type, .field, .operation]),
        "aws_lambda": Rule(places: [.type, .field, .operation]),
        "aws_auth": Rule(places: [.type, .field, .operation], arguments: ["cognito_groups": .texts]),
        "aws_cognito_user_pools": Rule(places: [.type, .field, .operation], arguments: ["cognito_groups": .texts]),
    ]

    /// One rule of `@auth`.
    static let authRule = ArgumentShape.object(
        [
            "allow": .choice(["owner", "groups", "private", "public", "custom"]),
            "provider": .choice(["apiKey", "iam", "identityPool", "oidc", "userPools", "function"]),
            "identityClaim": .text, "groupClaim": .text, "ownerField": .text, "groupsField": .text, "groups": .texts,
            "operations": .list(
                .choice(["create", "update", "delete", "read", "get", "list", "sync", "listen", "search"])),
        ],
        needs: ["allow"], replaced: ["queries": "operations", "mutations": "operations"])

    /// The directives on a type that only apply to models.
    static let forModels: Set<String> = ["auth", "localOnly", "searchable", "versioned", "mapsTo", "refersTo"]

    /// The directives on a field that only apply to values.
    static let forValues: Set<String> = [
        "default", "validate", "index", "primaryKey", "function", "http", "predictions",
    ]

    /// The directives on fields that a server computes.
    static let resolvers: Set<String> = ["function", "http", "predictions"]

    /// The settings that the input type `AMPLIFY` may have.
    static let settings = ["engine", "globalAuthRule"]

    static let relations: [String: Association.Kind] = [
        "hasOne": .hasOne, "hasMany": .hasMany, "belongsTo": .belongsTo, "manyToMany": .manyToMany,
    ]
}

extension Names {
    /// Whether `text` can be the name of an index, a relation or a schema. A name has letters, digits and underscores.
    package static func isName(_ text: String) -> Bool {
        let isLetter: (UInt8) -> Bool = { (97...122).contains($0 | 32) || $0 == UInt8(ascii: "_") }
        guard let first = text.utf8.first, isLetter(first), text.utf8.count <= Limits.nameByteCount else {
            return false
        }
        return text.utf8.allSatisfy { isLetter($0) || (48...57).contains($0) }
    }
}
