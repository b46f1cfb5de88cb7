@_exported public import TidelogCore
@_exported public import TidelogLMDBAdapter
@_exported public import TidelogLogSalvage
@_exported public import TidelogMemoryAdapter
@_exported public import TidelogRecordJSON
@_exported public import TidelogSDL
@_exported public import TidelogSQLiteAdapter
@_exported public import TidelogSync
