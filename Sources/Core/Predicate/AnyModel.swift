/// A value of any model, as a part of a query that can be compared.
///
/// Values of a `Hashable` model are equal if the model says so. Another value is equal only to copies of this value.
struct AnyModel: Sendable {
    // A reference, so that a value without equality has an identity.
    private let link: ChainLink<any Model>

    init(_ value: any Model) { link = ChainLink(value) }

    /// The value.
    var value: any Model { link.value }

    /// The name of the value's model.
    var modelName: String { type(of: link.value).schema.name }

    private var hashable: AnyHashable? { (value as? any Hashable).map { AnyHashable($0) } }
}

extension AnyModel: Hashable {
    static func == (left: Self, right: Self) -> Bool {
        if let left = left.hashable, let right = right.hashable { left == right } else { left.link === right.link }
    }

    func hash(into hasher: inout Hasher) {
        if let hashable { hasher.combine(hashable) } else { hasher.combine(ObjectIdentifier(link)) }
    }
}
