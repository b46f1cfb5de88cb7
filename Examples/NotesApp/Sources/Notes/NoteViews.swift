#if canImport(SwiftUI)
    import SwiftUI
    import Tidelog
    import TidelogSwiftUI

    /// A list of the best notes.
    struct BestNotes: View {
        @Records(Note.best) private var notes

        var body: some View {
            List(notes, id: \.id) { note in Text(note.title) }
                .overlay { PhaseView(records: $notes) }
        }
    }

    /// A view over a list that has no result yet, no records, or an error.
    struct PhaseView: View {
        let records: LiveRecords<Note>

        var body: some View {
            switch records.phase {
            case .idle, .loading: ProgressView()
            case .live: if records.items.isEmpty { Text("No notes yet") }
            case .failed: Button("Try again") { records.retry() }
            }
        }
    }

    /// A list of the notes whose titles contain a text. A new text replaces the query.
    struct NoteSearch: View {
        @Records(Note.all.limit(50)) private var notes
        @State private var text = ""

        var body: some View {
            List(notes, id: \.id) { note in Text(note.title) }
                .searchable(text: $text)
                .onChange(of: text) { _, text in
                    $notes.query = Note.where(Note.keys.title.contains(text)).limit(50)
                }
        }
    }

    /// A list of the notes with a rating that the parent view chooses.
    struct RatedNotes: View {
        @Records<Note> private var notes: [Note]

        init(rating: Int) { _notes = Records(Note.where(Note.keys.rating == rating)) }

        var body: some View {
            List(notes, id: \.id) { note in Text(note.title) }
        }
    }

    /// The scene of an app. It has the app's store as soon as the store is open.
    struct NotesScene: Scene {
        let store: DataStore?

        var body: some Scene {
            WindowGroup { BestNotes().dataStore(store) }
                .suspends(store)
        }
    }

    /// Shows views with the sample notes.
    struct Sampled<Content: View>: View {
        @State private var store: DataStore?
        @ViewBuilder let content: () -> Content

        var body: some View {
            content()
                .dataStore(store)
                .task { store = try? await SampleNotes.store() }
        }
    }

    struct BestNotesPreview: PreviewProvider {
        static var previews: some View { Sampled { BestNotes() } }
    }
#endif
