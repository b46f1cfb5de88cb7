package import TidelogCore
package import TidelogGraphQL
internal import TidelogJSON

/// A conflict that is to be decided: an update or a deletion that was made from another version than the one that is stored.
package struct ConflictCase: Sendable {
    /// What was asked for: an update or a deletion.
    package let mutation: Mutation
    /// The name of the mutation's field.
    package let field: String
    /// The record as it would be if the change was made.
    package let newItem: Record
    /// The record as it is stored.
    package let existingItem: Record
    /// The arguments of the mutation.
    package let arguments: InputObject
    /// What the caller's token says; `nil` for an API key.
    package let identity: TokenClaims?
    /// The fields of the model, in order.
    let fieldNames: [String]

    /// The case as programs and URLs are given it: the members that AppSync's functions know.
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
        // There is one table for each model, and no region: both are there for functions that were written for AppSync.
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
}

/// What becomes of a conflict.
package enum ConflictVerdict: Sendable {
    /// The record gets these values, those that are left out become null. Its key and metadata stay, and so do times that
    /// the server keeps where they are left out. For updates only.
    case resolve(InputObject)
    /// The change is refused, and its sender is given the stored record.
    case reject
    /// The record is deleted. For deletions only.
    case remove

    /// The record gets the values of this one; as ``resolve(_:)``.
    package static func record(_ record: Record) -> ConflictVerdict {
        .resolve(InputObject(record.values.map { .init(name: $0.key, value: InputValue($0.value)) }))
    }

    /// The verdict that `{"action":"RESOLVE","item":{…}}`, `{"action":"REJECT"}` or `{"action":"REMOVE"}` is.
    ///
    /// - Throws: ``ConflictFailure`` if it is none of them.
    package init(json: [UInt8]) throws(ConflictFailure) {
        let answer: InputValue
        do {
            answer = try JSONReader.read(json) { reader in
                let value = try InputValue(reading: &reader)
                try reader.expectEnd()
                return value
            }
        } catch {
            throw ConflictFailure("the answer is no JSON")
        }
        switch (answer["action"], answer["item"]) {
        case (.string("RESOLVE"), .object(let item)): self = .resolve(item)
        case (.string("RESOLVE"), _): throw ConflictFailure("the answer lacks an item")
        case (.string("REJECT"), _): self = .reject
        case (.string("REMOVE"), _): self = .remove
        default: throw ConflictFailure("the answer has no action that is RESOLVE, REJECT or REMOVE")
        }
    }
}

/// Why a conflict was not decided.
package struct ConflictFailure: Error, Sendable, Hashable {
    /// A clause for the operator. It holds nothing of records.
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}
