internal import TidelogJSON

/// A failure without a GraphQL response, in AppSync's form: `{"errors":[{"errorType":…,"message":…}]}`.
package struct HTTPFailure: Error, Sendable, Hashable {
    /// The status of the response.
    let status: Int
    /// The type of the failure, for programs.
    let errorType: String
    /// The reason, as one sentence.
    let message: String

    init(_ status: Int, _ errorType: String, _ message: String) {
        self.status = status
        self.errorType = errorType
        self.message = message
    }

    /// The credentials are missing or wrong. The response does not reveal which of the two is the case.
    static let unauthorized = HTTPFailure(
        401, "UnauthorizedException", "You are not authorized to make this call.")
    /// The path does not exist.
    static let notFound = HTTPFailure(404, "NotFoundException", "There is nothing at this path.")

    /// All responses that are being made or sent have too many bytes together.
    static let overloaded = HTTPFailure(
        503, ServiceFailure.overloaded, "The server has too many responses under way: try again in a moment.")

    static func malformed(_ message: String) -> HTTPFailure {
        HTTPFailure(400, "MalformedHttpRequestException", message)
    }

    static func methodNotAllowed(_ methods: String) -> HTTPFailure {
        HTTPFailure(405, "BadRequestException", "This path takes \(methods).")
    }

    /// Makes the failure for a request that the listener refuses.
    init(_ refusal: HTTPRefusal) {
        let errorType =
            switch refusal.status {
            case 400: "MalformedHttpRequestException"
            case 413: "RequestEntityTooLargeException"
            default: "BadRequestException"
            }
        self.init(refusal.status, errorType, refusal.message)
    }

    /// The response.
    package var response: HTTPResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("errors")
        writer.beginArray()
        writer.beginObject()
        writer.key("errorType")
        writer.string(errorType)
        writer.key("message")
        writer.string(message)
        writer.endObject()
        writer.endArray()
        writer.endObject()
        return HTTPResponse(
            status: status,
            headers: ["Content-Type": "application/json;charset=UTF-8", "x-amzn-errortype": errorType],
            body: writer.bytes)
    }
}
