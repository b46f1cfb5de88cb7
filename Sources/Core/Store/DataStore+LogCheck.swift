extension DataStore {
    /// Reads every event of the log and checks checksum, number, chain and commit.
    ///
    /// - Throws: ``DataStoreError`` with code `logDamaged` that names the first damage.
    package func checkLog() throws {
        let report = try LogVerification.verify(current().log)
        if let damage = report.damaged.first {
            throw EventLog.damaged("is damaged at \(damage.sequence): \(damage.reason)")
        }
    }
}
