extension ModelSchema {
    /// Whether the model's records stay on this device: its directives name `@localOnly`.
    public var isLocalOnly: Bool {
        get { directives.contains("@localOnly") }
        set {
            directives.removeAll { $0 == "@localOnly" }
            if newValue { directives.append("@localOnly") }
        }
    }
}
