/// How long a synchronous piece of work took, in seconds, and what it gave.
func timed<R>(_ work: () throws -> R) rethrows -> (seconds: Double, result: R) {
    let clock = ContinuousClock()
    let start = clock.now
    let result = try work()
    return ((clock.now - start).inSeconds, result)
}

extension Duration {
    var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}

extension [Double] {
    /// The middle value, of an even number of them the greater one; zero for none.
    var median: Double {
        isEmpty ? 0 : sorted()[count / 2]
    }
}

/// Keeps the optimiser from dropping work whose result nobody else uses.
@inline(never)
func keep<T>(_ value: T) {
    withExtendedLifetime(value) {}
}
