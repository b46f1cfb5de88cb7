import ServerSupport
import TestStores
import TestWaiting
import Testing
import Tidelog

@testable import TidelogServer

@Suite("Reads and deletions of an API without versions", .databaseToo, .timeLimit(.minutes(5)))
struct ReadsWithoutVersionsTests {
    @Test(
        "a deleted record is gone from every query, and its key is free for a new record", arguments: Adapter.persistent
    )
    func deletion(adapter: Adapter) async throws {
        try await TodoServer.run(adapter.factory) { server in
            _ = try server.ask(#"mutation { createList(input: {id: "l", name: "n"}) { id } }"#)
            for id in 1...3 {
                _ = try server.ask(
                    #"mutation { createTodo(input: {id: "\#(id)", rank: 7, content: "c", listId: "l"}) { id } }"#)
            }
            #expect(
                try server.ask(#"mutation { deleteTodo(input: {id: "2"}) { id rank content } }"#)
                    == #"{"deleteTodo":{"id":"2","rank":7,"content":"c"}}"#)
            let ids = #""items":[{"id":"1"},{"id":"3"}]"#
            let queries = [
                ("{ getTodo(id: 2) { id } }", #"{"getTodo":null}"#),
                ("{ listTodos { items { id } } }", #"{"listTodos":{\#(ids)}}"#),
                ("{ listTodos(filter: {rank: {eq: 7}}) { items { id } } }", #"{"listTodos":{\#(ids)}}"#),
                ("{ listTodoByRankAndContent(rank: 7) { items { id } } }", #"{"listTodoByRankAndContent":{\#(ids)}}"#),
                ("{ getList(id: \"l\") { todos { items { id } } } }", #"{"getList":{"todos":{\#(ids)}}}"#),
            ]
            for (query, expected) in queries { #expect(try server.ask(query) == expected, "\(query)") }
            _ = try server.ask(#"mutation { deleteList(input: {id: "l"}) { id } }"#)
            #expect(
                try server.ask("{ getTodo(id: 1) { listId list { name } } }")
                    == #"{"getTodo":{"listId":"l","list":null}}"#, "children stay")
            #expect(
                try server.ask(#"mutation { createTodo(input: {id: "2", content: "new"}) { content rank } }"#)
                    == #"{"createTodo":{"content":"new","rank":null}}"#)
            #expect(
                try server.ask("{ listTodos { items { content } } }")
                    == #"{"listTodos":{"items":[{"content":"c"},{"content":"new"},{"content":"c"}]}}"#)
        }
    }

    @Test("the limit of a list counts the records that it reads, and a full page always has a token")
    func pages() async throws {
        try await TodoServer.run { server in
            for id in 1...6 {
                _ = try server.ask(#"mutation { createTodo(input: {id: "\#(id)", rank: \#(id % 3)}) { id } }"#)
            }
            for (field, expected) in [
                ("listTodos(limit: 2, filter: {rank: {eq: 0}}", ["", "3", "6", ""]),
                ("listTodos(limit: 6", ["1 2 3 4 5 6", ""]), ("listTodos(limit: 7", ["1 2 3 4 5 6"]),
                ("listTodoByRankAndContent(limit: 1, rank: 2", ["2", "5", ""]),
                (#"listTodos(limit: 3, filter: {id: {eq: "5"}}"#, ["", "5", ""]),
            ] {
                var pages: [String] = []
                var token: String?
                repeat {
                    let next = token.map { ", nextToken: \"\($0)\"" } ?? ""
                    let (data, errors) = try server.response("{ \(field)\(next)) { items { id } nextToken } }")
                    #expect(errors == nil)
                    pages.append(data.matches(of: /"id":"([^"]*)"/).map { String($0.1) }.joined(separator: " "))
                    token = data.firstMatch(of: /"nextToken":"([^"]*)"/).map { String($0.1) }
                } while token != nil && pages.count < 9
                #expect(pages == expected, "\(field)")
            }
        }
    }

    @Test("subscribers get the fields that the mutation selected, once for each change that was made")
    func subscriptions() async throws {
        try await TodoServer.run { server in
            let fields = ["Sec-WebSocket-Protocol: graphql-ws", "x-api-key: da2-key"]
            let client = try WebSocketClient(server.port, "/graphql/realtime", fields: fields)
            client.send(#"{"type":"connection_init"}"#)
            #expect(try client.receive().text.contains("connection_ack"))
            #expect(try client.receive().text == #"{"type":"ka"}"#)
            let selection = "{ id content rank createdAt }"
            for (id, query) in [
                ("c", "onCreateTodo \(selection)"),
                ("u", #"onUpdateTodo(filter: {rank: {gt: 1}}) { id content rank }"#),
                ("d", "onDeleteTodo { id content rank }"),
            ] {
                let text = "subscription { \(query) }"
                client.send(
                    #"{"id":"\#(id)","type":"start","payload":{"data":"{\"query\":\"\#(text)\"}","#
                        + #""extensions":{"authorization":{"x-api-key":"da2-key","host":"h"}}}}"#)
                #expect(try client.receive().text == #"{"id":"\#(id)","type":"start_ack"}"#)
            }
            var messages: [String] = []
            for (mutation, isHeard) in [
                ("createTodo(input: {id: 1, content: \"a\", rank: 1}) { id createdAt }", true),
                ("createTodo(input: {id: 2, content: \"b\"}) { id content }", true),
                ("updateTodo(input: {id: 1, content: \"c\"}) { id content rank }", false),
                ("updateTodo(input: {id: 1, rank: 2}) { id rank }", true),
                ("updateTodo(input: {id: 9, rank: 2}) { id rank }", false),
                ("deleteTodo(input: {id: 1}) { id rank }", true), ("deleteTodo(input: {id: 1}) { id }", false),
                ("deleteTodo(input: {id: 2}) { content }", true),
            ] {
                _ = try server.ask("mutation { \(mutation) }")
                if isHeard { messages.append(try client.receive().text) }
            }
            let expected = [
                #""onCreateTodo":{"id":"1","content":null,"rank":null,"createdAt":"2"#,
                #""data":{"onCreateTodo":null},"errors""#,
                #""onUpdateTodo":{"id":"1","content":null,"rank":2}"#,
                #""onDeleteTodo":{"id":"1","content":null,"rank":2}"#,
                #""data":{"onDeleteTodo":null},"errors""#,
            ]
            for (message, expected) in zip(messages, expected) { #expect(message.contains(expected), "\(message)") }
            #expect(
                messages[1].contains(#"["onCreateTodo","createdAt"]"#), "a field that must not be null was not selected"
            )
        }
    }
}

@Suite("Owners in an API without versions", .databaseToo, .timeLimit(.minutes(5)))
struct OwnersWithoutVersionsTests {
    /// The rows of the access matrix: what each caller gets for its own record, for another person's, and for none.
    @Test(
        "an owner learns what is missing by get alone, and each other refusal is the same for a missing record",
        .enabled(if: CommandLineTools.hasOpenSSL, "openssl is missing"))
    func matrix() async throws {
        let issuer = try TokenIssuer()
        let tokens = ["ann": try issuer.token("ann"), "eve": try issuer.token("eve")]
        let refused = "Unauthorized"
        let failed = "DynamoDB:ConditionalCheckFailedException"
        try await RunningServer.run(
            TodoServer.sdl, issuer.authenticator(apiKey: "da2-key"), kind: .timestamps
        ) { port in
            let ann = TodoServer(port: port, credentials: [("Authorization", tokens["ann"] ?? "")])
            let eve = TodoServer(port: port, credentials: [("Authorization", tokens["eve"] ?? "")])
            let key = TodoServer(port: port)
            #expect(
                try ann.ask(#"mutation { createDiary(input: {id: "a", text: "t", rank: 1}) { text owner } }"#)
                    == #"{"createDiary":{"text":"t","owner":"ann::ann-name"}}"#)
            _ = try eve.ask(#"mutation { createDiary(input: {id: "e", text: "s", rank: 1}) { text } }"#)
            let rows: [(TodoServer, String, String)] = [
                (ann, #"{ getDiary(id: "a") { text } }"#, #"{"getDiary":{"text":"t"}}"#),
                (eve, #"{ getDiary(id: "a") { text } }"#, #"{"getDiary":null} \#(refused)"#),
                (ann, #"{ getDiary(id: "none") { text } }"#, #"{"getDiary":null}"#),
                (key, #"{ getDiary(id: "none") { text } }"#, #"{"getDiary":null} \#(refused)"#),
                (ann, "{ listDiaries { items { id } } }", #"{"listDiaries":{"items":[{"id":"a"}]}}"#),
                (eve, "{ listDiaries { items { id } } }", #"{"listDiaries":{"items":[{"id":"e"}]}}"#),
                (key, "{ listDiaries { items { id } } }", #"{"listDiaries":null} \#(refused)"#),
                (ann, "{ listDiaryByRank(rank: 1) { items { id } } }", #"{"listDiaryByRank":{"items":[{"id":"a"}]}}"#),
                // Records of other persons count for the limit, so that a page may be empty.
                (eve, "{ listDiaries(limit: 1) { items { id } } }", #"{"listDiaries":{"items":[]}}"#),
                (ann, #"mutation { updateDiary(input: {id: "a"}) { text } }"#, #"{"updateDiary":{"text":"t"}}"#),
                (eve, #"mutation { updateDiary(input: {id: "a"}) { text } }"#, #"{"updateDiary":null} \#(refused)"#),
                (ann, #"mutation { updateDiary(input: {id: "none"}) { text } }"#, #"{"updateDiary":null} \#(refused)"#),
                (eve, #"mutation { deleteDiary(input: {id: "a"}) { text } }"#, #"{"deleteDiary":null} \#(refused)"#),
                (ann, #"mutation { deleteDiary(input: {id: "none"}) { text } }"#, #"{"deleteDiary":null} \#(refused)"#),
                // A creation reads no record.
                (eve, #"mutation { createDiary(input: {id: "a"}) { text } }"#, #"{"createDiary":null} \#(failed)"#),
                (ann, #"mutation { createDiary(input: {id: "a"}) { text } }"#, #"{"createDiary":null} \#(failed)"#),
                (
                    ann,
                    #"mutation { updateDiary(input: {id: "a"}, condition: {owner: {eq: "ann::ann-name"}}) { text } }"#,
                    #"{"updateDiary":{"text":"t"}}"#
                ),
                (
                    ann, #"mutation { updateDiary(input: {id: "a"}, condition: {owner: {eq: "eve"}}) { text } }"#,
                    #"{"updateDiary":null} \#(failed)"#
                ),
                (
                    ann, #"mutation { updateDiary(input: {id: "a", text: null}) { text } }"#,
                    #"{"updateDiary":{"text":null}}"#
                ),
                (ann, #"mutation { deleteDiary(input: {id: "a"}) { id } }"#, #"{"deleteDiary":{"id":"a"}}"#),
                (ann, #"mutation { deleteDiary(input: {id: "a"}) { id } }"#, #"{"deleteDiary":null} \#(refused)"#),
                (eve, #"{ getDiary(id: "a") { text } }"#, #"{"getDiary":null}"#),
                (
                    eve, #"mutation { createDiary(input: {id: "a"}) { owner } }"#,
                    #"{"createDiary":{"owner":"eve::eve-name"}}"#
                ),
            ]
            for (caller, document, expected) in rows {
                #expect(try caller.ask(document) == expected, "\(document)")
            }
        }
    }

    @Test(
        "an owner's subscription has the changes of the owner's records, with or without the argument for the owner",
        .enabled(if: CommandLineTools.hasOpenSSL, "openssl is missing"))
    func subscriptions() async throws {
        let issuer = try TokenIssuer()
        let (ann, eve) = (try issuer.token("ann"), try issuer.token("eve"))
        try await RunningServer.run(
            TodoServer.sdl, issuer.authenticator(apiKey: "da2-key"), kind: .timestamps
        ) { port in
            let fields = ["Sec-WebSocket-Protocol: graphql-ws", "Authorization: \(ann)"]
            let client = try WebSocketClient(port, "/graphql/realtime", fields: fields)
            client.send(#"{"type":"connection_init"}"#)
            #expect(try client.receive().text.contains("connection_ack"))
            #expect(try client.receive().text == #"{"type":"ka"}"#)
            for (id, argument, answer) in [
                ("1", "", "start_ack"), ("2", #"(owner: \\\"ann::ann-name\\\")"#, "start_ack"),
                ("3", #"(owner: \\\"eve::eve-name\\\")"#, "Unauthorized"),
            ] {
                let text = "subscription { onDeleteDiary\(argument) { id text } }"
                client.send(
                    #"{"id":"\#(id)","type":"start","payload":{"data":"{\"query\":\"\#(text)\"}","#
                        + #""extensions":{"authorization":{"Authorization":"\#(ann)","host":"h"}}}}"#)
                #expect(try client.receive().text.contains(answer))
            }
            for (token, id) in [(eve, "e"), (ann, "a")] {
                let server = TodoServer(port: port, credentials: [("Authorization", token)])
                _ = try server.ask(#"mutation { createDiary(input: {id: "\#(id)", text: "t"}) { id } }"#)
                #expect(
                    try server.ask(#"mutation { deleteDiary(input: {id: "\#(id)"}) { id text } }"#)
                        == #"{"deleteDiary":{"id":"\#(id)","text":"t"}}"#)
            }
            let data = #"{"onDeleteDiary":{"id":"a","text":"t"}}"#
            for number in 1...2 {
                #expect(
                    try client.receive().text
                        == #"{"id":"\#(number)","type":"data","payload":{"data":\#(data)}}"#)
            }
        }
    }
}
