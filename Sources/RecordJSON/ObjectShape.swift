@_spi(Adapters) package import TidelogCore
internal import TidelogJSON

/// The shapes of the objects of one model. Readers that read one record each share them.
package struct ObjectShapes: Sendable {
    let layout: ModelLayout
    let all: [ObjectShape]

    package init(_ layout: ModelLayout) { (self.layout, all) = (layout, ObjectShape.shapes(of: layout)) }
}

/// The fields that a JSON object of a model or embedded type may have, prepared for comparing bytes.
///
/// Both this type and its fields are classes. As structs, each use would count the references of everything that they contain.
final class ObjectShape: Sendable {
    /// The name of the model or embedded type.
    let name: String
    /// The fields by ordinal.
    let fields: [Field]
    /// The names of all fields, one after the other. They are compared with each key of an object.
    private let keys: [UInt8]
    /// The positions in `keys` at which the names end.
    private let keyEnds: [Int]

    private init(name: String, fields: [Field]) {
        self.name = name
        self.fields = fields
        keys = fields.flatMap(\.key)
        var end = 0
        keyEnds = fields.map { field in
            end += field.key.count
            return end
        }
    }

    /// The ordinal of the field `key`. The search begins at `expected`, which is usually right.
    func ordinal(of key: JSONStringSlice, expected: Int) -> Int? {
        keys.withUnsafeBytes { names in
            func isMatch(_ ordinal: Int) -> Bool {
                let start = ordinal == 0 ? 0 : keyEnds[ordinal - 1]
                return key.matches(UnsafeRawBufferPointer(rebasing: names[start..<keyEnds[ordinal]]))
            }
            return (expected..<keyEnds.count).first(where: isMatch) ?? (0..<expected).first(where: isMatch)
        }
    }

    /// A shape with only the fields `names`, in their order.
    ///
    /// - Precondition: Each name is the name of a field.
    func choosing(_ names: [String]) -> ObjectShape {
        let chosen = names.map { name in
            guard let field = fields.first(where: { $0.layout.name == name }) else {
                preconditionFailure("\(self.name) has no field \(name)")
            }
            return field
        }
        return ObjectShape(name: name, fields: chosen)
    }

    /// The shapes of `layout` and of every embedded type that it reaches. The first shape belongs to the model.
    ///
    /// Fields refer to shapes by index, because embedded types may refer to each other in a circle.
    static func shapes(of layout: ModelLayout) -> [ObjectShape] {
        var found = [layout.row]
        var indexes = [ObjectIdentifier(layout.row): 0]
        var shapes: [ObjectShape] = []
        while shapes.count < found.count {
            let row = found[shapes.count]
            let fields = row.fields.map { field in
                guard let embedded = field.embedded else { return Field(field, owner: row.name, embedded: nil) }
                let index = indexes[ObjectIdentifier(embedded)] ?? found.count
                if index == found.count {
                    indexes[ObjectIdentifier(embedded)] = index
                    found.append(embedded)
                }
                return Field(field, owner: row.name, embedded: index)
            }
            shapes.append(ObjectShape(name: row.name, fields: fields))
        }
        return shapes
    }

    /// One field of an ``ObjectShape``.
    final class Field: Sendable {
        /// The UTF-8 bytes of the field's name.
        let key: [UInt8]
        /// The name of the type and of the field, such as `City.name`, for messages.
        let path: String
        /// The field's position and encoding in the row.
        let layout: FieldLayout
        /// The field's type.
        let type: FieldType
        /// The index of the shape of the embedded type, if the field or its list's elements have one.
        let embedded: Int?
        /// The UTF-8 bytes of the enum's raw texts, if the field or its list's elements have an enum.
        let cases: [[UInt8]]

        init(_ layout: FieldLayout, owner: String, embedded: Int?) {
            key = Array(layout.name.utf8)
            path = "\(owner).\(layout.name)"
            self.layout = layout
            type = layout.type
            self.embedded = embedded
            cases = (layout.cases ?? []).map { Array($0.utf8) }
        }

        /// The raw texts of the enum, in alphabetical order.
        var caseNames: [String] { cases.map { String(decoding: $0, as: UTF8.self) }.sorted() }
    }
}
