internal import CWebSockets
internal import TidelogPlatform

extension EventLoop {
    /// Accepts clients on `descriptor`. The loop closes the descriptor.
    func listen(on descriptor: Int32) {
        var descriptorOrFile = lws_sock_file_fd_type()
        descriptorOrFile.filefd = descriptor
        guard let handle = lws_adopt_descriptor_vhost(host, LWS_ADOPT_RAW_FILE_DESC, descriptorOrFile, nil, nil) else {
            closeDescriptor(descriptor)
            return
        }
        listening.append(handle)
    }

    /// Accepts waiting clients. It accepts a limited number at once, so that the current clients do not wait long.
    func acceptClients(on handle: OpaquePointer) {
        let descriptor = lws_get_socket_fd(handle)
        for _ in 0..<64 {
            var address = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let accepted = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { tidelog_accept(descriptor, $0, &length) }
            }
            guard accepted >= 0 else {
                switch errno {
                case EMFILE, ENFILE, ENOBUFS, ENOMEM: pauseAccepting()
                default: break
                }
                return
            }
            guard sockets.count < limits.maximumSockets, stopsAt == nil else {
                closeDescriptor(accepted)
                continue
            }
            adopt(accepted, from: address)
        }
    }

    private func adopt(_ descriptor: Int32, from address: sockaddr_storage) {
        var enabled: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &enabled, socklen_t(MemoryLayout<Int32>.size))
        var descriptorOrFile = lws_sock_file_fd_type()
        descriptorOrFile.sockfd = descriptor
        let kind = lws_adoption_type(
            rawValue: LWS_ADOPT_SOCKET.rawValue | (isSecure ? LWS_ADOPT_ALLOW_SSL.rawValue : 0))
        // The library closes the descriptor itself if it refuses it.
        guard let handle = lws_adopt_descriptor_vhost(host, kind, descriptorOrFile, nil, nil) else { return }
        let now = clock.now
        let socket = ServerSocket(
            id: nextID, handle: handle, remoteAddress: SocketAddress.text(of: address), isSecure: isSecure,
            limits: limits, now: now)
        socket.deadline = now + limits.headerTime
        nextID += 1
        sockets[socket.id] = socket
        lws_set_opaque_user_data(handle, Unmanaged.passUnretained(socket).toOpaque())
        setTimer()
    }

    /// Stops accepting clients for a moment, because there are too many open files or too little memory.
    private func pauseAccepting() {
        isAccepting = false
        for handle in listening { lws_rx_flow_control(handle, 0) }
        setTimer()
    }

    /// Accepts clients again after a pause.
    func resumeAccepting() {
        guard !isAccepting else { return }
        isAccepting = true
        for handle in listening { lws_rx_flow_control(handle, 1) }
    }
}
