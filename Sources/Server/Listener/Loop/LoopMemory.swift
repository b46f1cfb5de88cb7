internal import CWebSockets
internal import TidelogPlatform
internal import TidelogSynchronization

/// The memory to which the library keeps pointers. It must not change while the library's context exists.
final class LoopMemory {
    /// The memory in which small pieces of output are combined.
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 32 << 10, alignment: 16)
    private let protocols = UnsafeMutablePointer<lws_protocols>.allocate(capacity: 2)
    private let timerMemory = UnsafeMutablePointer<tidelog_loop_timer>.allocate(capacity: 1)
    private let box = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: 1)
    private var texts: [UnsafeMutablePointer<CChar>?] = []
    private let identity: TLSIdentity?

    /// Sound as `@unchecked Sendable` because one thread makes and uses the value. The value only leaves the closure of a lock.
    private struct Made: @unchecked Sendable {
        let context: OpaquePointer
        let host: OpaquePointer
    }

    /// A lock for the creation of contexts, because the library counts its contexts without a lock.
    private static let creation = Mutex(())

    init(identity: TLSIdentity?) {
        self.identity = identity
        protocols.initialize(repeating: lws_protocols(), count: 2)
        timerMemory.initialize(to: tidelog_loop_timer())
        box.initialize(to: nil)
    }

    deinit {
        texts.forEach { free($0) }
        room.deallocate()
        protocols.deallocate()
        timerMemory.deallocate()
        box.deallocate()
    }

    /// The loop to which the context belongs. The loop lives longer than the context.
    var owner: UnsafeMutableRawPointer? {
        get { box.pointee }
        set {
            box.pointee = newValue
            timerMemory.pointee.owner = newValue
        }
    }

    /// The loop's timer.
    var timer: UnsafeMutablePointer<lws_sorted_usec_list_t> {
        UnsafeMutableRawPointer(timerMemory).assumingMemoryBound(to: lws_sorted_usec_list_t.self)
    }

    /// Makes a context with one virtual host. The host has no listening socket of its own, because the loop gives it its
    /// sockets.
    func makeContext() throws(ListenerError) -> (context: OpaquePointer, host: OpaquePointer) {
        protocols[0].name = text("tidelog")
        protocols[0].callback = loopCallback
        // The number of bytes that the library passes to the system at once.
        protocols[0].tx_packet_size = 32 << 10
        var information = lws_context_creation_info()
        information.port = CONTEXT_PORT_NO_LISTEN_SERVER
        information.options = UInt64(LWS_SERVER_OPTION_EXPLICIT_VHOSTS)
        information.protocols = UnsafePointer(protocols)
        information.pt_serv_buf_size = 16 << 10
        information.timeout_secs = 10
        information.user = UnsafeMutableRawPointer(box)
        information.vhost_name = text("listener")
        if let identity {
            information.options |= UInt64(LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT)
            information.ssl_cert_filepath = text(identity.certificateFile)
            information.ssl_private_key_filepath = text(identity.keyFile)
            information.ssl_options_set = tidelog_tls_versions_before_1_2()
            information.alpn = text("http/1.1")
        }
        let made = try Self.creation.withLock { _ throws(ListenerError) in
            // Errors already report what the library would print, or the output would be about a client's mistakes.
            lws_set_log_level(0, nil)
            guard let context = lws_create_context(&information) else {
                throw ListenerError(.system, "The event loop cannot be made: too little memory or too few open files.")
            }
            guard let host = lws_create_vhost(context, &information) else {
                lws_context_destroy(context)
                throw ListenerError(.system, "TLS cannot be set up with this certificate and key.")
            }
            return Made(context: context, host: host)
        }
        return (made.context, made.host)
    }

    private func text(_ value: String) -> UnsafePointer<CChar>? {
        let copy = strdup(value)
        texts.append(copy)
        return UnsafePointer(copy)
    }
}

/// The function that the library calls on the loop's thread. It must be a global function, because a closure could be isolated
/// to an actor.
func loopCallback(
    _ handle: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
    _ input: UnsafeMutableRawPointer?, _ count: Int
) -> Int32 {
    switch reason {
    case LWS_CALLBACK_RAW_RX:
        guard let (loop, socket) = loopSocket(handle) else { break }
        loop.received(socket, UnsafeRawBufferPointer(start: input, count: count))
    case LWS_CALLBACK_RAW_WRITEABLE:
        guard let (loop, socket) = loopSocket(handle) else { break }
        loop.flush(socket)
    case LWS_CALLBACK_RAW_CLOSE:
        guard let (loop, socket) = loopSocket(handle) else { break }
        lws_set_opaque_user_data(handle, nil)
        loop.closed(socket)
    case LWS_CALLBACK_RAW_RX_FILE:
        if let handle, let loop = eventLoop(handle) { loop.acceptClients(on: handle) }
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        if let handle, let loop = eventLoop(handle) { loop.runCommands() }
    default: break
    }
    return 0
}

/// The function that the library calls when the loop's timer fires.
func loopTimer(_ entry: UnsafeMutablePointer<lws_sorted_usec_list_t>?) {
    guard let entry else { return }
    let timer = UnsafeMutableRawPointer(entry).assumingMemoryBound(to: tidelog_loop_timer.self)
    guard let owner = timer.pointee.owner else { return }
    Unmanaged<EventLoop>.fromOpaque(owner).takeUnretainedValue().checkTimes()
}

private func eventLoop(_ handle: OpaquePointer) -> EventLoop? {
    guard let box = lws_context_user(lws_get_context(handle)),
        let owner = box.assumingMemoryBound(to: UnsafeMutableRawPointer?.self).pointee
    else { return nil }
    return Unmanaged<EventLoop>.fromOpaque(owner).takeUnretainedValue()
}

private func loopSocket(_ handle: OpaquePointer?) -> (EventLoop, ServerSocket)? {
    guard let handle, let pointer = lws_get_opaque_user_data(handle), let loop = eventLoop(handle) else { return nil }
    return (loop, Unmanaged<ServerSocket>.fromOpaque(pointer).takeUnretainedValue())
}
