#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Lets go of values that may hold long chains of others, one link at a time.
///
/// Where one value holds the next, and that the one after it, releasing the first releases all, each inside the release of
/// the one before: a chain of some ten thousand overflows the stack. So every ``ChainLink`` hands what it holds to this
/// when it goes. While a thread releases one value, those that go with it wait until it is done.
private enum GradualRelease {
    /// The values that are queued on one thread.
    final class Backlog {
        var values: [Any] = []
        var isReleasing = false
    }

    /// Where a thread keeps links that are to be released; it goes with the thread.
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

    /// Releases what `take` gives, now or, inside the release of another value, right after that.
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

/// Holds a value on the heap, and lets go of it without recursion, however long the chain is that begins there.
class ChainLink<Held> {
    /// `nil` only while the link goes.
    private var held: Held?

    init(_ held: Held) { self.held = held }

    deinit { GradualRelease.release { held.take() as Any } }

    /// The value.
    final var value: Held {
        guard let held else { preconditionFailure("a link that goes is not asked any more") }
        return held
    }
}

// Sound: what is held is set when the link is made, and taken out when nobody has the link any more.
extension ChainLink: @unchecked Sendable where Held: Sendable {}
