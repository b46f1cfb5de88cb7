package import TidelogAgreement

/// An answered request, for the operator's log. It contains nothing from records or credentials.
package struct ServedRequest: Sendable {
    /// The id of the request, which is also in the response.
    package var id: String
    /// The time when the request was read, in milliseconds since 1970.
    package var time: Int64
    /// The method.
    package var method: String
    /// The path, without the query.
    package var path: String
    /// The status of the response.
    package var status: Int
    /// How the caller was recognised; `nil` if the request needed no credentials, or if they were refused.
    package var provider: AccessRule.Provider?
    /// The time that the answer took.
    package var duration: Duration
    /// The size of the response's body in bytes.
    package var byteCount: Int
    /// The report of the service, if the request reached it.
    package var report: RequestReport?
}
