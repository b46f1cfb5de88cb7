@_spi(Adapters) internal import Tidelog
internal import TidelogJSON
@_spi(Adapters) internal import TidelogRecordJSON

/// Writes events as lines of JSON or as lines for people.
struct EventOutput {
    private let console: Console
    private var writers: [ObjectIdentifier: RowJSONWriter] = [:]

    init(on console: Console) { self.console = console }

    mutating func write(_ event: Event) throws {
        if console.isJSON { try writeJSON(event) } else { try writeText(event) }
    }

    private mutating func writeJSON(_ event: Event) throws {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("sequence", event.sequence.value)
        writer.member("commit", event.commit.value)
        writer.member("kind", "\(event.kind)")
        if let model = event.model { writer.member("model", model) }
        if let id = event.recordID {
            writer.key("id")
            writer.id(id)
        }
        writer.member("origin", event.origin.rawValue)
        if event.isShadowed { writer.member("shadowed", true) }
        if let note = event.note {
            writer.member("name", note.name)
            if let value = note.value { writer.member("bytes", value.count) } else { writer.member("removed", true) }
        }
        writer.member("at", timestamp(microseconds: event.microsecondsSince1970))
        try writeRow(event, to: &writer)
        if event.previous != .zero, !event.changedFields.isEmpty {
            writer.key("changed")
            writer.beginArray()
            for field in event.changedFields { writer.string(field) }
            writer.endArray()
        }
        if let reason = event.reason { writer.member("reason", reason) }
        writer.endObject()
        writer.endLine()
        try console.output.writeJSON(writer.bytes)
    }

    private mutating func writeRow(_ event: Event, to writer: inout JSONWriter) throws {
        _ = try event.withRow { row, layout in
            // A layout lives as long as its store, so its object identifier stays valid.
            let identity = ObjectIdentifier(layout)
            let rows = writers[identity] ?? RowJSONWriter(layout: layout)
            writers[identity] = rows
            writer.key("record")
            try rows.write(row, to: &writer)
        }
    }

    private func writeText(_ event: Event) throws {
        let style = console.outputStyle
        let number = "\(event.sequence)".padded(to: 9, right: true)
        let time = timestamp(microseconds: event.microsecondsSince1970).prefix(19).split(separator: "T")
        let kind = "\(event.kind)".padded(to: 13)
        var text = "\(style.bold(number))  \(style.dim(time.joined(separator: " ")))  \(style.cyan(kind))"
        if let model = event.model { text += " \(model)" }
        if let id = event.recordID { text += " \(console.shown(id.text))" }
        if event.previous != .zero, !event.changedFields.isEmpty {
            text += style.dim("  changed \(event.changedFields.joined(separator: ", "))")
        }
        if let note = event.note {
            text += " \(console.shown(note.name))"
            text += style.dim(note.value.map { "  \(counted($0.count, "byte"))" } ?? "  removed")
        }
        if event.origin == .remote { text += style.yellow("  remote") }
        if event.isShadowed { text += style.yellow("  shadowed") }
        if event.commit != event.sequence { text += style.dim("  in commit \(event.commit)") }
        if let reason = event.reason { text += "  \(console.shown(reason))" }
        try console.output.write(text + "\n")
    }
}
