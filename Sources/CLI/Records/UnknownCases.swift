@_spi(Adapters) internal import Tidelog
@_spi(Adapters) internal import TidelogRecordJSON
internal import TidelogRecordText
internal import TidelogSynchronization

/// Collects texts that are no case of their enum while records are saved.
final class UnknownCases: Sendable {
    /// The texts of one field that are no case of its enum.
    struct Finding: Sendable {
        /// The name of the field after the name of its model or embedded type.
        let field: String
        var count: Int
        /// The cases that the enum declares.
        let cases: [String]
        /// The case that the first of the texts probably means.
        let probableCase: String?
    }

    private let findings = Mutex<[String: Finding]>([:])

    func add(_ others: [Finding]) {
        guard !others.isEmpty else { return }
        findings.withLock { findings in
            for other in others { findings[other.field, default: other.none].count += other.count }
        }
    }

    /// All findings, sorted by field.
    var all: [Finding] { findings.withLock { $0.values.sorted { $0.field < $1.field } } }
}

extension UnknownCases.Finding {
    fileprivate var none: Self { Self(field: field, count: 0, cases: cases, probableCase: probableCase) }
}

extension RowJSONReader {
    /// The texts that this reader read and that are no case of their enum, by field.
    var unknownFindings: [UnknownCases.Finding] {
        unknownCases.sorted { $0.key < $1.key }.map { field, count in
            UnknownCases.Finding(
                field: field, count: count, cases: cases(ofField: field), probableCase: probableCases[field])
        }
    }
}

extension Console {
    /// Warns of texts that may be misspelled. The store keeps them, because another build's schema may declare them.
    func warn(of findings: [UnknownCases.Finding]) {
        for finding in findings {
            let guess = finding.probableCase.map { "; did you mean \"\($0)\"?" } ?? "."
            warn(
                "\(finding.field) has \(counted(finding.count, "text")) that the schema's enum does not name\(guess) "
                    + "\(finding.count == 1 ? "It is" : "They are") kept. The cases are \(listed(finding.cases)).")
        }
    }
}
