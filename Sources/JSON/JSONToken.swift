/// One step through a JSON text. Slices live no longer than the reader's bytes.
public enum JSONToken {
    /// `{`
    case beginObject
    /// `}`
    case endObject
    /// `[`
    case beginArray
    /// `]`
    case endArray
    /// A member's name, with its colon.
    case key(JSONStringSlice)
    /// A string that is a value.
    case string(JSONStringSlice)
    /// A number.
    case number(JSONNumber)
    /// `true` or `false`.
    case bool(Bool)
    /// `null`.
    case null
    /// The end of the text; given again for every further call.
    case endOfText
}
