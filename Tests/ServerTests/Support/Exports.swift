// Every file of these tests can use `ServerSupport`, which the tests of the sync engine use too.
@_exported import ServerSupport
