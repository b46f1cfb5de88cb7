@_spi(Adapters) internal import Tidelog
internal import TidelogJSON

/// Why a command did not do what it was to do, as it is told to people and scripts.
struct CommandFailure: Error {
    let status: ExitStatus
    /// A word for scripts.
    let code: String
    /// What happened.
    var message: String
    var model: String?
    var id: RecordID?
    /// What to do.
    var recovery: String
    /// Lines for people beneath the message: the predicate with a mark, for example.
    var detail: String?

    init(
        _ status: ExitStatus, _ code: String, _ message: String, model: String? = nil, id: RecordID? = nil,
        recovery: String, detail: String? = nil
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.model = model
        self.id = id
        self.recovery = recovery
        self.detail = detail
    }

    /// `{"error":{…}}` on one line.
    var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("error")
        writer.beginObject()
        writer.key("code")
        writer.string(code)
        writer.key("message")
        writer.string(message)
        writer.key("model")
        if let model { writer.string(model) } else { writer.null() }
        writer.key("id")
        if let id { writer.id(id) } else { writer.null() }
        writer.key("recovery")
        writer.string(recovery)
        writer.endObject()
        writer.endObject()
        writer.endLine()
        return writer.bytes
    }

    /// - Parameter shown: How a terminal, if there is one, is to get what was given.
    func text(_ style: Style, shown: (String) -> String) -> String {
        var text = "\(style.red("error:")) \(shown(message))\n"
        if let detail { text += detail + "\n" }
        if !recovery.isEmpty { text += "  \(style.dim("→")) \(shown(recovery))\n" }
        return text
    }
}
