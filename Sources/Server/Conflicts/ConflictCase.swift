package import TidelogCore
package import TidelogGraphQLExecution
internal import TidelogJSON

/// A conflict: an update or a deletion whose version is not the version of the stored record.
package struct ConflictCase: Sendable {
    /// The requested change: an update or a deletion.
    package let mutation: Mutation
    /// The name of the mutation field.
    package let field: String
    /// The record with the requested change.
    package let newItem: Record
    /// The record as it is stored.
    package let existingItem: Record
    /// The arguments of the mutation.
    package let arguments: InputObject
    /// The claims of the caller's token; `nil` for an API key.
    package let identity: TokenClaims?
    /// The fields of the model, in order.
    let fieldNames: [String]

    /// The case as JSON for programs and URLs. The members are the same as for AppSync's conflict functions.
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("newItem")
        write(newItem, to: &writer)
        writer.key("existingItem")
        write(existingItem, to: &writer)
        writer.key("arguments")
        InputValue.object(arguments).write(to: &writer)
        writer.key("resolver")
        writeResolver(to: &writer)
        writer.key("identity")
        if let identity { Self.write(identity, to: &writer) } else { writer.null() }
        writer.endObject()
        return writer.bytes
    }

    private func write(_ record: Record, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("__typename")
        writer.string(record.model)
        for name in fieldNames {
            writer.key(name)
            (record[name]?.response ?? .null).write(to: &writer)
        }
        writer.endObject()
    }

    private func writeResolver(to writer: inout JSONWriter) {
        writer.beginObject()
        // There is one table for each model, and no region. Both members exist for functions that were written for AppSync.
        for (name, value) in [
            ("tableName", existingItem.model), ("awsRegion", "local"), ("parentType", "Mutation"), ("field", field),
            ("outputType", existingItem.model),
        ] {
            writer.key(name)
            writer.string(value)
        }
        writer.endObject()
    }

    private static func write(_ identity: TokenClaims, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("sub")
        writer.string(identity.subject)
        writer.key("username")
        if let username = identity.username { writer.string(username) } else { writer.null() }
        writer.key("issuer")
        writer.string(identity.issuer)
        writer.key("groups")
        writer.beginArray()
        for group in identity.groups { writer.string(group) }
        writer.endArray()
        writer.key("claims")
        identity.write(to: &writer)
        writer.key("sourceIp")
        writer.null()
        writer.endObject()
    }

    /// A decision on a conflict.
    package enum Verdict: Sendable {
        /// The record gets these values. Fields that are left out become null, except the key, the metadata, and the times that
        /// the server keeps. Only for updates.
        case resolve(InputObject)
        /// The change is refused. The client gets the stored record with the error.
        case reject
        /// The record is deleted. Only for deletions.
        case remove

        /// The record gets the values of this one, like ``resolve(_:)``.
        package static func record(_ record: Record) -> Verdict {
            .resolve(InputObject(record.values.map { .init(name: $0.key, value: InputValue($0.value)) }))
        }

        /// Reads a verdict from JSON: `{"action":"RESOLVE","item":{…}}`, `{"action":"REJECT"}` or `{"action":"REMOVE"}`.
        ///
        /// - Throws: ``ConflictCase.Failure`` if the JSON is none of these.
        package init(json: [UInt8]) throws(ConflictCase.Failure) {
            let answer: InputValue
            do {
                answer = try JSONReader.read(json) { reader in
                    let value = try InputValue(reading: &reader)
                    try reader.expectEnd()
                    return value
                }
            } catch {
                throw ConflictCase.Failure("the answer is no JSON")
            }
            switch (answer["action"], answer["item"]) {
            case (.string("RESOLVE"), .object(let item)): self = .resolve(item)
            case (.string("RESOLVE"), _): throw ConflictCase.Failure("the answer lacks an item")
            case (.string("REJECT"), _): self = .reject
            case (.string("REMOVE"), _): self = .remove
            default: throw ConflictCase.Failure("the answer has no action that is RESOLVE, REJECT or REMOVE")
            }
        }
    }

    /// The reason why a conflict could not be decided.
    package struct Failure: Error, Sendable, Hashable {
        /// The reason as a clause, for the operator. It contains nothing from the records.
        package let reason: String

        package init(_ reason: String) { self.reason = reason }
    }
}
