/// A key that identifies one record of one model.
struct RecordKey: Hashable {
    let model: UInt32
    let key: [UInt8]

    init(_ event: EventView) {
        model = event.modelNumber
        key = Array(event.key)
    }

    init(model: UInt32, key: UnsafeRawBufferPointer) {
        self.model = model
        self.key = Array(key)
    }
}
