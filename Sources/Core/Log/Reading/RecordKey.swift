/// A key that identifies one record of one model.
package struct RecordKey: Hashable {
    let model: UInt32
    let key: [UInt8]

    package init(_ event: EventView) {
        model = event.modelNumber
        key = Array(event.key)
    }

    package init(model: UInt32, key: UnsafeRawBufferPointer) {
        self.model = model
        self.key = Array(key)
    }
}
