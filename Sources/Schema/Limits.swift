/// The limits of a store (FORMATS, section 8). They are checked before the append, and are the same for every adapter.
public enum Limits {
    /// The longest encoded primary key in bytes.
    public static let keyByteCount = 255
    /// The most events in one commit.
    public static let commitEventCount = 100_000
    /// The most bytes of events in one commit.
    public static let commitByteCount = 64 << 20
    /// The largest row in bytes.
    public static let rowByteCount = 16 << 20
    /// The longest name of a note in bytes.
    public static let noteNameByteCount = 255
    /// The largest note in bytes: the size of a row, and 64 KiB for further information about it.
    public static let noteByteCount = rowByteCount + (64 << 10)
    /// The deepest nesting of embedded values and lists.
    public static let nestingDepth = 32
    /// The most fields in one model or embedded type.
    public static let fieldCount = 1_000
    /// The most models and embedded types in one schema.
    public static let typeCount = 1_000
    /// The most secondary indexes in one schema, including indexes of dropped fields and models.
    public static let indexCount = 4_096
    /// The longest name of a type, field, index or enum case in bytes.
    public static let nameByteCount = 128
    /// The longest index key in bytes. Longer keys are cut and marked.
    public static let indexKeyByteCount = 511
    /// The most bytes of writes that are running or queued. Further writes wait for room.
    public static let pendingByteCount = 64 << 20
    /// The size of a write for ``pendingByteCount`` if the caller gives no estimate.
    public static let estimatedWriteByteCount = 1 << 10
    /// The estimated size of each value in a call that saves many values.
    public static let estimatedValueByteCount = 256
}
