import Foundation
import Tidelog

/// Values for the fields of any schema.
struct Samples {
    /// Which fields of a record have values.
    enum Kind: CaseIterable {
        case full, required, empty
        /// All fields have values. The values of enums are texts that this build does not know.
        case unknown
    }

    let schema: Schema
    private var number = 0

    init(schema: Schema) { self.schema = schema }

    /// Values for `model`: for all fields, for the required fields, or for all fields with empty lists and texts where the
    /// schema allows them.
    mutating func values(of model: ModelSchema, _ kind: Kind) -> [String: FieldValue] {
        var values: [String: FieldValue] = [:]
        for field in model.fields {
            let isKey = model.primaryKey.contains(field.name)
            guard kind != .required || field.isRequired else { continue }
            let keyKind = kind == .unknown ? kind : .full
            values[field.name] = value(of: field.type, field.scalar, isKey ? keyKind : kind, depth: 0)
        }
        return values
    }

    private mutating func value(
        of type: FieldType, _ scalar: String?, _ kind: Kind, depth: Int
    ) -> FieldValue {
        number += 1
        switch type {
        case .id, .string: return .string(text(scalar, kind))
        case .int: return .int(number.isMultiple(of: 3) ? Int64.min + Int64(number) : Int64(number))
        case .double: return .double(Double(number) / 3)
        case .bool: return .bool(kind == .full)
        case .date: return Self.date("20\(10 + number % 90)-02-0\(1 + number % 9)+02:00")
        case .time: return Self.time("1\(number % 10):30:00.25\(number % 10)")
        case .dateTime: return Self.dateTime("20\(10 + number % 90)-11-21T10:30:00.250+0\(number % 10):00")
        case .timestamp: return .int(Int64(number) - 50)
        case .enumeration(let name):
            let cases = schema.enums.first { $0.name == name }?.cases ?? []
            return .string(kind == .unknown ? "FROM_THE_FUTURE \(number)" : cases[number % cases.count])
        case .embedded(let name):
            var fields: [String: FieldValue] = [:]
            for field in schema.embeddedTypes.first(where: { $0.name == name })?.fields ?? [] {
                guard field.isRequired || (kind != .required && depth < 3) else { continue }
                fields[field.name] = value(of: field.type, field.scalar, kind, depth: depth + 1)
            }
            return .embedded(fields)
        case .list(let element, let elementIsRequired):
            if kind == .empty { return .list([]) }
            let first = value(of: element, scalar, kind, depth: depth + 1)
            return .list(
                elementIsRequired ? [first, value(of: element, scalar, kind, depth: depth + 1)] : [nil, first, nil])
        }
    }

    private func text(_ scalar: String?, _ kind: Kind) -> String {
        switch scalar {
        case "AWSEmail": "ann\(number)@example.com"
        case "AWSJSON": "{\"number\":\(number)}"
        case "AWSURL": "https://example.com/\(number)?q=1"
        case "AWSPhone": "+44 20 7946 0\(100 + number % 900)"
        case "AWSIPAddress": "192.0.2.\(number % 256)"
        default: kind == .empty ? "" : "text \(number) 🌊"
        }
    }

    private static func date(_ text: String) -> FieldValue {
        (try? Temporal.Date(text)).map { .date($0) } ?? .bool(false)
    }

    private static func time(_ text: String) -> FieldValue {
        (try? Temporal.Time(text)).map { .time($0) } ?? .bool(false)
    }

    private static func dateTime(_ text: String) -> FieldValue {
        (try? Temporal.DateTime(text)).map { .dateTime($0) } ?? .bool(false)
    }
}
