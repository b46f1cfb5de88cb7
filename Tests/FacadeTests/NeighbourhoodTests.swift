import Dispatch
import Foundation
import TestWaiting
import Testing
import TidelogAmplify

/// The screen of an app for neighbours, in the style of apps for Amplify: closures, futures and the main queue.
private final class Screen {
    enum State {
        case loading(String?)
        case loaded(String?)
        case failed(any Error)
    }

    var state = State.loading(nil)
    private var cancellable: AnyCancellable?
    private var creation: AnyCancellable?

    /// Saves a person, and adds them to the conversation of their district.
    func save(_ neighbour: Neighbour, in district: String) {
        Amplify.DataStore.save(neighbour) { [self] result in
            DispatchQueue.main.async {
                switch result {
                case .failure(let error):
                    Amplify.Logging.error("It cannot be saved: \(error.localizedDescription)")
                    self.state = .failed(error)
                case .success:
                    self.add(neighbour, to: district)
                }
            }
        }
    }

    private func add(_ neighbour: Neighbour, to location: String) {
        cancellable = findOrCreateConversation(location: location)
            .flatMap { conversation in
                return self.add(neighbour, to: conversation)
            }
            .receive(on: DispatchQueue.main)
            .sink(
                receiveCompletion: { completion in
                    switch completion {
                    case .failure(let error):
                        self.state = .failed(error)
                    case .finished:
                        break
                    }
                },
                receiveValue: { _ in
                    self.state = .loaded(neighbour.district)
                }
            )
    }

    private func add(_ neighbour: Neighbour, to conversation: Conversation) -> Future<String, Error> {
        return Future { promise in
            let membership = Membership(
                neighbour: neighbour, conversation: conversation, createdAt: Temporal.DateTime.now())
            Amplify.DataStore.save(membership) { result in
                switch result {
                case .failure(let error):
                    promise(.failure(error))
                case .success(let membership):
                    promise(.success(membership.id))
                }
            }
        }
    }

    private func createConversation(_ location: String) -> Future<Conversation, Error> {
        return Future { promise in
            let conversation = Conversation(name: location, location: location, createdAt: Temporal.DateTime.now())
            Amplify.DataStore.save(conversation) { result in
                switch result {
                case .failure(let error):
                    promise(.failure(error))
                case .success(let conversation):
                    promise(.success(conversation))
                }
            }
        }
    }

    private func findOrCreateConversation(location: String) -> Future<Conversation, Error> {
        return Future { promise in
            let hasLocation = Conversation.keys.location == location
            _ = Amplify.API.query(
                request: .list(Conversation.self, where: hasLocation)
            ) { [self] event in
                switch event {
                case .failure(let error):
                    promise(.failure(error))
                case .success(let result):
                    switch result {
                    case .failure(let resultError):
                        Amplify.Logging.error("The list failed: \(resultError.localizedDescription)")
                        promise(.failure(resultError))
                    case .success(let conversations):
                        guard let conversation = conversations.first else {
                            creation = createConversation(location).sink(
                                receiveCompletion: { completion in
                                    switch completion {
                                    case .failure(let error): promise(.failure(error))
                                    case .finished:
                                        break
                                    }
                                },
                                receiveValue: { conversation in
                                    promise(.success(conversation))
                                }
                            )
                            return
                        }
                        promise(.success(conversation))
                    }
                }
            }
        }
    }
}

extension FacadeTests {
    @Suite("An app with closures, futures and the main queue")
    struct NeighbourhoodTests {
        /// The numbers of people, conversations and memberships on the server.
        private func counts(_ app: SyncedApp) async throws -> [Int] {
            let other = try await app.otherDevice()
            #expect(await other.engine.runOnce().failure == nil)
            return [
                try await other.store.count(Neighbour.all), try await other.store.count(Conversation.all),
                try await other.store.count(Membership.all),
            ]
        }

        private func meet(_ app: SyncedApp, _ name: String, expecting expected: [Int]) async throws {
            let screen = await MainActor.run {
                let screen = Screen()
                screen.save(Neighbour(username: name, district: "SW1"), in: "SW1")
                return screen
            }
            while true {
                let state = await MainActor.run { screen.state }
                if case .failed(let error) = state { throw error }
                if case .loaded(let district) = state {
                    #expect(district == "SW1")
                    break
                }
                try await Task.sleep(for: .milliseconds(5))
            }
            try await eventually { try await counts(app) == expected }
        }

        @Test("two people of one district meet in one conversation")
        func meet() async throws {
            try await SyncedApp.serve { app in
                try app.configure()
                try await meet(app, "ann", expecting: [1, 1, 1])
                // The second person has another device.
                await Amplify.reset()
                try FileManager.default.removeItem(at: app.directory.file("store"))
                try app.configure()
                try await meet(app, "ben", expecting: [2, 1, 2])
                for try await snapshot in Amplify.DataStore.observeQuery(for: Membership.self)
                where snapshot.isSynced && snapshot.items.count == 2 { break }
            }
        }
    }
}
