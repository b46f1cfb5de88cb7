extension Execution {
    /// Awaits the missing parts of the value that was just completed.
    func settleSuspension() async -> CompletedValue {
        guard let suspension = takeSuspension() else {
            assertionFailure("nothing is missing")
            return .failed
        }
        return await settle(suspension)
    }

    /// Awaits a suspension's missing values, in order. The result is complete.
    func settle(_ suspension: Suspension<Context>) async -> CompletedValue {
        switch suspension {
        case .container(let container): return await settle(container)
        case .pending(let field, let type, let run):
            do {
                let completed = complete(try await run(), as: type, for: field)
                guard case .suspended = completed else { return completed }
                return await settleSuspension()
            } catch {
                return fail(error, field)
            }
        }
    }

    private func settle(_ suspended: SuspendedContainer<Context>) async -> CompletedValue {
        var container = suspended
        for missing in container.missing {
            if checkCancellation() { return .failed }
            let mark = failures.count
            let completed = await settle(missing.suspension)
            step(container.step(to: missing.place), since: mark)
            let isNonNull = container.isNonNull(at: missing.place)
            guard let value = completed.value(isNonNull: isNonNull) else { return .failed }
            container.values[missing.place] = value
        }
        return .value(container.whole)
    }
}
