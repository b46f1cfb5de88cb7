@_spi(Adapters) internal import Tidelog
internal import TidelogJSON
@_spi(Adapters) internal import TidelogRecordJSON
internal import TidelogRecordText

/// Writes events as lines of JSON or as lines for people.
struct EventOutput {
    private let store: DataStore
    private let console: Console
    /// The width of the terminal, `nil` if the output is not a terminal.
    private let lineWidth: Int?
    /// Writers of rows by the layout of their model and the names of the fields, `nil` for all fields.
    private var writers: [ObjectIdentifier: [[String]?: RowJSONWriter]] = [:]

    /// - Parameter store: The store of the events, in which the values before each event are found.
    init(of store: DataStore, on console: Console) {
        self.store = store
        self.console = console
        lineWidth = console.isShownOnTerminal ? System.columns(1) : nil
    }

    mutating func write(_ event: Event) throws {
        // The link of an event leads to the last event that changed the row of its record.
        let former = event.changesRow && event.previous != .zero ? try store.events(at: [event.previous])[0] : nil
        if console.isJSON { try writeJSON(event, after: former) } else { try writeText(event, after: former) }
    }

    private mutating func writeJSON(_ event: Event, after former: Event?) throws {
        try console.output.writeObject { writer in
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
                if let value = note.value {
                    writer.member("bytes", value.count)
                } else {
                    writer.member("removed", true)
                }
            }
            writer.member("at", timestamp(microseconds: event.microsecondsSince1970))
            try writeRow(event, to: &writer)
            if event.previous != .zero, !event.changedFields.isEmpty {
                writer.texts("changed", event.changedFields)
            }
            if let former { try writeBefore(event, former, to: &writer) }
            if let reason = event.reason { writer.member("reason", reason) }
        }
    }

    /// Writes the values that the changed fields had before, or the whole record before a deletion. Fields have the names of
    /// that time.
    private mutating func writeBefore(_ event: Event, _ former: Event, to writer: inout JSONWriter) throws {
        let isRemoved = try event.withRow { _, _ in true } == nil
        let changed =
            isRemoved
            ? nil
            : try event.withRow { _, layout in
                let names = Set(event.changedFields)
                return Set(layout.row.fields.filter { names.contains($0.name) }.map(\.slot))
            }
        guard isRemoved || !(changed ?? []).isEmpty else { return }
        _ = try former.withRow { row, layout in
            writer.key("before")
            let fields = layout.row.fields.filter { changed?.contains($0.slot) ?? true }.map(\.name)
            try rows(of: layout, fields: fields).write(row, to: &writer)
        }
    }

    private mutating func rows(of layout: ModelLayout, fields: [String]? = nil) -> RowJSONWriter {
        // A layout lives as long as its store, so its object identifier stays valid.
        let identity = ObjectIdentifier(layout)
        if let kept = writers[identity]?[fields] { return kept }
        let rows = fields.map { RowJSONWriter(layout: layout, fields: $0) } ?? RowJSONWriter(layout: layout)
        writers[identity, default: [:]][fields] = rows
        return rows
    }

    private mutating func writeRow(_ event: Event, to writer: inout JSONWriter) throws {
        _ = try event.withRow { row, layout in
            writer.key("record")
            try rows(of: layout).write(row, to: &writer)
        }
    }

    private func writeText(_ event: Event, after former: Event?) throws {
        let style = console.outputStyle
        let number = "\(event.sequence)".padded(to: 9, right: true)
        let time = timestamp(microseconds: event.microsecondsSince1970).prefix(19).replacing("T", with: " ")
        let kind = "\(event.kind)".padded(to: 13)
        var subject = ""
        if let model = event.model { subject += " \(model)" }
        if let id = event.recordID { subject += " \(console.shown(id.text))" }
        if let note = event.note { subject += " \(console.shown(note.name))" }
        let values = try EventValues(event, after: former)
        let marks = marks(of: event)
        let head = "\(number)  \(time)  \(kind)\(subject)"
        let tail = marks.map { "  \($0.text)" }.joined()
        var text = "\(style.bold(number))  \(style.dim("\(time)"))  \(style.cyan(kind))\(subject)"
        let line = values.text()
        let room = lineWidth.map { $0 - head.columnCount - tail.columnCount - 2 }
        let isOnOneLine = room.map { line.columnCount <= $0 } ?? true
        if isOnOneLine, !line.isEmpty { text += "  \(line)" }
        for mark in marks { text += "  \(mark.style(mark.text))" }
        if !isOnOneLine, let lineWidth {
            text +=
                "\n\(String(repeating: " ", count: Self.indent))\(values.text(fitting: max(8, lineWidth - Self.indent)))"
        }
        try console.output.write(text + "\n")
    }

    /// The column below the time of an event, at which its values begin if they need a line of their own.
    private static let indent = 11

    /// The words at the end of an event's line.
    private func marks(of event: Event) -> [(text: String, style: (String) -> String)] {
        let style = console.outputStyle
        var marks: [(text: String, style: (String) -> String)] = []
        if let note = event.note {
            marks.append((note.value.map { counted($0.count, "byte") } ?? "removed", style.dim))
        }
        if event.origin == .remote { marks.append(("remote", style.yellow)) }
        if event.isShadowed { marks.append(("shadowed", style.yellow)) }
        if event.commit != event.sequence { marks.append(("in commit \(event.commit)", style.dim)) }
        if let reason = event.reason { marks.append((console.shown(reason), { $0 })) }
        return marks
    }
}
