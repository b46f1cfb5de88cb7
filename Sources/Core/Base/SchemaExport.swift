// A file that imports Core sees schemas, values and errors too.
@_exported public import TidelogSchema
