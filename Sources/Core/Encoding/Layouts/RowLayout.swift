/// The places of the fields of a model or embedded type in its encoded rows, in one store.
///
/// A field's *ordinal* is its place in the declaration. Its *slot* is its number minus 1 (FORMATS, section 4). Both are equal
/// until a schema change drops or inserts fields.
@_spi(Adapters) public final class RowLayout: Sendable {
    /// The name of the model or embedded type.
    public let name: String
    /// The fields by ordinal.
    public let fields: [FieldLayout]
    /// The number of slots of a newly encoded row.
    public let slotCount: Int
    /// Whether each field's ordinal equals its slot, so that rows can be written from front to back.
    public let isSequential: Bool
    /// The fields with texts that must follow a scalar's rule, directly or inside an embedded value.
    let textFields: [FieldLayout]
    /// The fields with rules for their values.
    package let ruledFields: [(field: FieldLayout, rules: [ValidationRule])]
    private let memory = ConstantMemory<Plan>(count: 1)
    private let ordinals: [String: Int]
    private let canonicalOrdinals: [Int]
    /// The embedded types of a model's schema.
    ///
    /// Embedded types may refer to each other in a circle, so their fields do not keep each other alive. Instead, the layout of
    /// the model or of the schema does.
    private let embeddedTypes: [String: RowLayout]

    /// - Parameters:
    ///   - numbers: The numbers of the fields, by name.
    ///   - textTypes: The embedded types that hold texts with a scalar's rule.
    ///   - enums: The raw texts of the schema's enums, by name.
    ///   - embeddedTypes: The embedded types to which the fields refer. The fields of an embedded type are linked later.
    init(
        name: String, fields: [FieldSchema], numbers: [String: UInt16], textTypes: Set<String>,
        enums: [String: Set<String>], embeddedTypes: [String: RowLayout] = [:]
    ) {
        self.name = name
        self.embeddedTypes = embeddedTypes
        self.fields = fields.enumerated().map { ordinal, field in
            guard let number = numbers[field.name] else { preconditionFailure("every field has a number") }
            let layout = FieldLayout(schema: field, ordinal: ordinal, slot: Int(number) - 1, enums: enums)
            layout.link(embeddedTypes)
            return layout
        }
        textFields = self.fields.filter { $0.schema.holdsTexts(textTypes) }
        ruledFields = self.fields.compactMap { field in
            let rules = field.schema.rules
            return rules.isEmpty ? nil : (field, rules)
        }
        slotCount = Int(numbers.values.max() ?? 0)
        isSequential = slotCount == fields.count && self.fields.allSatisfy { $0.slot == $0.ordinal }
        canonicalOrdinals = fields.indices.sorted {
            fields[$0].name.utf8.lexicographicallyPrecedes(fields[$1].name.utf8)
        }
        ordinals = Dictionary(uniqueKeysWithValues: fields.enumerated().map { ($1.name, $0) })
        memory.start.initialize(to: Plan(self))
    }

    deinit {
        plan.pointee.deallocate()
        memory.deallocate()
    }

    /// The plan that encoders and decoders use. It is valid as long as this layout exists.
    var plan: UnsafePointer<Plan> {
        @inline(__always) get { UnsafePointer(memory.start) }
    }

    /// The fields sorted by name. The state hash uses this order.
    var canonicalFields: [FieldLayout] { canonicalOrdinals.map { fields[$0] } }

    /// The field called `name`, or `nil` if there is none.
    public func field(named name: String) -> FieldLayout? { ordinals[name].map { fields[$0] } }

    /// The facts about the fields of a ``RowLayout`` that encoding and decoding need.
    ///
    /// They are in plain memory, so that hot paths do not follow objects or count references.
    ///
    /// A plan exists as long as its layout. Encoders and decoders hold pointers to it. That is safe because the code that
    /// makes an encoder or decoder keeps the layout alive while it uses it.
    struct Plan {
        let fieldCount: Int
        let slotCount: Int
        /// Whether each field's ordinal equals its slot.
        let isSequential: Bool
        /// The offset of the table of ends from the row's start.
        let tableOffset: Int
        /// The offset of the values in a row with two-byte ends.
        let valuesOffset: Int
        /// The first 8 bytes of a row in which all fields have values.
        let head: UInt64
        /// The presence bits of a row in which all fields have values.
        private let presence: UnsafeMutablePointer<UInt8>
        /// Whether each field must have a value, by ordinal.
        private let required: UnsafeMutablePointer<Bool>
        /// The slot of each field, by ordinal.
        private let slots: UnsafeMutablePointer<UInt16>
        private let reference: Unmanaged<RowLayout>

        /// The plan of `layout`. The layout deallocates it.
        init(_ layout: RowLayout) {
            reference = Unmanaged.passUnretained(layout)
            fieldCount = layout.fields.count
            slotCount = layout.slotCount
            isSequential = layout.isSequential
            let presenceByteCount = (slotCount + 7) / 8
            tableOffset = RowView.headerByteCount + presenceByteCount
            valuesOffset = tableOffset + slotCount * 2
            presence = .allocate(capacity: presenceByteCount)
            presence.initialize(repeating: 0, count: presenceByteCount)
            required = .allocate(capacity: layout.fields.count)
            slots = .allocate(capacity: layout.fields.count)
            for (ordinal, field) in layout.fields.enumerated() {
                presence[ordinal >> 3] |= 1 << UInt8(ordinal & 7)
                (required + ordinal).initialize(to: field.isRequired)
                (slots + ordinal).initialize(to: UInt16(field.slot))
            }
            var head = UInt64(RowView.version) | UInt64(UInt16(slotCount)) << 16
            for place in 0..<min(presenceByteCount, 4) { head |= UInt64(presence[place]) << UInt64(32 + place * 8) }
            self.head = head
        }

        func deallocate() {
            presence.deallocate()
            required.deallocate()
            slots.deallocate()
        }

        /// The layout, which owns the plan.
        var layout: RowLayout { reference.takeUnretainedValue() }

        @inline(__always)
        func isRequired(_ ordinal: Int) -> Bool { required[ordinal] }

        @inline(__always)
        func slot(_ ordinal: Int) -> Int { Int(slots[ordinal]) }

        /// Writes the version, the number of slots and the presence bits of a row with all fields. The memory has at least
        /// 8 bytes.
        @inline(__always)
        func writeHead(to row: UnsafeMutableRawPointer) {
            row.store(head, at: 0)
            let presenceByteCount = tableOffset - RowView.headerByteCount
            if presenceByteCount > 4 {
                (row + RowView.headerByteCount).copyMemory(from: presence, byteCount: presenceByteCount)
            }
        }
    }
}

extension ModelLayout {
    /// Checks the texts of a row that was just encoded against the rules of their declared scalars.
    ///
    /// - Throws: ``DataStoreError`` with code `invalidValue` that names the field and the rule.
    @inline(never)
    package func checkTexts(_ row: UnsafeRawBufferPointer) throws {
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
