import SeededNumbers
import Testing
@_spi(Adapters) import TidelogCore
import TidelogJSON
@_spi(Adapters) import TidelogRecordJSON

/// Objects in the order of the declaration are read in one pass, and other objects in two. Both have the same results.
@Suite struct MemberOrderTests {
    private struct Outcome: Equatable {
        var row: [UInt8]?
        var deleted: RecordID?
        var state: ServerState?
        var error: String?
        var unknownCases: [String: Int]
    }

    private func outcome(_ json: [UInt8], _ reader: inout RowJSONReader, isFromServer: Bool) -> Outcome {
        let arena = ByteArena()
        reader.forgetUnknownCases()
        var outcome = Outcome(unknownCases: [:])
        do {
            try json.withUnsafeBytes { bytes in
                guard isFromServer else {
                    outcome.row = try reader.withRow(bytes) { Array($0.bytes) }
                    return
                }
                let object = try reader.append(serverObject: bytes, to: arena)
                outcome.state = object.state
                switch object.content {
                case .row(let range): outcome.row = Array(arena[range])
                case .deletion(let id): outcome.deleted = id
                }
            }
        } catch {
            outcome.error = "\(error)"
            #expect(arena.count == 0)
        }
        outcome.unknownCases = reader.unknownCases
        return outcome
    }

    /// The object as text, with some damage in every second one.
    private func damaged(_ members: [JSONValue.Member], _ random: inout SeededGenerator) -> [UInt8] {
        var members = members
        switch random.below(12) {
        case 0: if !members.isEmpty { members.remove(at: random.below(members.count)) }
        case 1: if let member = members.randomElement(using: &random) { members.append(member) }
        case 2: members.insert(JSONValue.Member("other", .array([.null])), at: random.below(members.count + 1))
        case 3: members.shuffle(using: &random)
        default: break
        }
        var json = JSONValue.object(members).bytes()
        switch random.below(6) {
        case 0: json[random.below(json.count)] = UInt8(random.below(256))
        case 1: json.remove(at: random.below(json.count))
        default: break
        }
        return json
    }

    @Test(arguments: [false, true])
    func `one pass and two passes have the same rows, metadata and errors`(isFromServer: Bool) throws {
        let layout = try Samples.layout(Samples.schema)
        var random = SeededGenerator(isFromServer ? 5 : 6)
        // This reader has seen another order, so it reads in two passes.
        var other = RowJSONReader(layout: layout)
        _ = outcome(Array(#"{"color":"red","id":"1"}"#.utf8), &other, isFromServer: false)
        var (rowCount, errorCount, deletedCount) = (0, 0, 0)
        for _ in 0..<4_000 {
            let values = try random.values(of: layout.schema.fields, in: Samples.schema)
            guard
                case .object(var members) = try JSONValue(
                    parsing: Record(model: "Sample", values: values).json(layout: layout))
            else { continue }
            if isFromServer {
                members.append(JSONValue.Member("_version", .int(Int64(random.below(9)))))
                members.append(JSONValue.Member("_lastChangedAt", .int(5)))
                members.append(JSONValue.Member("_deleted", random.pick([.null, .bool(true), .bool(false)])))
            }
            let json = damaged(members, &random)
            var reader = RowJSONReader(layout: layout)
            let found = outcome(json, &reader, isFromServer: isFromServer)
            let expected = outcome(json, &other, isFromServer: isFromServer)
            #expect(found == expected, "\(String(decoding: json, as: UTF8.self))")
            rowCount += found.row == nil ? 0 : 1
            errorCount += found.error == nil ? 0 : 1
            deletedCount += found.deleted == nil ? 0 : 1
        }
        #expect(rowCount > 1_000 && errorCount > 500 && (deletedCount > 500) == isFromServer)
    }
}
