internal import TidelogAgreement
internal import TidelogGraphQLExecution

/// GraphQL over HTTP: POST with a JSON body, or GET with a query.
struct GraphQLRoute: Sendable {
    let service: Service

    let isReported: Bool

    func respond(
        to request: HTTPRequest, from caller: Caller
    ) async throws(HTTPFailure) -> (response: HTTPResponse, report: RequestReport?) {
        let asked = try Self.asked(by: request)
        let response: ServiceResponse
        do {
            response = try await service.respond(to: asked, from: caller, isReported: isReported)
        } catch {
            // The client is gone or the server is stopping, so no client reads this response.
            throw HTTPFailure(503, "ServiceUnavailableException", "The server is being stopped.")
        }
        if let malformed = response.malformed { throw .malformed(malformed.message) }
        if response.isOverloaded { throw .overloaded }
        return (Self.response(response, to: request), response.report)
    }

    // MARK: Request

    private static func asked(by request: HTTPRequest) throws(HTTPFailure) -> ServiceRequest {
        do throws(ServiceRequest.Malformed) {
            if request.method == "GET" {
                return try ServiceRequest(
                    query: request.queryValue("query"), variables: request.queryValue("variables"),
                    operationName: request.queryValue("operationName"))
            }
            guard isJSON(request.headers["Content-Type"]) else {
                throw ServiceRequest.Malformed(message: "The Content-Type of a request is application/json.")
            }
            var asked = try ServiceRequest(body: request.body)
            try asked.setMutations(header: request.headers[MutationHeader.name])
            return asked
        } catch {
            throw .malformed(error.message)
        }
    }

    /// Whether a body with this content type is parsed as JSON. A body without a content type is, and so is
    /// `application/graphql`, with which some clients of AppSync send JSON.
    private static func isJSON(_ contentType: String?) -> Bool {
        guard let contentType else { return true }
        let type = contentType.prefix { $0 != ";" }.trimmingBlanks
        return type.isEmpty
            || ["application/json", "application/graphql+json", "application/graphql"].contains {
                type.isEqualIgnoringCase($0)
            }
    }

    // MARK: Response

    /// Makes the HTTP response. A GraphQL response has status 200 even if it contains errors. Failures of the server itself are
    /// an exception, because a client repeats such a request later, but treats an error of a field as final. The other
    /// exception is a mutation sent by GET.
    private static func response(_ response: ServiceResponse, to request: HTTPRequest) -> HTTPResponse {
        var headers: HTTPHeaders = ["Content-Type": "application/json;charset=UTF-8"]
        var status = 200
        for (type, failing) in [(ServiceFailure.internalFailure, 500), (ServiceFailure.notByThisMethod, 405)]
        where response.errors.contains(where: { $0.errorType == type }) {
            headers.set("x-amzn-errortype", type)
            status = failing
        }
        if status == 405 { headers.set("Allow", "POST") }
        var answer = HTTPResponse(status: status, headers: headers, body: response.boundedJSON)
        answer.holding = response.share
        return answer
    }
}
