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

// What the plugins run: `tidelog generate` without the engine, so that it is built quickly.
exit(ModelgenTool.run(Array(CommandLine.arguments.dropFirst())))
