@_spi(Adapters) internal import Tidelog
internal import TidelogJSON

/// The reason why a command failed, for people and for scripts.
struct CommandFailure: Error {
    let status: ExitStatus
    /// The code of the failure, for scripts.
    let code: String
    /// The description of the failure.
    var message: String
    var model: String?
    var id: RecordID?
    /// The advice to the user.
    var recovery: String
    /// Further lines for people after the message, for example the predicate with a mark below the error.
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

    /// - Parameter shown: Makes the form of a given text for the output; on a terminal, that form has no control characters.
    func text(_ style: Style, shown: (String) -> String) -> String {
        var text = "\(style.red("error:")) \(shown(message))\n"
        if let detail { text += detail + "\n" }
        if !recovery.isEmpty { text += "  \(style.dim("→")) \(shown(recovery))\n" }
        return text
    }
}
