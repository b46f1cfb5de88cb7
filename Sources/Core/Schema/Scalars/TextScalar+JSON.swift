internal import TidelogJSON

extension TextScalar {
    /// One JSON value and nothing but whitespace around it, nested as deep as the store's JSON reader goes.
    static func isJSON(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var reader = JSONReader(bytes)
        do throws(JSONError) {
            try reader.skipValue()
            try reader.expectEnd()
            return true
        } catch {
            return false
        }
    }
}
