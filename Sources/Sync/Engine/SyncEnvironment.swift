/// Everything around the machine of the sync engine: the clock, the server, the store and the app. An app's engine has a
/// ``DeviceEnvironment``. The simulation of the tests has another environment, and the same machine and shell.
package protocol SyncEnvironment: AnyObject {
    associatedtype Storage: SyncStorage

    /// The time of an input that comes now.
    var moment: SyncMachine.Moment { get }
    /// Whether the app receives events, so that events of single changes must be made.
    var isHeard: Bool { get }

    /// Passes the input `timePassed` to the shell at a time. Only the last call counts.
    func wake(at time: Int64)

    /// Takes the lease of the store. If another engine has it, the input `leaseFree` follows when that engine gives it up.
    func takeLease() -> Bool
    func giveUpLease()

    /// The store, before it is known whose records are synced.
    func unopenedStorage() -> Storage
    /// Opens the store for the sync with a server as a person, and follows its log with inputs `logNoticed`.
    func open(for identity: SyncIdentity) async throws -> (Storage, SyncMachine.Contents)
    /// Waits until the suspended store is open again. The input `resumed` follows then.
    func awaitResumption()
    /// Tells the store whether it has everything that the server has of a model.
    func setSynced(_ isSynced: Bool, model: String)

    /// Begins a request. Its answer is an input for the start of the engine with the number `life`.
    func begin(_ request: SyncMachine.Request, life: Int)
    /// Ends the request for the subscriptions of a model, and the subscriptions that were begun for it.
    func unsubscribe(model: String)
    /// Ends the connection for subscriptions.
    func disconnect() async
    /// Ends every request, the connection for subscriptions, and the inputs about the log.
    func cancelAll() async

    /// Decides a conflict. The result is `nil` if the app decides; its decision is an input then.
    func decide(
        _ conflict: SyncConflict, slot: Int, life: Int, in storage: Storage
    ) async throws -> SyncConflict.Decision?
    func tell(_ message: SyncMachine.Message)
    /// Lets a waiting call return with a report.
    func finish(goal: UInt64, with report: SyncReport)
    /// Lets a call of `stop` return.
    func finish(stop: UInt64)
}
