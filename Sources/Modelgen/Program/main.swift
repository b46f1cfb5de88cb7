internal import TidelogModelgen
internal import TidelogPlatform

// The program that the plugins run. It does the same as `tidelog generate`, but without the storage engine, so that it builds
// quickly.
exit(ModelgenTool.run(Array(CommandLine.arguments.dropFirst())))
