public import TidelogCore

/// A sync expression: the records of a model that are synced.
///
/// ```swift
/// let recent = SyncExpression.syncExpression("Post") { .field("rating", .greaterOrEqual(.int(5))) }
/// ```
public struct SyncExpression: Sendable {
    /// The name of the model.
    public let model: String
    /// Returns the predicate. The engine calls the closure at each start.
    public let predicate: @Sendable () -> QueryPredicate

    /// Makes an expression for the model called `model`. At each start, `predicate` returns the predicate of the records to
    /// sync.
    public static func syncExpression(
        _ model: String, where predicate: @escaping @Sendable () -> QueryPredicate
    ) -> SyncExpression {
        SyncExpression(model: model, predicate: predicate)
    }

    /// Makes an expression for a model type. At each start, `predicate` returns the predicate of the records to sync.
    public static func syncExpression<Value: Model>(
        _ type: Value.Type, where predicate: @escaping @Sendable () -> ModelPredicate<Value>
    ) -> SyncExpression {
        SyncExpression(model: Value.schema.name) { predicate().queryPredicate }
    }
}
