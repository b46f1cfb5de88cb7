import FaultHarness
import Foundation
import Testing
import TidelogJSON

@Suite("The output fields that docs/CLI.md explains")
struct OutputFieldTests {
    /// The names that the first column of the page's table explains.
    private func documented() throws -> Set<String> {
        let page = try String(contentsOf: repository.appendingPathComponent("docs/CLI.md"), encoding: .utf8)
        let section = page.components(separatedBy: "## Output fields")[1].components(separatedBy: "\n## ")[0]
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
        for row in rows { #expect(row.split(separator: "|").count == 3, "\(row)") }
        return Set(rows.flatMap { $0.split(separator: "|")[0].matches(of: /`([^`]+)`/).map { String($0.1) } })
    }

    /// The keys of `value` and of all values within it. The keys of records, and of objects whose keys are names, are
    /// left out.
    private func keys(_ value: JSONValue, under name: String = "") -> Set<String> {
        switch value {
        case .object(let members):
            if name == "record" || name == "before" { return [] }
            let isNamed = ["models", "consumers", "lastSync", "queries"].contains(name)
            return members.reduce(into: []) { found, member in
                if !isNamed { found.insert(member.key) }
                found.formUnion(keys(member.value, under: member.key))
            }
        case .array(let elements): return elements.reduce(into: []) { $0.formUnion(keys($1)) }
        default: return []
        }
    }

    @Test("every field that a command writes is explained, and every field that is explained exists")
    func fields() async throws {
        let shop = try Shop()
        try shop.write(Shop.notes(0..<3), to: "notes")
        try shop.write(Shop.schema.replacing("rating: Int", with: "rating: Float"), to: "other.graphql")
        try shop.write(Shop.schema.replacing("weight: Float", with: "mass: Float"), to: "renamed.graphql")
        let outcome = try shop.shell(
            """
            exec 2>&1
            tidelog init --store other --schema schema.graphql --json
            tidelog import --store shop --schema schema.graphql --json Note notes
            tidelog import --store shop --ack --json Note notes
            echo '{}' | tidelog import --store shop --skip-bad --json Note -
            tidelog save --store shop Note '{"id":"n1","rating":9}' --patch --json
            tidelog delete --store shop Note n2 --json
            tidelog query --store shop Note --count --json
            tidelog query --store shop Note --explain --json
            tidelog get --store shop Note nobody --json
            tidelog log --store shop --json
            tidelog history --store shop Note n1 --json
            tidelog stats --store shop --json
            tidelog verify --store shop --salvage copy --json
            tidelog compact --store shop --json
            tidelog rebuild --store shop --json
            tidelog backup --store shop backup --json
            tidelog schema print --store shop --json
            tidelog schema print schema.graphql --api --json
            tidelog schema diff shop other.graphql --json
            tidelog schema status other.graphql --store shop --json
            tidelog schema diff shop renamed.graphql --json
            tidelog schema status renamed.graphql --store shop --json
            tidelog migrate --store shop --schema renamed.graphql --rename Note.weight=Note.mass --json
            tidelog generate schema.graphql --output Models --json
            tidelog clear --store shop --yes --json
            tidelog save --store other Note '{"id":"n1","title":"t","rating":1}' --json
            tidelog outbox list --store other --json
            tidelog outbox retry --store other --all --json
            tidelog outbox discard --store other --all --json
            tidelog sync --store other --endpoint http://127.0.0.1:1/graphql --api-key da2-example --timeout 1 --json
            timeout -s TERM 1 tidelog sync --store other --endpoint http://127.0.0.1:1/graphql --api-key da2-example \
                --follow --json
            """)
        var found: Set<String> = []
        for value in try outcome.objects() + (try await served(shop)) { found.formUnion(keys(value)) }
        #expect(found.count > 50)
        let documented = try documented()
        #expect(found.subtracting(documented).isEmpty, "not explained: \(found.subtracting(documented).sorted())")
        // Only a server or a damaged log causes these fields, so the commands above need not write them.
        let rare: Set = [
            "_version", "_lastChangedAt", "_deleted", "reason", "from", "to", "notice", "sorts", "conflictFailure",
            "notInferred", "shadowed",
        ]
        let invented = documented.subtracting(found).subtracting(rare)
        #expect(invented.isEmpty, "not written: \(invented.sorted())")
    }

    /// The lines of a server that starts with a changed schema and answers requests, and the lines of a sync that finds
    /// a difference from the server.
    private func served(_ shop: Shop) async throws -> [JSONValue] {
        let changed = Shop.schema.replacing("rating: Int", with: "note: String\n  rating: Int")
        try shop.write(changed, to: "changed.graphql")
        var lines: [String] = []
        for schema in ["schema.graphql", "changed.graphql"] {
            let server = try ServerProcess(shop.file(schema), store: shop.file("served"), ["--inspect"])
            for query in [
                "query All { listNotes { items { id } } }", "{ notesByRating(rating: 1) { items { id } } }",
                "mutation { createNote(input: {title: \"a\"}) { id } }", "{ nothing }",
                "mutation { createNote(input: {id: \"n\", title: \"a\"}) { id } }",
                "mutation { updateNote(input: {id: \"n\", title: \"b\", _version: 9}) { id } }",
            ] { _ = try await server.ask(query) }
            lines += try verified(shop, server, shop.file(schema))
            #expect(try server.stop() == 0)
            lines += server.child.lines
        }
        return try lines.map { try JSONValue(parsing: Array($0.utf8)) }
    }

    private func verified(_ shop: Shop, _ server: ServerProcess, _ schema: String) throws -> [String] {
        let device = ["--store", shop.file("device-of-\(server.endpoint.port ?? 0)")]
        try shop.write(#"{"id":"nowhere","title":"not on the server"}"# + "\n", to: "nowhere")
        let remote = ["--origin", "remote", "Note", shop.file("nowhere")]
        #expect(try Tool.run(["import", "--schema", schema] + device + remote).status == 0)
        let address = ["--endpoint", server.endpoint.absoluteString, "--api-key", ServerProcess.key]
        let verified = try Tool.run(["sync", "--verify", "--json"] + device + address).lines
        let follower = try Tool.start(["sync", "--follow", "--json"] + device + address)
        while let line = try follower.readLine(), !line.contains(#""ready""#) {}
        follower.signal(SIGTERM)
        return verified + (try Tool.finish(follower).lines)
    }

    @Test("the output field `changed` lists the fields that an event changed, as the page says")
    func changed() throws {
        let shop = try Shop(notes: 0)
        for json in [
            #"{"id":"1","title":"a","rating":1}"#, #"{"id":"1","title":"a","rating":1}"#, #"{"id":"1","title":"b"}"#,
        ] { #expect(try shop.run("save", "Note", json).status == 0) }
        #expect(try shop.run("delete", "Note", "1").status == 0)
        #expect(try shop.run("save", "Note", #"{"id":"1","title":"a"}"#).status == 0)
        let changed = try shop.run("history", "Note", "1", "--json").objects().map { event in
            event["changed"]?.elements.map { $0.text ?? "" }
        }
        #expect(changed == [nil, nil, ["title", "rating"], nil, ["id", "title"]])
    }
}
