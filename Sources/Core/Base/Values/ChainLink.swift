internal import TidelogPlatform

/// Holds a value on the heap, and releases it without recursion, even if it begins a long chain.
final class ChainLink<Held> {
    /// The value. It is `nil` only while the link is destroyed.
    private var held: Held?

    init(_ held: Held) { self.held = held }

    deinit { GradualRelease.release { held.take() as Any } }

    /// The value.
    var value: Held {
        guard let held else { preconditionFailure("a link that goes is not asked any more") }
        return held
    }
}

// Sound because the value is set when the link is created, and is removed when no reference to the link exists any more.
extension ChainLink: @unchecked Sendable where Held: Sendable {}

/// Releases values that may contain long chains of other values, one link at a time.
///
/// If one value holds the next, and so on, then releasing the first value releases all of them recursively. A chain of
/// about ten thousand values overflows the stack. Each ``ChainLink`` therefore passes its value to this type when the
/// link is destroyed. While a thread releases one value, further values wait in a queue until that release is done.
private enum GradualRelease {
    /// The values that are queued on one thread.
    final class Backlog {
        var values: [Any] = []
        var isReleasing = false
    }

    /// The key of the queue of each thread. The queue ends with the thread.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let result = pthread_key_create(&key) { backlog in
            let backlog: UnsafeMutableRawPointer? = backlog
            if let backlog { Unmanaged<Backlog>.fromOpaque(backlog).release() }
        }
        precondition(result == 0, "a process has room for one more value a thread")
        return key
    }()

    private static var backlog: Backlog {
        if let pointer = pthread_getspecific(key) {
            return Unmanaged<Backlog>.fromOpaque(pointer).takeUnretainedValue()
        }
        let backlog = Backlog()
        pthread_setspecific(key, Unmanaged.passRetained(backlog).toOpaque())
        return backlog
    }

    /// Releases the value that `take` returns. This happens at once, or after the release that is in progress on this thread.
    @inline(never)
    static func release(_ take: () -> Any) {
        let backlog = backlog
        guard !backlog.isReleasing else { return backlog.values.append(take()) }
        backlog.isReleasing = true
        var next: Any? = take()
        while next != nil {
            next = nil
            next = backlog.values.popLast()
        }
        backlog.isReleasing = false
    }
}
