/// A request that was answered, for the operator's log. It holds nothing of records and credentials.
package struct ServedRequest: Sendable {
    /// The id that the response names.
    package var id: String
    /// When the request was read, in milliseconds since 1970.
    package var time: Int64
    /// The method.
    package var method: String
    /// The path, without the query.
    package var path: String
    /// The status of the response.
    package var status: Int
    /// How the caller was recognised; `nil` if nobody asked or the credentials were refused.
    package var provider: AccessRule.Provider?
    /// How long the answer took.
    package var duration: Duration
    /// Bytes of the response's body.
    package var byteCount: Int
    /// How the service answered, if it was asked.
    package var report: RequestReport?
}
