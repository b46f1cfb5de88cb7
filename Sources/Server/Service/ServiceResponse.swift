package import TidelogGraphQLExecution
internal import TidelogJSON

/// A GraphQL response.
package struct ServiceResponse: Sendable {
    /// The data of the response; null if the operation was not executed.
    package var data: ResponseValue
    /// The errors of the response.
    package var errors: [GraphQLError]
    /// The reason why the request is malformed: its document is not GraphQL or is too large, or the operation to execute is not
    /// clear. Over HTTP, such a response has status 400.
    package private(set) var malformed: ServiceRequest.Malformed?
    /// The response's share of the bytes of all responses.
    private(set) var share: ResponsePool.Share?
    private var isMutation = false
    /// The largest size of the response in bytes.
    private var maximumByteCount = Int.max
    /// Whether a query was refused because the server had too many response bytes to send.
    private(set) var isOverloaded = false
    /// The report on the request, if one was requested.
    package var report: RequestReport?

    package init(data: ResponseValue, errors: [GraphQLError] = []) { (self.data, self.errors) = (data, errors) }

    /// Makes the response of an execution.
    init(_ result: ExecutableOperation.Result, _ context: RequestContext, isMutation: Bool, maximumByteCount: Int) {
        self.init(data: result.data, errors: context.errors(of: result))
        share = context.share
        (self.isMutation, self.maximumByteCount) = (isMutation, maximumByteCount)
        isOverloaded = !isMutation && errors.contains { $0.errorType == ServiceFailure.overloaded }
    }

    /// Makes the response to a request that is not executed.
    init(_ error: RequestErrors) {
        self.init(data: .null, errors: error.errors)
        guard let first = error.errors.first else { return }
        switch error.subject {
        case .syntax:
            let place = first.locations.first.map { " (line \($0.line), column \($0.column))" } ?? ""
            malformed = ServiceRequest.Malformed(message: "Unable to parse GraphQL query: \(first.message)\(place)")
        case .operationName: malformed = ServiceRequest.Malformed(message: first.message)
        case .validity: break
        }
    }

    /// The response as JSON.
    package var json: [UInt8] {
        var buffer: [UInt8] = []
        buffer.reserveCapacity(share?.byteCount ?? 0)
        var writer = JSONWriter(appendingTo: buffer)
        write(to: &writer)
        return writer.bytes
    }

    /// The response as JSON. If it is too long, an error replaces it. The length is checked again here, because names, numbers
    /// and errors were not counted before.
    var boundedJSON: [UInt8] {
        let json = json
        guard json.count > maximumByteCount else { return json }
        let made = isMutation ? " The changes of the mutation are written." : ""
        let error = GraphQLError(
            message: "The response has \(json.count) bytes, and \(maximumByteCount) are allowed: ask for less at a "
                + "time.\(made)", errorType: ServiceFailure.limitExceeded)
        return ServiceResponse(data: .null, errors: [error]).json
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("data")
        data.write(to: &writer)
        if !errors.isEmpty {
            writer.key("errors")
            writer.beginArray()
            for error in errors { error.write(to: &writer) }
            writer.endArray()
        }
        writer.endObject()
    }
}
