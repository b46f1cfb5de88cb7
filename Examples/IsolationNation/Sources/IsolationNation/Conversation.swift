import Foundation
import Neighbours

/// A conversation with the neighbours, in a terminal.
enum Conversation {
    /// Sends each line of the input as a message, and shows all messages, until the input ends.
    static func run(at directory: URL, endpoint: URL, key: String, name: String, postcode: String) async throws {
        let neighbourhood = try await Neighbourhood(at: directory, endpoint: endpoint, key: key)
        let membership = try await neighbourhood.updatePostcode(of: name, to: postcode)
        Terminal.show("\(membership.isNewThread ? "Began" : "Joined") \(membership.thread.name)")

        let display = Task { try await show(membership, of: neighbourhood) }
        for await line in Terminal.lines { try await neighbourhood.send(line, from: membership) }
        display.cancel()
        let left = try await neighbourhood.close()
        Terminal.show(left == 0 ? "Everything is sent" : "Not sent yet: \(left)")
    }

    /// Shows each message of the conversation once, as it arrives.
    private static func show(_ membership: Membership, of neighbourhood: Neighbourhood) async throws {
        var shown: Set<String> = []
        for try await result in neighbourhood.messages(of: membership.thread) {
            for message in result.items where shown.insert(message.id).inserted {
                let author = try await neighbourhood.author(of: message)
                Terminal.show("\(author ?? "A neighbour"): \(message.body)")
            }
        }
    }
}
