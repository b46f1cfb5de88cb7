// Apps that import the sync engine see requests, responses and errors of transports too, and the transport of their system. The
// program that runs on every system imports a transport by its name.
@_exported public import TidelogTransport

#if canImport(Darwin)
    @_exported public import TidelogURLSessionTransport

    /// The transport of engines and clients that are given no other one.
    public typealias SystemTransport = URLSessionTransport
#else
    @_exported public import TidelogCurlTransport

    /// The transport of engines and clients that are given no other one.
    public typealias SystemTransport = CurlTransport
#endif
