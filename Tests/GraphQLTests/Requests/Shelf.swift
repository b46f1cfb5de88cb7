import TidelogSynchronization

@testable import TidelogGraphQL
@testable import TidelogGraphQLExecution

/// The result of a field of a test's object.
indirect enum Reply: Sendable {
    case leaf(ResponseValue)
    /// A leaf that the object returns without a call of `resolve`.
    case atHand(ResponseValue)
    case object(String, [String: Reply])
    case list([Reply])
    case error(String)
    case failure(ResolverError)
    case pending(Reply)
}

/// Records which fields were resolved, in order, and when a pending value was awaited.
final class Calls: Sendable {
    private let names = Mutex<[String]>([])

    var log: [String] { names.withLock { $0 } }

    func note(_ name: String) { names.withLock { $0.append(name) } }
}

/// An object with these fields. All its other fields are null.
struct Shelf: ResolvableObject {
    let typeName: String
    let fields: [String: Reply]

    func leaf(_ field: SelectedField) -> ResponseValue? {
        if case .atHand(let value) = fields[field.name] { value } else { nil }
    }

    func resolve(_ field: SelectedField, in context: Calls) throws(ResolverError) -> ResolvedValue<Calls> {
        context.note(field.name)
        guard let reply = fields[field.name] else { return .null }
        if case .error(let message) = reply { throw ResolverError(message) }
        return Self.value(reply, context)
    }

    private static func value(_ reply: Reply, _ calls: Calls) -> ResolvedValue<Calls> {
        switch reply {
        case .leaf(let value), .atHand(let value): .leaf(value)
        case .object(let name, let fields): .object(Shelf(typeName: name, fields: fields))
        case .list(let replies): .list(replies.map { value($0, calls) })
        case .error(let message): .failure(ResolverError(message))
        case .failure(let error): .failure(error)
        case .pending(let reply):
            .pending { () async throws(ResolverError) in
                await Task.yield()
                calls.note("…")
                return value(reply, calls)
            }
        }
    }
}
