/// Encoding embedded values and lists.
extension RowEncoder {
    /// Writes an embedded value as the next field. `body` writes its fields in declaration order.
    ///
    /// - Throws: any error of `body`. The row cannot be used any further after an error.
    public mutating func encodeEmbedded<Failure: Error>(
        _ body: (inout RowEncoder) throws(Failure) -> Void
    ) throws(Failure) {
        let layout = plan.pointee.layout
        guard let embedded = layout.fields[ordinal].embedded else {
            preconditionFailure("\(layout.name).\(layout.fields[ordinal].name) is no embedded value")
        }
        try encodeNested(embedded, body)
        endFieldSlowly()
    }

    /// Writes a list as the next field. `body` writes its elements.
    ///
    /// - Throws: any error of `body`. The row cannot be used any further after an error.
    public mutating func encodeList<Failure: Error>(
        _ body: (inout ListEncoder) throws(Failure) -> Void
    ) throws(Failure) {
        if depth < Limits.nestingDepth {
            let (embedded, depth) = (plan.pointee.layout.fields[ordinal].embedded, depth + 1)
            var reason: String?
            try writing { (arena) throws(Failure) in
                var list = ListEncoder(arena: arena, embedded: embedded, depth: depth)
                try body(&list)
                reason = list.finish()
            }
            if let reason { fail(reason) }
        } else {
            fail("values nest deeper than \(Limits.nestingDepth)")
        }
        endFieldSlowly()
    }

    private mutating func encodeNested<Failure: Error>(
        _ embedded: RowLayout, _ body: (inout RowEncoder) throws(Failure) -> Void
    ) throws(Failure) {
        guard depth < Limits.nestingDepth else { return fail("values nest deeper than \(Limits.nestingDepth)") }
        let depth = depth + 1
        var refusal: RowRefusal?
        try writing { (arena) throws(Failure) in
            var nested = RowEncoder(arena: arena, plan: embedded.plan, depth: depth)
            try body(&nested)
            refusal = nested.finish()
        }
        if let refusal { fail("\(refusal)") }
    }
}
