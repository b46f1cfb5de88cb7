public import Tidelog

/// The schema of this folder, with the models that the plugin generates from it.
public enum ReservedMembers {
    /// The schema that the generated sources declare.
    public static let declared = Tidelog.Schema.app
    /// The generated models.
    public static let generatedModels: [any (Tidelog.Model & Swift.Hashable & Swift.Codable).Type] = [
        RelatedId.self, RelatedIds.self, RequiredReserved.self, ReservedChild.self, ReservedFields.self,
        ReservedParent.self, ReservedPost.self,
    ]
}
