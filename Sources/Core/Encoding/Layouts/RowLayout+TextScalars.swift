extension ModelLayout {
    /// Checks the texts of a row that was just encoded against the rules of their declared scalars.
    ///
    /// - Throws: ``DataStoreError`` with code `invalidValue` that names the field and the rule.
    @inline(never)
    func checkTexts(_ row: UnsafeRawBufferPointer) throws {
        if let (field, owner, scalar) = try self.row.refusedText(in: RowView(row)) {
            throw refused("\(owner).\(field) is no \(scalar.rawValue): \(scalar.rule)")
        }
    }
}

extension RowLayout {
    /// Finds the first text that breaks the rule of its scalar.
    fileprivate func refusedText(
        in row: RowView
    ) throws(RowDamage) -> (field: String, owner: String, scalar: TextScalar)? {
        for field in textFields {
            guard let value = try row.value(field.slot) else { continue }
            if let refusal = try refusedText(in: value, of: field, as: field.type) { return refusal }
        }
        return nil
    }

    private func refusedText(
        in value: UnsafeRawBufferPointer, of field: FieldLayout, as type: FieldType
    ) throws(RowDamage) -> (field: String, owner: String, scalar: TextScalar)? {
        if case .list(let element, _) = type {
            var list = try ListDecoder(value)
            for _ in 0..<list.count {
                guard let value = try list.nextBytes() else { continue }
                if let refusal = try refusedText(in: value, of: field, as: element) { return refusal }
            }
            return nil
        }
        if let embedded = field.embedded { return try embedded.refusedText(in: RowView(value)) }
        guard let scalar = field.textScalar, !scalar.admits(value) else { return nil }
        return (field.name, name, scalar)
    }
}

extension FieldSchema {
    /// Whether the field holds texts with a rule: its own texts, or those in an embedded type among `types`.
    func holdsTexts(_ types: Set<String>) -> Bool {
        if scalar.flatMap(TextScalar.init) != nil { return true }
        var type = type
        while case .list(let element, _) = type { type = element }
        guard case .embedded(let name) = type else { return false }
        return types.contains(name)
    }
}

extension Schema {
    /// The names of the embedded types that hold texts with a rule, at any depth.
    var textTypes: Set<String> {
        var types = Set<String>()
        while true {
            let count = types.count
            for type in embeddedTypes where type.fields.contains(where: { $0.holdsTexts(types) }) {
                types.insert(type.name)
            }
            if types.count == count { return types }
        }
    }
}
