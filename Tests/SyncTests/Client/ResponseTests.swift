import ClientModels
import Foundation
import ServerSupport
import TestWaiting
import Testing
import Tidelog

@testable import TidelogClientMachines
@testable import TidelogSync

@Suite("Responses that are not as they should be", .timeLimit(.minutes(5)))
struct ResponseTests {
    private static func client(_ transport: any Transport) throws -> GraphQLClient {
        try GraphQLClient(
            endpoint: try #require(URL(string: "http://127.0.0.1:1/graphql")), authorization: .apiKey("key"),
            schema: .blog, transport: transport)
    }

    /// Responses whose bodies have a secret, and whether the secret is the server's reason.
    private static let withSecret: [(String, Int, Bool)] = [
        ("secret", 200, false), ("secret", 302, false), ("secret", 401, false), ("secret", 502, false),
        (#"{"data":"secret"}"#, 200, false), (#"{"data":{"getBlog":"secret"}}"#, 200, false),
        (#"{"data":{"getBlog":"secret"#, 200, false), (#"{"data":{"getBlog":null},"secret":"secret"}"#, 404, false),
        (#"{"data":{"getBlog":{"id":"secret"}}}"#, 200, false),
        (#"{"data":{"getBlog":{"id":"b","name":["secret"]}}}"#, 200, false),
        (#"{"data":{"getBlog":{"id":"b","name":"secret"}},"errors":[{"message":"m"}]}"#, 200, false),
        (#"{"errors":[{"message":"m","data":{"name":"secret"}}]}"#, 200, false),
        (#"{"errors":[{"message":"secret","errorType":"Unauthorized"}]}"#, 200, true),
        (#"{"errors":[{"message":"secret"}]}"#, 200, true),
    ]

    private static let bad: [(String, Int, GraphQLClientError.Code)] = [
        ("", 200, .malformedResponse), ("<html>", 200, .malformedResponse), ("[]", 200, .malformedResponse),
        ("{", 200, .malformedResponse), (#"{"data":{"getBlog":{}}} x"#, 200, .malformedResponse),
        (#"{"data":{"getBlog":{"id":"b"}}}"#, 200, .malformedResponse),
        (#"{"data":{"getBlog":{"id":"b","name":7}}}"#, 200, .malformedResponse),
        (#"{"data":{"getBlog":[1]}}"#, 200, .malformedResponse),
        (#"{"data":null,"errors":[{"message":"m","errorType":"Unauthorized"}]}"#, 200, .unauthorized),
        (#"{"data":{"getBlog":null},"errors":[{"message":"m"}]}"#, 200, .other),
        (
            #"{"errors":[{"message":"m","errorType":"DynamoDB:ConditionalCheckFailedException"}]}"#, 200,
            .conditionFailed
        ),
        (#"{"errors":[{"message":"Validation error of type FieldUndefined"}]}"#, 200, .badRequest),
        (#"{"errors":[{"message":"m","errorType":"OperationDisabled"}]}"#, 200, .operationDisabled),
        (#"{"errors":[{"message":"m","errorType":"ThrottlingException"}]}"#, 400, .throttled),
        (#"{"errors":[{"message":"m","errorType":"New"}]}"#, 503, .serverFault),
        ("<html>", 502, .serverFault), ("", 401, .serverFault), ("<html>", 403, .serverFault),
        ("{}", 403, .serverFault), (#"{"data":null}"#, 401, .serverFault), ("", 413, .limitExceeded),
        (#"{"errors":[{"message":"m"}]}"#, 401, .unauthorized),
        (#"{"errors":[{"message":"m","errorType":"WAFForbiddenException"}]}"#, 403, .serverFault),
        ("slow down", 429, .throttled), (#"{"data":{"getBlog":null}}"#, 404, .badRequest),
        ("", 302, .malformedResponse),
    ]

    @Test("each unusable response gives an error with its code and its HTTP status")
    func codes() async throws {
        for (body, status, code) in Self.bad {
            let client = try Self.client(StubTransport(body, status: status))
            let error = await clientFailure { () throws(GraphQLClientError) in
                _ = try await client.query(.get(Blog.self, id: "b"))
            }
            #expect(error?.code == code, "\(status) \(body): \(String(describing: error))")
            #expect(error?.status == (status == 200 ? nil : status))
        }
    }

    @Test("a header field of AppSync names the error of a response whose body has none")
    func header() async throws {
        let client = try Self.client(
            StubTransport { (_) throws(TransportError) in
                TransportResponse(
                    status: 403, headers: ["x-amzn-errortype": "AccessDeniedException:http://internal/"],
                    body: Array(#"{"Message":"no"}"#.utf8))
            })
        let error = await clientFailure { () throws(GraphQLClientError) in
            _ = try await client.query(.get(Blog.self, id: "b"))
        }
        #expect(error?.code == .unauthorized && error?.status == 403)
        #expect(error?.errors.first?.errorType == "AccessDeniedException")
    }

    @Test("an operation has the name that the schema gives it, and one that the schema leaves out is an error")
    func missingOperations() async throws {
        let asked = Shared<[String]>([])
        let client = try GraphQLClient(
            endpoint: try #require(URL(string: "http://127.0.0.1:1/graphql")), authorization: .apiKey("key"),
            schema: .stamps,
            transport: StubTransport { (request) throws(TransportError) in
                asked.update { $0.append(String(decoding: request.body, as: UTF8.self)) }
                return TransportResponse(status: 200, body: Array(#"{"data":{"fetchQuiet":null}}"#.utf8))
            })
        #expect(try await client.query(.get(Quiet.self, id: "1")) == nil)
        #expect(asked.value.count == 1 && asked.value[0].contains("{ fetchQuiet(id: $id)"))
        let mutation = await clientFailure { () throws(GraphQLClientError) in
            _ = try await client.mutate(.delete(Quiet.self, id: "1"))
        }
        #expect(mutation?.code == .operationDisabled && mutation?.message.contains("no mutation delete") == true)
        let subscription = await clientFailure { () throws(GraphQLClientError) in
            _ = try await client.subscribe(.onUpdate(Quiet.self))
        }
        #expect(subscription?.code == .operationDisabled && subscription?.message.contains("onUpdate") == true)
        #expect(asked.value.count == 1)
    }

    @Test("null is a valid result of a get, but not of a mutation or a list")
    func nulls() async throws {
        let got = try Self.client(StubTransport(#"{"data":{"getBlog":null}}"#))
        #expect(try await got.query(.get(Blog.self, id: "b")) == nil)
        let made = try Self.client(StubTransport(#"{"data":{"createBlog":null}}"#))
        let mutation = await clientFailure { () throws(GraphQLClientError) in
            _ = try await made.mutate(.create(Blog(id: "b", name: "n")))
        }
        #expect(mutation?.code == .malformedResponse)
        for list in ["null", "{}", #"{"items":null}"#, #"{"items":7}"#] {
            let listed = try Self.client(StubTransport(#"{"data":{"listBlogs":\#(list)}}"#))
            let error = await clientFailure { () throws(GraphQLClientError) in
                _ = try await listed.query(.list(Blog.all))
            }
            #expect(error?.code == .malformedResponse, "\(list)")
        }
    }

    @Test("null and invalid elements of a page are reported as errors, and the other records are returned")
    func elements() async throws {
        let items = #"""
            [{"id":"1","name":"one","_version":3,"_lastChangedAt":9,"_deleted":null,"__typename":"Blog"}, null, null,
             {"id":"4"}, {"id":"5","_deleted":true,"_version":2,"_lastChangedAt":7}, {"id":"6","name":"six"}]
            """#
        let errors = #"[{"message":"Not Authorized","errorType":"Unauthorized","path":["listBlogs","items",1]}]"#
        let body = #"{"data":{"listBlogs":{"items":\#(items),"nextToken":"t"}},"errors":\#(errors)}"#
        let page = try await Self.client(StubTransport(body)).query(.list(Blog.all))
        #expect(page.records.count == 3)
        #expect(page.records.compactMap(\.value?.id) == ["1", "6"])
        #expect(page.records[0].state == ServerState(version: 3, lastChangedAt: 9))
        #expect(page.records[1] == .deleted("5", ServerState(version: 2, lastChangedAt: 7, isDeleted: true), last: nil))
        #expect(page.records[2].state == nil)
        #expect(page.nextToken == "t")
        #expect(page.errors.map(\.path.last) == ["1", "2", "3"])
        #expect(page.errors.map(\.errorType) == ["Unauthorized", nil, nil])
    }

    @Test("an error's message holds data of the response only as the server's reason, and its description never does")
    func secrets() async throws {
        for (body, status, isReason) in Self.withSecret {
            let client = try Self.client(StubTransport(body, status: status))
            let failure = await clientFailure { () throws(GraphQLClientError) in
                _ = try await client.query(.get(Blog.self, id: "b"))
            }
            let error = try #require(failure, "\(status) \(body)")
            #expect(error.message.contains("secret") == isReason, "\(status) \(body): \(error.message)")
            #expect(!error.description.contains("secret"), "\(status) \(body): \(error.description)")
        }
    }

    @Test("a failure of the transport becomes an error of the client, with the failure as its cause")
    func transportFailures() async throws {
        for code in [TransportError.Code.unreachable, .timedOut, .tooLarge, .tls] {
            let client = try Self.client(
                StubTransport { (_) throws(TransportError) in throw TransportError(code, "It failed.") })
            let error = await clientFailure { () throws(GraphQLClientError) in
                _ = try await client.query(.get(Blog.self, id: "b"))
            }
            #expect(error?.code == .transport)
            #expect((error?.underlying as? TransportError)?.code == code)
        }
    }

    @Test("request documents have the server's names, a variable for each value, and all fields of the model")
    func documents() async throws {
        let seen = Shared<[String]>([])
        let client = try Self.client(
            StubTransport { (request) throws(TransportError) in
                seen.update { $0.append(String(decoding: request.body, as: UTF8.self)) }
                #expect(request.headers["x-api-key"] == "key")
                return TransportResponse(status: 200, body: Array("{}".utf8))
            })
        _ = try? await client.query(.list(Volume.where(Volume.keys.edition > 2).limit(5), nextToken: "t"))
        _ = try? await client.query(.get(Volume.self, id: ["978", 2]))
        _ = try? await client.mutate(.update(Blog(id: "b", name: "n"), version: 4, where: Blog.keys.name == "o"))
        let volume = "__typename isbn edition title createdAt updatedAt _version _lastChangedAt _deleted"
        let blog = "__typename id name createdAt updatedAt _version _lastChangedAt _deleted"
        #expect(
            seen.value == [
                #"{"query":"query ListVolumes($filter: ModelVolumeFilterInput, $limit: Int, $nextToken: String) "#
                    + #"{ listVolumes(filter: $filter, limit: $limit, nextToken: $nextToken) "#
                    + #"{ items { \#(volume) } nextToken } }","variables":"#
                    + #"{"filter":{"edition":{"gt":2}},"limit":5,"nextToken":"t"}}"#,
                #"{"query":"query GetVolume($isbn: String!, $edition: Int!) "#
                    + #"{ getVolume(isbn: $isbn, edition: $edition) { \#(volume) } }","#
                    + #""variables":{"isbn":"978","edition":2}}"#,
                #"{"query":"mutation UpdateBlog($input: UpdateBlogInput!, $condition: ModelBlogConditionInput) "#
                    + #"{ updateBlog(input: $input, condition: $condition) { \#(blog) } }","variables":"#
                    + #"{"input":{"id":"b","name":"n","_version":4},"condition":{"name":{"eq":"o"}}}}"#,
            ])
    }
}
