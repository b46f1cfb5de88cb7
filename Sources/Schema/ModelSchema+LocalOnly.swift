extension ModelSchema {
    /// Whether the model's records stay on this device. This is the case if its directives include `@localOnly`.
    public var isLocalOnly: Bool {
        get { directives.contains("@localOnly") }
        set {
            directives.removeAll { $0 == "@localOnly" }
            if newValue { directives.append("@localOnly") }
        }
    }
}
