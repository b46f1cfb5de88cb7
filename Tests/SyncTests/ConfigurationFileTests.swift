import FaultHarness
import Foundation
import Testing
import TidelogSync

@Suite("Configuration files of Amplify")
struct ConfigurationFileTests {
    private static func read(_ text: String) throws -> SyncConfiguration {
        let directory = try TemporaryDirectory()
        let file = directory.file("amplify.json")
        try Data(text.utf8).write(to: file)
        return try SyncConfiguration(contentsOf: file)
    }

    private static func first(_ api: String, before: String = "") -> String {
        #"{"UserAgent":"a","Version":"1.0","api":{"plugins":{"awsAPIPlugin":{\#(before)"blog":{\#(api)}}}}}"#
    }

    @Test("a file of the first generation gives the address, the region, the key and the mode")
    func firstGeneration() throws {
        let file = Self.first(
            #""endpointType":"GraphQL","endpoint":"https://a.example/graphql","region":"eu-west-1","#
                + #""authorizationType":"API_KEY","apiKey":"da2-1""#)
        let configuration = try Self.read(file)
        #expect(configuration.endpoint == URL(string: "https://a.example/graphql"))
        #expect(configuration.region == "eu-west-1" && configuration.apiKey == "da2-1")
        #expect(configuration.defaultAuthorizationMode == .apiKey)
        #expect(configuration.syncPageSize == 1_000 && configuration.authModeStrategy == .default)
    }

    @Test("if a file has several APIs, the first GraphQL API is used")
    func severalAPIs() throws {
        let rest = #""z":{"endpointType":"REST","endpoint":"https://rest.example"},"#
        let two = rest + #""y":{"endpointType":"GraphQL","endpoint":"https://y.example/graphql"},"#
        let api = #""endpointType":"GraphQL","endpoint":"https://a.example/graphql""#
        let first = try Self.read(Self.first(api, before: rest))
        #expect(first.endpoint?.host() == "a.example")
        #expect(try Self.read(Self.first(api, before: two)).endpoint?.host() == "y.example")
        // Values that the file does not have are `nil`.
        #expect(first.region == nil && first.apiKey == nil && first.defaultAuthorizationMode == nil)
    }

    @Test("a file of the second generation gives the same settings")
    func secondGeneration() throws {
        let file = #"""
            {"version":"1.3","auth":{"user_pool_id":"p"},"data":{"url":"https://b.example/graphql",
            "aws_region":"us-east-1","api_key":"da2-2","default_authorization_type":"AMAZON_COGNITO_USER_POOLS",
            "authorization_types":["API_KEY"],"model_introspection":{"version":1}}}
            """#
        let configuration = try Self.read(file)
        #expect(configuration.endpoint == URL(string: "https://b.example/graphql"))
        #expect(configuration.region == "us-east-1" && configuration.apiKey == "da2-2")
        #expect(configuration.defaultAuthorizationMode == .amazonCognitoUserPools)
    }

    @Test(
        "each authorization mode is read from Amplify's name for it",
        arguments: [
            ("OPENID_CONNECT", GraphQLAuthorization.Mode.openIDConnect), ("AWS_LAMBDA", .function),
            ("AWS_IAM", .awsIAM), ("AMAZON_COGNITO_USER_POOLS", .amazonCognitoUserPools),
        ])
    func modes(_ name: String, _ mode: GraphQLAuthorization.Mode) throws {
        let file = #"{"data":{"url":"http://localhost:20002/graphql","default_authorization_type":"\#(name)"}}"#
        #expect(try Self.read(file).defaultAuthorizationMode == mode)
    }

    @Test(
        "a file with missing or invalid settings is refused with a message that names the setting",
        arguments: [
            ("", "not JSON"), ("{", "not JSON"), ("[]", "no API"), ("{}", "no API"), (#"{"data":7}"#, "no API"),
            (#"{"api":{"plugins":{"awsAPIPlugin":{}}}}"#, "no API"),
            (#"{"api":{"plugins":{"awsAPIPlugin":{"a":{"endpointType":"REST","endpoint":"https://a"}}}}}"#, "no API"),
            (#"{"api":{"plugins":{"awsAPIPlugin":{"a":{"endpointType":"GraphQL"}}}}}"#, "no address"),
            (#"{"data":{"aws_region":"eu-west-1"}}"#, "no address"), (#"{"data":{"url":""}}"#, "no address"),
            (#"{"data":{"url":"ftp://a"}}"#, "ftp://a"), (#"{"data":{"url":7}}"#, "no address"),
            (#"{"data":{"url":"https://a","default_authorization_type":"MAGIC"}}"#, "MAGIC"),
            (#"{"data":{"url":"https://a","default_authorization_type":"API_KEY"}}"#, "API key"),
        ])
    func refused(_ text: String, _ word: String) throws {
        #expect {
            try Self.read(text)
        } throws: {
            guard let error = $0 as? SyncError else { return false }
            return error.code == .invalidConfiguration && error.message.contains(word) && !error.recovery.isEmpty
        }
    }

    @Test("a missing file is refused with an error that names the file")
    func missing() throws {
        let directory = try TemporaryDirectory()
        #expect {
            try SyncConfiguration(contentsOf: directory.file("nothing.json"))
        } throws: {
            guard let error = $0 as? SyncError else { return false }
            return error.code == .invalidConfiguration && error.message.contains("nothing.json")
                && error.underlying != nil
        }
    }
}
