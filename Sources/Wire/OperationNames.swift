/// The default names of a model's operations.
package struct OperationNames: Sendable, Hashable {
    package let get: String
    package let list: String
    package let sync: String
    package let create: String
    package let update: String
    package let delete: String
    package let onCreate: String
    package let onUpdate: String
    package let onDelete: String

    /// Makes the names for the model `model`.
    package init(model: String) {
        let plural = Plural.of(model)
        get = Names.camelCase(["get", model])
        list = Names.camelCase(["list", plural])
        sync = Names.camelCase(["sync", plural])
        create = Names.camelCase(["create", model])
        update = Names.camelCase(["update", model])
        delete = Names.camelCase(["delete", model])
        onCreate = Self.shortened(Names.camelCase(["onCreate", model]))
        onUpdate = Self.shortened(Names.camelCase(["onUpdate", model]))
        onDelete = Self.shortened(Names.camelCase(["onDelete", model]))
    }

    /// Shortens the name of a subscription to at most 50 characters, because AppSync accepts no longer name. A longer name
    /// keeps its first 45 characters, and 5 characters of its hash make it unique.
    static func shortened(_ name: String) -> String {
        guard name.utf8.count > 50 else { return name }
        return String(name.prefix(45) + MD5.hash(of: Array(name.utf8)).hexadecimal.prefix(5))
    }
}

extension [UInt8] {
    /// The bytes as hexadecimal text, with two lower-case digits for each byte.
    fileprivate var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
