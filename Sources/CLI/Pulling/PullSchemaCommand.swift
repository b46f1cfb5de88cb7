internal import Tidelog
internal import TidelogCurlTransport
internal import TidelogFoundation
internal import TidelogJSON
internal import TidelogRecordText
internal import TidelogSync

/// Fetches a server's schema.
struct PullSchemaCommand: Command {
    static let syntax = CommandSyntax(
        name: "pull-schema", summary: "fetch the annotated schema of a server",
        discussion: """
            A server of `tidelog serve` gives the schema that it was started with, byte for byte.
            Any other server is asked by introspection, if it allows that. Introspection tells types and operations, and no
            directives: models, relations and indexes are inferred from the names of operations. What cannot be inferred,
            the access rules first of all, is listed on standard error, a line each.
            """,
        options: [
            ServerArguments.endpointOption, ServerArguments.keyOption, ServerArguments.configurationOption,
            ServerArguments.certificatesOption,
        ],
        examples: [
            .init(
                "Into a file",
                "pull-schema --endpoint http://127.0.0.1:20002/graphql --api-key da2-example > pulled.graphql"),
            .init(
                "With the list as JSON",
                "pull-schema --endpoint http://127.0.0.1:20002/graphql --api-key da2-example --json"),
        ])

    private let server: ServerArguments
    private var endpoint: URL { server.endpoint }
    private var key: String { server.key }

    init(_ arguments: Arguments) throws { server = try ServerArguments(arguments) }

    func run(_ console: Console) async throws -> ExitStatus {
        let transport = server.transport
        if let source = try await source(transport) {
            if console.isJSON {
                try write(String(decoding: source, as: UTF8.self), notInferred: nil, console)
            } else {
                try console.output.write(source)
            }
            return .done
        }
        let inferred = try InferredSchema(introspection: try await introspect(transport))
        if console.isJSON {
            try write(inferred.sdl, notInferred: inferred.notInferred, console)
        } else {
            for reason in inferred.notInferred { console.warn(reason) }
            try console.output.write(inferred.sdl)
        }
        return .done
    }

    private func write(_ schema: String, notInferred: [String]?, _ console: Console) throws {
        try console.output.writeObject { writer in
            writer.member("schema", schema)
            if let notInferred { writer.texts("notInferred", notInferred) }
        }
    }

    /// The schema that a server of this project was started with; `nil` if the server does not publish its schema.
    private func source(_ transport: CurlTransport) async throws -> [UInt8]? {
        let url = endpoint.deletingLastPathComponent().appending(path: "schema.graphql")
        let response = try await send(TransportRequest("GET", url, headers: ["x-api-key": key]), transport)
        // Another kind of server may answer with status 200 and an ordinary web page.
        guard response.status == 200, (try? SchemaDocument(sdl: response.body)) != nil else { return nil }
        return response.body
    }

    private func introspect(_ transport: CurlTransport) async throws -> JSONValue {
        var body = JSONWriter()
        body.object { $0.member("query", Self.introspection) }
        let headers = ["x-api-key": key, "Content-Type": "application/json"]
        let response = try await send(
            TransportRequest("POST", endpoint, headers: headers, body: body.bytes), transport)
        let json = try? JSONValue(parsing: response.body)
        // A firewall or a proxy answers with the same statuses, and without an error of GraphQL.
        if response.status == 401 || response.status == 403, json?["errors"]?.elements?.isEmpty == false {
            throw CommandFailure(
                .failed, "unauthorized", "The server does not accept the key.", recovery: "Check --api-key.")
        }
        guard let json else {
            throw CommandFailure(
                .failed, "noSchema", "The server answers with status \(response.status) and no JSON.",
                recovery: "Check --endpoint; it usually ends with /graphql.")
        }
        guard let schema = json["data"]?["__schema"], schema != .null else {
            let reason = json["errors"]?.elements?.first?["message"]?.text.map { " It says: \($0)" } ?? ""
            throw CommandFailure(
                .failed, "noSchema", "The server gives neither its schema nor an introspection.\(reason)",
                recovery: "Allow introspection on the server, or ask its owner for the schema.")
        }
        return schema
    }

    private func send(_ request: TransportRequest, _ transport: CurlTransport) async throws -> TransportResponse {
        do throws(TransportError) {
            return try await transport.send(request)
        } catch {
            let status: ExitStatus = error.code == .unusableRequest ? .usage : .failed
            throw CommandFailure(
                status, error.code.rawValue, "The server was not reached: \(error.message)",
                recovery: "Check --endpoint and whether the server runs.")
        }
    }

    private static let introspection = """
        query Introspection { __schema { queryType { name } mutationType { name } subscriptionType { name }
        types { kind name description
        fields { name description args { name type { ...Type } } type { ...Type } }
        inputFields { name type { ...Type } }
        enumValues(includeDeprecated: true) { name } } } }
        fragment Type on __Type { kind name ofType { kind name ofType { kind name ofType { kind name
        ofType { kind name ofType { kind name ofType { kind name } } } } } } }
        """
}
