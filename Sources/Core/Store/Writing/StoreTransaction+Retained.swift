extension StoreTransaction {
    /// Stages a save by code that knows fewer fields than the store has. The other fields keep the bytes that they have
    /// in the present record.
    ///
    /// - Parameters:
    ///   - model: The model, or the view of it that `encode` writes.
    ///   - known: The fields that the code knows.
    ///   - named: The names of fields with given values, whether the code knows the fields or not.
    func stageRetaining(
        _ model: ModelLayout, knowing known: RowLayout, named: Set<String> = [], if condition: WriteCondition,
        origin: Origin, _ encode: (inout RowEncoder) throws -> Void
    ) throws {
        requireOpen()
        let arena = ByteArena()
        var encoder = RowEncoder(arena: arena, layout: model.row)
        try encode(&encoder)
        if let refusal = encoder.finish() { throw model.refused(refusal) }
        try stageRetaining(try arena.row(), of: model.stored, knowing: known, if: condition, origin: origin) { field in
            named.contains(field.name)
        }
    }

    /// Does the same as ``stageRetaining(_:knowing:named:if:origin:_:)`` for an encoded row. The bytes of the row must stay
    /// valid during the call.
    ///
    /// - Parameter isGiven: Whether the row's value of a field that the code does not know was given, and is not only a
    ///   default.
    func stageRetaining(
        _ row: RowView, of model: ModelLayout, knowing known: RowLayout, if condition: WriteCondition, origin: Origin,
        isGiven: (FieldLayout) throws -> Bool
    ) throws {
        let present = try presentBytes(of: row, model)
        try (present ?? []).withUnsafeBytes { bytes in
            let present = present == nil ? nil : try RowView(bytes)
            try stageSave(model, condition, origin: origin) { encoder in
                try encoder.encode(row, knowing: known, retainingFrom: present, layout: model.row, isGiven: isGiven)
            }
        }
    }

    /// The present row of the record that has the key of `row`, `nil` if there is none.
    func presentBytes(of row: RowView, _ model: ModelLayout) throws -> [UInt8]? {
        let key = try model.primaryKey(of: row)
        return try key.withUnsafeBytes { try currentRow($0, model).map { Array($0.row.bytes) } }
    }
}

extension RowEncoder {
    /// Writes the fields of `row`. A field that `known` does not contain has its value from `present`. If there is no
    /// such value, the field has its default.
    mutating func encode(
        _ row: RowView, knowing known: RowLayout, retainingFrom present: RowView?, layout: RowLayout,
        isGiven: (FieldLayout) throws -> Bool = { _ in false }
    ) throws {
        for field in layout.fields {
            let isKnown = known.field(named: field.name) != nil
            let old = try present?.value(field.slot)
            if let new = try row.value(field.slot), try isKnown || old == nil || isGiven(field) {
                try encode(new, of: field, knowing: known.field(named: field.name)?.embedded, retainingFrom: old)
            } else if !isKnown, let old {
                encode(bytes: old)
            } else if !isKnown, present == nil || field.isRequired, let value = field.defaultBytes {
                value.withUnsafeBytes { encode(bytes: $0) }
            } else {
                encodeMissing()
            }
        }
    }

    private mutating func encode(
        _ value: UnsafeRawBufferPointer, of field: FieldLayout, knowing known: RowLayout?,
        retainingFrom old: UnsafeRawBufferPointer?
    ) throws {
        guard let known, let embedded = field.embedded, embedded.knowsMore(than: known) else {
            return encode(bytes: value)
        }
        if case .list(let element, _) = field.type {
            try encodeList { list in
                try list.append(value, of: element, embedded, knowing: known, retainingFrom: old)
            }
        } else {
            let old = try old.map { bytes throws(RowDamage) in try RowView(bytes) }
            try encodeEmbedded {
                try $0.encode(RowView(value), knowing: known, retainingFrom: old, layout: embedded)
            }
        }
    }
}

extension ListEncoder {
    /// Appends the elements of `list`. Embedded values have no identity. Unknown fields of an element come from the old
    /// element that is equal in all known fields. If there is none, they come from the old element at the same index.
    fileprivate mutating func append(
        _ list: UnsafeRawBufferPointer, of element: FieldType, _ embedded: RowLayout, knowing known: RowLayout,
        retainingFrom old: UnsafeRawBufferPointer?
    ) throws {
        let new = try Self.elements(list, embedded)
        var former = try old.map { try Self.elements($0, embedded) } ?? []
        var matches = [Int?](repeating: nil, count: new.count)
        if case .list = element {
        } else {
            for (index, value) in new.enumerated() {
                guard let value else { continue }
                let row = try RowView(value)
                matches[index] = try former.firstIndex { other in
                    try other.map { try RowView($0).isEqual(to: row, layout: known) } ?? false
                }
                if let match = matches[index] { former[match] = nil }
            }
        }
        let all = try old.map { try Self.elements($0, embedded) } ?? []
        for (index, value) in new.enumerated() {
            guard let value else {
                appendMissing()
                continue
            }
            let place = matches[index] ?? (index < former.count && former[index] != nil ? index : nil)
            let before = place.flatMap { all[$0] }
            if case .list(let inner, _) = element {
                try appendList { try $0.append(value, of: inner, embedded, knowing: known, retainingFrom: before) }
            } else {
                let before = try before.map { bytes throws(RowDamage) in try RowView(bytes) }
                try appendEmbedded {
                    try $0.encode(RowView(value), knowing: known, retainingFrom: before, layout: embedded)
                }
            }
        }
    }

    private static func elements(
        _ bytes: UnsafeRawBufferPointer, _ embedded: RowLayout
    ) throws(RowDamage) -> [UnsafeRawBufferPointer?] {
        var list = try ListDecoder(bytes, embedded: embedded)
        var elements: [UnsafeRawBufferPointer?] = []
        for _ in 0..<list.count { elements.append(try list.nextBytes()) }
        return elements
    }
}

extension RowLayout {
    /// Whether this layout, or a type that it embeds, has a field that `other` does not have.
    fileprivate func knowsMore(than other: RowLayout) -> Bool {
        var seen = Set<String>()
        var unvisited = [(self, other)]
        while let (mine, theirs) = unvisited.popLast() {
            guard seen.insert(mine.name).inserted else { continue }
            for field in mine.fields {
                guard let known = theirs.field(named: field.name) else { return true }
                if let embedded = field.embedded, let other = known.embedded { unvisited.append((embedded, other)) }
            }
        }
        return false
    }
}

extension FieldLayout {
    /// The encoded default of the field, `nil` if the schema has none.
    var defaultBytes: [UInt8]? { schema.defaultValue?.converted(to: self)?.encoded(as: self) }
}
