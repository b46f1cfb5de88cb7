@_exported public import TidelogCore
@_exported public import TidelogInMemoryAdapter
@_exported public import TidelogLMDBAdapter
@_exported public import TidelogRecordJSON
@_exported public import TidelogSDL
@_exported public import TidelogSQLiteAdapter
@_exported public import TidelogSalvage
@_exported public import TidelogSync
