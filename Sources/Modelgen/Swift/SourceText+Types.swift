internal import TidelogSchema

extension SourceText {
    /// Writes the schema's description as a documentation comment, or `other` if there is no description.
    mutating func document(_ description: String?, or other: String) {
        document(description.flatMap { $0.isEmpty ? nil : $0 } ?? other)
    }

    /// Writes `head: conformances {`, which opens a type.
    mutating func conformances(_ head: String, _ conformances: [String]) {
        let whole = "\(head): \(conformances.joined(separator: ", ")) {"
        if fits(whole) { return line(whole) }
        line("\(head):")
        indented { $0.line(conformances.joined(separator: ", ")) }
        line("{")
    }

    /// Writes `head<types>tail`, a call of a generic type's initializer.
    mutating func generic(_ head: String, _ types: [String], _ tail: String) {
        let type = "\(head)<\(types.joined(separator: ", "))>"
        if fits(type + tail) { return line(type + tail) }
        if fits(type + "("), tail.hasPrefix("("), tail.hasSuffix("\")") {
            line(type + "(")
            indented { $0.line(String(tail.dropFirst())) }
            return
        }
        line(head + "<")
        indented { text in
            let whole = types.joined(separator: ", ")
            if text.fits(whole) { return text.line(whole) }
            for (place, type) in types.enumerated() { text.line(type + (place < types.count - 1 ? "," : "")) }
        }
        line(">" + tail)
    }

    /// Writes `guard let name = value({ conversion }) else { return nil }`.
    mutating func unwrap(_ name: String, _ value: String, _ conversion: String) {
        let guarded = "guard let \(name) = \(value)({ \(conversion) })"
        if fits(guarded + " else { return nil }") { return line(guarded + " else { return nil }") }
        if fits(guarded) {
            line(guarded)
        } else {
            line("guard")
            indented { text in
                text.line("let \(name) = \(value)({")
                text.indented { $0.line(conversion) }
                text.line("})")
            }
        }
        line("else { return nil }")
    }

    /// Writes the coding keys of the fields, if they differ from the names of the properties.
    mutating func codingKeys(_ fields: [FieldSource], always: Bool, _ run: GeneratorRun) {
        guard always || fields.contains(where: { $0.name.plain != $0.schema.name }) else { return }
        let conformances = "\(run.swift("String")), \(run.swift("CodingKey"))"
        let head = "private enum CodingKeys: \(conformances)"
        let names = fields.map(\.name.quoted).joined(separator: ", ")
        let isPlain = fields.allSatisfy { $0.name.plain == $0.schema.name }
        if isPlain, fits("\(head) { case \(names) }") {
            line("\(head) { case \(names) }")
            return blank()
        }
        block(head) { text in
            var waiting: [String] = []
            for field in fields {
                if field.name.plain != field.schema.name {
                    text.line("case \(field.name.quoted) = \(SwiftWords.literal(field.schema.name))")
                } else if text.fits("case " + (waiting + [field.name.quoted]).joined(separator: ", ")) {
                    waiting.append(field.name.quoted)
                } else {
                    text.line("case " + waiting.joined(separator: ", "))
                    waiting = [field.name.quoted]
                }
            }
            if !waiting.isEmpty { text.line("case " + waiting.joined(separator: ", ")) }
        }
        blank()
    }

    /// Writes the functions that encode and decode rows.
    mutating func rowCoding(_ fields: [FieldSource], relations: [String], _ run: GeneratorRun) {
        let access = run.access
        document("Writes every field, in the order of the schema.")
        block("\(access)func encode(into row: inout \(run.tidelog("RowEncoder")))") { text in
            for field in fields { field.encode(&text) }
        }
        document("Reads every field, in the order of the schema.")
        let decoder = run.tidelog("RowDecoder")
        let damage = run.tidelog("RowDamage")
        block("\(access)init(from row: inout \(decoder)) throws(\(damage))") { text in
            for field in fields { field.decode(&text) }
            for field in fields { field.assignDecoded(&text) }
            for relation in relations { text.line("\(relation) = row.lazyRelation()") }
        }
    }
}

extension SwiftName {
    /// Whether a linter would treat `name` as the name of a type.
    static func isTypeName(_ name: String) -> Bool {
        let first = name.drop { $0 == "_" }.first
        return first.map { $0.isUppercase } ?? false
    }
}
