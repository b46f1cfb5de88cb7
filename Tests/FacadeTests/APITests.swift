import Foundation
import Testing
import TidelogAmplify

extension FacadeTests {
    @Suite("Amplify's calls of the server's API")
    struct APITests {
        @Test("a list returns the server's records page by page, and not the store's records")
        func list() async throws {
            try await SyncedApp.serve { app in
                try await app.give((0..<5).map { Story.titled("\($0)", $0) })
                try app.configure(.custom(errorHandler: { _ in }))
                let predicate = Story.keys.stars > 0
                let response = try await Amplify.API.query(request: .list(Story.self, where: predicate, limit: 2))
                switch response {
                case .failure(let error): Issue.record(error)
                case .success(var page):
                    var ids = page.map(\.id)
                    while page.hasNextPage() {
                        page = try await page.getNextPage()
                        ids += page.map(\.id)
                    }
                    #expect(ids.sorted() == ["1", "2", "3", "4"])
                    await #expect(throws: APIError.self) { try await page.getNextPage() }
                }
                let first = try await Amplify.API.query(request: .get(Story.self, byId: "3")).get()
                #expect(first?.stars == 3)
                let missing = try await Amplify.API.query(request: .get(Story.self, byIdentifier: "9")).get()
                #expect(missing == nil)
            }
        }

        @Test("a list with a closure passes the server's result inside the result of the call")
        func closure() async throws {
            try await SyncedApp.serve { app in
                try await app.give([Story.titled("1", 1)])
                try app.configure(.custom(errorHandler: { _ in }))
                let found: Story? = try await withCheckedThrowingContinuation { continuation in
                    _ = Amplify.API.query(request: .list(Story.self, where: Story.keys.title == "Story 1")) { event in
                        switch event {
                        case .failure(let error): continuation.resume(throwing: error)
                        case .success(let result):
                            switch result {
                            case .failure(let resultError): continuation.resume(throwing: resultError)
                            case .success(let stories): continuation.resume(returning: stories.first)
                            }
                        }
                    }
                }
                #expect(found?.id == "1")
            }
        }

        @Test(
            "mutations change the server at once; a refusal is a failure in the response, and a missing server throws")
        func mutations() async throws {
            try await SyncedApp.serve { app in
                try app.configure(.custom(errorHandler: { _ in }))
                var story = try await Amplify.API.mutate(request: .create(Story.titled("1", 1))).get()
                story.title = "Changed"
                story = try await Amplify.API.mutate(request: .update(story, version: 1)).get()
                #expect(try await app.served().map(\.title) == ["Changed"])
                let refused = try await Amplify.API.mutate(
                    request: .update(story, where: Story.keys.stars.gt(5), version: 2))
                switch refused {
                case .success: Issue.record("The condition is false.")
                case .failure(let error): #expect(error.errors.count == 1 && !error.description.isEmpty)
                }
                _ = try await Amplify.API.mutate(request: .delete(story, version: 2)).get()
                #expect(try await app.served().isEmpty)
            }
            try await App.local { _ in
                await #expect(throws: APIError.self) { try await Amplify.API.query(request: .list(Story.self)) }
            }
        }

        @Test("a subscription reports its connection, and then delivers new records until it is cancelled")
        func subscription() async throws {
            try await SyncedApp.serve { app in
                try app.configure(.custom(errorHandler: { _ in }))
                let subscription = Amplify.API.subscribe(request: .subscription(of: Story.self, type: .onCreate))
                var found: [String] = []
                for try await event in subscription {
                    switch event {
                    case .connection(.connected):
                        for id in ["1", "2"] {
                            _ = try await Amplify.API.mutate(request: .create(Story.titled(id, 1))).get()
                        }
                    case .connection(.disconnected): break
                    case .data(let result):
                        found.append(try result.get().id)
                        if found.count == 2 { subscription.cancel() }
                    }
                }
                #expect(found == ["1", "2"])
            }
        }

        @Test("a subscription to deletions delivers the records as they were before the deletion")
        func deletions() async throws {
            try await SyncedApp.serve { app in
                try app.configure(.custom(errorHandler: { _ in }))
                let subscription = Amplify.API.subscribe(request: .subscription(of: Story.self, type: .onDelete))
                var found: [Story] = []
                for try await event in subscription {
                    switch event {
                    case .connection(.connected):
                        let story = try await Amplify.API.mutate(request: .create(Story.titled("1", 4))).get()
                        _ = try await Amplify.API.mutate(request: .delete(story, version: 1)).get()
                    case .connection(.disconnected): break
                    case .data(let result):
                        found.append(try result.get())
                        subscription.cancel()
                    }
                }
                #expect(found.map(\.id) == ["1"] && found.map(\.stars) == [4])
            }
        }
    }
}
