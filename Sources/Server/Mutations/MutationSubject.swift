internal import TidelogAgreement
internal import TidelogCore
internal import TidelogGraphQLExecution
internal import TidelogJSON

/// The subject of a mutation: a digest of its kind, its model and the key that was sent.
///
/// The store keeps the subject of each change that has a name. If a client sends the change again after an update of the
/// server, the digest must be the same. So the bytes that are digested never change.
enum MutationSubject {
    /// The subject of a mutation whose sent key has the values `key`.
    static func text(_ mutation: Mutation, _ model: String, key: [FieldValue]) -> String {
        var writer = JSONWriter()
        writer.beginArray()
        writer.null()
        writer.bool(false)
        writer.beginArray()
        for value in key { write(value, to: &writer) }
        writer.endArray()
        writer.beginArray()
        writer.endArray()
        writer.endArray()
        return Base64URL.encode(Secrets.digest(Array("\(mutation.rawValue) \(model) ".utf8) + writer.bytes))
    }

    /// A digest of the values and the condition in the arguments of a mutation.
    ///
    /// The digest is the same for every caller and for every base version of the record, and its bytes never change.
    static func content(_ arguments: InputObject) -> String {
        var object = arguments
        object.members.removeAll { $0.value.isNull }
        for index in object.members.indices {
            guard object.members[index].name == "input", case .object(var input) = object.members[index].value else {
                continue
            }
            input.members.removeAll { Metadata.names.contains($0.name) }
            object.members[index].value = .object(input)
        }
        return Base64URL.encode(Secrets.digest(InputValue.object(object).json))
    }

    private static func write(_ value: FieldValue, to writer: inout JSONWriter) {
        writer.beginArray()
        switch value {
        case .string(let text):
            writer.string("s")
            writer.string(text)
        case .int(let number):
            writer.string("i")
            writer.int(number)
        case .double(let number):
            writer.string("f")
            writer.double(number)
        case .bool(let truth):
            writer.string("b")
            writer.bool(truth)
        case .date(let date):
            writer.string("d")
            writer.string(date.text)
        case .time(let time):
            writer.string("t")
            writer.string(time.text)
        case .dateTime(let dateTime):
            writer.string("x")
            writer.string(dateTime.text)
        case .list, .embedded: preconditionFailure("keys are made of values that have an order")
        }
        writer.endArray()
    }
}
