// A file that imports this module sees the language too.
@_exported public import TidelogGraphQL
