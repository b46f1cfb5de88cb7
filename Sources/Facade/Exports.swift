@_exported public import Tidelog
@_exported public import TidelogPublishers

#if canImport(Combine)
    @_exported public import Combine
#endif
