import Dispatch
import ServerSupport
import TestWaiting
import Tidelog

@testable import TidelogServer

/// A store that waits 60 seconds before it reads a page. If the task is cancelled during that time, the read fails.
final class SlowPages: ForwardingStore {
    let store: any VersionedStore
    private let begun = DispatchSemaphore(value: 0)
    /// The number of pages that were requested.
    let pageCount = Shared(0)
    /// The number of those pages whose task was cancelled.
    let cancelledCount = Shared(0)

    init(_ store: any VersionedStore) { self.store = store }

    /// Blocks until a page is requested. Returns `false` if that takes longer than `seconds`.
    func hasBegun(within seconds: Int) -> Bool { begun.wait(timeout: .now() + .seconds(seconds)) == .success }

    func page(_ query: PageQuery) async throws -> CountedPage {
        pageCount.update { $0 += 1 }
        begun.signal()
        do {
            try await Task.sleep(for: .seconds(60))
        } catch {
            cancelledCount.update { $0 += 1 }
            throw error
        }
        return try await store.page(query)
    }
}
