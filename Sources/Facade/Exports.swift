@_exported public import Tidelog

#if canImport(Combine)
    @_exported public import Combine
#else
    @_exported public import TidelogPublishers
#endif
