internal import TidelogJSON

extension TextScalar {
    /// One JSON value, with only white space around it. It may nest as deep as the store's JSON reader allows.
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
