package import TidelogCore

/// A change that was written.
package struct StoredChange: Sendable {
    /// The kind of change to the record.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case created, updated, deleted
    }

    /// The kind of change to the record.
    package var kind: Kind
    /// The record after the change.
    package var record: Record
    /// The place of the change in the order of all changes.
    package var place: UInt64
    /// The fields of the record that the mutation selected; `nil` if it is not known.
    package let selected: Set<String>?

    package init(kind: Kind, record: Record, place: UInt64, selected: Set<String>? = nil) {
        (self.kind, self.record, self.place, self.selected) = (kind, record, place, selected)
    }

    /// The outcome of a change.
    package struct Outcome: Sendable {
        /// The kind of outcome.
        package enum Kind: Sendable, Hashable {
            /// The record was written.
            case written
            /// The record was kept unchanged, as `decide` decided.
            case kept
            /// A change with the same name was written before.
            case repeated
        }

        /// The kind of outcome.
        package var kind: Kind
        /// The record after the change; `nil` if there is none.
        package var record: Record?
        /// The place of the change in the order of all changes; `nil` if nothing was written.
        package var place: UInt64?

        package init(kind: Kind, record: Record?, place: UInt64? = nil) {
            (self.kind, self.record, self.place) = (kind, record, place)
        }
    }

    /// The decision about a record that is to be changed.
    package enum Decision: Sendable {
        /// The record is replaced by this one. The store sets its version and time.
        case save(Record)
        /// The record becomes a tombstone with these fields. The store of an API without versions keeps no tombstone.
        case delete(Record)
        /// The record stays unchanged.
        case keep
    }

    /// The name of a change. It makes sure that the same change is not made twice.
    package struct Name: Sendable, Hashable {
        /// The name: 1 to 128 bytes.
        package let text: String
        /// The subject of the change, at most 128 bytes. Changes with the same name have the same subject.
        package let subject: String
        /// A digest of the requested values, at most 128 bytes. Changes with the same name have the same content.
        package let content: String

        package init(_ text: String, subject: String, content: String) {
            precondition((1...128).contains(text.utf8.count), "a name has 1 to 128 bytes")
            precondition(subject.utf8.count <= 128, "a subject has at most 128 bytes")
            precondition(content.utf8.count <= 128, "a digest has at most 128 bytes")
            self.text = text
            self.subject = subject
            self.content = content
        }
    }

    /// A change has the name of an earlier change with another subject or another content.
    package struct NameTaken: Error, Sendable {
        package init() {}
    }
}
