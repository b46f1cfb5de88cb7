extension Temporal.Date: Codable {
    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws { try encodeText(to: encoder) }
    /// Decodes a text. Throws an error if the text is no date.
    public init(from decoder: any Decoder) throws { self = try Self.decodeText(from: decoder) }
}

extension Temporal.Time: Codable {
    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws { try encodeText(to: encoder) }
    /// Decodes a text. Throws an error if the text is no time of day.
    public init(from decoder: any Decoder) throws { self = try Self.decodeText(from: decoder) }
}

extension Temporal.DateTime: Codable {
    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws { try encodeText(to: encoder) }
    /// Decodes a text. Throws an error if the text is no date and time.
    public init(from decoder: any Decoder) throws { self = try Self.decodeText(from: decoder) }
}

extension Temporal.Timestamp: Codable {
    /// Encodes the number of seconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(seconds)
    }

    /// Decodes a number of seconds.
    public init(from decoder: any Decoder) throws {
        self.init(seconds: try decoder.singleValueContainer().decode(Int64.self))
    }
}

extension TemporalText {
    fileprivate func encodeText(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    fileprivate static func decodeText(from decoder: any Decoder) throws -> Self {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do {
            return try Self(text)
        } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
        }
    }
}
