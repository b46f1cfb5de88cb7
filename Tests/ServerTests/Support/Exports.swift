// Every file of these tests uses what they share with the tests of the sync engine.
@_exported import ServerSupport
