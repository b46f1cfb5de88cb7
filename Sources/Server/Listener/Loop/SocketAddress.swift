internal import CWebSockets
internal import TidelogPlatform

/// Conversions between the system's socket addresses and text.
enum SocketAddress {
    /// The address as text, without its port. An IPv4 address that arrived over IPv6 has its IPv4 form. Empty if the address is
    /// neither IPv4 nor IPv6.
    static func text(of address: sockaddr_storage) -> String {
        var address = address
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let isText = withUnsafePointer(to: &address) { pointer -> Bool in
            switch Int32(pointer.pointee.ss_family) {
            case AF_INET:
                pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
                    var host = pointer.pointee.sin_addr
                    return inet_ntop(AF_INET, &host, &text, socklen_t(text.count)) != nil
                }
            case AF_INET6:
                pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
                    var host = pointer.pointee.sin6_addr
                    return inet_ntop(AF_INET6, &host, &text, socklen_t(text.count)) != nil
                }
            default: false
            }
        }
        guard isText else { return "" }
        let value = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let mapped = "::ffff:"
        return value.hasPrefix(mapped) && value.contains(".") ? String(value.dropFirst(mapped.count)) : value
    }

    /// The port of an address.
    static func port(of address: sockaddr_storage) -> Int {
        var address = address
        return withUnsafePointer(to: &address) { pointer in
            let port =
                Int32(pointer.pointee.ss_family) == AF_INET6
                ? pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { $0.pointee.sin6_port }
                : pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee.sin_port }
            return Int(UInt16(bigEndian: port))
        }
    }

    /// Parses an IPv4 or IPv6 address. Returns the address and its length; `nil` if `host` is neither.
    static func parse(_ host: String, port: UInt16) -> (address: sockaddr_storage, length: socklen_t)? {
        var storage = sockaddr_storage()
        var version4 = sockaddr_in()
        if inet_pton(AF_INET, host, &version4.sin_addr) == 1 {
            version4.sin_family = sa_family_t(AF_INET)
            version4.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &storage) { bytes in
                withUnsafeBytes(of: version4) { bytes.copyMemory(from: $0) }
            }
            return (storage, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
        var version6 = sockaddr_in6()
        guard inet_pton(AF_INET6, host, &version6.sin6_addr) == 1 else { return nil }
        version6.sin6_family = sa_family_t(AF_INET6)
        version6.sin6_port = port.bigEndian
        withUnsafeMutableBytes(of: &storage) { bytes in
            withUnsafeBytes(of: version6) { bytes.copyMemory(from: $0) }
        }
        return (storage, socklen_t(MemoryLayout<sockaddr_in6>.size))
    }
}
