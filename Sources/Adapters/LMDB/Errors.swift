@_spi(Adapters) internal import TidelogCore

/// Calls `body`, and translates errors of LMDB and damaged rows into errors of the store.
@inline(__always)
func translating<Result>(_ what: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw translated(error, what) }
}

@inline(never)
private func translated(_ error: any Error, _ what: String) -> any Error {
    if let damage = error as? RowDamage { return damaged("\(damage)") }
    return DataStoreError.translating(error, what)
}

/// The error for stored bytes that cannot be decoded. `reason` contains none of these bytes.
@inline(never)
func damaged(_ reason: String) -> DataStoreError {
    DataStoreError(
        .damaged, "The stored rows are damaged: \(reason).",
        recovery: "Run `tidelog verify`. Rows can be recreated from the log.")
}

/// Calls `body` with the UTF-8 bytes of `text`.
@inline(__always)
func withBytes<Result>(of text: StaticString, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try body(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
}
