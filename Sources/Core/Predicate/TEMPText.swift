extension Predicate { var text: String { "" } }
