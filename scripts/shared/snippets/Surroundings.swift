import Foundation
import TidelogAmplify

/// The values and helpers that snippets use and do not declare.
class Surroundings: @unchecked Sendable {
    enum State {
        case loading(String?)
        case loaded(String?)
        case errored(any Error)
    }

    struct Logger {
        func logError(_ message: String) { Amplify.Logging.error(message) }
    }

    var logger: Logger? = Logger()
    var userPostcodeState = State.loading(nil)
    var cancellable: AnyCancellable?
    var keptCancellable: AnyCancellable?
    var postcode = "SW1A 1AA"
}

let post = Post(title: "[Amplify] Tides", rating: 5, status: "out")

enum IsolationNationError: Error {
    case invalidPostcode
}

extension String {
    /// The letters at the beginning, which name the area.
    func postcodeArea() -> String? {
        let letters = prefix { $0.isLetter }
        return letters.isEmpty ? nil : String(letters)
    }
}
