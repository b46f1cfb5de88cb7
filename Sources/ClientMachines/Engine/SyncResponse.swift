/// An answer of the server for one of the machines, and further facts from the response.
package struct SyncResponse<Content: Sendable>: Sendable {
    package var content: Content
    /// Whether the server recognises the ids of mutations; `nil` if there was no response.
    package var knowsMutationIDs: Bool?
    /// Whether the server's records can be relied on; `nil` if there was no response.
    package var isExact: Bool?
    /// The reason why there is no usable answer.
    package var failure: RequestFailure?

    package init(
        _ content: Content, knowsMutationIDs: Bool? = nil, isExact: Bool? = nil, failure: RequestFailure? = nil
    ) {
        self.content = content
        self.knowsMutationIDs = knowsMutationIDs
        self.isExact = isExact
        self.failure = failure
    }
}
