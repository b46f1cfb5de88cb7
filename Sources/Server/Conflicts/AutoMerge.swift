internal import TidelogCore

/// Auto Merge: merges a change to an old version into the stored record. A sent value is used where the stored record has none,
/// and lists are joined. Everything else stays as it is stored.
enum AutoMerge {
    /// Merges the sent values into the stored record. A sent null is `nil`.
    static func merge(_ sent: [String: FieldValue?], into stored: Record) -> Record {
        var merged = stored
        for (name, value) in sent { merged[name] = Self.merge(value, into: stored[name]) }
        return merged
    }

    private static func merge(_ sent: FieldValue?, into stored: FieldValue?) -> FieldValue? {
        switch (stored, sent) {
        case (nil, _): return sent
        case (_, nil): return stored
        case (.list(let old), .list(let new)): return .list(old + new)
        case (.embedded(let old), .embedded(let new)):
            var merged = old
            for (name, value) in new { merged[name] = merge(value, into: old[name]) }
            return .embedded(merged)
        default: return stored
        }
    }
}
