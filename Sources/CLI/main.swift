#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

exit(await Tool.run(Array(CommandLine.arguments.dropFirst())).code)
