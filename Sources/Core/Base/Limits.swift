/// What every store refuses before the append (FORMATS, section 8): no adapter has limits of its own.
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
    /// The largest note in bytes: a row, and what is said about it.
    public static let noteByteCount = rowByteCount + (64 << 10)
    /// The deepest nesting of embedded values and lists.
    public static let nestingDepth = 32
    /// The most fields in one model or embedded type.
    public static let fieldCount = 1_000
    /// The most models and embedded types in one schema.
    public static let typeCount = 1_000
    /// The most secondary indexes in one schema, those of dropped fields and models included.
    public static let indexCount = 4_096
    /// The longest name of a type, field, index or enum case in bytes.
    public static let nameByteCount = 128
    /// The longest index key in bytes; longer ones are cut and marked.
    public static let indexKeyByteCount = 511
    /// The most bytes of writes that are at work or wait for the writer; then savers wait for those before them.
    public static let pendingByteCount = 64 << 20
    /// What a write counts towards ``pendingByteCount`` if nobody says how large it is.
    public static let estimatedWriteByteCount = 1 << 10
    /// What each of many values counts that are saved together.
    public static let estimatedValueByteCount = 256
}
