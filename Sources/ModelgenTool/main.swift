#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

// The tool that the plugins run. It does the same as `tidelog generate`, but without the storage engine, so that it builds
// quickly.
exit(ModelgenTool.run(Array(CommandLine.arguments.dropFirst())))
