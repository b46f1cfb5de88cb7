import TidelogPlatform

exit(await Tool.run(Array(CommandLine.arguments.dropFirst())).code)
