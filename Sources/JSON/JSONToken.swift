/// A token of a JSON text. Its slices are valid as long as the reader's bytes.
public enum JSONToken {
    /// `{`
    case beginObject
    /// `}`
    case endObject
    /// `[`
    case beginArray
    /// `]`
    case endArray
    /// The key of a member, including its colon.
    case key(JSONStringSlice)
    /// A string that is a value.
    case string(JSONStringSlice)
    /// A number.
    case number(JSONNumber)
    /// `true` or `false`.
    case bool(Bool)
    /// `null`.
    case null
    /// The end of the text. Every further call returns it again.
    case endOfText
}
