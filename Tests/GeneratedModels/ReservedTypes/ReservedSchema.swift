public import Tidelog

/// The schema of this folder, with the models that the plugin generates from it.
public enum ReservedTypes {
    /// The schema that the generated sources declare.
    public static let declared = Tidelog.Schema.app
    /// The generated models.
    public static let generatedModels: [any (Tidelog.Model & Swift.Hashable & Swift.Codable).Type] = [
        Actor.self, AllCases_.self, Any_.self, Array.self, Association.self, AsyncSequence.self, Bool.self,
        Boxed.self, CaseIterable.self, Character.self, Codable.self, CodingKey.self, CodingKeys_.self,
        Collection.self, Comparable.self, Data.self, DataStore.self, Date.self, Decoder.self, Dictionary.self,
        Double.self, Duration.self, Element.self, EmbeddedSchema.self, Encoder.self, EnumSchema.self, Equatable.self,
        Error.self, Event.self, Field.self, FieldConvertible.self, FieldSchema.self, FieldValue.self, Foundation.self,
        Hashable.self, Hasher.self, Identifiable.self, IndexQuery.self, IndexSchema.self, KeyCondition.self,
        Keys_.self, LazyRelation.self, Main.self, MainActor.self, Model.self, ModelID.self, ModelSchema.self,
        Never.self, Observation.self, Optional.self, Owner.self, Page.self, QueryPredicate.self, Projection.self,
        Protocol_.self, RawRepresentable.self, RawValue_.self, Record.self, RelatedRecords.self, Relation.self,
        Result.self, RowDamage.self, RowDecoder.self, RowEncoder.self, Schema.self, Self_.self, Sendable.self,
        Sequence.self, Set.self, Sort.self, Storage.self, Substring.self, Swift_.self, Target_.self, Task.self,
        Temporal.self, Testing.self, Thread.self, TidelogCore.self, Tidelog_.self, Transport.self, Type_.self,
        URL.self, UUID.self, UUIDv7.self, Value.self, Void.self, __.self, `any`.self, app_.self, `async`.self,
        `class`.self, `default`.self, `enum`.self, enums_.self, init_.self, keys.self, main.self, models_.self,
        schema.self, self_.self, `some`.self, `struct`.self,
    ]
}
